// Operators of C compute what those of C++ do, to the last bit; functions of one's own, and what fails in them.
#include <cmath>
#include <numbers>

#include "c_support.hpp"
#include "weft/operator.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3});

using namespace weft;
using namespace weft::test;

using Complex = std::complex<double>;

const double kLengths[3] = {1, 2.5, 4};

void make(OwnedProblem& problem, const char* kind, const char* precision = "double") {
  done(weft_problem_create(3, kShape, &problem));
  done(weft_problem_set(problem, "kind", kind));
  done(weft_problem_set(problem, "precision", precision));
  done(weft_problem_set_lengths(problem, kLengths));
}

Problem problem_of(const char* kind, const char* precision) {
  Problem problem;
  problem.shape = {kShape[0], kShape[1], kShape[2]};
  problem.kind = parse_kind(kind);
  problem.precision = parse_precision(precision);
  problem.lengths = {kLengths[0], kLengths[1], kLengths[2]};
  return problem;
}

/// Numbers of this rank's arrays that differ from point to point.
template <class Number>
std::vector<Number> some(Index size) {
  std::vector<Number> out;
  for (Index i = 0; i < size; ++i) {
    if constexpr (is_complex<Number>) {
      using Real = typename Number::value_type;
      out.emplace_back(static_cast<Real>(std::sin(3.0 * static_cast<double>(i) + rank_of())),
                       static_cast<Real>(std::cos(7.0 * static_cast<double>(i))));
    } else {
      out.push_back(static_cast<Number>(std::sin(5.0 * static_cast<double>(i) + rank_of())));
    }
  }
  out.emplace_back();  // an address, where there are no numbers
  return out;
}

/// The same operator by C and by C++.
template <class Real, class Number>
void compare(const char* kind, const char* precision, weft_function by_c, const PointFunction<Real>& by_cpp) {
  SCOPED_TRACE(by_cpp.name + " " + kind + " " + precision);
  OwnedProblem problem;
  make(problem, kind, precision);
  OwnedOperator op;
  done(weft_operator_create(problem, by_c, nullptr, MPI_COMM_WORLD, &op));
  weft_operator_plan plan = nullptr;
  weft_operator_sizes sizes;
  done(weft_operator_get_plan(op, &plan));
  done(weft_operator_plan_sizes(plan, sizeof sizes, &sizes));
  Operator<Real> other(problem_of(kind, precision), by_cpp, MPI_COMM_WORLD);
  EXPECT_EQ(sizes.input_size, other.plan().input_size());
  EXPECT_EQ(sizes.output_size, other.plan().output_size());
  EXPECT_EQ(sizes.inputs, by_cpp.inputs);
  EXPECT_EQ(sizes.outputs, by_cpp.outputs);
  EXPECT_EQ(sizes.at, by_cpp.at == At::points ? WEFT_AT_POINTS : WEFT_AT_WAVENUMBERS);
  EXPECT_EQ(box_of(sizes.middle_box), other.plan().middle_box());
  EXPECT_EQ(text_of(weft_operator_plan_explain, plan), other.plan().explain());
  const auto in = some<Number>(sizes.input_size);
  const auto room = static_cast<std::size_t>(sizes.output_size) + 1;
  std::vector<Number> out(room), wanted(room);
  done(weft_operator_apply(op, in.data(), out.data()));
  other(in.data(), wanted.data());
  EXPECT_EQ(out, wanted);
  done(weft_operator_execute(op, in.data(), sizes.type, sizes.input_size, out.data(), sizes.type, -1));
  EXPECT_EQ(out, wanted);
}

template <class Real>
void compare_named(const char* kind, const char* precision) {
  const Problem described = problem_of(kind, precision);
  OwnedProblem problem;
  make(problem, kind, precision);
  const auto check = [&](const char* name, const std::vector<double>& values, const PointFunction<Real>& by_cpp) {
    OwnedFunction function;
    done(weft_function_named(problem, name, static_cast<int>(values.size()), values.data(), &function));
    if (by_cpp.at == At::wavenumbers && described.kind == Kind::r2c) {
      compare<Real, Real>(kind, precision, function, by_cpp);
    } else {
      compare<Real, std::complex<Real>>(kind, precision, function, by_cpp);
    }
  };
  check("laplacian", {}, laplacian<Real>(described));
  check("laplacian", {2}, laplacian<Real>(described, Stencil::second_order));
  check("inverse_laplacian", {0}, inverse_laplacian<Real>(described));
  check("derivative", {3, 1}, derivative<Real>(3, 1));
  check("gradient", {}, gradient<Real>());
  check("divergence", {}, divergence<Real>());
  check("curl", {}, curl<Real>());
  check("projection", {}, projection<Real>());
  check("gaussian", {0.25}, gaussian<Real>(0.25));
  check("heat", {0.01}, heat<Real>(0.01));
  check("heat", {0.01, 3}, heat<Real>(0.01, 3));
  check("shift", {0.5, 0, -1}, shift<Real>({0.5, 0, -1}));
  check("truncate", {}, truncate<Real>(described));
  check("cross", {}, cross<Real>());
  check("products", {2}, products<Real>(2));
}

TEST(CInterface, NamedFunctionsOfOperators) {
  compare_named<double>("c2c", "double");
  compare_named<float>("r2c", "single");
}

TEST(CInterface, TablesFactorsAndKernels) {
  const Problem described = problem_of("r2c", "double");
  OwnedProblem problem;
  OwnedFunction any;
  make(problem, "r2c");
  done(weft_function_named(problem, "laplacian", 0, nullptr, &any));
  OwnedOperatorPlan plan;
  weft_operator_sizes sizes;
  done(weft_operator_plan_create(problem, any, nullptr, size_of(), rank_of(), &plan));
  done(weft_operator_plan_sizes(plan, sizeof sizes, &sizes));

  auto table = some<Complex>(box_of(sizes.middle_box).count());
  table.pop_back();
  std::vector<double> real;
  for (const Complex& one : table) real.push_back(one.real());
  OwnedFunction of_complex, of_real, separable, in_space;
  const auto count = static_cast<int64_t>(table.size());
  done(weft_function_multiply(problem, WEFT_AT_WAVENUMBERS, table.data(), 0, count, &of_complex));
  done(weft_function_multiply(problem, WEFT_AT_WAVENUMBERS, real.data(), 1, count, &of_real));
  compare<double, double>("r2c", "double", of_complex, multiply<double>(table));
  compare<double, double>("r2c", "double", of_real, multiply<double>(real));

  // What the function sees of the axes is as long as its factors.
  std::array<std::vector<Complex>, 3> factors;
  const void* addresses[3];
  int64_t counts[3];
  for (int axis = 0; axis < 3; ++axis) {
    const double* values = nullptr;
    done(weft_operator_plan_places(plan, axis, 0, &values, &counts[axis]));
    const auto wanted = wavenumbers(kShape[axis], kLengths[axis], axis == 2);
    EXPECT_EQ((std::vector<double>(values, values + counts[axis])), wanted);
    auto& factor = factors[static_cast<std::size_t>(axis)];
    for (const double k : wanted) factor.emplace_back(std::exp(-k * k / 100), k / 50);
    addresses[axis] = factor.data();
  }
  done(weft_function_multiply_separable(problem, addresses, counts, &separable));
  compare<double, double>("r2c", "double", separable, multiply_separable<double>({factors[0], factors[1], factors[2]}));
  const double* odd = nullptr;
  done(weft_operator_plan_places(plan, 0, 1, &odd, &counts[0]));
  EXPECT_EQ(odd[kShape[0] / 2], 0);

  auto kernel = some<double>(sizes.input_size);
  kernel.pop_back();
  const std::span<const double> numbers(kernel);
  for (const int correlate : {0, 1}) {
    OwnedFunction function;
    done(weft_function_convolution(problem, kernel.data(), sizes.input_size, correlate, nullptr, MPI_COMM_WORLD,
                                   &function));
    compare<double, double>("r2c", "double", function,
                            correlate != 0 ? correlation<double>(described, numbers, MPI_COMM_WORLD)
                                           : convolution<double>(described, numbers, MPI_COMM_WORLD));
  }
}

/// Two fields to one: their product times the first coordinate and the context.
int product_of(const weft_tile* tile, void* context) {
  if (tile->type != WEFT_DOUBLE || tile->inputs != 2 || tile->outputs != 1 || tile->odd[0] != nullptr) return 3;
  const double factor = *static_cast<const double*>(context);
  const auto *a = static_cast<const double*>(tile->in[0]), *b = static_cast<const double*>(tile->in[1]);
  auto* const out = static_cast<double*>(tile->out[0]);
  for (int64_t i = tile->lo[0]; i < tile->hi[0]; ++i) {
    for (int64_t j = tile->lo[1]; j < tile->hi[1]; ++j) {
      const int64_t row = (i - tile->lo[0]) * tile->strides[0] + (j - tile->lo[1]) * tile->strides[1];
      for (int64_t k = 0; k < tile->hi[2] - tile->lo[2]; ++k) {
        out[row + k] = factor * tile->at[0][i] * a[row + k] * b[row + k];
      }
    }
  }
  return 0;
}

int fail_with(const weft_tile*, void* code) { return *static_cast<const int*>(code); }

TEST(CInterface, FunctionsOfTiles) {
  OwnedProblem problem;
  OwnedFunction function;
  make(problem, "r2c");
  double factor = 2;
  done(weft_function_of_tiles(problem, WEFT_AT_POINTS, 2, 1, product_of, &factor, &function));
  auto same = PointFunction<double>::in_space(2, 1, [&](const PointTile<double>& tile) {
    for (Index i = tile.box.lo[0]; i < tile.box.hi[0]; ++i) {
      for (Index j = tile.box.lo[1]; j < tile.box.hi[1]; ++j) {
        for (Index k = 0; k < tile.box.extent(2); ++k) {
          tile.out(0, i, j)[k] =
              factor * tile.at[0][static_cast<std::size_t>(i)] * tile.in(0, i, j)[k] * tile.in(1, i, j)[k];
        }
      }
    }
  });
  compare<double, Complex>("r2c", "double", function, same);

  // What fails on one rank fails on all, and the operator goes on to work.
  int code = wrong_here() ? 5 : 0;
  OwnedFunction failing;
  OwnedOperator op;
  done(weft_function_of_tiles(problem, WEFT_AT_POINTS, 2, 1, fail_with, &code, &failing));
  done(weft_operator_create_f(problem, failing, nullptr, detail::number_of(MPI_COMM_WORLD), &op));
  weft_operator_plan plan = nullptr;
  weft_operator_sizes sizes;
  done(weft_operator_get_plan(op, &plan));
  done(weft_operator_plan_sizes(plan, sizeof sizes, &sizes));
  EXPECT_EQ(sizes.type, WEFT_COMPLEX_DOUBLE);
  EXPECT_EQ(sizes.middle_type, WEFT_DOUBLE);
  const auto in = some<Complex>(sizes.input_size);
  std::vector<Complex> out(static_cast<std::size_t>(sizes.output_size) + 1);
  expect_common_error([&] { done(weft_operator_apply(op, in.data(), out.data())); },
                      {"the operator's function failed on rank " + std::to_string(size_of() - 1) + ": it returned 5"});
  code = 0;
  done(weft_operator_apply(op, in.data(), out.data()));
  done(weft_operator_set_function(op, function));
  done(weft_operator_apply(op, in.data(), out.data()));
  weft_statistics statistics;
  done(weft_operator_statistics(op, sizeof statistics, &statistics));
  EXPECT_EQ(statistics.executions, 3);
  weft_traffic traffic;
  done(weft_operator_plan_traffic(plan, sizeof traffic, &traffic));
  EXPECT_EQ(statistics.bytes_sent, 3 * traffic.bytes);
  if (statistics.exchanges > 0) {
    weft_exchange_statistics exchange;
    done(weft_operator_exchange(op, 0, sizeof exchange, &exchange));
    EXPECT_LE(exchange.bytes_sent, statistics.bytes_sent);
  }
  done(weft_operator_reset_statistics(op));
  done(weft_operator_statistics(op, sizeof statistics, &statistics));
  EXPECT_EQ(statistics.executions, 0);
  done(weft_operator_drop_trace(op));
  expect_common_error([&] { done(weft_operator_raise(op, wrong_here() ? "not today" : nullptr)); }, {"not today"});
  const int wrong = wrong_here() ? WEFT_DOUBLE : WEFT_COMPLEX_DOUBLE;
  expect_common_error(
      [&] { done(weft_operator_execute(op, in.data(), wrong, -1, out.data(), WEFT_COMPLEX_DOUBLE, -1)); },
      {"in holds double", "complex double is needed"});
  expect_common_error(
      [&] {
        done(weft_operator_execute(op, in.data(), WEFT_COMPLEX_DOUBLE, -1, out.data(), WEFT_COMPLEX_DOUBLE,
                                   wrong_here() ? sizes.output_size - 1 : sizes.output_size));
      },
      {"out holds", "are needed"});
}

/// u times 1 + the square of the wave number, of however many axes.
int times_square(const weft_tile* tile, void*) {
  const auto* const in = static_cast<const std::complex<double>*>(tile->in[0]);
  auto* const out = static_cast<std::complex<double>*>(tile->out[0]);
  for (int64_t i = tile->lo[0]; i < tile->hi[0]; ++i) {
    for (int64_t j = tile->lo[1]; j < tile->hi[1]; ++j) {
      const int64_t row = (i - tile->lo[0]) * tile->strides[0] + (j - tile->lo[1]) * tile->strides[1];
      for (int64_t k = tile->lo[2]; k < tile->hi[2]; ++k) {
        double square = 1 + std::pow(tile->at[0][i], 2) + std::pow(tile->at[1][j], 2) + std::pow(tile->at[2][k], 2);
        for (int axis = 3; axis < tile->axes; ++axis) square += std::pow(tile->more_at[axis - 3][k], 2);
        out[row + k - tile->lo[2]] = square * in[row + k - tile->lo[2]];
      }
    }
  }
  return tile->axes == 4 && tile->shape[3] == 4 ? 0 : 7;  // of 6 real points 4 modes
}

// A function of one's own, and then its inverse by a factor for each axis where only one of them has waves.
TEST(CInterface, OperatorsOfFourAxes) {
  const int64_t shape[] = {4, 3, 5, 6};
  const double lengths[] = {1, 2, 3, 4};
  OwnedProblem problem;
  done(weft_problem_create(4, shape, &problem));
  done(weft_problem_set(problem, "kind", "r2c"));
  done(weft_problem_set_lengths(problem, lengths));
  const char* text = nullptr;
  done(weft_problem_get(problem, "lengths", &text));
  EXPECT_STREQ(text, "1x2x3x4");
  expect_refused(weft_problem_set(problem, "lengths", "1x2x3"), {"lengths is '1x2x3'; allowed are 4 numbers"});
  OwnedFunction own, inverse;
  done(weft_function_of_tiles(problem, WEFT_AT_WAVENUMBERS, 1, 1, times_square, nullptr, &own));
  OwnedOperatorPlan plan;
  done(weft_operator_plan_create(problem, own, nullptr, size_of(), rank_of(), &plan));
  const double* waves = nullptr;
  int64_t count = 0;
  done(weft_operator_plan_places(plan, 3, 0, &waves, &count));
  EXPECT_EQ(count, 5 * 4);
  expect_refused(weft_operator_plan_places(plan, 4, 0, &waves, &count), {"axis is 4; allowed are 0 to 3"});
  // The field has waves along the last axis only.
  std::vector<std::complex<double>> factors[4];
  for (std::size_t axis = 0; axis < 3; ++axis) factors[axis].assign(static_cast<std::size_t>(shape[axis]), 1.0);
  for (int k = 0; k < 4; ++k) factors[3].emplace_back(1 / (1 + std::pow(2 * std::numbers::pi * k / 4, 2)));
  const void* addresses[4];
  int64_t counts[4];
  for (std::size_t axis = 0; axis < 4; ++axis) {
    addresses[axis] = factors[axis].data();
    counts[axis] = static_cast<int64_t>(factors[axis].size());
  }
  done(weft_function_multiply_separable(problem, addresses, counts, &inverse));
  OwnedOperator there, back;
  done(weft_operator_create(problem, own, nullptr, MPI_COMM_WORLD, &there));
  done(weft_operator_create(problem, inverse, nullptr, MPI_COMM_WORLD, &back));
  weft_operator_sizes sizes;
  done(weft_operator_plan_sizes(plan, sizeof sizes, &sizes));
  std::vector<double> in(static_cast<std::size_t>(sizes.input_size) + 1), out = in, again = in;
  for (std::size_t at = 0; at < in.size(); ++at)
    in[at] = std::cos(2 * std::numbers::pi * static_cast<double>(at % 6) / 6);
  done(weft_operator_apply(there, in.data(), out.data()));
  done(weft_operator_apply(back, out.data(), again.data()));
  for (std::size_t at = 0; at + 1 < in.size(); ++at) EXPECT_NEAR(again[at], in[at], 1e-13);
  EXPECT_TRUE(in.size() == 1 || std::abs(out[0] - in[0] * (1 + std::pow(std::numbers::pi / 2, 2))) < 1e-12);
}

TEST(CInterface, TuningOfOperators) {
  OwnedProblem problem;
  OwnedFunction function;
  OwnedTuning tuning;
  OwnedTuned tuned;
  OwnedOptions options;
  OwnedOperator op;
  make(problem, "r2c");
  done(weft_function_named(problem, "gradient", 0, nullptr, &function));
  done(weft_tuning_create(&tuning));
  done(weft_tuning_set(tuning, "file", "none"));
  done(weft_tuning_set(tuning, "effort", "estimate"));
  done(weft_tune_operator(problem, function, nullptr, tuning, MPI_COMM_WORLD, &tuned));
  EXPECT_EQ(text_of(weft_tuned_source, tuned), "model");
  done(weft_tuned_options(tuned, &options));
  done(weft_operator_create(problem, function, options, MPI_COMM_WORLD, &op));
  weft_operator_plan plan = nullptr;
  weft_prediction prediction;
  done(weft_operator_get_plan(op, &plan));
  done(weft_operator_predict(plan, nullptr, size_of(), sizeof prediction, &prediction));
  EXPECT_GT(prediction.forward, 0);
  EXPECT_GT(prediction.memory_bytes, 0);
}

TEST(CInterface, TuningOfSolvers) {
  OwnedPoissonProblem problem;
  OwnedTuning tuning;
  OwnedTuned tuned;
  OwnedOptions options;
  OwnedPoisson solver;
  done(weft_poisson_problem_create(3, kShape, &problem));
  done(weft_poisson_problem_set(problem, "sides", "odd,periodic,open"));
  done(weft_tuning_create(&tuning));
  done(weft_tuning_set(tuning, "file", "none"));
  done(weft_tuning_set(tuning, "effort", "estimate"));
  done(weft_tune_poisson(problem, nullptr, tuning, MPI_COMM_WORLD, &tuned));
  EXPECT_EQ(text_of(weft_tuned_source, tuned), "model");
  done(weft_tuned_options(tuned, &options));
  done(weft_poisson_create(problem, options, MPI_COMM_WORLD, &solver));
}

TEST(CInterface, WhatOperatorsRefuse) {
  OwnedProblem problem, single;
  OwnedFunction function, of_single, three;
  make(problem, "c2c");
  make(single, "c2c", "single");
  weft_function none = nullptr;
  expect_refused(weft_function_named(problem, "inverse_laplacain", 0, nullptr, &none),
                 {"function 'inverse_laplacain' is unknown; did you mean 'inverse_laplacian'?"});
  expect_refused(weft_function_named(problem, "gaussian", 0, nullptr, &none),
                 {"sigma is not given; gaussian needs it"});
  const double values[2] = {1.5, NAN};
  expect_refused(weft_function_named(problem, "derivative", 2, values, &none), {"axis is nan; a finite number"});
  expect_refused(weft_function_named(problem, "laplacian", 1, values, &none), {"stencil is 1.5; allowed are 0"});
  expect_refused(weft_function_named(problem, "gradient", 1, values, &none), {"gradient has 0 parameters; 1 values"});
  expect_refused(weft_function_named(problem, "products", 1, values, &none), {"fields is 1.5; a whole number"});
  expect_refused(weft_function_of_tiles(problem, 2, 1, 1, fail_with, nullptr, &none), {"at is 2; allowed are 0"});
  expect_refused(weft_function_of_tiles(problem, 0, 1, 1, nullptr, nullptr, &none), {"call is NULL"});
  expect_refused(weft_function_multiply(problem, 0, nullptr, 0, 3, &none), {"numbers of the table is NULL"});
  for (const auto& [name, value] : {std::pair{"kind", "c2r"}, std::pair{"interleaved", "true"},
                                    std::pair{"padded_rows", "true"}, std::pair{"output_order", "102"}}) {
    OwnedProblem other;
    done(weft_problem_create(3, kShape, &other));
    done(weft_problem_set(other, name, value));
    OwnedFunction failing;
    done(weft_function_of_tiles(other, 0, 1, 1, fail_with, nullptr, &failing));
    weft_operator_plan no_plan = nullptr;
    expect_refused(weft_operator_plan_create(other, failing, nullptr, 1, 0, &no_plan), {name, value, "an operator"});
  }
  EXPECT_EQ(none, nullptr);

  done(weft_function_named(problem, "laplacian", 0, nullptr, &function));
  done(weft_function_named(problem, "gradient", 0, nullptr, &three));
  done(weft_function_named(single, "laplacian", 0, nullptr, &of_single));
  OwnedOperator op;
  weft_operator other = nullptr;
  expect_common_error(
      [&] {
        done(weft_operator_create(problem, wrong_here() ? of_single : function, nullptr, MPI_COMM_WORLD, &other));
      },
      {"the function was made for single precision; the operator has double precision"});
  EXPECT_EQ(other, nullptr);
  done(weft_operator_create(problem, function, nullptr, MPI_COMM_WORLD, &op));
  expect_refused(weft_operator_set_function(op, three), {"the new function is one of 1 to 3 fields"});
  expect_refused(weft_operator_set_function(op, of_single), {"made for single precision"});
  if (size_of() > 1) {
    expect_common_error(
        [&] { done(weft_operator_create(problem, wrong_here() ? three : function, nullptr, MPI_COMM_WORLD, &other)); },
        {"the arguments of an operator must be the same on all ranks"});
  }
  weft_operator_plan plan = nullptr;
  weft_layout layout = nullptr;
  const double* values_at = nullptr;
  int64_t count = 0;
  done(weft_operator_get_plan(op, &plan));
  expect_refused(weft_operator_plan_layout(plan, "centre", &layout), {"layout 'centre' is unknown", "middle"});
  expect_refused(weft_operator_plan_places(plan, 3, 0, &values_at, &count), {"axis is 3; allowed are 0, 1 and 2"});
  for (const char* which : {"input", "output", "middle"}) {
    OwnedLayout mine;
    int ranks = 0;
    done(weft_operator_plan_layout(plan, which, &mine));
    done(weft_layout_ranks(mine, &ranks));
    EXPECT_EQ(ranks, size_of());
  }
  EXPECT_EQ(text_of(weft_operator_plan_option, plan, "kind"), "c2c");
  EXPECT_EQ(text_of(weft_operator_plan_option, plan, "in_place"), "false");
  EXPECT_NE(text_of(weft_operator_plan_json, plan).find("\"at\""), std::string::npos);
  EXPECT_EQ(text_of(weft_problem_get, problem, "normalization"), "none");
  EXPECT_EQ(text_of(weft_operator_plan_option, plan, "batch"), "1");
  weft_operator_plan borrowed = plan;
  expect_refused(weft_operator_plan_destroy(&borrowed), {"belongs to its"});
}

}  // namespace
