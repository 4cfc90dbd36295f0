// The sets of instructions for which there are kernels and which this processor has: what WEFT_TEST_LANES may name
// here.
#pragma once

#include <vector>

#include "fft/lanes_plan.hpp"

namespace weft::test {

inline std::vector<const char*> lanes_here() {
  std::vector<const char*> names;
  for (const auto& code : detail::all_lanes<double>()) names.push_back(code.name);
  return names;
}

}  // namespace weft::test
