// Wire formats by themselves: what a number is after it has travelled.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include "exchange/wire_format.hpp"

namespace {

using namespace weft;
using namespace weft::detail;

/// The numbers after they have travelled in so many bytes each; what lies beyond them must stay as it is.
template <class Real>
std::vector<std::complex<Real>> travelled(Wire wire, const std::vector<std::complex<Real>>& numbers) {
  constexpr auto beyond = std::byte{0x5a};
  const auto count = static_cast<Index>(numbers.size());
  const int bytes = wire_bytes(wire, sizeof(std::complex<Real>), sizeof(Real), true);
  std::vector<std::byte> travelling(static_cast<std::size_t>(count * bytes + 8), beyond);
  const WireCodec codec = wire_codec(wire, sizeof(std::complex<Real>), bytes, sizeof(Real));
  codec.encode(reinterpret_cast<const std::byte*>(numbers.data()), travelling.data(), codec.reals * count);
  for (Index i = count * bytes; i < count * bytes + 8; ++i) {
    EXPECT_EQ(travelling[static_cast<std::size_t>(i)], beyond) << "written beyond the end, byte " << i;
  }
  std::vector<std::complex<Real>> back(numbers.size() + 1, {7, 7});
  codec.decode(travelling.data(), reinterpret_cast<std::byte*>(back.data()), codec.reals * count);
  EXPECT_EQ(back.back(), std::complex<Real>(7, 7)) << "written beyond the end";
  back.pop_back();
  return back;
}

template <class Real>
void check_errors(const WireFormat& format) {
  // What makes nothing smaller has no codec.
  if (wire_bytes(format.wire, sizeof(std::complex<Real>), sizeof(Real), true) == sizeof(std::complex<Real>)) return;
  std::mt19937_64 random(4);
  // Within the range of normal numbers of single precision: below it nothing is promised.
  std::uniform_real_distribution<double> part(-1, 1), exponent(-90, 120);
  for (const std::size_t count : {0, 1, 2, 63, 64, 65, 200, 5000}) {
    SCOPED_TRACE(testing::Message() << format.name << ", " << count << " numbers of " << sizeof(Real) << " bytes");
    std::vector<std::complex<Real>> numbers;
    for (std::size_t i = 0; i < count; ++i) {
      const double size = std::exp2(i % 2 == 0 ? 0 : exponent(random)), other = i % 7 == 0 ? 1e-3 : 1;
      const double real = size * part(random), imaginary = other * size * part(random);
      numbers.emplace_back(static_cast<Real>(real), static_cast<Real>(imaginary));
    }
    const auto back = travelled(format.wire, numbers);
    double worst = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::complex<double> z(numbers[i]), error = std::complex<double>(back[i]) - z;
      ASSERT_LE(std::abs(error), format.error * std::abs(z)) << "number " << i << ": " << z;
      worst = std::max(worst, std::abs(error) / std::abs(z));
    }
    if (count == 5000) {
      EXPECT_GT(worst, format.error / 2) << "the bound is much too large, or nothing was rounded";
    }
  }
}

TEST(WireFormats, ErrorsStayWithinTheirBounds) {
  for (const WireFormat& format : wire_formats()) {
    check_errors<double>(format);
    check_errors<float>(format);
  }
}

TEST(WireFormats, BytesOfANumber) {
  const auto bytes = [](Wire wire, int element, int real, bool is_complex) {
    return wire_bytes(wire, element, real, is_complex);
  };
  EXPECT_EQ(bytes(Wire::same, 16, 8, true), 16);
  EXPECT_EQ(bytes(Wire::single, 16, 8, true), 8);
  EXPECT_EQ(bytes(Wire::block24, 16, 8, true), 6);
  EXPECT_EQ(bytes(Wire::block20, 16, 8, true), 5);
  EXPECT_EQ(bytes(Wire::block16, 16, 8, true), 4);
  EXPECT_EQ(bytes(Wire::block16, 8, 4, true), 4);
  EXPECT_EQ(bytes(Wire::block24, 3 * 16, 8, true), 3 * 6) << "interleaved fields";
  // What cannot be smaller stays as it is.
  EXPECT_EQ(bytes(Wire::single, 8, 4, true), 8);
  EXPECT_EQ(bytes(Wire::single, 8, 8, false), 4);
  EXPECT_EQ(bytes(Wire::block20, 8, 8, false), 8);
}

TEST(WireFormats, NumbersAtTheEdges) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  using Z = std::complex<double>;
  for (const WireFormat& format : wire_formats()) {
    if (format.bits == 0) continue;
    SCOPED_TRACE(format.name);
    const auto of = [&](Z z) { return travelled<double>(format.wire, {z})[0]; };
    EXPECT_EQ(of({0, 0}), Z(0, 0));
    EXPECT_EQ(of({-0.0, 0}), Z(0, 0));
    EXPECT_EQ(of({1, -1}), Z(1, -1));
    EXPECT_EQ(of({0.25, -0.5}), Z(0.25, -0.5));
    EXPECT_EQ(of({-3, 0}), Z(-3, 0));
    EXPECT_EQ(of({1e-60, 1e-300}), Z(0, 0)) << "too small for the exponent";
    EXPECT_EQ(of({5e-324, 0}), Z(0, 0));
    for (const Z lost : {Z(inf, 0), Z(0, -inf), Z(nan, 1), Z(1, nan), Z(1e60, 0)}) {
      EXPECT_TRUE(std::isnan(of(lost).real()) && std::isnan(of(lost).imag())) << lost;
    }
    // Just below a power of two the nearest whole number would be one too many.
    const Z z(1 - 1e-12, -1 + 1e-12);
    EXPECT_LE(std::abs(of(z) - z), format.error * std::abs(z));
  }
}

}  // namespace
