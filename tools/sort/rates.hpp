// What sorting and merging cost on one core: rates for predictions.
#pragma once

namespace weft::sort {

struct Rates {
  double sort = 0;   ///< seconds for one of the n log2 n steps of sorting n elements
  double merge = 0;  ///< seconds an element
};

/// For int32, in cache, as the leaves and merges of a small problem are.
Rates measure_rates();

}  // namespace weft::sort
