// The dictionary that stands before the elements of an .npy file.
#pragma once

#include <string>
#include <string_view>

#include "elements.hpp"
#include "weft/index.hpp"

namespace weft::sort {

/// The longest header that NumPy reads, in bytes.
constexpr std::size_t longest_npy_header = 10000;

struct NpyArray {
  ElementType type;
  Index count = 0;
};

/// What a header says of an array of one dimension. Errors begin with `file`.
NpyArray parse_npy_header(const std::string& file, std::string_view header);

}  // namespace weft::sort
