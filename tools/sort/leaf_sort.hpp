// Sorting on one core: what the leaves do.
#pragma once

#include <cstddef>
#include <string>

namespace weft::sort {

/// Sorts integers of 8 to 64 bits ascending.
template <class Key>
void leaf_sort(Key* data, std::size_t n);

/// Measures which vectors sort fastest on this processor, and uses those from now on. Returns what sorts, in words.
std::string choose_leaf_sort();

}  // namespace weft::sort
