// Vectors of any processor and of this build's own instructions: numbers go where the names say, and nothing else
// changes.
#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>

#include "simd/baseline.hpp"
#include "simd/generic.hpp"

namespace {

using namespace weft::detail;

template <class Simd>
class Vectors : public testing::Test {};

using Sets = testing::Types<simd::generic::Simd<double>, simd::generic::Simd<float>, simd::baseline::Simd<double>,
                            simd::baseline::Simd<float>>;
TYPED_TEST_SUITE(Vectors, Sets);

constexpr int room = 64;

/// 1, 2, 3 ..., aligned to a cache line.
template <class T>
struct Numbers {
  alignas(64) T at[room];
  Numbers() {
    for (int i = 0; i < room; ++i) at[i] = static_cast<T>(i + 1);
  }
};

TYPED_TEST(Vectors, PartsTouchNothingElse) {
  using Simd = TypeParam;
  using T = std::remove_cvref_t<decltype(typename Simd::V{}[0])>;
  const Numbers<T> from;
  for (int numbers = -2; numbers <= Simd::W; numbers += 2) {
    const auto v = Simd::load_part(from.at + 1, numbers);
    for (int i = 0; i < Simd::W; ++i) EXPECT_EQ(v[i], i < numbers ? from.at[i + 1] : T{0}) << numbers << ", " << i;
    Numbers<T> to;
    Simd::store_part(to.at + 1, numbers, Simd::load(from.at + 20));
    for (int i = 0; i < room; ++i) {
      EXPECT_EQ(to.at[i], from.at[i >= 1 && i < 1 + numbers ? i + 19 : i]) << numbers << ", " << i;
    }
  }
}

TYPED_TEST(Vectors, ComplexNumbersFromLines) {
  using Simd = TypeParam;
  using T = std::remove_cvref_t<decltype(typename Simd::V{}[0])>;
  const Numbers<T> from;
  constexpr std::int64_t distance = 5;
  const auto v = Simd::gather(from.at + 1, distance);
  for (int i = 0; i < Simd::W; ++i) EXPECT_EQ(v[i], from.at[1 + i / 2 * distance + i % 2]);
  Numbers<T> to;
  Simd::scatter(to.at + 1, distance, -v);
  for (int i = 0; i < room; ++i) {
    const bool written = i >= 1 && (i - 1) % distance < 2 && (i - 1) / distance < Simd::W / 2;
    EXPECT_EQ(to.at[i], written ? -from.at[i] : from.at[i]) << i;
  }
}

TYPED_TEST(Vectors, StreamsAsItStores) {
  using Simd = TypeParam;
  using T = std::remove_cvref_t<decltype(typename Simd::V{}[0])>;
  const Numbers<T> from;
  Numbers<T> to;
  Simd::stream(to.at + Simd::W, Simd::load(from.at + 1));
  for (int i = 0; i < room; ++i) {
    EXPECT_EQ(to.at[i], from.at[i >= Simd::W && i < 2 * Simd::W ? i - Simd::W + 1 : i]) << i;
  }
}

TYPED_TEST(Vectors, ChangePlaces) {
  using Simd = TypeParam;
  using T = std::remove_cvref_t<decltype(typename Simd::V{}[0])>;
  const Numbers<T> from;
  const auto a = Simd::load(from.at), b = Simd::load(from.at + Simd::W);
  const auto parts = Simd::apart(a, b);
  for (int i = 0; i < Simd::W; ++i) EXPECT_EQ(parts.b[i], parts.a[i] + 1) << "of one complex number";
  const auto back = Simd::together(parts.a, parts.b);
  for (int i = 0; i < Simd::W; ++i) {
    EXPECT_EQ(back.a[i], a[i]);
    EXPECT_EQ(back.b[i], b[i]);
    EXPECT_EQ(Simd::swapped(a)[i], a[i ^ 1]);
    EXPECT_EQ(Simd::reversed(a)[i], a[Simd::W - 2 - i + 2 * (i % 2)]);
    EXPECT_EQ(Simd::conjugating()[i], i % 2 == 0 ? T{1} : T{-1});
  }
}

}  // namespace
