// The correctness matrix, sampled so that any two settings meet, on however many ranks this runs.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "guard.hpp"
#include "matrix.hpp"
#include "run.hpp"
#ifdef WEFT_TEST_C
#include "c_door.hpp"
#endif
#ifdef WEFT_TEST_FORTRAN
#include "fortran_door.hpp"
#endif

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

void run_all(const std::vector<Case>& cases, const DoorMaker& door = cxx_door) {
  References references;
  for (const Case& test : cases) {
    weft::test::Guard::next(to_string(test));
    const Result result = run_case(test, MPI_COMM_WORLD, references, door);
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

/// WEFT_TEST_SEED takes a small sample, another one with each number: on two ranks any two settings still meet.
/// Without it, all that is tested before a change is accepted.
std::optional<std::uint64_t> sampled() {
  const char* text = std::getenv("WEFT_TEST_SEED");
  if (text == nullptr) return {};
  return std::strtoull(text, nullptr, 10);
}
std::uint64_t seed(int test) { return 1000 * sampled().value_or(0) + static_cast<std::uint64_t>(100 * test + ranks()); }
/// How many cases: of all that is tested, and of a sample.
std::size_t cases(std::size_t few, std::size_t many, std::size_t few_sampled, std::size_t many_sampled) {
  if (sampled()) return few_ranks() ? few_sampled : many_sampled;
  return few_ranks() ? few : many;
}
std::vector<Case> thinned(const std::vector<Case>& all, std::size_t count) {
  return verify::thinned(all, count, static_cast<std::size_t>(seed(0)));
}

// Strategy x layout x kind x precision x in or out of place, shapes and tilings taking turns.
TEST(Contract, CoreProduct) { run_all(thinned(core_product(factors(ranks())), cases(500, 100, 60, 20))); }

// Any two of all settings: also batches, normalisations, backends and alignments.
TEST(Contract, AllPairs) {
  const std::vector<Case> all = all_pairs(factors(ranks()), seed(1));
  run_all(ranks() == 2 ? all : thinned(all, cases(1000, 120, 60, 20)));
}

TEST(Contract, Random) { run_all(random_cases(factors(ranks()), cases(200, 50, 30, 10), seed(2))); }

#ifdef WEFT_TEST_C
// The same through the interface of C: what is computed is tested above, so that any two settings need not meet.
TEST(Contract, ThroughC) { run_all(thinned(all_pairs(factors(ranks()), seed(5)), cases(100, 30, 40, 10)), c_door); }
#endif
#ifdef WEFT_TEST_FORTRAN
TEST(Contract, ThroughFortran) {
  // (Of one line, whose shape has one extent there, tests/fortran knows more.)
  std::vector<Case> all = all_pairs(factors(ranks()), seed(6));
  std::erase_if(all, [](const Case& test) { return test.problem.one_line; });
  run_all(thinned(all, cases(100, 30, 40, 10)), fortran_door);
}
#endif

// Large enough that blocks and tiles are many cache lines, and nothing divides evenly.
TEST(Contract, LargerGrid) {
  if (!few_ranks()) GTEST_SKIP() << "for few ranks";
  Factors f = factors(ranks());
  f.shape = {"shape=50x48x45", "shape=50x48x45,cache=1000"};
  f.backend = {"backend=lanes"};
  f.batch = {"batch=2"};
  f.normalization = {"normalization=none"};
  f.offset = {""};
  f.kind = {"kind=c2c", "kind=r2c"};
  f.layout = {"decomposition=slab", "decomposition=slab,transposed=true", "decomposition=pencil",
              "decomposition=pencil,transposed=true", "input=bricks:8,output=grid"};
  run_all(thinned(all_pairs(f, seed(3)), cases(1000, 0, 20, 0)));
}

// One line that its divisors deal to one rank only.
TEST(Contract, PaddedLine) {
  if (ranks() == 1) GTEST_SKIP() << "for several ranks";
  Factors f = factors(ranks());
  f.shape = {"shape=1x1x4099", "shape=1x1x5014"};
  f.layout = {"decomposition=auto", "decomposition=slab,transposed=true", "decomposition=pencil"};
  f.kind = {"kind=c2c", "kind=r2c", "kind=c2r"};
  f.place = {"in_place=false", "in_place=true"};
  f.arrays = {"one_line=true,output_order=210", "one_line=true,interleaved=true,output_order=210"};
  run_all(thinned(all_pairs(f, seed(7)), cases(200, 40, 20, 8)));
}

// A small cache cuts the work of a pass into small chunks; the answer must not depend on it.
TEST(Contract, SmallCache) {
  if (!few_ranks()) GTEST_SKIP() << "for few ranks";
  Factors f = factors(ranks());
  // In the last one what ranks keep and share has gaps between rows and planes.
  f.shape = {"shape=12x10x9,cache=1", "shape=12x10x9,cache=1000", "shape=12x10x9,cache=20000",
             "shape=9x8x64,cache=2000"};
  f.offset = {""};
  f.normalization = {"normalization=ortho"};
  run_all(thinned(all_pairs(f, seed(4)), cases(1000, 0, 20, 0)));
}

}  // namespace
