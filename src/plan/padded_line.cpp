#include "plan/padded_line.hpp"

#include <algorithm>
#include <cmath>

#include "base/factors.hpp"
#include "base/text.hpp"
#include "plan/parts.hpp"
#include "problem/lines.hpp"
#include "problem/roots.hpp"

namespace weft::detail {

namespace {

/// A rank alone is as fast or faster with shorter lines as they are, while these stay in its caches.
constexpr Index shortest_of_one_rank = Index{1} << 18;

/// The next number without prime factors above 5.
Index smooth(Index n) {
  while (without_factors(n, {2, 3, 5}) != 1) ++n;
  return n;
}

/// The smallest grid of so many points or more that is about a square, so that many ranks have a part of it.
Shape grid_of(Index points) {
  const auto root = static_cast<Index>(std::sqrt(static_cast<double>(points)));
  Shape best{};
  for (Index rows = smooth(std::max<Index>(1, root / 2)); rows <= root; rows = smooth(rows + 1)) {
    const Index columns = smooth((points + rows - 1) / rows);
    if (best[0] == 0 || rows * columns <= best[0] * best[2]) best = {rows, 1, columns};
  }
  return best;
}

}  // namespace

PaddedLine::PaddedLine(const Problem& problem, int ranks) : problem_(problem), n_(problem.shape[0] * problem.shape[2]) {
  const bool reals = is_real_line(problem);
  for (std::size_t end = 0; end < 2; ++end) {
    ends_[end].half = reals && problem.kind.to_space == (end == 0);
    ends_[end].count = ends_[end].half ? n_ / 2 + 1 : n_;
  }
  const Shape grid = grid_of(ends_[0].count + ends_[1].count - 1);
  m0_ = grid[0];
  m1_ = grid[2];
  for (End& end : ends_) {
    end.columns = (end.count + m0_ - 1) / m0_;
    end.columns_of_ranks = Layout::slab({m0_, 1, end.columns}, ranks, 2);
  }
  for (std::size_t end = 0; end < 2; ++end) {
    std::vector<Box> boxes;
    for (int rank = 0; rank < ranks; ++rank) {
      const Range mine = of_rank(end, rank);
      boxes.push_back({{0, 0, mine.lo}, {mine.lo < mine.hi ? 1 : 0, mine.lo < mine.hi ? 1 : 0, mine.hi}});
    }
    ends_[end].numbers = Layout::bricks({1, 1, ends_[end].count}, std::move(boxes));
  }
}

bool PaddedLine::fits(const Problem& problem, const Options& options, int ranks) {
  const Index shortest = ranks > 1 ? longest_short_line + 1 : shortest_of_one_rank;
  return problem.one_line && problem.shape[0] == 1 && problem.shape[2] >= shortest && !options.input &&
         !options.output && !have_parts(options) && !problem.padded_rows;
}

Problem PaddedLine::whole_grid() const {
  Problem grid;
  grid.shape = shape();
  grid.precision = problem_.precision;
  grid.normalization = Normalization::backward;
  grid.one_line = true;
  grid.input_order = {2, 1, 0};
  return grid;
}

Problem PaddedLine::grid(std::size_t end) const {
  Problem grid = whole_grid();
  grid.points[2] = ends_[end].columns;
  grid.batch = problem_.batch;
  return grid;
}

Options PaddedLine::options(Options of_transform) {
  of_transform.in_place = true;
  of_transform.transposed = false;
  of_transform.decomposition = Decomposition::slab;
  of_transform.grid = {0, 0};
  return of_transform;
}

Range PaddedLine::of_rank(std::size_t end, int rank) const {
  const Box columns = ends_[end].columns_of_ranks.box(rank);
  if (columns.empty()) return {0, 0};
  return {columns.lo[2] * m0_, std::min(columns.hi[2] * m0_, ends_[end].count)};
}

Index PaddedLine::points_of_rank(std::size_t end, int rank) const {
  return ends_[end].columns_of_ranks.box(rank).count();
}

std::vector<std::complex<double>> PaddedLine::chirp(Range numbers, Direction direction) const {
  const Index period = 2 * n_;
  const RootsOfUnity roots(period);
  // The square of the first number, by doubling: that of a long line's is beyond 64 bits.
  Index square = 0, term = numbers.lo;
  for (Index times = numbers.lo; times > 0; times /= 2, term = 2 * term % period) {
    if (times % 2 != 0) square = (square + term) % period;
  }
  std::vector<std::complex<double>> all;
  all.reserve(static_cast<std::size_t>(std::max<Index>(0, numbers.hi - numbers.lo)));
  for (Index j = numbers.lo; j < numbers.hi; ++j) {
    const std::complex<double> root = roots(square);
    all.push_back(direction == Direction::forward ? std::conj(root) : root);
    square = (square + 2 * j + 1) % period;
  }
  return all;
}

std::vector<std::complex<double>> PaddedLine::kernel(Range points) const {
  const Index all = m0_ * m1_;
  std::vector<std::complex<double>> found(static_cast<std::size_t>(std::max<Index>(0, points.hi - points.lo)));
  const auto at = [&](Index point) { return found.begin() + (point - points.lo); };
  const Range there{points.lo, std::min(points.hi, ends_[1].count)};
  if (there.lo < there.hi) std::ranges::copy(chirp(there, Direction::backward), at(there.lo));
  const Range behind{std::max(points.lo, all - ends_[0].count + 1), points.hi};
  if (behind.lo < behind.hi) {
    const auto numbers = chirp({all - behind.hi + 1, all - behind.lo + 1}, Direction::backward);
    std::reverse_copy(numbers.begin(), numbers.end(), at(behind.lo));
  }
  return found;
}

Index PaddedLine::bytes(int rank) const {
  const Index point = 2 * problem_.real_bytes();
  const Index points = std::max(points_of_rank(0, rank), points_of_rank(1, rank));
  Index factors = 0;
  for (std::size_t end = 0; end < 2; ++end) factors += of_rank(end, rank).hi - of_rank(end, rank).lo;
  return point *
         (points * problem_.batch + factors + Layout::slab(shape(), ends_[0].numbers.ranks(), 2).box(rank).count());
}

std::string PaddedLine::text() const {
  return concat("padded     to one line of ", m0_ * m1_, " points, ", to_string(shape()),
                ": a convolution with a chirp, since the divisors of ", n_, " deal it to few ranks\n");
}

}  // namespace weft::detail
