// Before MPI_Init a transform is an Error, and one that outlives MPI_Finalize ends quietly. Run without gtest, since
// both happen outside of main's MPI.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <optional>

#include "weft/weft.hpp"

// MPI_Finalize unloads plugins whose leaks then look like ours.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace {
std::optional<weft::Transform<double>> outlives;
}

/// Whether that is an Error that says what to do.
template <class Work>
bool is_told(const Work& work) {
  try {
    work();
  } catch (const weft::Error& error) {
    return std::strstr(error.what(), "MPI_Init") != nullptr;
  }
  return false;
}

int main(int argc, char** argv) {
  const bool told = is_told([] { weft::Transform<double> early({.shape = {4, 4, 4}}, MPI_COMM_WORLD); }) &&
                    is_told([] { weft::describe_strategies(MPI_COMM_WORLD); });
  MPI_Init(&argc, &argv);
  outlives.emplace(weft::Problem{.shape = {4, 4, 4}}, MPI_COMM_WORLD);
  MPI_Finalize();
  if (!told) std::fprintf(stderr, "something before MPI_Init did not throw an Error that names MPI_Init\n");
  return told ? 0 : 1;
}
