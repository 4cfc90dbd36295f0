// Threads that compute in each rank.
#pragma once

#include "weft/options.hpp"

namespace weft::detail {

/// What the option says, else what OMP_NUM_THREADS says. (Not the processors that OpenMP finds, since other ranks have
/// them, too.)
int number_of_threads(const Options& options);

}  // namespace weft::detail
