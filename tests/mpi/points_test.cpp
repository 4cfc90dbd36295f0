// Fields that hold only the first points of each axis, of a grid that is zero elsewhere. That transforms are right is
// what the contract's matrix says, whose shapes have them, too; here is what only such fields have.
#include "run.hpp"
#include "support.hpp"
#include "weft/operator.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 4, 9});

using namespace weft;
using namespace weft::test;

TEST(Points, FieldsAreDealtAsThoseOfAGridOfSoManyPoints) {
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    const Plan fewer({.shape = {24, 18, 21}, .kind = kind, .points = {16, 12, 14}}, {}, size_of(), rank_of());
    const Plan dense({.shape = {16, 12, 14}, .kind = kind}, {}, size_of(), rank_of());
    EXPECT_EQ(fewer.input().shape(), dense.input().shape());
    EXPECT_EQ(fewer.input_size(), dense.input_size());
    EXPECT_EQ(fewer.output().shape(), (Shape{24, 18, kind == Kind::c2c ? 21 : 11}));
  }
}

TEST(Points, ZeroesAreNotSent) {
  for (const Decomposition decomposition : {Decomposition::slab, Decomposition::pencil}) {
    Options options;
    options.decomposition = decomposition;
    options.transposed = true;
    options.strategy = "pairwise";
    const Plan all({.shape = {24, 24, 24}}, options, size_of(), rank_of());
    const Plan fewer({.shape = {24, 24, 24}, .points = {12, 12, 12}}, options, size_of(), rank_of());
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      // Axis 0 has half of its points in the exchange before it is transformed, and all axes after the last.
      EXPECT_LE(2 * fewer.traffic(direction).all_bytes, all.traffic(direction).all_bytes);
    }
  }
}

/// One pass, in place: rows grow or shrink where other rows have not yet been read.
TEST(Points, OnePassInPlaceDoesNotOverwriteWhatItHasNotRead) {
  verify::References references;
  for (const char* kind : {"none-none-dft", "none-none-r2c", "none-none-c2r", "dft-none-none"}) {
    for (const char* kept : {"modes=20x0x16", "points=20x0x16"}) {
      const std::string text = std::string("shape=40x8x62,in_place=true,kind=") + kind + "," + kept;
      verify::Case test = verify::parse_case(text);
      for (const std::size_t axis : {0U, 2U}) {
        if (test.problem.kind.lines[axis] == Line::none) test.problem.modes[axis] = test.problem.points[axis] = 0;
      }
      const verify::Result result = verify::run_case(test, MPI_COMM_WORLD, references);
      EXPECT_TRUE(result.failures.empty()) << text << ": " << result.failures.front();
    }
  }
}

TEST(Points, WhereNothingIsTransformedOrModesAreLeftOutAreAnErrorOnAllRanks) {
  expect_common_error([] { Transform<double>({.shape = {4, 5, 6}, .points = {4, 6, 6}}, MPI_COMM_WORLD); },
                      {"points is 4 x 6 x 6", "axis 1", "1 to the shape's 5"});
  expect_common_error([] { Transform<double>({.shape = {4, 5, 6}, .points = {4, 5, -1}}, MPI_COMM_WORLD); },
                      {"points is 4 x 5 x -1", "axis 2"});
  expect_common_error(
      [] { Transform<double>({.shape = {4, 5, 6}, .modes = {2, 0, 0}, .points = {3, 0, 0}}, MPI_COMM_WORLD); },
      {"points is 3 x 0 x 0", "modes is 2 x 0 x 0", "axis 0", "one of them must be 0"});
  expect_common_error(
      [] {
        const Kind kind{{Line::none, Line::dft, Line::half_dft}};
        Transform<double>({.shape = {4, 5, 6}, .kind = kind, .points = {3, 0, 0}}, MPI_COMM_WORLD);
      },
      {"points is 3 x 0 x 0", "axis 0", "none"});
  if (size_of() > 1) {
    expect_common_error(
        [] { Transform<double>({.shape = {4, 5, 6}, .points = {rank_of() == 1 ? 3 : 2, 0, 0}}, MPI_COMM_WORLD); },
        {"points=2 x 5 x 6", "points=3 x 5 x 6"});
  }
}

}  // namespace
