// Operators whose function has the lines of an axis without a transform whole: running sums along that axis.
#include <cmath>

#include "support.hpp"
#include "weft/operator.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 4, 6});

using namespace weft;
using namespace weft::test;

/// Each point gets the sum of those before it along the axis, and its own.
template <class Real>
PointFunction<Real> running_sums(std::size_t axis, Index fields) {
  auto function = PointFunction<Real>::at_wavenumbers(fields, fields, [=](const auto& tile) {
    EXPECT_EQ(tile.box.lo[axis], tile.whole.lo[axis]);
    EXPECT_EQ(tile.box.hi[axis], tile.whole.hi[axis]);
    for (std::size_t f = 0; f < static_cast<std::size_t>(fields); ++f) {
      for (Index i = tile.box.lo[0]; i < tile.box.hi[0]; ++i) {
        for (Index j = tile.box.lo[1]; j < tile.box.hi[1]; ++j) {
          for (Index k = 0; k < tile.box.extent(2); ++k) {
            EXPECT_EQ(tile.at[axis][static_cast<std::size_t>(axis == 0 ? i : axis == 1 ? j : k)], 0);
            auto sum = tile.in(f, i, j)[k];
            const Shape before{i - (axis == 0), j - (axis == 1), k - (axis == 2)};
            const Shape first{tile.box.lo[0], tile.box.lo[1], 0};
            if (before[axis] >= first[axis]) sum += tile.out(f, before[0], before[1])[before[2]];
            tile.out(f, i, j)[k] = sum;
          }
        }
      }
    }
  });
  function.name = "running sums";
  return function;
}

template <class Real>
void check(const Problem& problem, std::size_t axis, const Options& options, Index fields = 1) {
  SCOPED_TRACE(to_string(problem.shape) + " " + to_string(problem.kind) + " on " + std::to_string(size_of()));
  Operator<Real> op(problem, running_sums<Real>(axis, fields), MPI_COMM_WORLD, options);
  // Whole numbers: what is found is exact but for the transforms' rounding.
  const auto value = [&](Index field, Index i, Index j, Index k) {
    return static_cast<double>((7 * i + 5 * j + 3 * k + field) % 11) - 4;
  };
  const Index count = fields * problem.batch;
  const auto of_box = [&](const Box& box, Index size, bool sums) {
    std::vector<Real> all;
    for (Index field = 0; field < count; ++field) {
      for (Index i = box.lo[0]; i < box.hi[0] && !box.empty(); ++i) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
          for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
            const Shape at{i, j, k};
            double sum = value(field, i, j, k);
            for (Shape p = at; sums && p[axis]-- > 0;) sum += value(field, p[0], p[1], p[2]);
            all.push_back(static_cast<Real>(sum));
          }
        }
      }
      all.resize(static_cast<std::size_t>((field + 1) * size / count));
    }
    return all;
  };
  const OperatorPlan& plan = op.plan();
  const std::vector<Real> in = of_box(plan.input_box(), plan.input_size(), false);
  std::vector<Real> out(static_cast<std::size_t>(plan.output_size()));
  if (options.in_place) {
    out = in;
    op(out.data(), out.data());
  } else {
    op(in, out);
  }
  const std::vector<Real> wanted = of_box(plan.output_box(), plan.output_size(), true);
  double worst = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(out[i]) - static_cast<double>(wanted[i])));
  }
  EXPECT_LT(worst, sizeof(Real) == 8 ? 1e-11 : 1e-3);
}

/// Every axis without a transform, between lines of real and of complex numbers.
std::vector<std::pair<Problem, std::size_t>> problems(const Shape& shape) {
  std::vector<std::pair<Problem, std::size_t>> all;
  for (const char* kind : {"none-dft-half_dft", "dft-none-half_dft", "none-dct2-dst2", "dct4-none-r2hc",
                           "dct2-dst2-none", "none-dst3-half_dft", "r2hc-r2hc-none"}) {
    Problem problem{.shape = shape, .kind = parse_kind(kind)};
    const auto none = std::find(problem.kind.lines.begin(), problem.kind.lines.end(), Line::none);
    all.emplace_back(problem, static_cast<std::size_t>(none - problem.kind.lines.begin()));
  }
  return all;
}

TEST(WholeLines, FunctionsFindThemOnAnyAxis) {
  for (const Shape& shape : {Shape{12, 10, 14}, Shape{5, 7, 3}, Shape{1, 9, 8}, Shape{16, 1, 6}}) {
    for (auto& [problem, axis] : problems(shape)) {
      for (const bool in_place : {false, true}) {
        Options options;
        options.effort = Effort::estimate;
        options.in_place = in_place;
        check<double>(problem, axis, options);
      }
    }
  }
}

TEST(WholeLines, StrategiesGridsFieldsAndPrecisions) {
  for (auto& [problem, axis] : problems({9, 12, 8})) {
    Options options;
    options.effort = Effort::estimate;
    for (const char* strategy : {"pairwise", "shared", "alltoallv"}) {
      for (const int tile : {0, 2}) {
        options.strategy = strategy;
        options.tile = tile;
        problem.batch = 2;
        check<double>(problem, axis, options, 2);
        problem.batch = 1;
        check<float>(problem, axis, options);
      }
    }
    options = {};
    options.effort = Effort::estimate;
    options.decomposition = Decomposition::pencil;
    check<double>(problem, axis, options, 3);
    if (size_of() == 6) options.grid = {2, 3};
    if (size_of() == 4) options.grid = {2, 2};
    check<double>(problem, axis, options);
  }
}

TEST(WholeLines, LayoutsOfTheCaller) {
  for (auto& [problem, axis] : problems({9, 12, 8})) {
    for (std::size_t cut = 0; cut < 3; ++cut) {
      std::array<int, 3> parts{1, 1, 1};
      parts[cut] = size_of();
      Options options;
      options.effort = Effort::estimate;
      options.input = options.output = Layout::grid(problem.shape, parts);
      check<double>(problem, axis, options);
    }
  }
}

// Fields go to other ranks and back, as where all axes are transformed.
TEST(WholeLines, OneExchangeMakesThemWhole) {
  const Index ranks = size_of();
  for (const char* kind : {"none-dct2-r2hc", "dst2-none-dct4", "dct2-dct2-none"}) {
    const Problem problem{.shape = {12, 12, 12}, .kind = parse_kind(kind)};
    Options options;
    options.strategy = "pairwise";
    const OperatorPlan plan(problem, At::wavenumbers, 1, 1, options, size_of(), rank_of());
    EXPECT_EQ(plan.traffic().all_bytes, 2 * 12 * 12 * 12 * 8 / ranks * (ranks - 1)) << plan.explain();
  }
}

TEST(WholeLines, ErrorsAreClear) {
  const Problem problem{.shape = {8, 8, 8}, .kind = parse_kind("none-none-dct2")};
  expect_common_error([&] { Operator<double>(problem, running_sums<double>(0, 1), MPI_COMM_WORLD); },
                      {"kind is none-none-dct2; an operator allows one axis of several points without a transform"});
}

}  // namespace
