// How much kernels round, of every instruction set this processor has: no more than twice what FFTW does, or two units
// of rounding.
#include "accuracy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/buffer.hpp"

namespace {

using namespace weft;
using namespace weft::detail;
using tools::Lines;

class Accuracy : public testing::Test {
 protected:
  void TearDown() override { unsetenv("WEFT_TEST_LANES"); }

  static void check(Lines lines, Index n, Precision precision) {
    static const std::vector<const char*> sets = lanes_here();  // before one of them is named
    const tools::LineAccuracy line(lines, n, precision);
    for (const char* set : sets) {
      setenv("WEFT_TEST_LANES", set, 1);
      const tools::LineErrors ours = line.errors(find_backend("lanes"));
      // FFTW's plans take most of the time, and few lengths need them.
      if (tools::worst_of_limit(precision, ours, {}) <= 1) continue;
      const tools::LineErrors theirs = line.errors(find_backend("fftw"));
      for (std::size_t i = 0; i < ours.of.size(); ++i) {
        EXPECT_LE(ours.of[i], tools::error_limit(precision, theirs.of[i]))
            << n << " points, " << tools::to_string(lines) << ", " << to_string(precision) << ", " << set << ", "
            << tools::to_string(tools::all_signals[i]) << "; FFTW's is " << theirs.of[i];
      }
    }
  }

  static void check_all(Index n) {
    for (const Precision precision : {Precision::double_, Precision::single_}) {
      for (const Lines lines : tools::all_lines) check(lines, n, precision);
    }
  }
};

TEST_F(Accuracy, AllLengths) {
  for (Index n = 1; n <= 300; ++n) check_all(n);
}

TEST_F(Accuracy, LongPrimes) {
  for (Index n : {17 * 19, 19 * 23, 31 * 31, 37 * 41, 59 * 13, 251 * 4, 127 * 8, 8 * 11 * 23, 8 * 257}) check_all(n);
  for (Index n : {1009, 1439, 2027}) check(Lines::columns, n, Precision::double_);
}

/// There and back, as PETSc's ex144 has it: 0.5, and 2, 4, 8, 16 at four points. It wants the sum of all errors below
/// 1e-10: most results come back exactly.
TEST_F(Accuracy, ConstantAndAFewPoints) {
  constexpr Index n = 8 * 257, modes = n / 2 + 1;
  const std::string name = "lanes";
  const Backend& backend = find_backend(name);
  std::vector<double> given(static_cast<std::size_t>(n * 2 * modes), 0.5);
  given[0] = 2;
  given[1] = 4;
  given[4] = 8;
  given[5] = 16;
  std::vector<double> real = given;
  std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(n * modes));
  const LineBatch ahead{
      .type = LineType::r2c, .n = n, .count = n, .in_distance = 2 * modes, .out_distance = modes, .sign = -1};
  const LineBatch back{
      .type = LineType::c2r, .n = n, .count = n, .in_distance = modes, .out_distance = 2 * modes, .sign = 1};
  backend.make(ahead, Precision::double_, Effort::estimate)->run(real.data(), spectrum.data());
  std::vector<const void*> in;
  std::vector<void*> out;
  for (Index row = 0; row < n; ++row) {
    in.push_back(&spectrum[static_cast<std::size_t>(row * modes)]);
    out.push_back(&spectrum[static_cast<std::size_t>(row * modes)]);
  }
  for (const int sign : {-1, 1}) {
    const auto columns = make_column_kernel(backend, n, sign, Precision::double_, Effort::estimate);
    const Buffer scratch(columns->scratch_bytes());
    columns->run(ColumnRun{.in = in.data(), .out = out.data(), .columns = modes}, scratch.data());
  }
  backend.make(back, Precision::double_, Effort::estimate)->run(spectrum.data(), real.data());
  double error = 0;
  for (Index row = 0; row < n; ++row) {
    for (Index column = 0; column < n; ++column) {
      const auto at = static_cast<std::size_t>(row * 2 * modes + column);
      error += std::abs(real[at] / (double(n) * double(n)) - given[at]);
    }
  }
  EXPECT_LT(error, 1e-10);
}

}  // namespace
