// One-dimensional arrays in NumPy's .npy files.
#pragma once

#include <string>
#include <vector>

#include "elements.hpp"
#include "weft/index.hpp"

namespace weft::sort {

struct NpyHeader {
  ElementType type;
  Index count = 0;
  Index data_offset = 0;  ///< bytes
};

/// Errors name the file and what is wrong with it.
NpyHeader read_npy_header(const std::string& path);
void read_npy_data(const std::string& path, const NpyHeader& header, void* data);
void write_npy(const std::string& path, const ElementType& type, const void* data, Index count);

}  // namespace weft::sort
