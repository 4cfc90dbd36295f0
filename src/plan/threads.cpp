#include "plan/threads.hpp"

#ifdef _OPENMP
#include <omp.h>

#include <cstdlib>
#endif

namespace weft::detail {

int number_of_threads(const Options& options) {
  if (options.threads > 0) return options.threads;
#ifdef _OPENMP
  if (std::getenv("OMP_NUM_THREADS") != nullptr) return omp_get_max_threads();
#endif
  return 1;
}

}  // namespace weft::detail
