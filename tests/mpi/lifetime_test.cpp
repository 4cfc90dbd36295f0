// Communicators, transforms side by side, moves, and nothing left behind.
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "support.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 4, 5});

using namespace weft;
using namespace weft::test;

using Complex = std::complex<double>;

constexpr double kLimit = 1e-13, kFloatLimit = 1e-5;

TEST(Communicators, HalvesDoDifferentThingsAtOnce) {
  const int color = rank_of() % 2;
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, color, 0, &half);
  for (const auto& strategy : strategies_on(half)) {
    SCOPED_TRACE(strategy);
    Options options;
    options.strategy = strategy;
    if (color == 0) {
      Transform<double> fft({.shape = {9, 8, 7}}, half, options);
      for (std::uint64_t i = 1; i <= 5; ++i) EXPECT_LT(forward_error(fft, i), kLimit);
    } else {
      options.decomposition = Decomposition::pencil;
      Transform<float> fft({.shape = {4, 10, 6}}, half, options);
      for (std::uint64_t i = 1; i <= 9; ++i) EXPECT_LT(forward_error(fft, i), kFloatLimit);
    }
  }
  MPI_Comm_free(&half);
}

// The two communicators may well have the same number inside the MPI library, and shared memory or windows named by it.
TEST(Communicators, HalvesDoTheSameAtOnce) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank_of() % 2, 0, &half);
  for (int i = 0; i < 10; ++i) {
    for (const auto& strategy : strategies_on(half)) {
      SCOPED_TRACE(strategy);
      Options options;
      options.strategy = strategy;
      options.effort = Effort::estimate;
      Transform<double> fft({.shape = {8, 8, 8}}, half, options);
      EXPECT_LT(forward_error(fft, static_cast<std::uint64_t>(1 + rank_of() % 2)), kLimit);
    }
  }
  MPI_Comm_free(&half);
}

TEST(Communicators, OneHalfStaysOut) {
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, rank_of() % 2 == 0 ? 0 : MPI_UNDEFINED, 0, &part);
  if (part == MPI_COMM_NULL) return;
  Transform<double> fft({.shape = {6, 5, 4}}, part);
  EXPECT_LT(forward_error(fft, 3), kLimit);
  MPI_Comm_free(&part);
}

TEST(Communicators, RanksInAnotherOrder) {
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_of(), &reversed);
  Transform<double> fft({.shape = {7, 6, 5}}, reversed);
  EXPECT_EQ(fft.plan().rank(), size_of() - 1 - rank_of());
  EXPECT_EQ(fft.input_box(), Layout::slab({7, 6, 5}, size_of(), 0).box(size_of() - 1 - rank_of()));
  EXPECT_LT(forward_error(fft, 3), kLimit);
  MPI_Comm_free(&reversed);
}

TEST(Communicators, Self) {
  // Every rank its own transform, as often as it likes.
  Transform<double> fft({.shape = {5, 4, 3 + rank_of()}}, MPI_COMM_SELF);
  EXPECT_EQ(fft.plan().ranks(), 1);
  for (int i = 0; i <= rank_of(); ++i) EXPECT_LT(forward_error(fft, 1), kLimit);
  EXPECT_EQ(fft.statistics().bytes_sent, 0);
}

TEST(Communicators, FreedByTheCaller) {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  Transform<double> fft({.shape = {6, 7, 4}}, copy);
  const Layout a = Layout::slab({6, 7, 4}, size_of(), 0), b = Layout::slab({6, 7, 4}, size_of(), 2);
  Redistribution move(a, b, 8, copy);
  MPI_Comm_free(&copy);
  EXPECT_LT(forward_error(fft, 2), kLimit);
  std::vector<double> in(static_cast<std::size_t>(a.box(rank_of()).count()) + 1);
  std::vector<double> out(static_cast<std::size_t>(b.box(rank_of()).count()) + 1);
  move(in.data(), out.data());
}

TEST(Communicators, CallersMessagesAreNotTaken) {
  // A message of the caller, posted before and received after, with every tag a careless library might use.
  const int to = (rank_of() + 1) % size_of(), from = (rank_of() + size_of() - 1) % size_of();
  std::vector<int> sent(4), received(4, -1);
  std::vector<MPI_Request> requests(8);
  for (int tag = 0; tag < 4; ++tag) {
    const auto i = static_cast<std::size_t>(tag);
    sent[i] = 100 * rank_of() + tag;
    MPI_Irecv(&received[i], 1, MPI_INT, from, tag, MPI_COMM_WORLD, &requests[i]);
  }
  for (const auto& strategy : strategies()) {
    Options options;
    options.strategy = strategy;
    options.tile = 3;
    Transform<double> fft({.shape = {6, 5, 8}}, MPI_COMM_WORLD, options);
    EXPECT_LT(forward_error(fft, 4), kLimit);
  }
  for (int tag = 0; tag < 4; ++tag) {
    const auto i = static_cast<std::size_t>(tag);
    MPI_Isend(&sent[i], 1, MPI_INT, to, tag, MPI_COMM_WORLD, &requests[4 + i]);
  }
  MPI_Waitall(8, requests.data(), MPI_STATUSES_IGNORE);
  for (int tag = 0; tag < 4; ++tag) EXPECT_EQ(received[static_cast<std::size_t>(tag)], 100 * from + tag);
}

TEST(SideBySide, Interleaved) {
  Options tiled;
  tiled.strategy = "ialltoallv";
  tiled.tile = 4;
  tiled.window = 2;
  Options pencil;
  pencil.decomposition = Decomposition::pencil;
  pencil.transposed = true;
  auto a = std::make_unique<Transform<double>>(Problem{.shape = {8, 9, 10}}, MPI_COMM_WORLD);
  auto b = std::make_unique<Transform<float>>(Problem{.shape = {5, 11, 4}}, MPI_COMM_WORLD, tiled);
  auto c = std::make_unique<Transform<double>>(Problem{.shape = {8, 9, 10}}, MPI_COMM_WORLD, pencil);
  EXPECT_LT(forward_error(*a, 1), kLimit);
  EXPECT_LT(forward_error(*c, 2), kLimit);
  EXPECT_LT(forward_error(*b, 3), kFloatLimit);
  EXPECT_LT(forward_error(*a, 4), kLimit);
  // Another one comes, and the first goes, while the others go on.
  auto d = std::make_unique<Transform<double>>(Problem{.shape = {3, 3, 3}}, MPI_COMM_WORLD, tiled);
  EXPECT_LT(forward_error(*b, 5), kFloatLimit);
  a.reset();
  EXPECT_LT(forward_error(*d, 6), kLimit);
  EXPECT_LT(forward_error(*c, 7), kLimit);
  c.reset();
  EXPECT_LT(forward_error(*b, 8), kFloatLimit);
  EXPECT_LT(forward_error(*d, 9), kLimit);
}

TEST(SideBySide, ForwardOfOneBetweenDirectionsOfAnother) {
  const verify::Field field{verify::FieldType::complex, 21, 0, {6, 7, 8}};
  Transform<double> a({.shape = {6, 7, 8}}, MPI_COMM_WORLD), b({.shape = {4, 4, 9}}, MPI_COMM_WORLD);
  const auto in = values_of<Complex>(field, a.input_box());
  std::vector<Complex> between(static_cast<std::size_t>(a.output_size())), back(in.size());
  a.forward(std::span<const Complex>(in), std::span<Complex>(between));
  EXPECT_LT(forward_error(b, 22), kLimit);
  a.backward(std::span<Complex>(between), std::span<Complex>(back));
  double worst = 0;
  for (std::size_t i = 0; i < in.size(); ++i) worst = std::max(worst, std::abs(back[i] / (6.0 * 7 * 8) - in[i]));
  EXPECT_LT(worst, kLimit);
}

TEST(Moves, ConstructAndAssign) {
  Transform<double> a({.shape = {6, 5, 4}}, MPI_COMM_WORLD);
  EXPECT_LT(forward_error(a, 1), kLimit);
  Transform<double> b(std::move(a));
  EXPECT_LT(forward_error(b, 2), kLimit);
  EXPECT_EQ(b.statistics().executions, 2) << "the statistics move along";
  Transform<double> c({.shape = {3, 4, 5}}, MPI_COMM_WORLD);
  c = std::move(b);
  EXPECT_EQ(c.plan().problem().shape, (Shape{6, 5, 4}));
  EXPECT_LT(forward_error(c, 3), kLimit);
  std::vector<Transform<double>> many;
  for (Index n = 1; n <= 5; ++n) many.emplace_back(Problem{.shape = {n, 4, 5}}, MPI_COMM_WORLD);
  for (auto& each : many) EXPECT_LT(forward_error(each, 4), kLimit);
  // Assigning over a vector's element frees the old one on all ranks at the same point.
  many[0] = std::move(many[4]);
  EXPECT_LT(forward_error(many[0], 5), kLimit);
}

TEST(Moves, Redistribution) {
  const Shape shape{4, 6, 5};
  const Layout from = Layout::slab(shape, size_of(), 0), to = Layout::slab(shape, size_of(), 1);
  const verify::Field field{verify::FieldType::real, 8, 0, shape};
  const auto in = values_of<double>(field, from.box(rank_of()));
  const auto wanted = values_of<double>(field, to.box(rank_of()));
  Redistribution a(from, to, 8, MPI_COMM_WORLD);
  Redistribution b(std::move(a));
  Redistribution c(to, from, 8, MPI_COMM_WORLD);
  c = std::move(b);
  std::vector<double> out(wanted.size(), -1);
  c(in.data(), out.data());
  EXPECT_EQ(out, wanted);
}

// MPICH has about 2000 communicators, and every other implementation memory for not many more. One rank is enough for
// that, and waits for nobody; leaks_test.cpp counts every object on more.
int many(int one_rank) { return size_of() == 1 ? one_rank : 60; }

TEST(Exhaustion, ManyTransforms) {
  for (int i = 0; i < many(2500); ++i) {
    Options options;
    options.effort = Effort::estimate;
    options.strategy = strategies()[static_cast<std::size_t>(i) % strategies().size()];
    if (i % 2 == 0) options.decomposition = Decomposition::pencil;
    Transform<double> fft({.shape = {2, 2, 2}}, MPI_COMM_WORLD, options);
    if (i % 500 == 0) {
      EXPECT_LT(forward_error(fft, 1), kLimit) << "transform " << i;
    }
  }
}

TEST(Exhaustion, ManyFailures) {
  const bool wrong = rank_of() == size_of() - 1;
  for (int i = 0; i < many(2500); ++i) {
    Options options;
    if (wrong) options.strategy = "telepathy";
    EXPECT_THROW(Transform<double> fft({.shape = {2, 2, 2}}, MPI_COMM_WORLD, options), Error) << "attempt " << i;
  }
  Transform<double> fft({.shape = {2, 2, 2}}, MPI_COMM_WORLD);
  EXPECT_LT(forward_error(fft, 1), kLimit);
}

TEST(Exhaustion, ManyRedistributions) {
  const Layout from = Layout::slab({2, 2, 2}, size_of(), 0), to = Layout::slab({2, 2, 2}, size_of(), 2);
  for (int i = 0; i < many(2500); ++i) Redistribution move(from, to, 8, MPI_COMM_WORLD);
}

}  // namespace
