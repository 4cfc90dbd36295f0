// Line kernels of Weft's own, of every instruction set this processor has, against the reference backend.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "fft/serial.hpp"

namespace {

using namespace weft;
using namespace weft::detail;

/// Lines at one end of a batch, in memory that is larger, filled with numbers that a seed gives.
template <class Real>
class Lines {
 public:
  Lines(Number number, Index points, Index distance, Index count, unsigned seed)
      : reals_(number == Number::real ? 1 : 2), points_(points * reals_), distance_(distance * reals_), count_(count) {
    data_.resize(static_cast<std::size_t>(count_ * distance_ + points_ + per_line));
    const auto at = reinterpret_cast<std::uintptr_t>(data_.data()) % 64;
    first_ = data_.data() + (at == 0 ? 0 : (64 - at) / sizeof(Real));
    std::mt19937 random(seed);
    std::uniform_real_distribution<Real> value(-1, 1);
    for (Index i = 0; i < count_ * distance_; ++i) first_[i] = value(random);
  }

  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  Real* data() { return first_; }
  /// The numbers of lines, as reals.
  Real& at(Index line, Index i) { return first_[line * distance_ + i]; }
  Index reals_of_line() const { return points_; }
  /// Makes zero what lies between lines and beyond.
  void clear_beside() {
    for (Real* x = data_.data(); x != data_.data() + data_.size(); ++x) {
      const Index i = x - first_;
      if (i < 0 || i >= count_ * distance_ || i % distance_ >= points_) *x = 0;
    }
  }
  bool clear_beside_still() {
    return std::all_of(data_.data(), data_.data() + data_.size(), [&](const Real& x) {
      const Index i = &x - first_;
      return (i >= 0 && i < count_ * distance_ && i % distance_ < points_) || x == 0;
    });
  }

 private:
  static constexpr Index per_line = 64 / sizeof(Real);
  Index reals_, points_, distance_, count_;
  std::vector<Real> data_;
  Real* first_;
};

/// A backend's lines against the reference's; all numbers are random, also those that a real line's spectrum cannot
/// have: they are not looked at.
template <class Real>
void check(const std::string& backend, LineType type, Index n, Index count, Index gap, int sign,
           Effort effort = Effort::estimate) {
  SCOPED_TRACE(backend + ", " + traits_of(type).name + ", " + std::to_string(n) + " points, " + std::to_string(count) +
               " lines, gap " + std::to_string(gap) + ", " + std::to_string(sizeof(Real)) + " bytes");
  const Precision precision = sizeof(Real) == 8 ? Precision::double_ : Precision::single_;
  const LineTraits& traits = traits_of(type);
  LineBatch batch;
  batch.type = type;
  batch.n = n;
  batch.count = count;
  batch.sign = traits.sign != 0 ? traits.sign : sign;
  const auto distance = [&](Number number, Index points) {
    // Libraries want lines aligned to 16 bytes.
    const Index in_unit = std::max<Index>(1, 16 / bytes_of(number, precision));
    return (points + gap + in_unit - 1) / in_unit * in_unit;
  };
  batch.in_distance = distance(traits.in, traits.in_points(n));
  batch.out_distance = distance(traits.out, traits.out_points(n));
  const auto seed = static_cast<unsigned>(n * 10 + count);
  // Kernels may overwrite what they read: each has its own.
  Lines<Real> in(traits.in, traits.in_points(n), batch.in_distance, count, seed);
  Lines<Real> same(traits.in, traits.in_points(n), batch.in_distance, count, seed);
  Lines<Real> out(traits.out, traits.out_points(n), batch.out_distance, count, seed);
  Lines<Real> expected(traits.out, traits.out_points(n), batch.out_distance, count, seed);
  out.clear_beside();
  // The reference's sums take n^2.
  const char* const known = backend == "lanes" && n > 256 ? "fftw" : "reference";
  find_backend(known).make(batch, precision, Effort::estimate)->run(same.data(), expected.data());
  find_backend(backend).make(batch, precision, effort)->run(in.data(), out.data());
  double error = 0, norm = 0;
  for (Index line = 0; line < count; ++line) {
    for (Index i = 0; i < out.reals_of_line(); ++i) {
      error += std::pow(static_cast<double>(out.at(line, i) - expected.at(line, i)), 2);
      norm += std::pow(static_cast<double>(expected.at(line, i)), 2);
    }
  }
  EXPECT_LE(std::sqrt(error), (sizeof(Real) == 8 ? 1e-14 : 1e-5) * std::sqrt(norm));
  EXPECT_TRUE(out.clear_beside_still()) << "wrote beside the lines";
}

class LineKernels : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { setenv("WEFT_TEST_LANES", GetParam(), 1); }
  void TearDown() override { unsetenv("WEFT_TEST_LANES"); }

  template <class Real>
  void check_all(Index n, Index count, Index gap) {
    for (const char* backend : {"lanes", "auto"}) {
      check<Real>(backend, LineType::c2c, n, count, gap, n % 3 == 0 ? 1 : -1);
      check<Real>(backend, LineType::r2c, n, count, gap, -1);
      check<Real>(backend, LineType::c2r, n, count, gap, 1);
    }
  }
};

TEST_P(LineKernels, AllLengths) {
  for (Index n = 1; n <= 70; ++n) {
    check_all<double>(n, n % 9 + 1, n % 2);
    check_all<float>(n, n % 17 + 1, n % 3);
  }
}

TEST_P(LineKernels, LongLinesAndPrimes) {
  for (Index n : {101, 106, 127, 128, 143, 194, 256, 343, 1000, 1024, 2 * 509, 1021}) {
    check_all<double>(n, 3, 3);
    check_all<float>(n, 3, 0);
  }
}

TEST_P(LineKernels, AnyNumberOfLines) {
  for (Index count = 1; count <= 18; ++count) {
    for (Index n : {12, 32, 90, 33, 59}) {
      check_all<double>(n, count, count % 2);
      check_all<float>(n, count, 2);
    }
  }
}

TEST_P(LineKernels, TheFasterOfTwo) {
  for (LineType type : {LineType::c2c, LineType::r2c, LineType::c2r}) {
    check<double>("auto", type, 60, 8, 0, -1, Effort::measure);
    check<float>("auto", type, 128, 3, 2, -1, Effort::measure);
  }
}

std::vector<LineType> between_reals() {
  std::vector<LineType> types;
  for (int type = static_cast<int>(LineType::dct1); type <= static_cast<int>(LineType::dht); ++type) {
    types.push_back(static_cast<LineType>(type));
  }
  return types;
}

/// FFTW's against the sums that they are, and back: so both mean the same by each name.
TEST(RealLines, AreTheirSums) {
  for (LineType line : between_reals()) {
    for (Index n : {2, 3, 4, 5, 8, 13, 30}) {
      for (const char* backend : {"fftw", "lanes", "auto"}) {
        check<double>(backend, line, n, 4, 1, -1);
        check<float>(backend, line, n, 3, 0, -1);
      }
      const LineTraits &there = traits_of(line), &back = traits_of(there.inverse);
      EXPECT_EQ(back.inverse, line);
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
          long double sum = 0;
          for (Index k = 0; k < n; ++k) sum += back.coefficient(n, i, k) * there.coefficient(n, k, j);
          EXPECT_NEAR(static_cast<double>(sum), i == j ? there.factor(n) : 0, 1e-13) << there.name << ' ' << n;
        }
      }
    }
  }
}

TEST(RealLines, OfAnyLength) {
  for (LineType type : between_reals()) {
    for (Index n = traits_of(type).fewest_points; n <= 300; n += n < 50 ? 1 : 19) {
      for (const char* backend : {"lanes", "auto"}) {
        check<double>(backend, type, n, n % 11 + 1, n % 2, -1);
        check<float>(backend, type, n, n % 5 + 1, n % 3, -1);
      }
    }
    check<double>("auto", type, 60, 8, 0, -1, Effort::measure);
    check<float>("auto", type, 49, 3, 2, -1, Effort::measure);
  }
}

/// Columns of rows that lie anywhere, also where they come from, against lines one by one.
template <class Real>
void check_columns(const std::string& backend, LineType type, Index n, Index columns, bool in_place) {
  SCOPED_TRACE(backend + ", " + traits_of(type).name + ", " + std::to_string(n) + " points, " +
               std::to_string(columns) + " columns, " + std::to_string(sizeof(Real)) + " bytes");
  const Precision precision = sizeof(Real) == 8 ? Precision::double_ : Precision::single_;
  const auto kernel = make_real_columns(find_backend(backend), type, n, precision, Effort::estimate);
  ASSERT_NE(kernel, nullptr);
  const Index distance = columns + 3;
  const auto size = static_cast<std::size_t>(n * distance);
  std::vector<Real> in(size), out(size, Real{7}), line(static_cast<std::size_t>(n)), waves(line.size());
  std::mt19937 random(static_cast<unsigned>(n + columns));
  std::uniform_real_distribution<Real> value(-1, 1);
  for (Real& x : in) x = value(random);
  const std::vector<Real> given = in;
  std::vector<Real>& found = in_place ? in : out;
  std::vector<const void*> from;
  std::vector<void*> to;
  for (Index row = 0; row < n; ++row) {
    from.push_back(in.data() + (n - 1 - row) * distance);
    to.push_back(found.data() + (in_place ? n - 1 - row : row) * distance);
  }
  const std::vector<std::byte> scratch(static_cast<std::size_t>(kernel->scratch_bytes() + 64));
  const auto address = reinterpret_cast<std::uintptr_t>(scratch.data());
  ColumnRun run{.in = from.data(), .out = to.data(), .columns = columns};
  run.in_first = run.out_first = 1;
  run.scale = 0.5;
  kernel->run(run, reinterpret_cast<void*>((address + 63) / 64 * 64));

  LineBatch batch;
  batch.type = type;
  batch.n = n;
  const auto reference = find_backend("reference").make(batch, precision, Effort::estimate);
  const auto place = [&](const std::vector<Real>& rows, Index row, Index column, bool turned) {
    return rows[static_cast<std::size_t>((turned ? n - 1 - row : row) * distance + column)];
  };
  const Real limit = static_cast<Real>(n) * (sizeof(Real) == 8 ? Real(1e-14) : Real(5e-6));
  for (Index column = 0; column < columns; ++column) {
    for (Index row = 0; row < n; ++row) line[static_cast<std::size_t>(row)] = place(given, row, 1 + column, true);
    reference->run(line.data(), waves.data());
    for (Index row = 0; row < n; ++row) {
      ASSERT_NEAR(place(found, row, 1 + column, in_place), waves[static_cast<std::size_t>(row)] / 2, limit) << row;
    }
  }
  for (Index row = 0; row < n; ++row) {
    for (Index beside : {Index{0}, columns + 1, columns + 2}) {
      const Real was = in_place ? place(given, row, beside, true) : Real{7};
      ASSERT_EQ(place(found, row, beside, in_place), was) << "wrote beside the columns";
    }
  }
}

TEST(RealLines, AreColumnsToo) {
  for (LineType type : between_reals()) {
    for (Index n : {2, 3, 4, 5, 8, 13, 30, 64, 101}) {
      if (n == 2 && (type == LineType::dct4 || type == LineType::dst4)) continue;  // half of that is no transform
      for (Index columns : {1, 2, 7, 64, 65, 130}) {
        for (const char* backend : {"lanes", "auto"}) {
          check_columns<double>(backend, type, n, columns, columns % 2 != 0);
          check_columns<float>(backend, type, n, columns, columns % 2 == 0);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, LineKernels, testing::ValuesIn(lanes_here()),
                         [](const auto& set) { return std::string(set.param); });

}  // namespace
