// Packing is never a pass of its own: memory is read and written twice by a slab transform, three times by a pencil
// one.
#include "support.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 4});

using namespace weft;
using namespace weft::test;

struct Bytes {
  Index read = 0, written = 0;
  friend bool operator==(const Bytes&, const Bytes&) = default;
};
std::ostream& operator<<(std::ostream& out, const Bytes& bytes) {
  return out << bytes.read << " read, " << bytes.written << " written";
}

/// What both directions move, over all ranks.
template <class Real>
std::pair<Bytes, Bytes> moved(const Problem& problem, const Options& options) {
  using Complex = std::complex<Real>;
  Transform<Real> fft(problem, MPI_COMM_WORLD, options);
  const auto most = static_cast<std::size_t>(std::max(fft.input_size(), fft.output_size()));
  std::vector<Complex> a(most), b(most);
  auto* real = reinterpret_cast<Real*>(a.data());
  if (options.in_place) {
    fft.forward(a.data());
  } else {
    problem.kind == Kind::c2c ? fft.forward(a.data(), b.data()) : fft.forward(real, b.data());
  }
  const Bytes ahead{sum(fft.statistics().bytes_read), sum(fft.statistics().bytes_written)};
  fft.reset_statistics();
  if (options.in_place) {
    fft.backward(a.data());
  } else {
    problem.kind == Kind::c2c ? fft.backward(b.data(), a.data()) : fft.backward(b.data(), real);
  }
  return {ahead, {sum(fft.statistics().bytes_read), sum(fft.statistics().bytes_written)}};
}

Options options_of(Decomposition decomposition, const std::string& strategy) {
  Options options;
  options.decomposition = decomposition;
  options.transposed = true;
  options.strategy = strategy;
  options.effort = Effort::estimate;
  return options;
}

// 128 x 128 planes of 256 KiB, which fit the caches of any machine.
const Shape kShape{128, 128, 128};

TEST(Passes, SlabTakesTwo) {
  const Index bytes = 128 * 128 * 128 * 16;
  for (const auto& strategy : strategies()) {
    SCOPED_TRACE(strategy);
    const auto [ahead, back] = moved<double>({.shape = kShape}, options_of(Decomposition::slab, strategy));
    EXPECT_EQ(ahead, (Bytes{2 * bytes, 2 * bytes}));
    EXPECT_EQ(back, (Bytes{2 * bytes, 2 * bytes}));
  }
}

TEST(Passes, PencilTakesThree) {
  const Index bytes = 128 * 128 * 128 * 16;
  for (const auto& strategy : strategies()) {
    SCOPED_TRACE(strategy);
    Options options = options_of(Decomposition::pencil, strategy);
    // One column would be a slab.
    options.grid = {1, size_of()};
    const auto [ahead, back] = moved<double>({.shape = kShape}, options);
    const Index passes = size_of() == 1 ? 2 : 3;
    EXPECT_EQ(ahead, (Bytes{passes * bytes, passes * bytes}));
    EXPECT_EQ(back, (Bytes{passes * bytes, passes * bytes}));
  }
}

// What travels is in a format with fewer bytes where it is written and where it is read: there is no copy of it.
TEST(Passes, FormatsForTheWireHaveFewerBytes) {
  const Index bytes = 128 * 128 * 128 * 16, kept = bytes / size_of(), blocks = kept + (bytes - kept) / 2;
  for (const auto& strategy : strategies()) {
    if (strategy == "zerocopy") continue;
    SCOPED_TRACE(strategy);
    Options options = options_of(Decomposition::slab, strategy);
    options.wire = Wire::single;
    const auto [ahead, back] = moved<double>({.shape = kShape}, options);
    EXPECT_EQ(ahead, (Bytes{bytes + blocks, bytes + blocks}));
    EXPECT_EQ(back, (Bytes{bytes + blocks, bytes + blocks}));
  }
}

TEST(Passes, PencilOnASquareGrid) {
  if (size_of() != 4) GTEST_SKIP() << "for 4 ranks";
  const Index bytes = 128 * 128 * 128 * 16;
  Options options = options_of(Decomposition::pencil, "alltoallv");
  options.grid = {2, 2};
  const auto [ahead, back] = moved<double>({.shape = kShape}, options);
  EXPECT_EQ(ahead, (Bytes{3 * bytes, 3 * bytes}));
  EXPECT_EQ(back, (Bytes{3 * bytes, 3 * bytes}));
}

// The real array once, and the half spectrum, which is all that is between.
TEST(Passes, RealInUnitsOfItsArrays) {
  const Index real = 128 * 128 * 128 * 4, half = 128 * 128 * 65 * 8;
  for (const auto& strategy : strategies()) {
    SCOPED_TRACE(strategy);
    const Problem problem{.shape = kShape, .kind = Kind::r2c, .precision = Precision::single_};
    auto [ahead, back] = moved<float>(problem, options_of(Decomposition::slab, strategy));
    EXPECT_EQ(ahead, (Bytes{real + half, 2 * half}));
    EXPECT_EQ(back, (Bytes{2 * half, half + real}));
    if (size_of() == 1) continue;
    Options options = options_of(Decomposition::pencil, strategy);
    options.grid = {1, size_of()};
    std::tie(ahead, back) = moved<float>(problem, options);
    EXPECT_EQ(ahead, (Bytes{real + 2 * half, 3 * half}));
    EXPECT_EQ(back, (Bytes{3 * half, 2 * half + real}));
  }
}

// Going back to the layout of the input costs one exchange more, and its reading and writing of what other ranks have:
// what a rank keeps is where the user has it.
TEST(Passes, UntransposedAddsOne) {
  if (size_of() == 1) GTEST_SKIP() << "nothing is transposed on one rank";
  const Index bytes = 128 * 128 * 128 * 16, copied = bytes - bytes / size_of();
  for (const bool in_place : {false, true}) {
    Options options = options_of(Decomposition::slab, "alltoallv");
    options.transposed = false;
    options.in_place = in_place;
    SCOPED_TRACE(in_place);
    const auto [ahead, back] = moved<double>({.shape = kShape}, options);
    EXPECT_EQ(ahead, (Bytes{2 * bytes + copied, 2 * bytes + copied}));
    // In place, backward overwrites its input before all of it has been read.
    const Index first = in_place ? bytes : copied;
    EXPECT_EQ(back, (Bytes{2 * bytes + first, 2 * bytes + first}));
  }
}

// Without copies the exchange at an end goes into the user's array, or comes from it: only what a rank keeps is copied,
// and at the beginning that is read where it is.
TEST(Passes, WithoutCopiesEndsAreFree) {
  if (size_of() == 1) GTEST_SKIP() << "nothing is transposed on one rank";
  const Index bytes = 128 * 128 * 128 * 16, kept = bytes / size_of();
  Options options = options_of(Decomposition::slab, "zerocopy");
  options.transposed = false;
  const auto [ahead, back] = moved<double>({.shape = kShape}, options);
  EXPECT_EQ(ahead, (Bytes{2 * bytes + kept, 2 * bytes + kept}));
  EXPECT_EQ(back, (Bytes{2 * bytes, 2 * bytes}));
}

TEST(Passes, TwoDimensionsTakeTwo) {
  const Index bytes = 256 * 256 * 16;
  for (const auto& strategy : strategies()) {
    SCOPED_TRACE(strategy);
    const auto [ahead, back] = moved<double>({.shape = plane(256, 256)}, options_of(Decomposition::slab, strategy));
    EXPECT_EQ(ahead, (Bytes{2 * bytes, 2 * bytes}));
    EXPECT_EQ(back, (Bytes{2 * bytes, 2 * bytes}));
  }
}

// Other orders of the axes and of the fields, and gaps between rows, are where passes read and write anyway.
TEST(Passes, OtherArraysAddNothing) {
  const Index bytes = 3 * 32 * 32 * 32 * 16, real = 3 * 32 * 32 * 32 * 8, half = 3 * 32 * 32 * 17 * 16;
  for (const bool interleaved : {false, true}) {
    for (const MemoryOrder& order : {MemoryOrder{0, 1, 2}, {1, 0, 2}, {2, 1, 0}}) {
      SCOPED_TRACE(to_string(order) + (interleaved ? ", interleaved" : ""));
      Problem problem{.shape = {32, 32, 32}, .batch = 3, .interleaved = interleaved, .output_order = order};
      auto [ahead, back] = moved<double>(problem, options_of(Decomposition::slab, "alltoallv"));
      EXPECT_EQ(ahead, (Bytes{2 * bytes, 2 * bytes}));
      EXPECT_EQ(back, (Bytes{2 * bytes, 2 * bytes}));
      problem.kind = Kind::r2c;
      problem.padded_rows = true;
      std::tie(ahead, back) = moved<double>(problem, options_of(Decomposition::slab, "alltoallv"));
      EXPECT_EQ(ahead, (Bytes{real + half, 2 * half}));
      EXPECT_EQ(back, (Bytes{2 * half, half + real}));
    }
  }
}

TEST(Passes, BatchAndTilesAddNothing) {
  const Index bytes = 5 * 32 * 32 * 32 * 16;
  for (const auto& strategy : strategies()) {
    for (const int tile : {1, 3, 8}) {
      SCOPED_TRACE(strategy + ", tile " + std::to_string(tile));
      Options options = options_of(Decomposition::slab, strategy);
      options.tile = tile;
      options.window = 2;
      const auto [ahead, back] = moved<double>({.shape = {32, 32, 32}, .batch = 5}, options);
      EXPECT_EQ(ahead, (Bytes{2 * bytes, 2 * bytes}));
      EXPECT_EQ(back, (Bytes{2 * bytes, 2 * bytes}));
    }
  }
}

}  // namespace
