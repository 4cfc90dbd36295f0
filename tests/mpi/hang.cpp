// Not a test: a program in which rank 1 leaves the others alone, for the watchdog to find.
#include <mpi.h>
#include <unistd.h>

#include <complex>
#include <cstring>
#include <vector>

#include "weft/sphere.hpp"
#include "weft/weft.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    const char* how = argc > 1 ? argv[1] : "";
    weft::Options options;
    options.check = std::strcmp(how, "agreement") == 0;
    options.strategy = std::strcmp(how, "blocking") == 0 ? "alltoallv" : "pairwise";
    if (std::strcmp(how, "groups") == 0) options.groups = 3;
    options.tile = 2;
    options.watchdog = 1;
    if (std::strncmp(how, "sphere", 6) == 0) {
      options.check = std::strcmp(how, "sphere_agreement") == 0;
      if (std::strcmp(how, "sphere_groups") == 0) options.groups = 3;
      const weft::GVector mine{rank, 0, 0};
      weft::SphereTransform<double> fft({.grid = {8, 8, 8}}, {&mine, 1}, MPI_COMM_WORLD, options);
      std::vector<std::complex<double>> waves(3), space(3 * 512);
      fft.backward(waves.data(), space.data(), {3, 0, 0});
      if (rank == 1) sleep(1000);
      fft.forward(space.data(), waves.data(), {3, 0, 0});
    }
    weft::Transform<double> fft({.shape = {8, 8, 8}, .batch = options.groups}, MPI_COMM_WORLD, options);
    std::vector<std::complex<double>> x(static_cast<std::size_t>(fft.input_size())), y(x.size());
    fft.forward(x.data(), y.data());
    // Longer than the watchdog's patience, but outside of an execution: no reason to bark.
    MPI_Barrier(MPI_COMM_WORLD);
    if (std::strcmp(how, "nothing") == 0) sleep(3);
    if (std::strcmp(how, "nothing") != 0 && rank == 1) sleep(1000);
    fft.backward(y.data(), x.data());
  }
  MPI_Finalize();
  return 0;
}
