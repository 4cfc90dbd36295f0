// Arrays that know their size, in place of pointers: the same numbers, and the same Error everywhere for one that is
// too small.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "support.hpp"
#include "weft/memory.hpp"
#include "weft/operator.hpp"
#include "weft/sphere.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3});

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

/// Numbers so many bytes beside a cache line.
class BesideLine {
 public:
  BesideLine(Index bytes, std::size_t beside) : memory_(static_cast<std::size_t>(bytes) + 128) {
    const auto at = reinterpret_cast<std::uintptr_t>(memory_.data());
    first_ = (64 - at % 64) % 64 + beside;
  }
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(memory_.data() + first_);
  }

 private:
  std::vector<std::byte> memory_;
  std::size_t first_;
};

/// Both directions between arrays beside cache lines give what they give between others.
template <class Real>
void check_beside_lines(const Problem& problem, const Options& options) {
  Transform<Real> fft(problem, MPI_COMM_WORLD, options);
  const Index in = fft.plan().input_bytes(), out = fft.plan().output_bytes();
  const auto number = [](Index i) { return static_cast<Real>((i * 7 + 3) % 11) - 5; };
  const auto run = [&](std::size_t in_beside, std::size_t out_beside) {
    BesideLine x(in, in_beside), y(out, out_beside), back(in, in_beside);
    for (Index i = 0; i < in / Index{sizeof(Real)}; ++i) x.as<Real>()[i] = number(i);
    const auto both = [&]<class From, class To>(From, To) {
      fft.forward(x.as<From>(), y.as<To>());
      fft.backward(y.as<To>(), back.as<From>());
    };
    const std::complex<Real> complex;
    const Real real = 0;
    if (problem.kind == Kind::c2c) {
      both(complex, complex);
    } else if (problem.kind == Kind::r2c) {
      both(real, complex);
    } else {
      both(real, real);
    }
    std::vector<Real> all(y.as<Real>(), y.as<Real>() + out / Index{sizeof(Real)});
    all.insert(all.end(), back.as<Real>(), back.as<Real>() + in / Index{sizeof(Real)});
    return all;
  };
  const std::vector<Real> wanted = run(0, 0);
  for (const std::size_t in_beside : {0, 8, 16, 48}) {
    for (const std::size_t out_beside : {8, 16, 32, 48}) {
      const std::vector<Real> found = run(in_beside, out_beside);
      double worst = 0, largest = 0;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        worst = std::max(worst, static_cast<double>(std::abs(found[i] - wanted[i])));
        largest = std::max(largest, static_cast<double>(std::abs(wanted[i])));
      }
      EXPECT_LE(worst, 8 * std::numeric_limits<Real>::epsilon() * largest) << in_beside << ' ' << out_beside;
    }
  }
}

TEST(Arrays, BesideCacheLines) {
  for (const Extents& extents : {Extents{12, 10, 32}, Extents{9, 8, 30}, Extents{16, 128}, Extents{8, 6, 100}}) {
    for (const char* kind : {"c2c", "r2c", "dct2-dct2-dct2"}) {
      if (extents.rank() == 2 && kind[0] == 'd') continue;
      for (const bool transposed : {false, true}) {
        for (const Index cache : {0, 4096}) {
          Problem problem;
          problem.shape = extents;
          problem.kind = parse_kind(kind);
          Options options;
          options.transposed = transposed;
          options.cache = cache;
          SCOPED_TRACE(to_string(problem.shape) + ' ' + kind + (transposed ? " transposed " : " ") +
                       std::to_string(cache));
          check_beside_lines<double>(problem, options);
          problem.precision = Precision::single_;
          check_beside_lines<float>(problem, options);
        }
      }
    }
  }
}

TEST(Arrays, OfFieldVectors) {
  const auto begins_line = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % 64 == 0; };
  Transform<double> fft({.shape = shape, .kind = Kind::r2c}, MPI_COMM_WORLD);
  FieldVector<double> x(static_cast<std::size_t>(fft.input_size()), 1.0);
  FieldVector<Complex> y(static_cast<std::size_t>(fft.output_size()));
  fft.forward(x, y);
  if (!y.empty() && fft.plan().output().box(rank_of()).lo == Shape{0, 0, 0}) {
    EXPECT_NEAR(y[0].real(), 120, 1e-12);
  }
  for (const std::size_t size : {1, 1000, 1 << 20}) {
    FieldVector<float> some(size), more = some;
    EXPECT_TRUE(begins_line(some.data()) && begins_line(more.data()));
    more.push_back(1);
    EXPECT_TRUE(begins_line(more.data()));
  }
  void* const nothing = allocate_field(0);
  EXPECT_NE(nothing, nullptr);
  free_field(nothing);
  free_field(nullptr);
  EXPECT_EQ(FieldAllocator<int>(), FieldAllocator<double>());
  try {
    free_field(allocate_field(~std::size_t{0}));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("out of memory: 18446744073709551615"), std::string::npos);
  }
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
