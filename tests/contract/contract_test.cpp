// The correctness matrix, sampled so that any two settings meet, on however many ranks this runs.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>

#include "matrix.hpp"
#include "run.hpp"

namespace {

using namespace weft;
using namespace weft::verify;

int rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int ranks() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

void run_all(const std::vector<Case>& cases) {
  References references;
  for (const Case& test : cases) {
    const Result result = run_case(test, MPI_COMM_WORLD, references);
    if (rank() != 0) continue;  // the result is the same on all ranks: one tells
    for (const auto& failure : result.failures) {
      ADD_FAILURE() << failure << "\n  mpiexec -n " << ranks() << " weft-verify --case \"" << to_string(test) << "\"";
    }
  }
}

/// Ranks of one machine take turns on its processors, so a case gets slow with many of them: the more ranks, the
/// smaller the sample. Each number of ranks takes another one.
#if defined(__SANITIZE_ADDRESS__)
constexpr int kFewRanks = 2;  // everything takes five times as long
#else
constexpr int kFewRanks = 3;
#endif
bool few_ranks() { return ranks() <= kFewRanks; }
std::uint64_t seed(int test) { return static_cast<std::uint64_t>(100 * test + ranks()); }

// Strategy x layout x kind x precision x in or out of place, shapes and tilings taking turns.
TEST(Contract, CoreProduct) {
  run_all(thinned(core_product(factors(ranks())), few_ranks() ? 500 : 100, static_cast<std::size_t>(ranks())));
}

// Any two of all settings: also batches, normalisations, backends and alignments.
TEST(Contract, AllPairs) { run_all(thinned(all_pairs(factors(ranks()), seed(1)), few_ranks() ? 1000 : 120, 0)); }

TEST(Contract, Random) { run_all(random_cases(factors(ranks()), few_ranks() ? 200 : 50, seed(2))); }

// Large enough that blocks and tiles are many cache lines, and nothing divides evenly.
TEST(Contract, LargerGrid) {
  if (!few_ranks()) GTEST_SKIP() << "for few ranks";
  Factors f = factors(ranks());
  f.shape = {"shape=50x48x45"};
  f.backend = {"backend=lanes"};
  f.batch = {"batch=2"};
  f.normalization = {"normalization=none"};
  f.offset = {""};
  f.kind = {"kind=c2c", "kind=r2c"};
  f.layout = {"decomposition=slab", "decomposition=slab,transposed=true", "decomposition=pencil",
              "decomposition=pencil,transposed=true", "input=bricks:8,output=grid"};
  run_all(all_pairs(f, seed(3)));
}

// A small cache cuts the work of a pass into small chunks; the answer must not depend on it.
TEST(Contract, SmallCache) {
  if (!few_ranks()) GTEST_SKIP() << "for few ranks";
  Factors f = factors(ranks());
  f.shape = {"shape=12x10x9,cache=1", "shape=12x10x9,cache=1000", "shape=12x10x9,cache=20000"};
  f.offset = {""};
  f.normalization = {"normalization=ortho"};
  run_all(all_pairs(f, seed(4)));
}

}  // namespace
