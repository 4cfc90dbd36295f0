// What every Fourier transform obeys, on random shapes and layouts; and the backends against each other.
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <random>

#include "case.hpp"
#include "run.hpp"
#include "support.hpp"

namespace {

using namespace weft;
using namespace weft::test;
using verify::Field;
using verify::FieldType;

using Complex = std::complex<double>;
using Vector = std::vector<Complex>;

constexpr double kLimit = 1e-13;

/// A random shape with everything else at random too, the same on all ranks.
struct Setting {
  Problem problem;
  Options options;
  std::string text;
};

Setting setting(std::mt19937_64& random, Kind kind) {
  const auto below = [&random](std::uint64_t n) { return static_cast<int>(random() % n); };
  const auto layout = [&] {
    const char* names[] = {"default", "slab:1", "pencil:2", "grid"};
    const int which = below(5);
    return which == 4 ? "bricks:" + std::to_string(below(1000)) : std::string(names[which]);
  };
  verify::Case test;
  test.problem.kind = kind;
  for (Index& n : test.problem.shape) n = 1 + below(16);
  test.options.strategy = strategies()[static_cast<std::size_t>(below(strategies().size()))];
  test.options.tile = below(5);
  test.options.window = below(4);
  test.options.decomposition = below(2) == 0 ? Decomposition::slab : Decomposition::pencil;
  test.input = layout();
  test.output = layout();
  return {test.problem, verify::options_of(test, size_of()), verify::to_string(test)};
}

double points(const Problem& problem) {
  return static_cast<double>(problem.shape[0] * problem.shape[1] * problem.shape[2]);
}

double sum_all(double mine) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

Vector forward(Transform<double>& fft, const Vector& in) {
  Vector out(static_cast<std::size_t>(fft.output_size()));
  fft.forward(std::span<const Complex>(in), std::span<Complex>(out));
  return out;
}

/// Largest difference in units of what values of a transform of N such numbers typically are.
double difference(const Vector& a, const Vector& b, const Problem& problem) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst / std::sqrt(points(problem));
}

/// Calls visit(position in the local array, global index) for every point of a box.
template <class Visit>
void each_point(const Box& box, Visit visit) {
  std::size_t at = 0;
  verify::for_points(box, [&](const Shape& point) { visit(at++, point); });
}

/// exp(-2 pi i (k . s / n))
Complex phase(const Shape& k, const Shape& s, const Shape& n) {
  double turns = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    turns += static_cast<double>(k[axis] * s[axis] % n[axis]) / static_cast<double>(n[axis]);
  }
  return std::polar(1.0, -2 * std::numbers::pi * turns);
}

/// Fewer on many ranks, which take turns on few processors; each number of ranks has its own.
int rounds() { return std::getenv("WEFT_TEST_SEED") != nullptr ? 3 : size_of() <= 4 ? 12 : 5; }

class Properties : public testing::Test {
 protected:
  std::mt19937_64 random{static_cast<std::uint64_t>(300 + size_of())};
};

TEST_F(Properties, Linearity) {
  for (int round = 0; round < rounds(); ++round) {
    const Setting s = setting(random, Kind::c2c);
    SCOPED_TRACE(s.text);
    Transform<double> fft(s.problem, MPI_COMM_WORLD, s.options);
    const auto x = values_of<Complex>({FieldType::complex, 1, 0, s.problem.shape}, fft.input_box());
    const auto y = values_of<Complex>({FieldType::complex, 2, 0, s.problem.shape}, fft.input_box());
    const Complex a(0.3, -1.1), b(-2, 0.7);
    Vector mixed(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) mixed[i] = a * x[i] + b * y[i];
    Vector wanted = forward(fft, x);
    const Vector fy = forward(fft, y);
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = a * wanted[i] + b * fy[i];
    EXPECT_LT(difference(forward(fft, mixed), wanted, s.problem), kLimit);
  }
}

TEST_F(Properties, Parseval) {
  for (int round = 0; round < rounds(); ++round) {
    const Setting s = setting(random, Kind::c2c);
    SCOPED_TRACE(s.text);
    Transform<double> fft(s.problem, MPI_COMM_WORLD, s.options);
    const auto x = values_of<Complex>({FieldType::complex, 3, 0, s.problem.shape}, fft.input_box());
    double before = 0, after = 0;
    for (const auto& value : x) before += std::norm(value);
    for (const auto& value : forward(fft, x)) after += std::norm(value);
    EXPECT_NEAR(sum_all(after) / (points(s.problem) * sum_all(before)), 1, kLimit);
  }
}

// In a half spectrum every point stands for itself and its mirror image, except where the two are one.
TEST_F(Properties, ParsevalOfHalfSpectrum) {
  for (int round = 0; round < rounds(); ++round) {
    const Setting s = setting(random, Kind::r2c);
    SCOPED_TRACE(s.text);
    Transform<double> fft(s.problem, MPI_COMM_WORLD, s.options);
    const auto x = values_of<double>({FieldType::real, 4, 0, s.problem.shape}, fft.input_box());
    Vector out(static_cast<std::size_t>(fft.output_size()));
    fft.forward(std::span<const double>(x), std::span<Complex>(out));
    double before = 0, after = 0;
    for (const double value : x) before += value * value;
    each_point(fft.output_box(), [&](std::size_t at, const Shape& k) {
      const bool alone = k[2] == 0 || 2 * k[2] == s.problem.shape[2];
      after += (alone ? 1 : 2) * std::norm(out[at]);
    });
    EXPECT_NEAR(sum_all(after) / (points(s.problem) * sum_all(before)), 1, kLimit);
  }
}

TEST_F(Properties, Shift) {
  for (int round = 0; round < rounds(); ++round) {
    const Setting s = setting(random, Kind::c2c);
    SCOPED_TRACE(s.text);
    const Shape& n = s.problem.shape;
    Transform<double> fft(s.problem, MPI_COMM_WORLD, s.options);
    const Field field{FieldType::complex, 5, 0, n};
    Shape shift{};
    for (std::size_t axis = 0; axis < 3; ++axis) shift[axis] = static_cast<Index>(random()) % n[axis];
    Vector shifted(static_cast<std::size_t>(fft.input_size()));
    each_point(fft.input_box(), [&](std::size_t at, const Shape& i) {
      Shape from{};
      for (std::size_t axis = 0; axis < 3; ++axis) from[axis] = ((i[axis] - shift[axis]) % n[axis] + n[axis]) % n[axis];
      shifted[at] = field(from);
    });
    for (std::size_t axis = 0; axis < 3; ++axis) shift[axis] = (shift[axis] + n[axis]) % n[axis];
    Vector wanted = forward(fft, values_of<Complex>(field, fft.input_box()));
    each_point(fft.output_box(), [&](std::size_t at, const Shape& k) { wanted[at] *= phase(k, shift, n); });
    EXPECT_LT(difference(forward(fft, shifted), wanted, s.problem), kLimit);
  }
}

TEST_F(Properties, DeltaBecomesAWave) {
  for (int round = 0; round < rounds(); ++round) {
    const Setting s = setting(random, Kind::c2c);
    SCOPED_TRACE(s.text);
    const Shape& n = s.problem.shape;
    Transform<double> fft(s.problem, MPI_COMM_WORLD, s.options);
    const Shape at_point{n[0] / 2, n[1] / 3, n[2] - 1};
    Vector in(static_cast<std::size_t>(fft.input_size())), wanted(static_cast<std::size_t>(fft.output_size()));
    each_point(fft.input_box(), [&](std::size_t at, const Shape& i) { in[at] = i == at_point ? 1 : 0; });
    each_point(fft.output_box(), [&](std::size_t at, const Shape& k) { wanted[at] = phase(k, at_point, n); });
    EXPECT_LT(difference(forward(fft, in), wanted, s.problem), kLimit);
  }
}

// backward(x) = conj(forward(conj(x))), on a plan that goes from and to the same layout.
TEST_F(Properties, DirectionsAreConjugates) {
  for (int round = 0; round < rounds(); ++round) {
    Setting s = setting(random, Kind::c2c);
    s.options.output = s.options.input = s.options.input.value_or(Layout::slab(s.problem.shape, size_of(), 0));
    SCOPED_TRACE(s.text);
    Transform<double> fft(s.problem, MPI_COMM_WORLD, s.options);
    const auto x = values_of<Complex>({FieldType::complex, 6, 0, s.problem.shape}, fft.input_box());
    Vector conjugate = x;
    for (auto& value : conjugate) value = std::conj(value);
    Vector wanted = forward(fft, conjugate);
    for (auto& value : wanted) value = std::conj(value);
    Vector got(x.size());
    fft.backward(std::span<const Complex>(x), std::span<Complex>(got));
    EXPECT_LT(difference(got, wanted, s.problem), kLimit);
  }
}

// The spectrum of a real field, transformed as a complex one: X(-k) = conj(X(k)), and half of it is what r2c gives.
TEST_F(Properties, RealFieldsHaveHermitianSpectra) {
  for (int round = 0; round < rounds(); ++round) {
    Setting s = setting(random, Kind::c2c);
    SCOPED_TRACE(s.text);
    const Shape& n = s.problem.shape;
    const Field field{FieldType::real, 7, 0, n};
    // All of both spectra on rank 0, where a point and its mirror image can be compared.
    s.options.output = verify::make_layout("one:0", n, size_of());
    Transform<double> full(s.problem, MPI_COMM_WORLD, s.options);
    const Vector whole = forward(full, values_of<Complex>(field, full.input_box()));
    s.problem.kind = Kind::r2c;
    s.options.output = verify::make_layout("one:0", s.problem.spectrum_shape(), size_of());
    Transform<double> half(s.problem, MPI_COMM_WORLD, s.options);
    const auto real = values_of<double>(field, half.input_box());
    Vector halved(static_cast<std::size_t>(half.output_size()));
    half.forward(std::span<const double>(real), std::span<Complex>(halved));
    if (rank_of() != 0) continue;
    double worst = 0;
    const auto at = [](const Shape& extent, const Shape& k) {
      return static_cast<std::size_t>((k[0] * extent[1] + k[1]) * extent[2] + k[2]);
    };
    each_point({{0, 0, 0}, n}, [&](std::size_t here, const Shape& k) {
      const Shape mirror{(n[0] - k[0]) % n[0], (n[1] - k[1]) % n[1], (n[2] - k[2]) % n[2]};
      worst = std::max(worst, std::abs(whole[here] - std::conj(whole[at(n, mirror)])));
    });
    const Shape extent = s.problem.spectrum_shape();
    each_point({{0, 0, 0}, extent}, [&](std::size_t here, const Shape& k) {
      worst = std::max(worst, std::abs(halved[here] - whole[at(n, k)]));
    });
    EXPECT_LT(worst / std::sqrt(points(s.problem)), kLimit);
  }
}

// Not through a common reference, but each against the first.
TEST_F(Properties, BackendsAgree) {
  for (int round = 0; round < rounds(); ++round) {
    for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) {
      Setting s = setting(random, kind);
      SCOPED_TRACE(s.text);
      const FieldType type = kind == Kind::c2c   ? FieldType::complex
                             : kind == Kind::r2c ? FieldType::real
                                                 : FieldType::hermitian;
      const Field field{type, 8, 0, s.problem.shape};
      std::vector<Vector> results;
      for (const auto& backend : backends()) {
        s.options.backend = backend;
        Transform<double> fft(s.problem, MPI_COMM_WORLD, s.options);
        Vector out(static_cast<std::size_t>(fft.output_size()));
        const Vector in = values_of<Complex>(field, fft.input_box());
        const auto real = values_of<double>(field, fft.input_box());
        std::vector<double> real_out(out.size());
        if (kind == Kind::c2c) fft.forward(std::span<const Complex>(in), std::span<Complex>(out));
        if (kind == Kind::r2c) fft.forward(std::span<const double>(real), std::span<Complex>(out));
        if (kind == Kind::c2r) {
          fft.forward(std::span<const Complex>(in), std::span<double>(real_out));
          out.assign(real_out.begin(), real_out.end());
        }
        results.push_back(std::move(out));
        EXPECT_LT(difference(results.back(), results.front(), s.problem), kLimit) << backend;
      }
    }
  }
}

}  // namespace
