// The checkers checked: the reference against values known otherwise, the sampling against its promise.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <set>
#include <utility>

#include "guarded.hpp"
#include "matrix.hpp"
#include "reference.hpp"
#include "support.hpp"

namespace {

using namespace weft;
using namespace weft::verify;
using weft::test::expect_error;

using Vector = std::vector<std::complex<double>>;

TEST(Reference, ByHand) {
  // The transform of (a, b, c, d) along axis 1.
  Vector x{1, 2, 3, {0, 4}};
  transform(x, {1, 4, 1}, -1);
  const Vector wanted{{6, 4}, {-6, -2}, {2, -4}, {2, 2}};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(std::abs(x[i] - wanted[i]), 1e-15) << i;
}

TEST(Reference, AWaveBecomesADelta) {
  const Shape n{6, 5, 7}, k{4, 2, 6};
  Vector x;
  for (Index i = 0; i < n[0]; ++i) {
    for (Index j = 0; j < n[1]; ++j) {
      for (Index l = 0; l < n[2]; ++l) {
        const double turns =
            static_cast<double>(i * k[0]) / 6 + static_cast<double>(j * k[1]) / 5 + static_cast<double>(l * k[2]) / 7;
        x.push_back(std::polar(1.0, 2 * std::numbers::pi * turns));
      }
    }
  }
  transform(x, n, -1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool here = i == static_cast<std::size_t>((k[0] * n[1] + k[1]) * n[2] + k[2]);
    EXPECT_LT(std::abs(x[i] - (here ? 210.0 : 0.0)), 1e-12) << i;
  }
}

// Large enough that FFTW takes over from the definition, which the same numbers laid out differently still get.
TEST(Reference, DefinitionAndFftwAgree) {
  const Field field{FieldType::complex, 9, 0, {1, 3000, 1}};
  Vector by_fftw;
  for (Index i = 0; i < 3000; ++i) by_fftw.push_back(field({0, i, 0}));
  Vector by_definition = by_fftw;
  transform(by_fftw, {1, 3000, 1}, 1);
  // y(k) = sum over j of x(j) exp(2 pi i j k / n), at some k.
  for (const Index k : {0, 1, 777, 2999}) {
    std::complex<long double> sum = 0;
    for (Index j = 0; j < 3000; ++j) {
      const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(j * k % 3000) / 3000;
      sum += std::complex<long double>(by_definition[static_cast<std::size_t>(j)]) *
             std::complex<long double>(std::cos(angle), std::sin(angle));
    }
    EXPECT_LT(std::abs(std::complex<double>(sum) - by_fftw[static_cast<std::size_t>(k)]), 1e-11) << k;
  }
}

TEST(Fields, HermitianOnesHaveRealTransforms) {
  References references;
  for (const Shape& shape : {Shape{4, 5, 6}, Shape{1, 1, 1}, Shape{2, 7, 3}}) {
    const Reference& r = references.get({FieldType::hermitian, 3, 1, shape}, -1);
    for (const auto& value : r.values) EXPECT_LT(std::abs(value.imag()), 1e-14 * r.largest);
    EXPECT_GT(r.largest, 0);
  }
}

TEST(Fields, AreExactInSinglePrecisionAndAllDifferent) {
  std::set<double> seen;
  for (const FieldType type : {FieldType::complex, FieldType::real, FieldType::hermitian}) {
    seen.clear();
    for (Index number = 0; number < 2; ++number) {
      const Field field{type, 1, number, {8, 8, 8}};
      for (Index i = 0; i < 512; ++i) {
        const auto value = field({i / 64, i / 8 % 8, i % 8});
        EXPECT_EQ(static_cast<double>(static_cast<float>(value.real())), value.real());
        EXPECT_EQ(static_cast<double>(static_cast<float>(value.imag())), value.imag());
        seen.insert(value.real());
      }
    }
    EXPECT_GT(seen.size(), type == FieldType::hermitian ? 510u : 1000u);
  }
}

TEST(GuardedArrays, SeeWhatIsWrittenOutside) {
  for (const std::size_t offset : {0u, 1u, 3u}) {
    Guarded<float> array(10, offset);
    EXPECT_EQ(reinterpret_cast<std::size_t>(array.data()) % 64, offset * sizeof(float));
    EXPECT_TRUE(array.intact());
    array.data()[0] = array.data()[9] = 1;
    EXPECT_TRUE(array.intact());
    array.data()[10] = 1;
    EXPECT_FALSE(array.intact());
    array.fill();
    array.data()[-1] = 1;
    EXPECT_FALSE(array.intact());
    array.fill();
    EXPECT_TRUE(std::isnan(array.data()[5]));
  }
}

TEST(Cases, TextThereAndBack) {
  for (const int ranks : {1, 4}) {
    const Factors f = factors(ranks);
    auto cases = random_cases(f, 200, 3);
    const auto more = all_pairs(f, 4);
    cases.insert(cases.end(), more.begin(), more.end());
    for (const Case& test : cases) {
      const Case again = parse_case(to_string(test));
      EXPECT_EQ(to_string(again), to_string(test));
      EXPECT_EQ(again.problem, test.problem);
      EXPECT_EQ(again.options.tile, test.options.tile);
      EXPECT_EQ(again.input, test.input);
      EXPECT_EQ(again.seed, test.seed);
    }
  }
  EXPECT_EQ(to_string(parse_case("")), "shape=8x8x8,kind=c2c,precision=double,strategy=" + Options().strategy);
}

TEST(Cases, BadTextIsTold) {
  expect_error([] { parse_case("shape=8x8"); }, {"shape", "8x8", "three to eight extents"});
  expect_error([] { parse_case("shape=8x0x8"); }, {"shape", "'0'", "from 1"});
  expect_error([] { parse_case("shape"); }, {"'shape'", "key=value"});
  expect_error([] { parse_case("batch=0"); }, {"batch", "'0'", "from 1"});
  expect_error([] { parse_case("colour=red"); }, {"colour", "strategy", "offset"});
  expect_error([] { parse_case("input=spiral"); }, {"spiral", "slab:A", "bricks:S"});
  expect_error([] { parse_case("input=slab:3"); }, {"axis", "3"});
}

TEST(Matrix, AllPairsMeet) {
  const std::vector<std::size_t> levels{3, 2, 7, 4, 1, 5};
  const auto rows = all_pairs(levels, 11);
  for (std::size_t a = 0; a < levels.size(); ++a) {
    for (std::size_t b = a + 1; b < levels.size(); ++b) {
      std::set<std::pair<std::size_t, std::size_t>> met;
      for (const auto& row : rows) met.emplace(row[a], row[b]);
      EXPECT_EQ(met.size(), levels[a] * levels[b]) << a << ", " << b;
    }
  }
  EXPECT_GE(rows.size(), 35u) << "7 x 5 pairs cannot meet in fewer";
  EXPECT_LE(rows.size(), 60u) << "a full product has 840";
  EXPECT_EQ(all_pairs(levels, 11), rows) << "the same on every rank";
}

TEST(Matrix, NewStrategiesAndBackendsAreIn) {
  std::set<std::string> strategies_seen, backends_seen, with_each_layout;
  const Factors f = factors(4);
  for (const Case& test : core_product(f)) {
    strategies_seen.insert(test.options.strategy);
    backends_seen.insert(test.options.backend);
    with_each_layout.insert(test.options.strategy + layout_group(test) + to_string(test.problem.kind));
  }
  EXPECT_EQ(strategies_seen.size(), strategies().size());
  EXPECT_EQ(backends_seen.size(), backends().size());
  EXPECT_EQ(with_each_layout.size() % (3 * strategies().size()), 0u);
  EXPECT_EQ(core_product(f).size(), strategies().size() * f.layout.size() * f.kind.size() * 2 * 2);
}

}  // namespace
