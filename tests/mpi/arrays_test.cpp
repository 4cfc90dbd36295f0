// Arrays that know their size, in place of pointers: the same numbers, and the same Error everywhere for one that is
// too small.
#include <array>
#include <cmath>
#include <span>

#include "support.hpp"
#include "weft/operator.hpp"
#include "weft/sphere.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 3});

using namespace weft;
using namespace weft::test;
using Complex = std::complex<double>;
using Reals = std::vector<double>;
using Complexes = std::vector<Complex>;

constexpr Shape shape{6, 4, 5};

bool wrong_here() { return rank_of() == size_of() - 1; }

template <class Number>
std::vector<Number> some(Index size) {
  std::vector<Number> numbers(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>((i * 7 + 3) % 11) - 5;
  return numbers;
}

/// `array` without its last number on one rank.
template <class Number>
std::span<Number> short_of_one(std::vector<Number>& array) {
  return {array.data(), array.size() - (wrong_here() && !array.empty() ? 1 : 0)};
}

template <class Array>
concept Transformed = requires(Transform<double>& fft, const Array& in, Complexes& out) { fft.forward(in, out); };
static_assert(Transformed<Reals> && Transformed<std::array<Complex, 4>> && Transformed<std::span<const double>>);
static_assert(!Transformed<std::vector<float>> && !Transformed<std::vector<int>>);

TEST(Arrays, OfTransforms) {
  Transform<double> fft({.shape = shape, .kind = Kind::r2c}, MPI_COMM_WORLD);
  const Reals x = some<double>(fft.input_size());
  Complexes y(static_cast<std::size_t>(fft.output_size())), expected = y;
  fft.forward(x.data(), expected.data());
  fft.forward(x, y);
  EXPECT_EQ(y, expected);
  fft.forward(std::span<const double>(x), std::span(y));
  EXPECT_EQ(y, expected);
  Reals back(x.size());
  fft.backward(y, back);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(back[i], 120 * x[i], 1e-10);
  expect_common_error([&] { fft.forward(x, short_of_one(y)); }, {"forward was given arrays of", "at least"});
  Reals short_x = x;
  expect_common_error([&] { fft.forward(short_of_one(short_x), y); }, {"forward was given arrays of", "at least"});
}

TEST(Arrays, InPlace) {
  Options options;
  options.in_place = true;
  Transform<double> fft({.shape = shape, .kind = Kind::r2c}, MPI_COMM_WORLD, options);
  const Index bytes = std::max(fft.plan().input_bytes(), fft.plan().output_bytes());
  Complexes as_complex = some<Complex>(bytes / 16);
  Reals as_reals(as_complex.size() * 2);
  for (std::size_t i = 0; i < as_complex.size(); ++i) as_reals[2 * i] = as_complex[i].real();
  fft.forward(as_complex.data());
  fft.forward(as_reals);
  for (std::size_t i = 0; i < as_complex.size(); ++i) EXPECT_EQ(as_reals[2 * i + 1], as_complex[i].imag());
  fft.backward(as_complex);
  fft.backward(as_reals);
  EXPECT_EQ(as_reals[0], as_complex[0].real());
  expect_common_error([&] { fft.forward(short_of_one(as_complex)); }, {"forward was given an array of", "bytes"});
}

TEST(Arrays, OfOperators) {
  const Problem problem{.shape = shape, .kind = Kind::r2c};
  Operator<double> smooth(problem, gaussian<double>(0.1), MPI_COMM_WORLD);
  Reals in = some<double>(smooth.plan().input_size()), out(in.size()), expected(in.size());
  smooth(in.data(), expected.data());
  smooth(in, out);
  EXPECT_EQ(out, expected);
  expect_common_error([&] { smooth(in, short_of_one(out)); }, {"the operator was given arrays of", "at least"});
  // Kernels, too.
  Reals one(in.size());
  if (smooth.plan().input_box().lo == Shape{0, 0, 0} && !one.empty()) one[0] = 1;
  Operator<double> same(problem, convolution<double>(problem, one, MPI_COMM_WORLD), MPI_COMM_WORLD);
  same(in, out);
  for (std::size_t i = 0; i < in.size(); ++i) EXPECT_NEAR(out[i], in[i], 1e-12);
}

TEST(Arrays, OfRedistributions) {
  const Layout from = Layout::slab(shape, size_of(), 0), to = Layout::slab(shape, size_of(), 1);
  Redistribution move(from, to, sizeof(double), MPI_COMM_WORLD);
  Reals in = some<double>(from.box(rank_of()).count()), out(static_cast<std::size_t>(to.box(rank_of()).count()));
  Reals expected = out;
  move(in.data(), expected.data());
  move(in, out);
  EXPECT_EQ(out, expected);
  expect_common_error([&] { move(in, short_of_one(out)); }, {"the redistribution was given arrays of", "bytes"});
}

TEST(Arrays, OfSpheres) {
  const auto all = plane_waves({.lattice = {{{6, 0, 0}, {0, 6, 0}, {0, 0, 6}}}, .energy = 4});
  const auto mine = deal_columns(all, size_of())[static_cast<std::size_t>(rank_of())];
  SphereTransform<double> sphere({.grid = {10, 10, 10}, .howmany = 2}, mine, MPI_COMM_WORLD);
  const auto points = static_cast<std::size_t>(sphere.plan().space_size());
  Complexes c = some<Complex>(2 * sphere.plan().waves()), psi(2 * points), expected = psi, back(c.size());
  sphere.backward(c.data(), expected.data());
  sphere.backward(c, psi);
  EXPECT_EQ(psi, expected);
  sphere.forward(psi, back);
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_NEAR(std::abs(back[i] - 1000.0 * c[i]), 0, 1e-9);
  const Reals v(points, 1.0);
  sphere.apply(v, c, back);
  Reals rho(points), rho_expected(points);
  const std::array<double, 2> weights{1, 2};
  sphere.density(c.data(), weights.data(), rho_expected.data());
  sphere.density(c, weights, rho);
  EXPECT_EQ(rho, rho_expected);
  sphere.density(c, rho);
  expect_common_error([&] { sphere.backward(c, short_of_one(psi)); }, {"backward was given space of", "at least"});
  expect_common_error([&] { sphere.forward(psi, short_of_one(back)); }, {"forward was given waves of", "at least"});
  expect_common_error([&] { sphere.apply(v, c, short_of_one(back)); }, {"apply was given out of", "at least"});
  expect_common_error([&] { sphere.density(c, std::array{1.0}, rho); }, {"density was given weights of 1 numbers"});
  // Apart, the last band ends where its numbers do.
  const Bands apart{.points_apart = sphere.plan().space_size() + 3};
  Complexes wide(2 * points + 3);
  sphere.backward(c, wide, apart);
  expect_common_error([&] { sphere.backward(c, short_of_one(wide), apart); }, {"backward was given space of"});
}

}  // namespace
