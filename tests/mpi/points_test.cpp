// Fields that hold only the first points of each axis, of a grid that is zero elsewhere. That transforms are right is
// what the contract's matrix says, whose shapes have them, too; here is what only such fields have.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include "run.hpp"
#include "support.hpp"
#include "weft/operator.hpp"
#include "weft/poisson.hpp"

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

/// Each output is a sum of all inputs, times what depends on all wave numbers.
template <class Real>
PointFunction<Real> mixed(Index inputs, Index outputs) {
  return PointFunction<Real>::at_wavenumbers(inputs, outputs, [=](const auto& tile) {
    for (Index i = tile.box.lo[0]; i < tile.box.hi[0]; ++i) {
      for (Index j = tile.box.lo[1]; j < tile.box.hi[1]; ++j) {
        for (Index k = tile.box.lo[2]; k < tile.box.hi[2]; ++k) {
          const auto at = [&](std::size_t axis, Index index) {
            return tile.at[axis][static_cast<std::size_t>(index)] * static_cast<double>(axis + 1);
          };
          const double wave = std::cos(at(0, i) + at(1, j) + at(2, k));
          for (Index to = 0; to < outputs; ++to) {
            auto sum = tile.in(0, i, j)[k - tile.box.lo[2]] * static_cast<Real>(wave);
            for (Index from = 1; from < inputs; ++from) {
              sum += tile.in(from, i, j)[k - tile.box.lo[2]] * static_cast<Real>(wave * double(from - to));
            }
            tile.out(to, i, j)[k - tile.box.lo[2]] = sum;
          }
        }
      }
    }
  });
}

/// An operator whose lines grow in its middle pass, and the same with passes of their own.
template <class Real, class Number>
void check_growing(const Problem& problem, Index inputs, Index outputs, Options options) {
  Operator<Real> grows(problem, mixed<Real>(inputs, outputs), MPI_COMM_WORLD, options);
  Options apart;
  apart.effort = Effort::estimate;
  apart.consume = Consume::early;
  apart.input = grows.plan().input();
  apart.output = grows.plan().output();
  Operator<Real> passes(problem, mixed<Real>(inputs, outputs), MPI_COMM_WORLD, apart);
  const auto lines_before = [](const OperatorPlan& plan) {
    const std::string text = plan.explain();
    const std::size_t function = text.find(", function, "), pass = text.rfind("  pass", function);
    return 1 + std::count(text.begin() + static_cast<std::ptrdiff_t>(pass),
                          text.begin() + static_cast<std::ptrdiff_t>(function), ',');
  };
  EXPECT_EQ(lines_before(grows.plan()), options.node_size > 0 && size_of() == 1 ? 1 : 2) << grows.plan().explain();
  EXPECT_EQ(lines_before(passes.plan()), 1) << passes.plan().explain();
  std::mt19937 random(40 + static_cast<unsigned>(rank_of()));
  std::uniform_real_distribution<Real> some(-1, 1);
  std::vector<Number> in(static_cast<std::size_t>(grows.plan().input_size()));
  for (Number& one : in) one = some(random);
  std::vector<Number> wanted(static_cast<std::size_t>(passes.plan().output_size()), Number(-7)), found = in;
  passes(in, wanted);
  if (options.in_place) {
    grows(found.data(), found.data());
    found.resize(wanted.size());
  } else {
    found.assign(wanted.size(), Number(-7));
    grows(in, found);
  }
  Real worst = 0, most = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    worst = std::max(worst, std::abs(found[i] - wanted[i]));
    most = std::max(most, std::abs(wanted[i]));
  }
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, sizeof(Real) == 8 ? MPI_DOUBLE : MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_LE(worst, 100 * std::numeric_limits<Real>::epsilon() * std::max(most, Real(1)));
}

TEST(Points, LinesThatGrowInTheMiddleOfAnOperator) {
  const Line first[] = {Line::dft, Line::dct2, Line::dst1}, second[] = {Line::r2hc, Line::dst2, Line::dht, Line::dct4},
             third[] = {Line::half_dft, Line::half_dft, Line::dct2};
  // Rows that grow, or columns along axis 1.
  const Shape of_rows[] = {{6, 5, 8}, {9, 7, 12}, {16, 20, 31}, {2, 3, 2}, {40, 3, 66}};
  const Shape of_columns[] = {{6, 8, 18}, {9, 12, 19}, {16, 31, 20}, {2, 2, 17}, {10, 66, 33}};
  const std::array<Index, 2> counts[] = {{1, 1}, {2, 2}, {1, 3}, {3, 2}};
  const std::vector<std::string> names = strategies_on(MPI_COMM_WORLD);
  std::mt19937 random(70 + static_cast<unsigned>(size_of()));
  for (int number = 0; number < 48; ++number) {
    const auto pick = [&](const auto& list) { return list[random() % std::size(list)]; };
    const bool rows = number % 2 == 0;
    Problem problem{.shape = rows ? pick(of_rows) : pick(of_columns)};
    problem.kind.lines = {pick(first), pick(second), pick(third)};
    if (!rows && random() % 3 == 0) problem.kind.lines[1] = Line::dft;
    if (!rows && random() % 3 == 0) problem.kind.lines[2] = Line::dft;
    // Dfts of real fields are behind half ones.
    bool complex = problem.kind.lines[2] == Line::dft;
    for (const std::size_t axis : {0, 1}) {
      const bool behind = problem.kind.lines[2] == Line::half_dft;
      if (rows && !behind && problem.kind.lines[axis] == Line::dft) problem.kind.lines[axis] = Line::dst4;
      complex = complex || (!behind && problem.kind.lines[axis] == Line::dft);
    }
    for (const std::size_t axis : {0, 1, 2}) {
      const bool grows = axis == (rows ? 2 : 1) || (random() % 2 == 0 && (rows || axis == 0 || complex));
      if (grows) problem.points[axis] = (problem.shape[axis] + 1) / 2;
    }
    problem.batch = pick(std::array<Index, 3>{1, 1, 3});
    problem.normalization = pick(std::array{Normalization::none, Normalization::backward});
    const bool single = random() % 3 == 0;
    problem.precision = single ? Precision::single_ : Precision::double_;
    const auto fields = pick(counts);
    const Index inputs = fields[0], outputs = fields[1];  // Clang before 17 lets no lambda capture structured bindings
    Options options;
    options.effort = Effort::estimate;
    options.decomposition = Decomposition::slab;
    options.strategy = names[static_cast<std::size_t>(number) % names.size()];
    options.tile = pick(std::array{0, 1, 2});
    options.threads = pick(std::array{1, 1, 2});
    options.cache = pick(std::array<Index, 3>{0, 2000, 20000});
    options.backend = pick(std::array<const char*, 3>{"auto", "fftw", "lanes"});
    options.in_place = inputs == outputs && random() % 2 == 0;
    if (!rows) options.node_size = 1;  // columns only between nodes
    SCOPED_TRACE(testing::Message() << "case " << number << ": " << to_string(problem.shape) << " points "
                                    << to_string(problem.points) << ' ' << to_string(problem.kind)
                                    << (single ? " single, " : " double, ") << inputs << " to " << outputs << ", "
                                    << problem.batch << " times, strategy " << options.strategy
                                    << (options.in_place ? ", in place" : ""));
    const auto check = [&](auto real) {
      using Real = decltype(real);
      complex ? check_growing<Real, std::complex<Real>>(problem, inputs, outputs, options)
              : check_growing<Real, Real>(problem, inputs, outputs, options);
    };
    single ? check(float()) : check(double());
    if (HasFailure()) break;
  }
}

/// What slabs of a box send, of which each rank keeps its own part: twice the field, and four times if both axes that
/// are whole on a rank are open.
TEST(Points, OpenBoxesSendNothingTwice) {
  constexpr Index n = 36, field = n * n * n * 8;
  using Sides = std::array<Side, 2>;
  constexpr Sides open{Side::open, Side::open}, wall{Side::odd, Side::odd}, periodic{Side::periodic, Side::periodic};
  int node_size = 0;
  const auto sent = [&](const std::array<Sides, 3>& sides) {
    Options options;
    options.strategy = "pairwise";
    options.effort = Effort::estimate;
    options.decomposition = Decomposition::slab;
    options.node_size = node_size;
    Poisson<double> solve({.shape = {n, n, n}, .sides = sides}, MPI_COMM_WORLD, options);
    return solve.plan().traffic().all_bytes;
  };
  const auto of_fields = [&](Index times, Index numbers) {
    return times * field / n * numbers * (size_of() - 1) / size_of();
  };
  EXPECT_EQ(sent({open, open, open}), of_fields(4, n));
  EXPECT_EQ(sent({periodic, open, open}), of_fields(4, n));
  EXPECT_EQ(sent({open, wall, open}), of_fields(2, n));
  EXPECT_EQ(sent({open, periodic, open}), of_fields(2, n));
  EXPECT_EQ(sent({wall, wall, open}), of_fields(2, n));
  // Lines along an open axis 1 grow before the exchange, if that is not one between nodes.
  EXPECT_EQ(sent({open, open, wall}), of_fields(4, n));
  node_size = 1;
  EXPECT_EQ(sent({open, open, wall}), of_fields(2, n));
  // Wave numbers of 36 points are 19 complex ones, dealt among the ranks.
  EXPECT_NEAR(static_cast<double>(sent({open, open, periodic})), static_cast<double>(of_fields(2, n + 2)), 0.1 * field);
  EXPECT_NEAR(static_cast<double>(sent({periodic, open, periodic})), static_cast<double>(of_fields(2, n + 2)),
              0.1 * field);
}

}  // namespace
