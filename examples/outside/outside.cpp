// A plane wave has one peak in its spectrum; find it, and return to where we came from.
#include <weft/weft.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    const weft::Shape shape{12, 10, 7};
    const weft::Shape wave{3, 9, 2};
    weft::Transform<double> fft({.shape = shape, .normalization = weft::Normalization::forward}, MPI_COMM_WORLD);

    std::vector<std::complex<double>> field(static_cast<std::size_t>(fft.input_size()));
    const weft::Box mine = fft.input_box();
    std::size_t at = 0;
    for (weft::Index i = mine.lo[0]; i < mine.hi[0]; ++i) {
      for (weft::Index j = mine.lo[1]; j < mine.hi[1]; ++j) {
        for (weft::Index k = mine.lo[2]; k < mine.hi[2]; ++k) {
          const double turns = static_cast<double>(wave[0] * i) / static_cast<double>(shape[0]) +
                               static_cast<double>(wave[1] * j) / static_cast<double>(shape[1]) +
                               static_cast<double>(wave[2] * k) / static_cast<double>(shape[2]);
          field[at++] = std::polar(1.0, 2 * std::numbers::pi * turns);
        }
      }
    }

    std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(fft.output_size()));
    std::vector<std::complex<double>> again(field.size());
    fft.forward(field.data(), spectrum.data());
    fft.backward(spectrum.data(), again.data());

    // The largest differences: of the spectrum from a single 1 at `wave`, of the returned field from the first.
    double errors[2] = {0, 0};
    const weft::Box theirs = fft.output_box();
    at = 0;
    for (weft::Index i = theirs.lo[0]; i < theirs.hi[0]; ++i) {
      for (weft::Index j = theirs.lo[1]; j < theirs.hi[1]; ++j) {
        for (weft::Index k = theirs.lo[2]; k < theirs.hi[2]; ++k) {
          const double expected = i == wave[0] && j == wave[1] && k == wave[2] ? 1 : 0;
          errors[0] = std::max(errors[0], std::abs(spectrum[at++] - expected));
        }
      }
    }
    for (std::size_t n = 0; n < field.size(); ++n) errors[1] = std::max(errors[1], std::abs(again[n] - field[n]));
    MPI_Allreduce(MPI_IN_PLACE, errors, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);

    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const bool good = errors[0] < 1e-14 && errors[1] < 1e-14;
    if (rank == 0) {
      std::printf("weft %s, %d ranks, %s: error of the spectrum %.1e, of the round trip %.1e: %s\n",
                  weft::version().c_str(), ranks, fft.plan().input().describe().c_str(), errors[0], errors[1],
                  good ? "right" : "WRONG");
    }
    status = good ? 0 : 1;
  } catch (const weft::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = 2;
  }
  MPI_Finalize();
  return status;
}
