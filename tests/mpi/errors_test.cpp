// What is wrong on one rank alone is the same Error on all ranks, and nobody waits forever.
#include <sys/resource.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "base/host.hpp"
#include "support.hpp"
#include "weft/operator.hpp"
#include "weft/sphere.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 5, 9});

using namespace weft;
using namespace weft::test;

const Shape kShape{8, 6, 4};

/// The rank that does something wrong: the last one, since a check on rank 0 alone must not be enough.
bool wrong_here() { return rank_of() == size_of() - 1; }

template <class Real = double>
void make(const Problem& problem, const Options& options = {}) {
  Transform<Real> fft(problem, MPI_COMM_WORLD, options);
}

/// Makes a transform whose problem and options are changed on one rank.
void expect_bad_on_one(const std::function<void(Problem&, Options&)>& spoil, const std::vector<std::string>& parts) {
  expect_common_error(
      [&] {
        Problem problem{.shape = kShape};
        Options options;
        if (wrong_here()) spoil(problem, options);
        make(problem, options);
      },
      parts);
}

TEST(CreationOnOneRank, BadShape) {
  expect_bad_on_one([](Problem& p, Options&) { p.shape[1] = 0; }, {"shape", "8 x 0 x 4", "at least 1"});
  expect_bad_on_one([](Problem& p, Options&) { p.shape[0] = -5; }, {"shape", "-5 x 6 x 4"});
  expect_bad_on_one([](Problem& p, Options&) { p.shape = {Index{1} << 40, Index{1} << 40, 2}; }, {"overflow"});
  expect_bad_on_one([](Problem& p, Options&) { p.shape[2] = INT64_MAX; }, {"overflow"});
}

TEST(CreationOnOneRank, BadBatch) {
  expect_bad_on_one([](Problem& p, Options&) { p.batch = 0; }, {"batch", "0", "at least 1"});
}

TEST(CreationOnOneRank, UnknownStrategy) {
  expect_bad_on_one([](Problem&, Options& o) { o.strategy = "telepathy"; },
                    {"strategy", "telepathy", join(strategies())});
}

TEST(CreationOnOneRank, UnknownBackend) {
  expect_bad_on_one([](Problem&, Options& o) { o.backend = "abacus"; }, {"backend", "abacus", join(backends())});
}

TEST(CreationOnOneRank, BadGrid) {
  expect_bad_on_one(
      [](Problem&, Options& o) {
        o.decomposition = Decomposition::pencil;
        o.grid = {97, 3};
      },
      {"grid", "97", "3"});
  expect_bad_on_one(
      [](Problem&, Options& o) {
        o.decomposition = Decomposition::pencil;
        o.grid = {-1, -1};
      },
      {"grid", "-1"});
}

TEST(CreationOnOneRank, NegativeNumbers) {
  expect_bad_on_one([](Problem&, Options& o) { o.tile = -2; }, {"tile", "-2"});
  expect_bad_on_one([](Problem&, Options& o) { o.window = -3; }, {"window", "-3"});
  expect_bad_on_one([](Problem&, Options& o) { o.tests = -4; }, {"tests", "-4"});
  expect_bad_on_one([](Problem&, Options& o) { o.cache = -5; }, {"cache", "-5"});
}

TEST(CreationOnOneRank, LayoutsThatDoNotFit) {
  expect_bad_on_one([](Problem&, Options& o) { o.input = Layout::slab({8, 6, 5}, size_of(), 0); },
                    {"input", "8 x 6 x 5", "8 x 6 x 4"});
  expect_bad_on_one([](Problem&, Options& o) { o.output = Layout::slab(kShape, size_of() + 1, 0); },
                    {"output", std::to_string(size_of() + 1), std::to_string(size_of())});
}

TEST(CreationOnOneRank, BadEnvironment) {
  expect_common_error(
      [] {
        if (wrong_here()) setenv("WEFT_STRATEGY", "smoke_signals", 1);
        make({.shape = kShape});
      },
      {"WEFT_STRATEGY", "smoke_signals", join(strategies())});
  unsetenv("WEFT_STRATEGY");
  expect_common_error(
      [] {
        if (wrong_here()) setenv("WEFT_WINDOW", "many", 1);
        make({.shape = kShape});
      },
      {"WEFT_WINDOW", "many"});
  unsetenv("WEFT_WINDOW");
  expect_common_error(
      [] {
        if (wrong_here()) setenv("WEFT_STRATEGIE", "alltoallv", 1);
        make({.shape = kShape});
      },
      {"WEFT_STRATEGIE", "unknown", "WEFT_STRATEGY"});
  unsetenv("WEFT_STRATEGIE");
  EXPECT_EQ(common_error([] { make({.shape = kShape}); }), "");
}

// Good in itself, but not what the other ranks have. One rank alone differs from nobody.
TEST(CreationDiffers, Problem) {
  if (size_of() == 1) GTEST_SKIP() << "one rank differs from nobody";
  expect_bad_on_one([](Problem& p, Options&) { p.shape = {8, 6, 5}; }, {"same on all ranks", "8 x 6 x 4", "8 x 6 x 5"});
  expect_bad_on_one([](Problem& p, Options&) { p.kind = Kind::r2c; }, {"same on all ranks", "c2c", "r2c"});
  expect_bad_on_one([](Problem& p, Options&) { p.batch = 2; }, {"same on all ranks"});
  expect_bad_on_one([](Problem& p, Options&) { p.normalization = Normalization::ortho; },
                    {"same on all ranks", "none", "ortho"});
}

TEST(CreationDiffers, Precision) {
  if (size_of() == 1) GTEST_SKIP() << "one rank differs from nobody";
  expect_common_error(
      [] {
        if (wrong_here()) {
          make<float>({.shape = kShape});
        } else {
          make<double>({.shape = kShape});
        }
      },
      {"same on all ranks", "single", "double"});
}

TEST(CreationDiffers, Options) {
  if (size_of() == 1) GTEST_SKIP() << "one rank differs from nobody";
  expect_bad_on_one([](Problem&, Options& o) { o.decomposition = Decomposition::pencil; }, {"same on all ranks"});
  expect_bad_on_one([](Problem&, Options& o) { o.transposed = true; }, {"same on all ranks"});
  expect_bad_on_one([](Problem&, Options& o) { o.in_place = true; }, {"same on all ranks"});
  expect_bad_on_one([](Problem&, Options& o) { o.strategy = strategies().back(); }, {"same on all ranks"});
  expect_bad_on_one([](Problem&, Options& o) { o.tile = 3; }, {"same on all ranks"});
  expect_bad_on_one([](Problem&, Options& o) { o.window = 3; }, {"same on all ranks"});
  expect_bad_on_one([](Problem&, Options& o) { o.consume = Consume::late; }, {"same on all ranks"});
  expect_bad_on_one([](Problem&, Options& o) { o.check = false; }, {"same on all ranks"});
  expect_bad_on_one([](Problem&, Options& o) { o.input = Layout::slab(kShape, size_of(), 2); }, {"same on all ranks"});
  expect_bad_on_one([](Problem&, Options& o) { o.output = Layout::slab(kShape, size_of(), 1); }, {"same on all ranks"});
}

TEST(CreationDiffers, Environment) {
  if (size_of() == 1) GTEST_SKIP() << "one rank differs from nobody";
  expect_common_error(
      [] {
        if (wrong_here()) setenv("WEFT_TRANSPOSED", "true", 1);
        make({.shape = kShape});
      },
      {"same on all ranks"});
  unsetenv("WEFT_TRANSPOSED");
}

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

Index virtual_bytes() {
  Index pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * 4096;
}

TEST(CreationOnOneRank, OutOfMemory) {
  if (kSanitized) GTEST_SKIP() << "the address sanitizer needs all the address space";
  if (size_of() == 1) GTEST_SKIP() << "one rank needs no buffers";
  // 32 MiB of exchange buffers a rank at least, and one rank that may have 8 MiB more than it has now.
  const Problem problem{.shape = {64, 128 * size_of(), 256}};
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  if (wrong_here()) {
    rlimit tight = before;
    tight.rlim_cur = static_cast<rlim_t>(virtual_bytes() + (Index{8} << 20));
    setrlimit(RLIMIT_AS, &tight);
  }
  const std::string message = common_error([&] { make(problem); });
  setrlimit(RLIMIT_AS, &before);
  EXPECT_NE(message, "");
  EXPECT_NE(message.find("memory"), std::string::npos) << message;
  EXPECT_EQ(common_error([] { make({.shape = kShape}); }), "") << "a later transform should not suffer";
}

TEST(Creation, NeedsMoreMemoryThanTheNodeHas) {
  if (detail::total_memory() == 0) GTEST_SKIP() << "the system does not say how much memory there is";
  if (size_of() == 1) GTEST_SKIP() << "one rank needs no buffers";
  if (size_of() > 3) GTEST_SKIP() << "as on three";
  Options options;
  options.tile = 1;
  const auto problem = [](Index size) { return Problem{.shape = {256 * size_of(), 256, size}}; };
  const auto workspace = [&](Index size) {
    return Plan(problem(size), options, size_of(), rank_of()).workspace_bytes();
  };
  // More than all can have, though each alone could.
  options.strategy = "alltoallv";
  Index size = 1;
  while (sum(workspace(size)) <= detail::most_memory()) size *= 2;
  EXPECT_LE(workspace(size), detail::most_memory());
  expect_common_error([&] { make(problem(size), options); },
                      {"out of memory", "bytes of workspace", "the " + std::to_string(size_of()) + " of its node",
                       "the node has " + std::to_string(detail::most_memory())});
  // Whatever else has a workspace, at sizes that no node has.
  const std::string enough = "the node has";
  const Index n = Index{1} << 14;
  for (const std::string& strategy : strategies_on(MPI_COMM_WORLD)) {
    SCOPED_TRACE(strategy);
    options.strategy = strategy;
    expect_common_error([&] { make({.shape = {n, n, n}}, options); }, {enough});
  }
  const Layout from = Layout::slab({n, n, n}, size_of(), 0), to = Layout::slab({n, n, n}, size_of(), 1);
  expect_common_error([&] { Redistribution(from, to, 16, MPI_COMM_WORLD); }, {enough});
  expect_common_error([&] { Operator<double> filter({.shape = {n, n, n}}, gaussian<double>(1), MPI_COMM_WORLD); },
                      {enough});
  std::vector<GVector> waves;
  for (int i = 0; i < 60; ++i) waves.push_back({i - 30, rank_of(), 0});
  Options together;
  together.fields = 1 << 14;
  expect_common_error(
      [&] {
        const SphereProblem sphere{.grid = {64, 64, Index{1} << 22}, .howmany = together.fields};
        SphereTransform<double> fft(sphere, waves, MPI_COMM_WORLD, together);
      },
      {enough});
  EXPECT_EQ(common_error([] { make({.shape = kShape}); }), "");
}

TEST(Communicators, NoneOrTwoSided) {
  EXPECT_NE(common_error([] { Transform<double> fft({.shape = kShape}, MPI_COMM_NULL); }).find("MPI_COMM_NULL"),
            std::string::npos);
  // Open MPI forgets to free the name of an inter-communicator, in a place that the leak sanitizer cannot name.
  if (size_of() < 2 || kSanitized) return;
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank_of() % 2, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank_of() % 2, 7, &inter);
  EXPECT_NE(common_error([&] { Transform<double> fft({.shape = kShape}, inter); }).find("inter-communicator"),
            std::string::npos);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

using Complex = std::complex<double>;

class Execution : public testing::Test {
 protected:
  // One spare element, so that even an empty part has something to overlap with.
  Execution()
      : in(static_cast<std::size_t>(fft.input_size()) + 1), out(static_cast<std::size_t>(fft.output_size()) + 1) {}
  ~Execution() override {
    // The transform must be as good as new after an error.
    EXPECT_LT(forward_error(fft, 5), 1e-13);
  }
  std::size_t in_size() const { return static_cast<std::size_t>(fft.input_size()); }
  std::size_t out_size() const { return static_cast<std::size_t>(fft.output_size()); }

  Transform<double> fft{{.shape = kShape}, MPI_COMM_WORLD};
  std::vector<Complex> in, out;
};

TEST_F(Execution, TooSmallOnOneRank) {
  if (sum(fft.input_size() == 0 ? 1 : 0) > 0) return;  // nothing to be short of
  const std::size_t short_in = in_size() - (wrong_here() ? 1 : 0), short_out = out_size() - (wrong_here() ? 1 : 0);
  const auto some = [](std::vector<Complex>& array, std::size_t size) {
    return std::span<Complex>(array.data(), size);
  };
  const std::string rank = "rank " + std::to_string(size_of() - 1);
  expect_common_error([&] { fft.forward(some(in, short_in), some(out, out_size())); }, {"forward", rank, "at least"});
  expect_common_error([&] { fft.forward(some(in, in_size()), some(out, short_out)); }, {"forward", rank, "at least"});
  expect_common_error([&] { fft.backward(some(out, short_out), some(in, in_size())); }, {"backward", rank, "at least"});
  expect_common_error([&] { fft.backward(some(out, out_size()), some(in, short_in)); }, {"backward", rank, "at least"});
  // Arrays may be larger than they must be.
  EXPECT_EQ(common_error([&] { fft.forward(std::span<Complex>(in), std::span<Complex>(out)); }), "");
}

TEST_F(Execution, NullOnOneRank) {
  if (sum(fft.input_size() == 0 ? 1 : 0) > 0) return;  // null is good for an empty part
  expect_common_error([&] { fft.forward(wrong_here() ? nullptr : in.data(), out.data()); }, {"in is null"});
  expect_common_error([&] { fft.forward(in.data(), wrong_here() ? nullptr : out.data()); }, {"out is null"});
  expect_common_error([&] { fft.backward(wrong_here() ? nullptr : out.data(), in.data()); }, {"in is null"});
}

TEST_F(Execution, OverlapOnOneRank) {
  if (sum(fft.input_size() < 2 ? 1 : 0) > 0) return;
  std::vector<Complex> both(in_size() + out_size());
  expect_common_error([&] { fft.forward(both.data(), both.data() + (wrong_here() ? 0 : in_size())); },
                      {"overlap", "in_place"});
  expect_common_error([&] { fft.forward(both.data(), both.data() + (wrong_here() ? in_size() - 1 : in_size())); },
                      {"overlap"});
  expect_common_error([&] { fft.backward(both.data() + (wrong_here() ? 1 : out_size()), both.data()); }, {"overlap"});
}

TEST_F(Execution, WrongOverload) {
  std::vector<double> real(2 * std::max(in.size(), out.size()));
  expect_common_error([&] { fft.forward(real.data(), out.data()); }, {"c2c"});
  expect_common_error([&] { fft.forward(in.data(), real.data()); }, {"c2c"});
  expect_common_error([&] { fft.backward(in.data(), real.data()); }, {"c2c"});
  expect_common_error([&] { fft.backward(real.data(), in.data()); }, {"c2c"});
  expect_common_error([&] { fft.forward(in.data()); }, {"in_place"});
  expect_common_error([&] { fft.backward(in.data()); }, {"in_place"});
  // One rank alone takes another overload.
  expect_common_error(
      [&] {
        if (wrong_here()) {
          fft.forward(real.data(), out.data());
        } else {
          fft.forward(in.data(), out.data());
        }
      },
      {"c2c"});
}

TEST(ExecutionInPlace, TwoArrays) {
  Options options;
  options.in_place = true;
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) {
    Transform<double> fft({.shape = kShape, .kind = kind}, MPI_COMM_WORLD, options);
    const auto most = static_cast<std::size_t>(std::max(fft.input_size(), fft.output_size()) + 1);
    std::vector<Complex> a(most), b(most);
    std::vector<double> real(2 * most);
    if (kind == Kind::c2c) expect_common_error([&] { fft.forward(a.data(), b.data()); }, {"in_place"});
    if (kind == Kind::r2c) expect_common_error([&] { fft.forward(real.data(), b.data()); }, {"in_place"});
    if (kind == Kind::c2r) expect_common_error([&] { fft.forward(a.data(), real.data()); }, {"in_place"});
    EXPECT_EQ(common_error([&] { fft.forward(a.data()); }), "");
    if (sum(fft.input_box().empty() || fft.output_box().empty() ? 1 : 0) > 0) continue;
    expect_common_error([&] { fft.forward(wrong_here() ? nullptr : a.data()); }, {"null"});
  }
}

TEST(ExecutionReal, WrongOverload) {
  Transform<double> fft({.shape = kShape, .kind = Kind::r2c}, MPI_COMM_WORLD);
  std::vector<Complex> a(200), b(200);
  std::vector<double> real(400);
  expect_common_error([&] { fft.forward(a.data(), b.data()); }, {"r2c", "real"});
  expect_common_error([&] { fft.backward(a.data(), b.data()); }, {"r2c", "real"});
  expect_common_error([&] { fft.forward(a.data(), real.data()); }, {"r2c"});
  expect_common_error([&] { fft.backward(real.data(), a.data()); }, {"r2c"});
}

/// What a transform with that strategy does with a bad argument between two agreements.
void expect_late_error(const Options& options) {
  Transform<double> fft({.shape = {12, 10, 8}}, MPI_COMM_WORLD, options);
  const auto size = static_cast<std::size_t>(std::max(fft.input_size(), fft.output_size()));
  std::vector<Complex> in(size, 1.0), out(size);
  const auto forward = [&](bool bad) {
    options.in_place ? fft.forward(bad ? nullptr : in.data()) : fft.forward(bad ? nullptr : in.data(), out.data());
  };
  // The first execution is agreed upon, and so is each third one after it.
  expect_common_error([&] { forward(wrong_here()); }, {"null"});
  forward(false);
  const std::vector<Complex> untouched(size, 7.0);
  out = untouched;
  forward(wrong_here());
  if (wrong_here() && !options.in_place) {
    EXPECT_EQ(out, untouched);
  }
  expect_common_error([&] { forward(false); }, {"null", "since the agreement before"});
  // All is well again.
  forward(false);
  wrong_here() ? fft.raise_any(Direction::forward, "a wrapper's own") : forward(false);
  expect_common_error([&] { forward(false); }, {"a wrapper's own"});
  fft.reset_statistics();
  std::fill(in.begin(), in.end(), 1.0);
  forward(false);
  EXPECT_EQ(fft.statistics().check, 0.0);
  const std::vector<Complex>& spectrum = options.in_place ? in : out;
  const Box box = fft.output_box();
  if (!box.empty() && box.lo == Shape{0, 0, 0}) {
    EXPECT_NEAR(std::abs(spectrum[0] - 960.0), 0, 1e-9);
  }
}

TEST(CheckEvery, TellsOfABadArgumentAtTheNextAgreement) {
  for (const auto& strategy : describe_strategies(MPI_COMM_WORLD)) {
    if (!strategy.obstacle.empty()) continue;
    SCOPED_TRACE(strategy.name);
    expect_late_error({.strategy = strategy.name, .check_every = 3});
  }
  Options in_place{.check_every = 3};
  in_place.in_place = true;
  expect_late_error(in_place);
}

TEST(CheckEvery, SizesThatAreBadInBetween) {
  Transform<double> fft({.shape = {12, 10, 8}}, MPI_COMM_WORLD, {.check_every = 2});
  std::vector<Complex> in(static_cast<std::size_t>(fft.input_size())), out(static_cast<std::size_t>(fft.output_size()));
  const std::span<Complex> all(in), none(in.data(), std::size_t{0});
  fft.forward(all, std::span(out));
  fft.forward(wrong_here() ? none : all, std::span(out));
  expect_common_error([&] { fft.forward(all, std::span(out)); }, {"arrays of 0 and"});
}

TEST(ExecutionOfEmptyParts, NullIsGood) {
  // All on rank 0: the others have empty parts, whose pointers do not matter.
  std::vector<Box> boxes(static_cast<std::size_t>(size_of()));
  boxes[0] = {{0, 0, 0}, kShape};
  Options options;
  options.input = Layout::bricks(kShape, boxes);
  options.output = options.input;
  Transform<double> fft({.shape = kShape}, MPI_COMM_WORLD, options);
  EXPECT_EQ(fft.input_size(), rank_of() == 0 ? 192 : 0);
  std::vector<Complex> in(static_cast<std::size_t>(fft.input_size())), out(in.size());
  EXPECT_EQ(common_error([&] {
              if (rank_of() == 0) {
                fft.forward(in.data(), out.data());
              } else {
                fft.forward(static_cast<const Complex*>(nullptr), static_cast<Complex*>(nullptr));
              }
            }),
            "");
}

TEST(GatherLayout, BricksThatDoNotFit) {
  // Every rank a slab along axis 0, of 2 planes each.
  const Shape shape{2 * size_of(), 3, 4};
  const auto mine = [&] { return Box{{2 * rank_of(), 0, 0}, {2 * rank_of() + 2, 3, 4}}; };
  EXPECT_EQ(common_error([&] {
              const Layout layout = gather_layout(shape, mine(), MPI_COMM_WORLD);
              EXPECT_EQ(layout, Layout::slab(shape, size_of(), 0));
            }),
            "");
  expect_common_error(
      [&] {
        Box box = mine();
        if (wrong_here()) box.hi[2] = 3;
        gather_layout(shape, box, MPI_COMM_WORLD);
      },
      {"cover"});
  expect_common_error(
      [&] {
        Box box = mine();
        if (wrong_here()) box.hi[0] += 1;
        gather_layout(shape, box, MPI_COMM_WORLD);
      },
      {"inside the grid"});
  if (size_of() == 1) return;
  expect_common_error(
      [&] {
        Box box = mine();
        if (wrong_here()) box.lo[0] -= 1;
        gather_layout(shape, box, MPI_COMM_WORLD);
      },
      {"overlap", std::to_string(size_of() - 2), std::to_string(size_of() - 1)});
  expect_common_error(
      [&] {
        Shape other = shape;
        if (wrong_here()) other[1] = 4;
        gather_layout(other, mine(), MPI_COMM_WORLD);
      },
      {"same on all ranks"});
}

TEST(RedistributionErrors, Creation) {
  const Layout a = Layout::slab(kShape, size_of(), 0), b = Layout::slab(kShape, size_of(), 1);
  const auto make_it = [](const Layout& from, const Layout& to, int bytes, Index batch = 1, Options options = {}) {
    Redistribution move(from, to, bytes, MPI_COMM_WORLD, batch, options);
  };
  expect_common_error([&] { make_it(a, b, wrong_here() ? 5 : 8); }, {"element_bytes", "5", "4, 8"});
  expect_common_error([&] { make_it(a, b, 8, wrong_here() ? 0 : 1); }, {"batch", "0"});
  expect_common_error([&] { make_it(a, wrong_here() ? Layout::slab({8, 6, 5}, size_of(), 1) : b, 8); },
                      {"8 x 6 x 4", "8 x 6 x 5"});
  expect_common_error([&] { make_it(wrong_here() ? Layout::slab(kShape, size_of() + 1, 0) : a, b, 8); },
                      {std::to_string(size_of() + 1), std::to_string(size_of())});
  expect_common_error(
      [&] {
        Options options;
        if (wrong_here()) options.strategy = "telepathy";
        make_it(a, b, 8, 1, options);
      },
      {"strategy", "telepathy", join(strategies())});
  if (size_of() == 1) return;
  expect_common_error([&] { make_it(a, b, wrong_here() ? 16 : 8); }, {"same on all ranks"});
  expect_common_error([&] { make_it(wrong_here() ? b : a, b, 8); }, {"same on all ranks"});
  // Options that change how the data is cut must be the same too, or ranks would wait for different messages.
  for (const char* option : {"tile=3", "fields=1", "window=2", "consume=late", "strategy=ialltoallv"}) {
    SCOPED_TRACE(option);
    const std::string text = option;
    expect_common_error(
        [&] {
          Options options;
          if (wrong_here()) options.set(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
          make_it(a, b, 8, 3, options);
        },
        {"same on all ranks"});
  }
}

// On one rank alone, too: all hear of it.
TEST(RedistributionErrors, Options) {
  const Layout a = Layout::slab(kShape, size_of(), 0), b = Layout::slab(kShape, size_of(), 1);
  const auto bad = [&](const auto& change, const std::vector<std::string>& parts) {
    expect_common_error(
        [&] {
          Options options;
          if (wrong_here()) change(options);
          Redistribution move(a, b, 8, MPI_COMM_WORLD, 1, options);
        },
        parts);
  };
  bad([](Options& o) { o.leaders = 0; }, {"leaders is '0'", "whole numbers from 1"});
  bad([](Options& o) { o.window = -1; }, {"window is '-1'", "whole numbers from 0"});
  bad([](Options& o) { o.tile = -2; }, {"tile is '-2'", "whole numbers from 0"});
  bad([](Options& o) { o.nodes.assign(static_cast<std::size_t>(size_of()) + 1, 0); }, {"nodes has", "entries"});
  const std::string only_transforms = "it applies to transform, a redistribution allows only ";
  bad([](Options& o) { o.in_place = true; }, {"in_place is true; " + only_transforms + "false"});
  bad([](Options& o) { o.transposed = true; }, {"transposed is true; " + only_transforms + "false"});
  bad([](Options& o) { o.grid = {1, size_of()}; }, {"grid is 1x", only_transforms + "0x0"});
  bad([](Options& o) { o.decomposition = Decomposition::slab; },
      {"decomposition is slab; " + only_transforms + "auto"});
  bad([](Options& o) { o.groups = 2; },
      {"groups is 2; it applies to transform, sphere, a redistribution allows only 1"});
  bad([](Options& o) { o.backend = "reference"; }, {"backend is reference; it applies to transform, sphere"});
  bad([&](Options& o) { o.output = b; }, {"output is", "it applies to transform"});
  // The environment is meant for all that a program does.
  setenv("WEFT_TRANSPOSED", "true", 1);
  setenv("WEFT_GRID", "1x1", 1);
  setenv("WEFT_TILE", "2", 1);
  EXPECT_EQ(common_error([&] { Redistribution move(a, b, 8, MPI_COMM_WORLD); }), "");
  for (const char* name : {"WEFT_TRANSPOSED", "WEFT_GRID", "WEFT_TILE"}) unsetenv(name);
}

TEST(RedistributionErrors, Execution) {
  // At least 2 points on every rank.
  const Shape shape{2 * size_of(), 2 * size_of(), 2};
  const Layout a = Layout::slab(shape, size_of(), 0), b = Layout::slab(shape, size_of(), 1);
  Redistribution move(a, b, 8, MPI_COMM_WORLD);
  const auto count = static_cast<std::size_t>(a.box(rank_of()).count());
  std::vector<double> in(count), out(count);
  expect_common_error([&] { move(wrong_here() ? nullptr : in.data(), out.data()); }, {"null"});
  expect_common_error([&] { move(in.data(), wrong_here() ? nullptr : out.data()); }, {"null"});
  expect_common_error([&] { move(in.data(), wrong_here() ? in.data() + 1 : out.data()); }, {"overlap"});
  EXPECT_EQ(common_error([&] { move(in.data(), out.data()); }), "");
}

// Each of these left all ranks waiting for messages that nobody would send.
TEST(CallsThatDiffer, Transforms) {
  if (size_of() == 1) GTEST_SKIP() << "one rank differs from nobody";
  const std::vector<std::string> both{"forward", "backward", "same on all ranks"};
  for (const int groups : {1, 2}) {
    SCOPED_TRACE(groups);
    Transform<double> fft({.shape = kShape, .batch = 2}, MPI_COMM_WORLD, {.groups = groups});
    std::vector<Complex> in(400), out(400);
    expect_common_error(
        [&] { wrong_here() ? fft.backward(out.data(), in.data()) : fft.forward(in.data(), out.data()); }, both);
    expect_common_error([&] { wrong_here() ? fft.forward(in.data(), out.data()) : fft.write_trace(); },
                        {"write_trace"});
    // A wrapper's objection is told whatever the others do.
    expect_common_error(
        [&] { wrong_here() ? fft.raise_any(Direction::backward, "not today") : fft.forward(in.data(), out.data()); },
        {"not today"});
    EXPECT_EQ(common_error([&] { fft.forward(in.data(), out.data()); }), "");
  }
  Options options{.check_every = 2};
  options.in_place = true;
  Transform<double> fft({.shape = kShape}, MPI_COMM_WORLD, options);
  std::vector<Complex> data(200);
  expect_common_error([&] { wrong_here() ? fft.backward(data.data()) : fft.forward(data.data()); }, both);
  fft.forward(data.data());
  expect_common_error([&] { wrong_here() ? fft.backward(data.data()) : fft.forward(data.data()); }, both);
}

TEST(CallsThatDiffer, WritingATrace) {
  if (size_of() == 1) GTEST_SKIP() << "one rank differs from nobody";
  const std::string path = "calls-that-differ-" + std::to_string(size_of()) + ".json";
  {
    Transform<double> fft({.shape = kShape}, MPI_COMM_WORLD, {.trace = path});
    std::vector<Complex> in(200), out(200);
    expect_common_error([&] { wrong_here() ? fft.write_trace() : fft.forward(in.data(), out.data()); },
                        {"forward", "write_trace", "same on all ranks"});
    fft.forward(in.data(), out.data());
    if (wrong_here()) fft.drop_trace();
    expect_common_error([&] { fft.write_trace(); }, {"there is no trace"});
    fft.drop_trace();
  }
  EXPECT_FALSE(std::ifstream(path).good());
}

TEST(CallsThatDiffer, Spheres) {
  if (size_of() == 1) GTEST_SKIP() << "one rank differs from nobody";
  const std::vector<GVector> waves{{rank_of(), 0, 0}, {rank_of(), 0, 1}};
  for (const int groups : {1, size_of()}) {
    SCOPED_TRACE(groups);
    SphereTransform<double> sphere({.grid = {20, 4, 9}}, waves, MPI_COMM_WORLD, {.groups = groups});
    std::vector<Complex> c(2), d(2), space(720);
    std::vector<double> v(720);
    const Bands one{1, 0, 0}, sum{1, 0, 0, true};
    const auto forward = [&] { sphere.forward(space.data(), c.data(), one); };
    const auto backward = [&] { sphere.backward(c.data(), space.data(), one); };
    const auto differ = [&](const auto& mine, const auto& others, const std::vector<std::string>& parts) {
      expect_common_error([&] { wrong_here() ? mine() : others(); }, parts);
    };
    differ(backward, forward, {"the call is", "forward", "backward", "same on all ranks"});
    differ([&] { sphere.apply(v.data(), c.data(), d.data(), one); }, backward, {"apply", "backward"});
    differ([&] { sphere.density(c.data(), nullptr, v.data(), one); },
           [&] { sphere.apply(v.data(), c.data(), d.data(), one); }, {"apply", "density"});
    differ([&] { sphere.forward(space.data(), c.data(), sum); }, forward, {"forward with accumulate"});
    EXPECT_EQ(common_error(backward), "");
  }
}

TEST(CallsThatDiffer, Operators) {
  if (size_of() == 1) GTEST_SKIP() << "one rank differs from nobody";
  Operator<double> op({.shape = kShape}, gaussian<double>(1), MPI_COMM_WORLD);
  std::vector<Complex> in(200), out(200);
  auto mine = PointFunction<double>::at_wavenumbers(1, 1, [](const auto&) {});
  mine.overwrites = true;
  if (wrong_here()) op.set_function(mine);
  // After a function that may fail, ranks agree once more.
  expect_common_error([&] { op(in.data(), out.data()); }, {"may fail", "never fails", "same on all ranks"});
}

/// Rank 0 leaves what waits for others at its end by an exception, while the last rank waits for rank 0 elsewhere.
TEST(Exceptions, LeaveWithoutTheOthers) {
  for (const std::string& strategy : strategies_on(MPI_COMM_WORLD)) {
    SCOPED_TRACE(strategy);
    try {
      Transform<double> fft({.shape = kShape}, MPI_COMM_WORLD, {.strategy = strategy});
      if (wrong_here() && size_of() > 1) MPI_Recv(nullptr, 0, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      throw std::runtime_error("on purpose");
    } catch (const std::runtime_error&) {
      if (rank_of() == 0 && size_of() > 1) MPI_Send(nullptr, 0, MPI_INT, size_of() - 1, 5, MPI_COMM_WORLD);
    }
  }
}

}  // namespace
