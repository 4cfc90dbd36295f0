// Fields of a batch take turns in the memory that a node shares: none may be written where a slower rank still reads
// the one before.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "support.hpp"
#include "weft/weft.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {2, 3, 6, 8});

using namespace weft;
using weft::test::rank_of;

using Numbers = std::vector<std::complex<double>>;

constexpr int executions = 3;

/// All spectra and fields of several executions, one right after the other. Another rank is late in each.
Numbers run(const Problem& problem, const Options& options) {
  Transform<double> fft(problem, MPI_COMM_WORLD, options);
  Numbers all;
  Numbers field(static_cast<std::size_t>(fft.plan().input_size())),
      spectrum(static_cast<std::size_t>(fft.plan().output_size()));
  for (int execution = 0; execution < executions; ++execution) {
    for (std::size_t i = 0; i < field.size(); ++i) {
      field[i] = {static_cast<double>((i * 7 + static_cast<std::size_t>(rank_of() + execution)) % 11) - 5,
                  static_cast<double>((i * 3 + static_cast<std::size_t>(execution)) % 13) - 6};
    }
    if (options.strategy != "alltoallv" && rank_of() == execution % weft::test::size_of()) usleep(2000);
    fft.forward(field.data(), spectrum.data());
    all.insert(all.end(), spectrum.begin(), spectrum.end());
    fft.backward(spectrum.data(), field.data());
    all.insert(all.end(), field.begin(), field.end());
  }
  return all;
}

TEST(Ring, LongBatchesOnSlowAndQuickRanks) {
  for (const Decomposition decomposition : {Decomposition::slab, Decomposition::pencil}) {
    // Some ranks have nothing of the first axis, and ranks have different parts of the others.
    const Problem problem{.shape = {5, 9, 11}, .batch = 14, .normalization = Normalization::backward};
    Options options;
    options.decomposition = decomposition;
    options.transposed = true;
    options.strategy = "alltoallv";
    const Numbers expected = run(problem, options);
    for (const std::string strategy : {"shared", "node-shm"}) {
      for (const int node_size : {2, weft::test::size_of()}) {
        for (const int window : {1, 2, 5}) {
          for (const int fields : {1, 3}) {
            for (const int tile : {1, 2}) {
              options.strategy = strategy;
              options.node_size = node_size;
              options.window = window;
              options.fields = fields;
              options.tile = tile;
              const Numbers found = run(problem, options);
              ASSERT_EQ(found.size(), expected.size());
              double worst = 0;
              for (std::size_t i = 0; i < found.size(); ++i) worst = std::max(worst, std::abs(found[i] - expected[i]));
              EXPECT_LT(worst, 1e-11) << strategy << ", nodes of " << node_size << ", window " << window << ", fields "
                                      << fields << ", tiles " << tile;
            }
          }
        }
      }
    }
  }
}

}  // namespace
