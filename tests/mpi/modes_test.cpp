// Spectra that keep fewer modes than the grid has points. That transforms are right is what the contract's matrix says,
// whose shapes have them, too; here is what only such spectra have.
#include <cmath>
#include <numeric>

#include "support.hpp"
#include "weft/operator.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 4, 9});

using namespace weft;
using namespace weft::test;

TEST(Modes, SpectraAreDealtAsThoseOfAGridOfSoManyPoints) {
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    for (const bool transposed : {false, true}) {
      Options options;
      options.transposed = transposed;
      const Plan fewer({.shape = {24, 18, 21}, .kind = kind, .modes = {16, 12, 14}}, options, size_of(), rank_of());
      const Plan dense({.shape = {16, 12, 14}, .kind = kind}, options, size_of(), rank_of());
      EXPECT_TRUE(fewer.output() == dense.output());
      EXPECT_EQ(fewer.output_size(), dense.output_size());
    }
  }
}

TEST(Modes, OnlyWhatIsKeptIsSent) {
  for (const Decomposition decomposition : {Decomposition::slab, Decomposition::pencil}) {
    Options options;
    options.decomposition = decomposition;
    options.strategy = "pairwise";
    const Plan all({.shape = {24, 24, 24}}, options, size_of(), rank_of());
    const Plan fewer({.shape = {24, 24, 24}, .modes = {16, 16, 16}}, options, size_of(), rank_of());
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      // Two axes of three have fewer numbers in the exchange before the last one, all of them after it.
      const Index most = all.traffic(direction).all_bytes;
      EXPECT_LE(3 * fewer.traffic(direction).all_bytes, 2 * most);
      if (size_of() > 1 && decomposition == Decomposition::slab) {
        EXPECT_LT(2 * fewer.traffic(direction).all_bytes, most);
      }
    }
  }
}

/// Spectra of two fields to the spectrum of their product: exactly the sum over all pairs of modes.
TEST(Modes, ProductsInSpaceHaveNoAliases) {
  const Shape modes{5, 7, 3};
  const Shape shape = three_halves(modes);
  EXPECT_EQ(shape, (Shape{8, 11, 5}));
  using Complex = std::complex<double>;
  const auto product = [](const PointTile<Complex>& tile) {
    for (Index i = tile.box.lo[0]; i < tile.box.hi[0]; ++i) {
      for (Index j = tile.box.lo[1]; j < tile.box.hi[1]; ++j) {
        for (Index k = 0; k < tile.box.extent(2); ++k) tile.out(0, i, j)[k] = tile.in(0, i, j)[k] * tile.in(1, i, j)[k];
      }
    }
  };
  Operator<double> op({.shape = shape, .modes = modes, .normalization = Normalization::forward},
                      PointFunction<double>::in_space(2, 1, product), MPI_COMM_WORLD);
  const verify::Field a{verify::FieldType::complex, 3, 0, modes}, b{verify::FieldType::complex, 4, 0, modes};
  const Box box = op.plan().input_box();
  std::vector<Complex> in = values_of<Complex>(a, box), out(static_cast<std::size_t>(op.plan().output_size()));
  const std::vector<Complex> second = values_of<Complex>(b, box);
  in.insert(in.end(), second.begin(), second.end());
  op(in, out);
  const auto wave = [](Index i, Index m) { return 2 * i < m ? i : i - m; };
  const auto sum = [&](std::size_t axis, Index k,
                       Index p) -> Index {  // the mode that p needs to give k; -1 if none has it
    const Index m = modes[axis], needed = wave(k, m) - wave(p, m);
    return 2 * std::abs(needed) < m ? (needed + m) % m : -1;
  };
  std::size_t at = 0;
  const Box mine = op.plan().output_box();
  for (Index i = mine.lo[0]; i < mine.hi[0]; ++i) {
    for (Index j = mine.lo[1]; j < mine.hi[1]; ++j) {
      for (Index k = mine.lo[2]; k < mine.hi[2]; ++k) {
        Complex wanted = 0;
        for (Index p = 0; p < modes[0]; ++p) {
          for (Index q = 0; q < modes[1]; ++q) {
            for (Index r = 0; r < modes[2]; ++r) {
              const Shape other{sum(0, i, p), sum(1, j, q), sum(2, k, r)};
              if (*std::min_element(other.begin(), other.end()) >= 0) wanted += a({p, q, r}) * b(other);
            }
          }
        }
        EXPECT_LT(std::abs(out[at++] - wanted), 1e-13);
      }
    }
  }
}

TEST(Modes, HelpersUndoEachOther) {
  for (Index n = 1; n < 200; ++n) EXPECT_EQ(two_thirds(three_halves({n, n, n})), (Shape{n, n, n})) << n;
}

TEST(Modes, MoreThanThereAreAreAnErrorOnAllRanks) {
  expect_common_error([] { Transform<double>({.shape = {4, 5, 6}, .modes = {4, 6, 6}}, MPI_COMM_WORLD); },
                      {"modes is 4 x 6 x 6", "axis 1", "1 to the shape's 5"});
  expect_common_error([] { Transform<double>({.shape = {4, 5, 6}, .modes = {4, 5, -1}}, MPI_COMM_WORLD); },
                      {"modes is 4 x 5 x -1", "axis 2"});
  if (size_of() > 1) {
    expect_common_error(
        [] { Transform<double>({.shape = {4, 5, 6}, .modes = {rank_of() == 1 ? 3 : 2, 0, 0}}, MPI_COMM_WORLD); },
        {"modes=2 x 5 x 6", "modes=3 x 5 x 6"});
  }
}

}  // namespace
