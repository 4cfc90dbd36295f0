// What depends on the type of elements: all else moves bytes.
#pragma once

#include <cstddef>

#include "elements.hpp"

namespace weft::sort {

struct Taken;

/// Functions for one type. Elements are sorted and merged as keys, which compare alike: integers where these can stand
/// for them, else the elements themselves.
struct Kernels {
  using InPlace = void (*)(void* data, std::size_t n);

  std::size_t bytes;  ///< of an element, and of its key
  bool integers;      ///< keys are integers
  InPlace to_keys, from_keys;
  InPlace leaf_sort;                           ///< of keys; the fastest that there is
  InPlace std_sort;                            ///< of keys
  bool (*less)(const void* a, const void* b);  ///< of keys
  /// merge_known, of runs of keys.
  Taken (*merge)(const void* a, std::size_t na, const void* b, std::size_t nb, void* out, std::size_t room);
  /// The first element that is larger than the next one; n if there is none.
  std::size_t (*first_unsorted)(const void* elements, std::size_t n);
};

const Kernels& kernels_of(const ElementType& type);

}  // namespace weft::sort
