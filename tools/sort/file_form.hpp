// Elements as they are in files, and as they are sorted: numbers in this machine's byte order, characters in words.
#pragma once

#include <cstddef>

#include "elements.hpp"

namespace weft::sort {

/// Whether both are the same bytes.
bool file_form_is_own(const ElementType& type);
void from_file_form(const ElementType& type, const std::byte* file, std::size_t n, void* elements);
void to_file_form(const ElementType& type, const void* elements, std::size_t n, std::byte* file);

}  // namespace weft::sort
