// weft-sort without ranks: merging, keys, trees.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "data.hpp"
#include "elements.hpp"
#include "file_form.hpp"
#include "kernels.hpp"
#include "leaf_sort.hpp"
#include "merge.hpp"
#include "npy_header.hpp"
#include "records.hpp"
#include "support.hpp"
#include "tree.hpp"

namespace {

using namespace weft;
using namespace weft::sort;
using weft::test::expect_error;

template <class T>
class Keys : public ::testing::Test {};
using KeyTypes = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                  std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(Keys, KeyTypes);

template <class T>
std::vector<T> random_run(std::size_t n, std::mt19937_64& random, int bits) {
  std::vector<T> run(n);
  for (T& value : run) value = static_cast<T>(random() >> (64 - bits));
  std::sort(run.begin(), run.end());
  return run;
}

TYPED_TEST(Keys, WhatIsMergedComesBeforeAnythingThatMayFollow) {
  using T = TypeParam;
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const int bits = trial % 3 == 0 ? 2 : 64;  // many equal ones
    const auto a = random_run<T>(1 + random() % 200, random, bits), b = random_run<T>(1 + random() % 200, random, bits);
    const std::size_t room = 1 + random() % 400;
    std::vector<T> out(room), merged(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), merged.begin());
    const Taken taken = merge_known(a.data(), a.size(), b.data(), b.size(), out.data(), room);
    ASSERT_GT(taken.both(), 0u);
    ASSERT_LE(taken.both(), room);
    ASSERT_TRUE(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(taken.both()), merged.begin()));
    if (room >= merged.size()) {
      ASSERT_TRUE(taken.a == a.size() || taken.b == b.size());
    }
    // Never more than is known: of one run nothing is taken that is larger than the other's last.
    ASSERT_LE(out[taken.both() - 1], std::min(a.back(), b.back()));
  }
}

TYPED_TEST(Keys, LeavesSort) {
  using T = TypeParam;
  choose_leaf_sort();
  std::mt19937_64 random(3);
  for (const std::size_t n : {0, 1, 2, 3, 17, 300, 5000}) {
    std::vector<T> data(n);
    for (T& value : data) value = static_cast<T>(random());
    std::vector<T> expected = data;
    std::sort(expected.begin(), expected.end());
    leaf_sort(data.data(), n);
    EXPECT_EQ(data, expected) << n;
  }
}

template <class Key, class Real>
void check_reals() {
  using Limits = std::numeric_limits<Real>;
  const std::vector<Real> ascending = {
      -Limits::infinity(), Limits::lowest(),     Real(-1), -Limits::min(), -Limits::denorm_min(), Real(-0.0),
      Real(0.0),           Limits::denorm_min(), Real(1),  Limits::max(),  Limits::infinity(),    Limits::quiet_NaN(),
      -Limits::quiet_NaN()};
  std::vector<Key> keys;
  for (const Real value : ascending) {
    Key bits;
    std::memcpy(&bits, &value, sizeof bits);
    keys.push_back(to_key(bits, Order::real));
    EXPECT_EQ(from_key(keys.back(), Order::real), bits);
  }
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
}

TEST(Elements, RealsAsNumpySortsThem) {
  check_reals<std::int32_t, float>();
  check_reals<std::int64_t, double>();
  for (int bits = 0; bits < 1 << 16; ++bits) {
    const auto pattern = static_cast<std::int16_t>(bits);
    ASSERT_EQ(from_key(to_key(pattern, Order::real), Order::real), pattern);
  }
}

TEST(Elements, NotATimeComesLast) {
  constexpr auto nat = std::numeric_limits<std::int64_t>::min();
  EXPECT_GT(to_key(nat, Order::time), to_key(std::numeric_limits<std::int64_t>::max(), Order::time));
  EXPECT_LT(to_key(nat + 1, Order::time), to_key(std::int64_t{0}, Order::time));
  EXPECT_EQ(from_key(to_key(nat, Order::time), Order::time), nat);
}

TEST(Elements, NamesAndDescriptions) {
  EXPECT_EQ(element_type("float16").bytes, 2);
  EXPECT_EQ(element_type_of_descr("<M8[ns]").descr, "<M8[ns]");
  EXPECT_EQ(element_type("S9").bytes, 16);
  EXPECT_EQ(element_type("U3").file_bytes, 12);
  EXPECT_NE(element_type_of_descr(">c8").swapped, element_type_of_descr("<c8").swapped);
  EXPECT_FALSE(element_type_of_descr("|S4").swapped);
  expect_error([] { element_type("complex65"); }, {"dtype is 'complex65'", "int8", "timedelta64"});
  expect_error([] { element_type_of_descr("|O"); }, {"'|O'", "i4", "objects"});
  expect_error([] { element_type_of_descr("|i4"); }, {"'|i4'", "i4"});
  expect_error([] { element_type("U99999999999"); }, {"'U99999999999'", "at most 1024"});
  for (const char* unit : {"Y", "ms", "25ns", "2147483647as", "generic"}) {
    const std::string descr = std::string(">m8[") + unit + "]";
    EXPECT_EQ(element_type_of_descr(descr).descr, descr);
  }
  for (const char* wrong : {"<M8[", "<M8[]", "<M8[x]", "<M8[25]", "<M8[-1s]", "<M8[2147483648s]", "<M8[s", "<M8[s]]"}) {
    expect_error([&] { element_type_of_descr(wrong); }, {wrong, "units of time", "[ns]"});
  }
  expect_error([] { element_type("S-0"); }, {"dtype is 'S-0'"});
}

TEST(Elements, FileFormsAndBack) {
  for (const char* descr : {"<c8", ">c16", ">i2", "|S11", "<U3", ">U3"}) {
    const ElementType type = element_type_of_descr(descr);
    constexpr std::size_t n = 5;
    std::vector<std::byte> file(n * static_cast<std::size_t>(type.file_bytes)), back(file.size());
    for (std::size_t i = 0; i < file.size(); ++i) file[i] = static_cast<std::byte>(i * 37 + 1);
    std::vector<std::uint64_t> elements(n * static_cast<std::size_t>(type.bytes) / 8 + 1);
    from_file_form(type, file.data(), n, elements.data());
    to_file_form(type, elements.data(), n, back.data());
    EXPECT_EQ(file, back) << descr;
  }
}

TEST(Elements, ComplexNumbersAsNumpySortsThem) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  using Number = Complex<double>;
  const std::vector<Number> ascending = {{-1, 5},  {-0.0, 1}, {0.0, 2},  {-0.0, 3}, {-9, nan},
                                         {1, nan}, {nan, -1}, {-nan, 4}, {nan, nan}};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t k = 0; k < ascending.size(); ++k) EXPECT_EQ(ascending[i] < ascending[k], i < k) << i << ' ' << k;
  }
}

/// All of the tables of functions: every type, and every length that strings are filled up to.
const std::vector<std::string> names_of_all = {
    "bool",   "int8",    "uint8",   "int16",   "uint16",     "int32",       "uint32", "int64",
    "uint64", "float16", "float32", "float64", "complex64",  "complex128",  "S3",     "S12",
    "S30",    "U13",     "S128",    "U50",     "datetime64", "timedelta64", "S1000",  "U1000",
};

TEST(Kernels, SortAndMergeElementsOfAllTypes) {
  constexpr std::size_t na = 150, nb = 101, n = na + nb;
  for (const std::string& name : names_of_all) {
    for (const char* distribution : {"uniform", "few"}) {
      SCOPED_TRACE(name + ", " + distribution);
      const ElementType type = element_type(name);
      const Kernels& kernels = kernels_of(type);
      ASSERT_EQ(kernels.bytes, static_cast<std::size_t>(type.bytes));
      std::vector<std::byte> data(n * kernels.bytes), merged(data.size());
      fill(data.data(), n, type, distribution, 5);
      const auto before = checksum(data.data(), n, type);
      EXPECT_NE(first_unsorted(data.data(), n, type), -1);
      std::byte* second = data.data() + na * kernels.bytes;
      kernels.to_keys(data.data(), n);
      kernels.leaf_sort(data.data(), na);
      kernels.std_sort(second, nb);
      EXPECT_FALSE(kernels.less(data.data() + kernels.bytes, data.data()));
      // What is not known when one run ends comes behind.
      const Taken taken = kernels.merge(data.data(), na, second, nb, merged.data(), n);
      ASSERT_TRUE(taken.a == na || taken.b == nb);
      std::byte* to = merged.data() + taken.both() * kernels.bytes;
      to = std::copy(data.data() + taken.a * kernels.bytes, second, to);
      std::copy(second + taken.b * kernels.bytes, data.data() + data.size(), to);
      kernels.from_keys(merged.data(), n);
      EXPECT_EQ(first_unsorted(merged.data(), n, type), -1);
      EXPECT_EQ(checksum(merged.data(), n, type), before);
    }
  }
}

TEST(Npy, HeadersAsPythonReadsThem) {
  const auto count = [](const std::string& header) { return parse_npy_header("'f'", header).count; };
  EXPECT_EQ(count("{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }   \n"), 3);
  EXPECT_EQ(count("{\"shape\":(12 , ),'fortran_order':True,\n'descr':'|S5'}"), 12);
  EXPECT_EQ(count("{'descr': '|S0', 'fortran_order': False, 'shape': (0L,)}"), 0);
  EXPECT_EQ(parse_npy_header("'f'", "{'descr': '>M8[3D]', 'fortran_order': False, 'shape': (1,)}").type.descr,
            ">M8[3D]");
}

TEST(Npy, NoHeaderIsReadBeyondItsEnd) {
  const std::string good = "{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}";
  for (std::size_t length = 0; length < good.size(); ++length) {
    // On the heap, where sanitizers see what is read.
    const std::vector<char> part(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
    expect_error([&] { parse_npy_header("'f'", {part.data(), part.size()}); },
                 {"'f' has a header that cannot be read"});
  }
  for (std::size_t place = 0; place < good.size(); ++place) {
    for (const char c : std::string("'\"\\{}()[],:9-\0\xff", 15)) {
      std::string other = good;
      other[place] = c;
      try {
        EXPECT_GE(parse_npy_header("'f'", other).count, 0);
      } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).rfind("'f'", 0), 0u);
        EXPECT_LT(std::string(error.what()).size(), 500u);
      }
    }
  }
}

TEST(Data, ChecksumsTellPermutationsFromOthers) {
  const ElementType type = element_type("int32");
  std::vector<std::int32_t> data(1000);
  fill(data.data(), 1000, type, "uniform", 1);
  const auto before = checksum(data.data(), 1000, type);
  EXPECT_GE(first_unsorted(data.data(), 1000, type), 0);
  std::sort(data.begin(), data.end());
  EXPECT_EQ(first_unsorted(data.data(), 1000, type), -1);
  EXPECT_EQ(checksum(data.data(), 1000, type), before);
  data[5] = data[6];
  EXPECT_NE(checksum(data.data(), 1000, type), before);
}

TEST(Trees, SharesAndRanks) {
  EXPECT_EQ(complete_tree(3, 2), (std::vector<int>{-1, 0, 0, 1, 1, 2, 2}));
  const Tree tree = make_tree(complete_tree(3, 2), {0, 0, 2, 0, 1, 2, 3}, 4, 50001);
  EXPECT_EQ(tree.leaves, (std::vector<int>{3, 4, 5, 6}));
  EXPECT_EQ(tree.count(0), 50001);
  EXPECT_EQ(tree.count(1) + tree.count(2), 50001);
  EXPECT_EQ(tree.hi[3], tree.lo[4]);
  const auto bytes = tree_traffic(tree, 4, 4);
  EXPECT_EQ(bytes[0 * 4 + 2], tree.count(2) * 4);
  EXPECT_EQ(bytes[2 * 4 + 0], tree.count(2) * 4);
  EXPECT_EQ(bytes[0 * 4 + 3], 0);
  for (int ranks = 1; ranks <= 9; ++ranks) {
    for (int arity = 2; arity <= 4; ++arity) {
      std::vector<int> parent, rank;
      tree_of_ranks(ranks, arity, parent, rank);
      const Tree natural = make_tree(parent, rank, ranks, 1000);
      std::vector<int> owners;
      for (int leaf : natural.leaves) owners.push_back(natural.rank[static_cast<std::size_t>(leaf)]);
      ASSERT_EQ(static_cast<int>(owners.size()), ranks);
      ASSERT_TRUE(std::is_sorted(owners.begin(), owners.end()));
      ASSERT_EQ(std::adjacent_find(owners.begin(), owners.end()), owners.end());
    }
  }
}

TEST(Trees, Errors) {
  expect_error([] { make_tree({-1, 0, 5}, {}, 2, 9); }, {"parents[2] is 5", "before its child"});
  expect_error([] { make_tree({0}, {}, 2, 9); }, {"parents[0] is 0"});
  expect_error([] { make_tree({-1, 0, 0}, {0, 1}, 2, 9); }, {"placement has 2 ranks", "3 processes"});
  expect_error([] { make_tree({-1, 0, 0}, {0, 1, 2}, 2, 9); }, {"placement[2] is 2", "0 to 1"});
  expect_error([] { make_tree({-1, 0, 0}, {1, 0, 0}, 2, 9); }, {"placement[0] is 1", "rank 0"});
  expect_error([] { complete_tree(0, 2); }, {"levels is 0"});
  expect_error([] { complete_tree(30, 2); }, {"levels is 30", "2048"});
}

}  // namespace
