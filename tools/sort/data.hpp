// Elements to sort, and whether they have been sorted.
#pragma once

#include <string>
#include <vector>

#include "elements.hpp"
#include "weft/index.hpp"

namespace weft::sort {

/// uniform: any bits of integers, normal numbers of floats; few: 16 values; equal; sorted; reversed.
std::vector<std::string> distributions();
void fill(void* data, Index n, const ElementType& type, const std::string& distribution, std::uint64_t seed);

/// The same for all permutations of the same elements, and for hardly any others.
std::uint64_t checksum(const void* data, Index n, const ElementType& type);
/// The first place whose element is larger than the next one; -1 if there is none.
Index first_unsorted(const void* data, Index n, const ElementType& type);

}  // namespace weft::sort
