// Every function that operators have, against its formula between two transforms: by every strategy, of every kind, on
// shapes that do not divide. And what must hold whatever the formula: identities and adjoints, of rough fields.
#include <cmath>
#include <numbers>
#include <random>

#include "support.hpp"
#include "weft/operator.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 4, 5, 6, 7, 8, 9});

using namespace weft;
using namespace weft::test;
using Complex = std::complex<double>;

/// A point of the spectrum: its indices, wave numbers, those for odd derivatives, and k^2 as differences have it.
struct Wave {
  Shape at;
  std::array<double, 3> k, odd, difference;
  double square() const { return k[0] * k[0] + k[1] * k[1] + k[2] * k[2]; }
};

struct Known {
  PointFunction<double> function;
  /// Spectra that come in to those that go out.
  std::function<std::vector<Complex>(const Wave&, const std::vector<Complex>&)> formula;
};

constexpr Complex i{0, 1};

std::vector<Complex> cross_product(const std::array<double, 3>& k, const std::vector<Complex>& u) {
  return {k[1] * u[2] - k[2] * u[1], k[2] * u[0] - k[0] * u[2], k[0] * u[1] - k[1] * u[0]};
}

/// Even in all indices, as tables for real fields are.
double even(const Shape& modes, const Shape& at) {
  double sum = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    sum += static_cast<double>((static_cast<Index>(axis) + 1) * std::min(at[axis], modes[axis] - at[axis]));
  }
  return 1 / sum;
}

/// Tables are those of an operator with the options.
std::vector<Known> functions_of(const Problem& problem, const Options& options) {
  const Shape n = problem.shape;
  const auto times = [](auto factor) {
    return [=](const Wave& w, const std::vector<Complex>& u) { return std::vector<Complex>{factor(w) * u[0]}; };
  };
  const auto inverse = [](double square) { return square > 0 ? -1 / square : 0.0; };
  const auto differences = [](const Wave& w) { return w.difference[0] + w.difference[1] + w.difference[2]; };
  const auto dot = [](const std::array<double, 3>& k, const std::vector<Complex>& u) {
    return k[0] * u[0] + k[1] * u[1] + k[2] * u[2];
  };
  std::vector<Known> all{
      {laplacian<double>(problem), times([](const Wave& w) { return -w.square(); })},
      {laplacian<double>(problem, Stencil::second_order), times([=](const Wave& w) { return -differences(w); })},
      {inverse_laplacian<double>(problem), times([=](const Wave& w) { return inverse(w.square()); })},
      {inverse_laplacian<double>(problem, Stencil::second_order),
       times([=](const Wave& w) { return inverse(differences(w)); })},
      {gradient<double>(),
       [](const Wave& w, const std::vector<Complex>& u) {
         return std::vector<Complex>{i * w.odd[0] * u[0], i * w.odd[1] * u[0], i * w.odd[2] * u[0]};
       }},
      {divergence<double>(),
       [=](const Wave& w, const std::vector<Complex>& u) { return std::vector<Complex>{i * dot(w.odd, u)}; }},
      {curl<double>(),
       [](const Wave& w, const std::vector<Complex>& u) {
         std::vector<Complex> v = cross_product(w.odd, u);
         for (Complex& one : v) one *= i;
         return v;
       }},
      {projection<double>(),
       [=](const Wave& w, const std::vector<Complex>& u) {
         const double square = w.odd[0] * w.odd[0] + w.odd[1] * w.odd[1] + w.odd[2] * w.odd[2];
         std::vector<Complex> v = u;
         for (std::size_t c = 0; c < 3 && square > 0; ++c) v[c] -= w.odd[c] * dot(w.odd, u) / square;
         return v;
       }},
      {gaussian<double>(0.3), times([](const Wave& w) { return std::exp(-0.09 * w.square() / 2); })},
      {heat<double>(0.1, 0.7), times([](const Wave& w) { return std::exp(-0.07 * w.square()); })},
      {shift<double>({0.1, -0.7, 0.3}), times([](const Wave& w) {
         Complex factor = 1;
         const double distance[] = {0.1, -0.7, 0.3};
         for (std::size_t c = 0; c < 3; ++c) {
           const double angle = w.k[c] * distance[c];
           factor *= w.k[c] == w.odd[c] ? std::exp(-i * angle) : Complex(std::cos(angle));
         }
         return factor;
       })},
      {truncate<double>(problem, 0.5), times([=](const Wave& w) {
         bool kept = true;
         for (std::size_t c = 0; c < 3; ++c) kept = kept && 4 * std::min(w.at[c], n[c] - w.at[c]) < n[c];
         return kept ? 1.0 : 0.0;
       })}};
  for (int order = 0; order < 5; ++order) {
    const int axis = order % 3;
    all.push_back({derivative<double>(order, axis), times([=](const Wave& w) {
                     const auto along = static_cast<std::size_t>(axis);
                     return std::pow(i * (order % 2 == 0 ? w.k[along] : w.odd[along]), order);
                   })});
  }
  const Box whole = OperatorPlan(problem, At::wavenumbers, 1, 1, options, size_of(), rank_of()).middle_box();
  std::vector<double> table;
  std::vector<Complex> complex_table;
  verify::for_points(whole, [&](const Shape& at) {
    table.push_back(even(n, at));
    complex_table.emplace_back(even(n, at), problem.kind == Kind::c2c ? static_cast<double>(at[1]) : 0.0);
  });
  all.push_back({multiply<double>(table), times([=](const Wave& w) { return even(n, w.at); })});
  all.push_back({multiply<double>(complex_table), times([=](const Wave& w) {
                   return Complex(even(n, w.at), problem.kind == Kind::c2c ? static_cast<double>(w.at[1]) : 0.0);
                 })});
  std::array<std::vector<Complex>, 3> factors;
  const Shape modes = problem.spectrum_shape();
  const auto factor_of = [=](std::size_t axis, Index at) {
    Shape alone{0, 0, 0};
    alone[axis] = at;
    return Complex(even(n, alone), problem.kind == Kind::c2c ? 0.1 * static_cast<double>(at) : 0.0);
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (Index at = 0; at < modes[axis]; ++at) factors[axis].push_back(factor_of(axis, at));
  }
  all.push_back({multiply_separable<double>({factors[0], factors[1], factors[2]}), times([=](const Wave& w) {
                   return factor_of(0, w.at[0]) * factor_of(1, w.at[1]) * factor_of(2, w.at[2]);
                 })});
  return all;
}

Wave wave_at(const Problem& problem, const Shape& at) {
  Wave wave{.at = at, .k = {}, .odd = {}, .difference = {}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Index n = problem.shape[axis];
    const double length = problem.lengths[axis], h = length / static_cast<double>(n);
    const Index index = 2 * at[axis] > n ? at[axis] - n : at[axis];
    wave.k[axis] = 2 * std::numbers::pi / length * static_cast<double>(index);
    wave.odd[axis] = 2 * at[axis] == n ? 0 : wave.k[axis];
    wave.difference[axis] = std::pow(2 * std::sin(wave.k[axis] * h / 2) / h, 2);
  }
  return wave;
}

/// Rough fields: all modes are there, Nyquist's as well.
template <class Number>
std::vector<Number> rough(const OperatorPlan& plan, Index count, int seed) {
  std::vector<Number> all;
  for (Index field = 0; field < count; ++field) {
    const auto type = is_complex<Number> ? verify::FieldType::complex : verify::FieldType::real;
    const auto values = values_of<Number>(
        {type, static_cast<std::uint64_t>(seed), static_cast<int>(field), plan.problem().shape}, plan.input_box());
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

template <class Number>
double largest(const std::vector<Number>& values) {
  double most = 0;
  for (const Number& value : values) most = std::max(most, static_cast<double>(std::abs(value)));
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

template <class Number>
std::vector<Number> difference(std::vector<Number> a, const std::vector<Number>& b) {
  for (std::size_t at = 0; at < a.size(); ++at) a[at] -= b[at];
  return a;
}

template <class Number>
std::vector<Number> applied(Operator<double>& op, const std::vector<Number>& in) {
  std::vector<Number> out(static_cast<std::size_t>(op.plan().output_size()));
  if (op.plan().options().in_place) {
    out = in;
    op(out.data(), out.data());
  } else {
    op(in, out);
  }
  return out;
}

template <class Number>
void check(const Problem& problem, const Known& known, const Options& options) {
  const auto inputs = static_cast<std::size_t>(known.function.inputs);
  const auto outputs = static_cast<std::size_t>(known.function.outputs);
  Operator<double> op(problem, known.function, MPI_COMM_WORLD, options);
  const auto in = rough<Number>(op.plan(), known.function.inputs, 5);
  const auto out = applied(op, in);

  Options plain;
  plain.effort = Effort::estimate;
  plain.input = op.plan().input();
  Problem transform{.shape = problem.shape, .kind = problem.kind, .batch = 1, .normalization = Normalization::backward};
  Transform<double> forward(transform, MPI_COMM_WORLD, plain);
  plain.output = forward.plan().output();
  plain.input = op.plan().output();
  Transform<double> backward(transform, MPI_COMM_WORLD, plain);
  const auto points = static_cast<std::size_t>(forward.output_size());
  const auto in_points = static_cast<std::size_t>(forward.input_size()),
             out_points = static_cast<std::size_t>(backward.input_size());
  std::vector<std::vector<Complex>> spectra(inputs, std::vector<Complex>(points)),
      results(outputs, std::vector<Complex>(points));
  for (std::size_t f = 0; f < inputs; ++f) forward.forward(in.data() + f * in_points, spectra[f].data());
  std::size_t place = 0;
  verify::for_points(forward.output_box(), [&](const Shape& at) {
    std::vector<Complex> u;
    for (const auto& spectrum : spectra) u.push_back(spectrum[place]);
    const std::vector<Complex> v = known.formula(wave_at(problem, at), u);
    for (std::size_t g = 0; g < outputs; ++g) results[g][place] = v[g];
    ++place;
  });
  std::vector<Number> wanted(outputs * out_points);
  for (std::size_t g = 0; g < outputs; ++g) backward.backward(results[g].data(), wanted.data() + g * out_points);
  EXPECT_LE(largest(difference(out, wanted)), 1e-13 * std::max(largest(wanted), largest(in)));
}

TEST(OperatorFunctions, AreTheirFormulasByEveryStrategy) {
  const Shape shapes[] = {{8, 9, 10}, {5, 3, 7}, {1, 6, 4}, {4, 1, 9}, {12, 12, 12}, {7, 2, 1}};
  std::mt19937 random(40 + static_cast<unsigned>(size_of()));
  const auto pick = [&](const auto& list) { return list[random() % std::size(list)]; };
  for (const std::string& strategy : strategies_on(MPI_COMM_WORLD)) {
    // A part of them each on many ranks, which take turns on the processors.
    const std::size_t step = size_of() > 4 ? 4 : size_of() > 2 ? 2 : 1;
    for (std::size_t number = random() % step, count = number + 1; number < count; number += step) {
      Problem problem{.shape = pick(shapes), .lengths = {1.0, 2.0, 5.0}};
      problem.kind = pick(std::array{Kind::c2c, Kind::r2c});
      Options options;
      options.effort = Effort::estimate;
      options.strategy = strategy;
      options.decomposition = pick(std::array{Decomposition::slab, Decomposition::pencil});
      options.tile = pick(std::array{0, 3});
      const std::vector<Known> all = functions_of(problem, options);
      count = all.size();
      const Known& known = all[number];
      options.in_place = known.function.inputs == known.function.outputs && random() % 2 == 0;
      SCOPED_TRACE(testing::Message() << known.function.name << ", " << strategy << ", " << to_string(problem.shape)
                                      << ' ' << to_string(problem.kind) << ' ' << options.get("decomposition")
                                      << (options.in_place ? ", in place" : ""));
      problem.kind == Kind::r2c ? check<double>(problem, known, options) : check<Complex>(problem, known, options);
      if (testing::Test::HasFailure()) return;
    }
  }
}

template <class Number>
Complex dot(const std::vector<Number>& a, const std::vector<Number>& b) {
  Complex all = 0;
  for (std::size_t at = 0; at < a.size(); ++at) all += std::conj(Complex(a[at])) * b[at];
  double parts[] = {all.real(), all.imag()};
  MPI_Allreduce(MPI_IN_PLACE, parts, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return {parts[0], parts[1]};
}

/// <u, A v> = <B u, v>, where each has as many fields as it must.
template <class Number>
void check_adjoint(const Problem& problem, const PointFunction<double>& a, const PointFunction<double>& b, double sign,
                   const Options& options) {
  SCOPED_TRACE(a.name + " and " + b.name);
  Operator<double> of_v(problem, a, MPI_COMM_WORLD, options), of_u(problem, b, MPI_COMM_WORLD, options);
  const auto v = rough<Number>(of_v.plan(), a.inputs, 6), u = rough<Number>(of_u.plan(), b.inputs, 7);
  const auto av = applied(of_v, v), bu = applied(of_u, u);
  const double scale = std::sqrt(std::abs(dot(u, u)) * std::abs(dot(av, av)));
  EXPECT_LE(std::abs(dot(u, av) - sign * dot(bu, v)), 1e-12 * scale);
}

template <class Number>
void check_identities(const Problem& problem, const Options& options) {
  const auto make = [&](PointFunction<double> function) {
    return Operator<double>(problem, std::move(function), MPI_COMM_WORLD, options);
  };
  auto grad = make(gradient<double>()), div = make(divergence<double>()), rot = make(curl<double>()),
       free = make(projection<double>());
  const auto u = rough<Number>(grad.plan(), 1, 8), v = rough<Number>(rot.plan(), 3, 9);
  const double most = largest(applied(div, applied(grad, u))), of_v = largest(applied(rot, applied(rot, v)));
  // div curl = 0, curl grad = 0, div of what has no divergence = 0
  EXPECT_LE(largest(applied(div, applied(rot, v))), 1e-13 * of_v);
  EXPECT_LE(largest(applied(rot, applied(grad, u))), 1e-13 * std::max(most, 1.0));
  const auto once = applied(free, v);
  EXPECT_LE(largest(applied(div, once)), 1e-12 * std::max(largest(applied(div, v)), 1.0));
  // projection twice = once
  EXPECT_LE(largest(difference(applied(free, once), once)), 1e-13 * largest(v));
  // div grad = laplacian, but for Nyquist's frequency, which has no first derivative: of fields without it.
  auto lap = make(laplacian<double>(problem)), low = make(truncate<double>(problem, 1));
  const auto smooth = applied(low, u);
  EXPECT_LE(largest(difference(applied(div, applied(grad, smooth)), applied(lap, smooth))),
            1e-13 * std::max(largest(applied(lap, smooth)), 1.0));
  // The inverse is one, but for the mean.
  auto inverse = make(inverse_laplacian<double>(problem)), mean = make(heat<double>(1e6));
  const auto back = applied(inverse, applied(lap, u));
  EXPECT_LE(largest(difference(back, difference(u, applied(mean, u)))), 1e-12 * largest(u));

  check_adjoint<Number>(problem, gradient<double>(), divergence<double>(), -1, options);
  check_adjoint<Number>(problem, curl<double>(), curl<double>(), 1, options);
  check_adjoint<Number>(problem, projection<double>(), projection<double>(), 1, options);
  check_adjoint<Number>(problem, laplacian<double>(problem), laplacian<double>(problem), 1, options);
  check_adjoint<Number>(problem, inverse_laplacian<double>(problem), inverse_laplacian<double>(problem), 1, options);
  check_adjoint<Number>(problem, derivative<double>(1, 1), derivative<double>(1, 1), -1, options);
  check_adjoint<Number>(problem, derivative<double>(3, 2), derivative<double>(3, 2), -1, options);
  check_adjoint<Number>(problem, gaussian<double>(0.2), gaussian<double>(0.2), 1, options);
  check_adjoint<Number>(problem, shift<double>({0.1, 0.2, 0.3}), shift<double>({-0.1, -0.2, -0.3}), 1, options);
  const auto kernel = rough<Number>(grad.plan(), 1, 10);
  const std::span<const Number> of_rank(kernel);
  Options plain = options;
  check_adjoint<Number>(problem, convolution<double>(problem, of_rank, MPI_COMM_WORLD, plain),
                        correlation<double>(problem, of_rank, MPI_COMM_WORLD, plain), 1, options);
}

TEST(OperatorFunctions, ObeyIdentitiesAndHaveTheirAdjoints) {
  std::mt19937 random(80 + static_cast<unsigned>(size_of()));
  const auto pick = [&](const auto& list) { return list[random() % std::size(list)]; };
  const std::vector<std::string> names = strategies_on(MPI_COMM_WORLD);
  const Shape shapes[] = {{8, 9, 10}, {5, 3, 7}, {6, 6, 4}, {4, 1, 9}, {12, 5, 8}};
  for (int number = 0; number < 6; ++number) {
    const Problem problem{
        .shape = pick(shapes), .kind = pick(std::array{Kind::c2c, Kind::r2c}), .lengths = {1.0, 2.0, 5.0}};
    Options options;
    options.effort = Effort::estimate;
    options.strategy = pick(names);
    options.decomposition = pick(std::array{Decomposition::slab, Decomposition::pencil});
    SCOPED_TRACE(testing::Message() << options.strategy << ", " << to_string(problem.shape) << ' '
                                    << to_string(problem.kind));
    problem.kind == Kind::r2c ? check_identities<double>(problem, options)
                              : check_identities<Complex>(problem, options);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(OperatorFunctions, TakeThreeTripsInSlabsAndFiveInPencils) {
  const Problem problem{.shape = {32, 32, 32}};
  // One rank has whole planes, whatever is asked for.
  const int of_pencils = size_of() > 1 ? 5 : 3;
  for (const auto& [decomposition, trips] :
       {std::pair{Decomposition::slab, 3}, std::pair{Decomposition::pencil, of_pencils}}) {
    Options options;
    options.decomposition = decomposition;
    Operator<double> op(problem, gaussian<double>(0.1), MPI_COMM_WORLD, options);
    EXPECT_NE(op.plan().explain().find(std::to_string(trips) + " trips"), std::string::npos);
    std::vector<Complex> in(static_cast<std::size_t>(op.plan().input_size())),
        out(static_cast<std::size_t>(op.plan().output_size()));
    op(in, out);
    const Index bytes = trips * 32 * 32 * 32 * 16;
    EXPECT_EQ(sum(op.statistics().bytes_read), bytes);
    EXPECT_EQ(sum(op.statistics().bytes_written), bytes);
    EXPECT_NE(op.plan().explain().find("no array holds the spectrum"), std::string::npos);
  }
}

}  // namespace
