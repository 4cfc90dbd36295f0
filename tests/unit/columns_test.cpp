// Column kernels of every instruction set this processor has, against the reference backend.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "fft/serial.hpp"

namespace {

using namespace weft;
using namespace weft::detail;

template <class Real>
class Columns {
  using Complex = std::complex<Real>;

 public:
  Columns(Index n, Index columns, Index distance)
      : n_(n), columns_(columns), distance_(distance), data_(static_cast<std::size_t>(n * distance + 8)) {
    // Aligned as exchange blocks are, so that whole lines can be streamed.
    const auto at = reinterpret_cast<std::uintptr_t>(data_.data()) % cache_line;
    first_ = data_.data() + (at == 0 ? 0 : (cache_line - at) / sizeof(Complex));
  }

  void fill(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<Real> number(-1, 1);
    for (Complex& x : data_) x = {number(random), number(random)};
  }
  Complex& at(Index row, Index column) { return first_[row * distance_ + column]; }
  template <class Pointer>
  std::vector<Pointer> rows() {
    std::vector<Pointer> all;
    for (Index row = 0; row < n_; ++row) all.push_back(&at(row, 0));
    return all;
  }
  /// The columns as the reference has them; if they are long FFTW, since the reference's sums take n^2.
  std::vector<Complex> transformed(int sign, Precision precision) {
    std::vector<Complex> lines(static_cast<std::size_t>(n_ * columns_));
    LineBatch batch;
    batch.n = n_;
    batch.count = columns_;
    batch.in_stride = distance_;
    batch.in_distance = 1;
    batch.out_stride = columns_;
    batch.out_distance = 1;
    batch.sign = sign;
    find_backend(n_ <= 256 ? "reference" : "fftw").make(batch, precision, Effort::estimate)->run(first_, lines.data());
    return lines;
  }

 private:
  Index n_, columns_, distance_;
  std::vector<Complex> data_;
  Complex* first_;
};

template <class Real>
void check(Index n, Index columns, int sign, bool in_place, bool streamed, double scale) {
  const Precision precision = sizeof(Real) == 8 ? Precision::double_ : Precision::single_;
  const auto kernel = find_backend("lanes").make_columns(n, sign, precision, Effort::estimate);
  ASSERT_NE(kernel, nullptr) << n;
  const Index distance = streamed ? (columns + 15) / 8 * 8 : columns + 3;
  Columns<Real> from(n, columns, distance), to(n, columns, distance);
  from.fill(static_cast<unsigned>(n + columns));
  to.fill(1);
  Columns<Real>& result = in_place ? from : to;
  const std::complex<Real> beside = result.at(0, columns), beyond = result.at(n - 1, columns);
  const auto expected = from.transformed(sign, precision);
  const auto in = from.template rows<const void*>();
  const auto out = result.template rows<void*>();
  const Buffer scratch(kernel->scratch_bytes());
  ColumnRun run;
  run.in = in.data();
  run.out = out.data();
  run.columns = columns;
  run.scale = scale;
  run.streamed = streamed;
  run.fetch_in = !in_place;
  run.fetch_out = !streamed;
  kernel->run(run, scratch.data());
  double error = 0;
  for (Index row = 0; row < n; ++row) {
    for (Index column = 0; column < columns; ++column) {
      const auto wanted = expected[static_cast<std::size_t>(row * columns + column)];
      error =
          std::max(error, static_cast<double>(std::abs(result.at(row, column) - wanted * static_cast<Real>(scale))));
    }
  }
  const double size = std::sqrt(static_cast<double>(n)) * std::abs(scale);
  EXPECT_LT(error / size, 20 * std::numeric_limits<Real>::epsilon() * (1 + std::log2(static_cast<double>(n))))
      << n << " points, " << columns << " columns, sign " << sign << (in_place ? ", in place" : "")
      << (streamed ? ", streamed" : "") << ", " << 8 * sizeof(Real) << " bits";
  EXPECT_EQ(result.at(0, columns), beside) << "wrote beside the columns";
  EXPECT_EQ(result.at(n - 1, columns), beyond) << "wrote beside the columns";
}

class ColumnKernels : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { setenv("WEFT_TEST_LANES", GetParam(), 1); }
  void TearDown() override { unsetenv("WEFT_TEST_LANES"); }
};

TEST_P(ColumnKernels, AllLengths) {
  for (Index n = 2; n <= 130; ++n) {
    const Index columns = n % 19 + 1;
    check<double>(n, columns, n % 2 == 0 ? 1 : -1, false, false, 1);
    check<float>(n, columns, n % 2 == 0 ? -1 : 1, true, false, 1);
  }
  EXPECT_EQ(find_backend("lanes").make_columns(4099, -1, Precision::double_, Effort::estimate), nullptr)
      << "a long prime";
  EXPECT_EQ(find_backend("lanes").make_columns(1, -1, Precision::double_, Effort::estimate), nullptr)
      << "nothing to do";
}

TEST_P(ColumnKernels, ManySteps) {
  for (Index n : {Index{256}, Index{343}, Index{512}, Index{1000}, Index{1024}, Index{2187}, Index{4096}, Index{5040},
                  Index{11 * 13 * 13}, Index{257}, Index{2 * 509}, Index{1021}, Index{2311}, Index{4093}}) {
    check<double>(n, 9, -1, true, false, 0.5);
    check<float>(n, 17, 1, false, false, 0.5);
  }
}

TEST_P(ColumnKernels, AnyNumberOfColumns) {
  for (Index columns = 1; columns <= 40; ++columns) {
    for (Index n : {12, 16, 60, 17, 46}) {
      check<double>(n, columns, -1, columns % 2 == 0, false, 2);
      check<float>(n, columns, 1, columns % 2 == 1, true, 1);
      check<double>(n, columns, 1, false, true, 3);
    }
  }
}

TEST_P(ColumnKernels, DoAllThatIsToBeDoneAhead) {
  for (Index n : {3, 12, 60, 128, 17, 46, 1000}) {
    for (Index columns : {1, 7, 33}) {
      const auto kernel = find_backend("lanes").make_columns(n, -1, Precision::double_, Effort::estimate);
      ASSERT_TRUE(kernel->asks_ahead());
      Columns<double> data(n, columns, columns);
      const auto in = data.rows<const void*>();
      const auto out = data.rows<void*>();
      const Buffer scratch(kernel->scratch_bytes());
      // Three rows that are copied, 200 bytes each, and two that are asked for.
      std::vector<char> from(5000), to(1000, 'x');
      for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i % 101);
      std::vector<Ahead::Run> runs;
      for (int row : {0, 1, 2}) runs.push_back({&from[row * 700 + 3], &from[row * 700 + 203], &to[row * 300]});
      runs.push_back({&from[2500], &from[3500], nullptr});
      runs.push_back({&from[4000], &from[4001], nullptr});
      Ahead ahead;
      ahead.next = runs.data();
      ahead.last = ahead.next + runs.size();
      ahead.runs_before = 0;
      ColumnRun run{.in = in.data(), .out = out.data(), .columns = columns};
      run.ahead = &ahead;
      run.ahead_lines = 3 * 4 + 16 + 1;
      kernel->run(run, scratch.data());
      EXPECT_EQ(ahead.next, ahead.last) << n << " points, " << columns << " columns";
      for (int row : {0, 1, 2}) {
        EXPECT_EQ(std::memcmp(&from[row * 700 + 3], &to[row * 300], 200), 0) << n << " points, row " << row;
        EXPECT_EQ(to[row * 300 + 200], 'x') << "wrote beyond the row";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, ColumnKernels, testing::ValuesIn(lanes_here()),
                         [](const auto& set) { return std::string(set.param); });

}  // namespace
