// Ends whose arrays hold several boxes of a rank, or ghosts: the same numbers as without, brought there by ghost
// exchanges, which ghosts_test.cpp checks point by point.
#include "parts.hpp"

#include <cstdint>
#include <random>

#include "case.hpp"
#include "support.hpp"
#include "weft/ghosts.hpp"
#include "weft/poisson.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 5});

using namespace weft;
using namespace weft::test;

constexpr double untouched = -77;

/// Which axes have ghosts of the other side; the others have none beyond the grid.
using Periodic = std::array<bool, 3>;

/// An end with parts, and what is checked of it.
template <class Number>
class Parts {
 public:
  Parts(const Layout& natural, const std::optional<Layout>& wanted, const Ghosts& ghosts, const Periodic& periodic,
        Index batch, Index numbers)
      : exchange_(natural, wanted.value_or(natural), with(ghosts, natural.shape(), periodic), MPI_COMM_WORLD, batch,
                  numbers) {}

  std::size_t size() const { return static_cast<std::size_t>(exchange_.part_size()); }
  const std::vector<Box>& boxes() const { return exchange_.part_boxes(); }

  /// Parts of a field in the planner's layout, with what is beyond the grid untouched.
  std::vector<Number> scattered(const std::vector<Number>& field) {
    std::vector<Number> parts(size(), Number(untouched));
    exchange_.scatter(field, parts);
    return parts;
  }
  /// The field of these parts: sums, or without their ghosts.
  std::vector<Number> read(const std::vector<Number>& parts, bool sum) {
    std::vector<Number> field(static_cast<std::size_t>(exchange_.field_size()));
    sum ? exchange_.accumulate(parts, field) : exchange_.gather(parts, field);
    return field;
  }
  std::vector<Number> random(std::mt19937& from) const {
    std::normal_distribution<double> normal;
    std::vector<Number> parts(size());
    for (Number& number : parts) {
      if constexpr (is_complex<Number>) {
        const double re = normal(from);
        number = {re, normal(from)};
      } else {
        number = normal(from);
      }
    }
    return parts;
  }

 private:
  static Ghosts with(Ghosts ghosts, const Shape& shape, const Periodic& periodic) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (shape[axis] == 1) ghosts.below[axis] = ghosts.above[axis] = 0;
    }
    ghosts.periodic = periodic;
    return ghosts;
  }

  GhostExchange<Number> exchange_;
};

struct Setting {
  Problem problem;
  Options options;
  Periodic space{true, true, true}, spectrum{true, true, true};

  std::string describe() const {
    return to_string(problem.shape) + " " + to_string(problem.kind) + ", input " +
           (options.input ? options.input->describe() : "default") + " ghosts " + options.get("input_ghosts") +
           ", output " + (options.output ? options.output->describe() : "default") + " ghosts " +
           options.get("output_ghosts") + ", sum " + options.get("sum_ghosts") + ", batch " +
           std::to_string(problem.batch) + (problem.interleaved ? " interleaved" : "");
  }
};

/// So many numbers at each point of the first three axes.
Index numbers_at(const Plan& plan, bool input) {
  const Index points = (input ? plan.input() : plan.output()).box(plan.rank()).count();
  const Index size = input ? plan.input_size() : plan.output_size();
  const Index fields = plan.problem().interleaved ? 1 : plan.problem().batch;
  Index mine = points == 0 ? 0 : size / points / fields;
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

template <class In, class Out>
void check(const Setting& setting) {
  SCOPED_TRACE(setting.describe());
  const Problem& problem = setting.problem;
  Options plainly = setting.options;
  plainly.input.reset();
  plainly.output.reset();
  plainly.input_ghosts = plainly.output_ghosts = {};
  plainly.sum_ghosts = false;
  Transform<double> plain(problem, MPI_COMM_WORLD, plainly);
  Transform<double> with_parts(problem, MPI_COMM_WORLD, setting.options);
  const Index fields = problem.interleaved ? 1 : problem.batch;
  const bool to_space = problem.kind.to_space;
  Parts<In> input(plain.plan().input(), setting.options.input, setting.options.input_ghosts,
                  to_space ? setting.spectrum : setting.space, fields, numbers_at(plain.plan(), true));
  Parts<Out> output(plain.plan().output(), setting.options.output, setting.options.output_ghosts,
                    to_space ? setting.space : setting.spectrum, fields, numbers_at(plain.plan(), false));
  EXPECT_EQ(with_parts.input_size(), static_cast<Index>(input.size()));
  EXPECT_EQ(with_parts.output_size(), static_cast<Index>(output.size()));
  EXPECT_EQ(with_parts.plan().input_boxes(), input.boxes());
  EXPECT_EQ(with_parts.plan().output_boxes(), output.boxes());
  if (setting.options.input) {
    EXPECT_EQ(with_parts.plan().input(), *setting.options.input);
  }

  std::mt19937 random(static_cast<std::uint32_t>(rank_of()));
  const bool sum = setting.options.sum_ghosts;
  for (int again = 0; again < 2; ++again) {
    // Ghosts that are not read hold something else than what they stand for.
    const auto x = input.random(random), before = x;
    std::vector<Out> y(static_cast<std::size_t>(plain.output_size())), got(output.size(), Out(untouched));
    plain.forward(input.read(x, sum), y);
    with_parts.forward(x, got);
    EXPECT_EQ(x, before);
    EXPECT_EQ(got, output.scattered(y));

    const auto z = output.random(random);
    std::vector<In> back(static_cast<std::size_t>(plain.input_size())), given(input.size(), In(untouched));
    plain.backward(output.read(z, sum), back);
    with_parts.backward(z, given);
    EXPECT_EQ(given, input.scattered(back));
  }
  const Statistics& cost = with_parts.statistics();
  EXPECT_GT(cost.wait, 0);
  EXPECT_GE(cost.total, cost.wait);
  EXPECT_GE(cost.bytes_sent, plain.statistics().bytes_sent);
}

Ghosts random_ghosts(std::mt19937& random, const Shape& shape) {
  Ghosts ghosts;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    ghosts.below[axis] = std::min(shape[axis], static_cast<Index>(random() % 3));
    ghosts.above[axis] = std::min(shape[axis], static_cast<Index>(random() % 3));
  }
  return ghosts;
}

/// A layout of the caller's, or none.
std::optional<Layout> layout_of(int which, const Shape& shape, unsigned seed) {
  switch (which) {
    case 0: return std::nullopt;
    case 1: return verify::make_layout("bricks:" + std::to_string(seed), shape, size_of());
    default: return patches(shape, size_of(), seed);
  }
}

/// All kinds of ends for a problem; spectra of whole lines are periodic.
template <class In, class Out>
void check_all(Problem problem, const Periodic& space, const Periodic& spectrum, unsigned seed) {
  std::mt19937 random(seed);
  const bool to_space = problem.kind.to_space;
  const Shape in = to_space ? Shape(problem.spectrum_shape()) : problem.kept_points();
  const Shape out = to_space ? problem.kept_points() : Shape(problem.spectrum_shape());
  for (int of_input = 0; of_input < 3; ++of_input) {
    for (int of_output = 0; of_output < 3; ++of_output) {
      Setting setting{.problem = problem, .options = {}, .space = space, .spectrum = spectrum};
      Options& options = setting.options;
      options.input = layout_of(of_input, in, seed);
      options.output = layout_of(of_output, out, seed + 1);
      // A brick without ghosts is no end with parts: then the planner works with it.
      options.input_ghosts = random_ghosts(random, in);
      options.output_ghosts = random_ghosts(random, out);
      if (of_input != 1 && random() % 3 == 0) options.input_ghosts = {};
      if (of_output != 1 && random() % 3 == 0) options.output_ghosts = {};
      if (of_input == 1 && options.input_ghosts.none()) options.input_ghosts.below[0] = 1;
      if (of_output == 1 && options.output_ghosts.none()) options.output_ghosts.above[1] = 1;
      const bool parts = of_input + of_output > 0 || !options.input_ghosts.none() || !options.output_ghosts.none();
      options.sum_ghosts = parts && random() % 2 == 0;
      options.transposed = random() % 2 == 0;
      check<In, Out>(setting);
    }
  }
}

using Complex = std::complex<double>;

TEST(Parts, OfTransforms) {
  const Periodic all{true, true, true}, half{true, true, false}, none{false, false, false};
  check_all<Complex, Complex>({.shape = {6, 7, 5}, .kind = Kind::c2c}, all, all, 1);
  check_all<double, Complex>({.shape = {5, 4, 8}, .kind = Kind::r2c, .batch = 2}, all, half, 2);
  check_all<Complex, double>({.shape = {4, 6, 7}, .kind = Kind::c2r}, all, half, 3);
  check_all<double, double>({.shape = {5, 6, 4}, .kind = parse_kind("dct2-dst1-dct4"), .batch = 3}, none, none, 4);
  check_all<double, Complex>({.shape = {5, 6, 4}, .kind = parse_kind("dct2-dft-r2c")}, {false, true, true},
                             {false, true, false}, 5);
}

TEST(Parts, OfPlanesAndMoreAxes) {
  check_all<Complex, Complex>({.shape = {7, 6}, .kind = Kind::c2c}, {true, true, true}, {true, true, true}, 6);
  check_all<double, Complex>({.shape = {4, 3, 5, 6}, .kind = Kind::r2c}, {true, true, true}, {true, true, true}, 7);
  check_all<Complex, Complex>({.shape = {4, 3, 5}, .kind = Kind::c2c, .batch = 2, .interleaved = true},
                              {true, true, true}, {true, true, true}, 8);
}

// Where fewer modes are kept, or fewer points are held, the end is not a period.
TEST(Parts, OfPartsOfAPeriod) {
  check_all<Complex, Complex>({.shape = {8, 6, 5}, .kind = Kind::c2c, .modes = {5, 0, 0}}, {true, true, true},
                              {false, true, true}, 9);
  check_all<Complex, Complex>({.shape = {8, 6, 5}, .kind = Kind::c2c, .points = {0, 3, 0}}, {true, false, true},
                              {true, true, true}, 10);
}

TEST(Parts, OfOperators) {
  for (const bool sum : {false, true}) {
    const Problem problem{.shape = {6, 5, 8}, .kind = Kind::r2c, .batch = 2};
    const auto function = gradient<double>();
    Operator<double> plain(problem, function, MPI_COMM_WORLD);
    Options options;
    options.input = patches(problem.shape, size_of(), 3);
    options.set("input_ghosts", "1x0:2x1");
    options.set("output_ghosts", "2x1x0");
    options.sum_ghosts = sum;
    Operator<double> with_parts(problem, function, MPI_COMM_WORLD, options);
    const Periodic all{true, true, true};
    Parts<double> input(plain.plan().input(), options.input, options.input_ghosts, all, 2, 1);
    Parts<double> output(plain.plan().output(), std::nullopt, options.output_ghosts, all, 6, 1);
    ASSERT_EQ(with_parts.plan().input_size(), static_cast<Index>(input.size()));
    ASSERT_EQ(with_parts.plan().output_size(), static_cast<Index>(output.size()));
    EXPECT_EQ(with_parts.plan().input_boxes(), input.boxes());
    EXPECT_EQ(with_parts.plan().output_boxes(), output.boxes());
    std::mt19937 random(static_cast<std::uint32_t>(rank_of()));
    const auto x = input.random(random);
    std::vector<double> y(static_cast<std::size_t>(plain.plan().output_size())), got(output.size(), untouched);
    plain(input.read(x, sum), y);
    with_parts(x, got);
    EXPECT_EQ(got, output.scattered(y));
  }
}

// What a particle code does: charges in bricks with ghosts go in, potentials with ghosts come out.
TEST(Parts, OfSolvers) {
  PoissonProblem problem;
  problem.shape = {8, 7, 6};
  problem.sides[1] = {Side::odd, Side::even};
  problem.sides[2] = {Side::open, Side::open};
  for (const Points points : {Points::cells, Points::nodes}) {
    problem.points[1] = points;
    for (const bool sum : {false, true}) {
      Poisson<double> plain(problem, MPI_COMM_WORLD);
      Options options;
      options.input = patches(problem.shape, size_of(), 5);
      options.output = verify::make_layout("bricks:2", problem.shape, size_of());
      options.set("input_ghosts", "0:1");
      options.set("output_ghosts", "1:2x1:0x2");
      options.sum_ghosts = sum;
      Poisson<double> with_parts(problem, MPI_COMM_WORLD, options);
      const Periodic periodic{true, false, false};
      Parts<double> input(plain.input(), options.input, options.input_ghosts, periodic, 1, 1);
      Parts<double> output(plain.output(), options.output, options.output_ghosts, periodic, 1, 1);
      ASSERT_EQ(with_parts.input_size(), static_cast<Index>(input.size()));
      ASSERT_EQ(with_parts.output_size(), static_cast<Index>(output.size()));
      EXPECT_EQ(with_parts.output_boxes(), output.boxes());
      std::mt19937 random(static_cast<std::uint32_t>(rank_of()));
      const auto f = input.random(random);
      std::vector<double> u(static_cast<std::size_t>(plain.output_size())), got(output.size(), untouched);
      plain(input.read(f, sum), u);
      with_parts(f, got);
      EXPECT_EQ(got, output.scattered(u));
      EXPECT_EQ(with_parts.mean(f.data()), plain.mean(input.read(f, sum).data()));
      EXPECT_GT(with_parts.statistics().total, 0);
      EXPECT_NE(with_parts.explain().find("parts      of the input: "), std::string::npos);
    }
  }
}

TEST(Parts, ErrorsAreTheSameOnAllRanks) {
  const Shape shape{6, 5, 4};
  const auto make = [&](const Options& options, Problem problem = {}) {
    problem.shape = shape;
    Transform<double> transform(problem, MPI_COMM_WORLD, options);
  };
  Options ghosts;
  ghosts.set("input_ghosts", "1");
  const auto refuses = [&](Options options, const std::string& text, const Problem& problem = {}) {
    expect_common_error([&] { make(options, problem); }, {text});
  };
  Options other = ghosts;
  other.in_place = true;
  refuses(other, "in_place is true; with ghosts");
  other = ghosts;
  other.set("output_ghosts", "7x0x0");
  refuses(other, "output_ghosts: below is 7 along axis 0; allowed are 0 to 6");
  other = {};
  other.sum_ghosts = true;
  refuses(other, "sum_ghosts is true");
  refuses(ghosts, "input_order", {.input_order = {1, 0, 2}});
  other = {};
  other.input = patches({6, 5, 5}, size_of(), 1);
  if (other.input->has_several()) refuses(other, "the input layout has the shape 6 x 5 x 5; 6 x 5 x 4 is needed");
  if (size_of() > 1) {
    other = ghosts;
    other.groups = 2;
    refuses(other, "groups is 2; with ghosts");
    other = {};
    other.input_ghosts.below = {rank_of() == 0 ? 1 : 2, 0, 0};
    expect_common_error([&] { make(other); }, {"same on all ranks"});
    other.input_ghosts = {{1, 0, 0}, {}, {rank_of() == 0, true, true}};
    expect_common_error([&] { make(other); }, {"same on all ranks"});
  }
  // A call's arguments are checked before anything moves.
  Problem problem;
  problem.shape = shape;
  Transform<double> transform(problem, MPI_COMM_WORLD, ghosts);
  std::vector<Complex> x(static_cast<std::size_t>(transform.input_size())),
      y(static_cast<std::size_t>(transform.output_size()));
  const bool wrong = rank_of() == size_of() - 1;
  expect_common_error([&] { transform.forward(wrong ? nullptr : x.data(), y.data()); }, {"in is null"});
  expect_common_error([&] { transform.forward(std::span(x).first(x.size() - (wrong ? 1 : 0)), y); }, {"at least"});
  Poisson<double> solve({.shape = shape}, MPI_COMM_WORLD, ghosts);
  std::vector<double> f(static_cast<std::size_t>(solve.input_size())), u(static_cast<std::size_t>(solve.output_size()));
  expect_common_error([&] { solve(wrong ? nullptr : f.data(), u.data()); }, {"in is null"});
  expect_common_error(
      [&] { Redistribution(patches(shape, size_of(), 1), Layout::slab(shape, size_of(), 0), 8, MPI_COMM_WORLD); },
      {size_of() > 0 ? "a redistribution needs one box a rank" : ""});
}

}  // namespace
