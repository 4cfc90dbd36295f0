// Copies past the cache give the same numbers and touch nothing beside them; each chunk is some thread's turn, once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <thread>
#include <vector>

#include "base/buffer.hpp"
#include "execute/copy.hpp"
#include "execute/turns.hpp"

namespace {

using weft::Index;
using weft::Shape;
using namespace weft::detail;

template <class T>
T number(Index i) {
  if constexpr (requires { typename T::value_type; }) {
    return {static_cast<typename T::value_type>(i), static_cast<typename T::value_type>(-i)};
  } else {
    return static_cast<T>(i);
  }
}

/// A box of so many numbers, to rows with a gap, from columns or rows, beginning `offset` numbers after a cache line.
template <class T, bool Scaled>
void check(const Shape& extent, Index gap, Index offset, bool turned) {
  const Index row = extent[2] + gap;
  const Shape to_stride{extent[1] * row, row, 1};
  const Shape from_stride =
      turned ? Shape{extent[1] * (extent[2] + 3), 1, extent[1]} : Shape{extent[1] * (extent[2] + 3), extent[2] + 3, 1};
  std::vector<T> from(static_cast<std::size_t>(extent[0] * extent[1] * (extent[2] + 3)));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = number<T>(static_cast<Index>(i) % 1000);
  const Index numbers = extent[0] * to_stride[0] + offset + 64;
  const Buffer memory = Buffer::zeroed(numbers * static_cast<Index>(sizeof(T)));
  T* const all = reinterpret_cast<T*>(memory.data());
  std::vector<T> expected(static_cast<std::size_t>(numbers), number<T>(-7));
  std::copy(expected.begin(), expected.end(), all);
  for (Index i = 0; i < extent[0]; ++i) {
    for (Index j = 0; j < extent[1]; ++j) {
      for (Index k = 0; k < extent[2]; ++k) {
        const T x = from[static_cast<std::size_t>(i * from_stride[0] + j * from_stride[1] + k * from_stride[2])];
        expected[static_cast<std::size_t>(offset + i * to_stride[0] + j * to_stride[1] + k)] = Scaled ? x + x : x;
      }
    }
  }
  copy_box<T, Scaled>(all + offset, to_stride, from.data(), from_stride, extent, Store::streamed,
                      decltype(std::abs(T()))(2));
  finish_streaming();
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), all))
      << extent[0] << "x" << extent[1] << "x" << extent[2] << ", gap " << gap << ", offset " << offset
      << (turned ? ", turned" : "") << ", " << sizeof(T) << " bytes";
}

template <class T, bool Scaled>
void check_all() {
  for (const Shape& extent : {Shape{3, 5, 65}, {2, 7, 13}, {1, 9, 1}, {2, 3, 2}, {4, 1, 31}, {1, 4, 16}, {2, 40, 3}}) {
    for (const Index gap : {0, 1, 3, 16}) {
      for (const Index offset : {0, 1, 2, 5, 8, 15}) {
        for (const bool turned : {false, true}) check<T, Scaled>(extent, gap, offset, turned);
      }
    }
  }
}

TEST(Copies, PastTheCacheAreTheSame) {
  check_all<std::complex<double>, false>();
  check_all<std::complex<float>, false>();
  check_all<double, false>();
  check_all<float, false>();
}

TEST(Copies, PastTheCacheCanBeScaled) {
  check_all<std::complex<double>, true>();
  check_all<std::complex<float>, true>();
  check_all<double, true>();
  check_all<float, true>();
}

TEST(Turns, EachChunkIsDealtOnce) {
  for (const int threads : {1, 2, 3, 7}) {
    Turns turns(7);
    for (const Index chunks : {0, 1, 2, 6, 7, 100, 1000}) {
      turns.deal(chunks, threads);
      std::vector<std::vector<Index>> of(static_cast<std::size_t>(threads));
      std::vector<std::thread> running;
      for (int thread = 0; thread < threads; ++thread) {
        running.emplace_back([&, thread] {
          Turn before{-1, -1};
          for (Turn turn = turns.first(thread); turn.chunk >= 0; turn = turns.after(turn, thread)) {
            EXPECT_TRUE(before.chunk < 0 || turn.chunk == before.next);
            of[static_cast<std::size_t>(thread)].push_back(turn.chunk);
            before = turn;
          }
          EXPECT_EQ(before.next, -1);
        });
      }
      for (std::thread& one : running) one.join();
      std::vector<Index> all;
      for (const auto& mine : of) all.insert(all.end(), mine.begin(), mine.end());
      std::sort(all.begin(), all.end());
      std::vector<Index> expected(static_cast<std::size_t>(chunks));
      std::iota(expected.begin(), expected.end(), 0);
      EXPECT_EQ(all, expected) << chunks << " chunks, " << threads << " threads";
    }
  }
}

TEST(Turns, WhoeverIsAloneDoesAll) {
  Turns turns(3);
  turns.deal(10, 3);
  std::vector<Index> done;
  for (Turn turn = turns.first(1); turn.chunk >= 0; turn = turns.after(turn, 1)) done.push_back(turn.chunk);
  EXPECT_EQ(done, (std::vector<Index>{3, 4, 5, 6, 7, 8, 9, 0, 1, 2}));
}

}  // namespace
