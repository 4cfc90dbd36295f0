// Not run as tests: tests in which rank 1 leaves the others alone, to prove that mpi_main.cpp ends them (guard.cmake).
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <complex>
#include <vector>

#include "weft/weft.hpp"

namespace {

int my_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

TEST(Hanging, OutsideOfTransforms) {
  if (my_rank() == 1) sleep(1000);
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Hanging, InATransform) {
  weft::Options options;
  options.strategy = "pairwise";
  options.check = false;  // so that the wait is for a tile
  weft::Transform<double> fft({.shape = {8, 8, 8}}, MPI_COMM_WORLD, options);
  std::vector<std::complex<double>> x(static_cast<std::size_t>(fft.input_size())), y(x.size());
  fft.forward(x.data(), y.data());
  if (my_rank() == 1) sleep(1000);
  fft.backward(y.data(), x.data());
}

TEST(Hanging, OnOneRankAlone) {
  if (my_rank() == 1) sleep(1000);
}

TEST(Hanging, Not) { MPI_Barrier(MPI_COMM_WORLD); }

}  // namespace
