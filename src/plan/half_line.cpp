#include "plan/half_line.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "problem/lines.hpp"

namespace weft::detail {

HalfLine::HalfLine(const Problem& problem, int ranks, int rank)
    : end_(problem.kind.to_space ? 0 : 1), n0_(problem.shape[0]), n1_(problem.shape[2]) {
  const Index count = n0_ * n1_ / 2 + 1;
  modes_ = Layout::slab({1, 1, count}, ranks, 2);
  std::vector<Box> boxes;
  std::vector<int> owners;
  for (int owner = 0; owner < ranks; ++owner) {
    const Range modes = split(count, ranks, owner);
    const std::vector<Piece> pieces = pieces_of(modes.lo, modes.hi);
    for (const Piece& piece : pieces) {
      boxes.push_back(piece.box);
      owners.push_back(owner);
    }
    if (owner != rank) continue;
    mine_ = modes;
    of_mine_ = pieces;
  }
  pieces_ = PartsEnd{Layout::patches(problem.spectrum_shape(), ranks, boxes, owners), {}};
}

bool HalfLine::fits(const Problem& problem, const Options& options) {
  return is_real_line(problem) && !options.transposed;
}

std::vector<Plan::Flow> HalfLine::flows(const Layout& grid, Index point_bytes, bool to_modes) const {
  std::vector<Plan::Flow> all;
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    std::map<int, Index> points;
    for (const auto& overlap : pieces_->layout.overlaps(grid.box(rank))) points[overlap.rank] += overlap.box.count();
    for (const auto& [other, count] : points) {
      if (other == rank) continue;
      all.push_back({0, to_modes ? rank : other, to_modes ? other : rank, count * point_bytes});
    }
  }
  return all;
}

std::vector<HalfLine::Piece> HalfLine::pieces_of(Index lo, Index hi) const {
  std::vector<Piece> all;
  if (lo >= hi) return all;
  const Index first = lo / n1_, last = (hi - 1) / n1_;
  const Index from = lo % n1_, until = (hi - 1) % n1_ + 1;
  if (first == last) {
    add_rows(all, {first, first + 1}, from, until);
    return all;
  }
  const Index whole = from > 0 ? first + 1 : first, behind = until < n1_ ? last : last + 1;
  if (from > 0) add_rows(all, {first, whole}, from, n1_);
  if (whole < behind) add_rows(all, {whole, behind}, 0, n1_);
  if (until < n1_) add_rows(all, {behind, behind + 1}, 0, until);
  return all;
}

void HalfLine::add_rows(std::vector<Piece>& all, Range rows, Index lo, Index hi) const {
  const Index half = n1_ / 2;
  const auto add = [&](Range of_rows, Index first, Index end, bool conjugates, bool twice) {
    if (of_rows.lo < of_rows.hi && first < end) {
      all.push_back({{{of_rows.lo, 0, first}, {of_rows.hi, 1, end}}, conjugates, twice});
    }
  };
  add(rows, lo, std::min(hi, half + 1), false, false);
  // Mode k is the conjugate of mode n - k, which is a row less from the end, but of column 0.
  add({n0_ - rows.hi, n0_ - rows.lo}, n1_ - hi + 1, n1_ - std::max(lo, half + 1) + 1, true, false);
  if (lo == 0) {
    const Range others{std::max<Index>(rows.lo, 1), std::min(rows.hi, (n0_ + 1) / 2)};
    add({n0_ - others.hi + 1, n0_ - others.lo + 1}, 0, 1, true, true);
  }
  if (n1_ % 2 == 0 && lo <= half && half < hi) {
    const Range others{rows.lo, std::min(rows.hi, n0_ / 2)};
    add({n0_ - others.hi, n0_ - others.lo}, half, half + 1, true, true);
  }
}

template <class Use>
void HalfLine::for_each_row(const Use& use) const {
  Index at = 0;
  for (const Piece& piece : of_mine_) {
    const Index count = piece.box.extent(2);
    for (Index row = piece.box.lo[0]; row < piece.box.hi[0]; ++row, at += count) {
      const Index mode = row * n1_ + piece.box.lo[2];
      use(piece, at, (piece.conjugates ? n0_ * n1_ - mode : mode) - mine_.lo, count);
    }
  }
}

Index HalfLine::points_of_pieces() const {
  Index points = 0;
  for (const Piece& piece : of_mine_) points += piece.box.count();
  return points;
}

namespace {

/// So many points of so many numbers. Where they are conjugates, their order is the reverse at one end, of which the
/// step from point to point says which.
template <class Real>
void copy_points(const std::complex<Real>* from, Index from_step, std::complex<Real>* to, Index to_step, Index count,
                 Index numbers, bool conjugates) {
  if (!conjugates) {
    std::copy_n(from, count * numbers, to);
    return;
  }
  for (Index k = 0; k < count; ++k, from += from_step, to += to_step) {
    for (Index i = 0; i < numbers; ++i) to[i] = std::conj(from[i]);
  }
}

}  // namespace

template <class Real>
void HalfLine::gather(const std::complex<Real>* pieces, std::complex<Real>* modes, Index fields, Index numbers,
                      Index apart) const {
  const Index of_pieces = points_of_pieces() * numbers, of_modes = apart * numbers;
  for (Index field = 0; field < fields; ++field, pieces += of_pieces, modes += of_modes) {
    for_each_row([&](const Piece& piece, Index at, Index mode, Index count) {
      if (piece.twice) return;
      copy_points(pieces + at * numbers, numbers, modes + mode * numbers, -numbers, count, numbers, piece.conjugates);
    });
  }
}

template <class Real>
void HalfLine::spread(const std::complex<Real>* modes, std::complex<Real>* pieces, Index fields, Index numbers,
                      Index apart) const {
  const Index of_pieces = points_of_pieces() * numbers, of_modes = apart * numbers;
  for (Index field = 0; field < fields; ++field, pieces += of_pieces, modes += of_modes) {
    for_each_row([&](const Piece& piece, Index at, Index mode, Index count) {
      copy_points(modes + mode * numbers, -numbers, pieces + at * numbers, numbers, count, numbers, piece.conjugates);
    });
  }
}

template void HalfLine::gather(const std::complex<float>*, std::complex<float>*, Index, Index, Index) const;
template void HalfLine::gather(const std::complex<double>*, std::complex<double>*, Index, Index, Index) const;
template void HalfLine::spread(const std::complex<float>*, std::complex<float>*, Index, Index, Index) const;
template void HalfLine::spread(const std::complex<double>*, std::complex<double>*, Index, Index, Index) const;

std::string half_line_text(const HalfLine& line, int rank) {
  const Box mine = line.modes().box(rank);
  const std::string here = mine.empty() ? "none" : concat(mine.lo[2], " to ", mine.hi[2] - 1);
  return concat("modes      0 to ", line.modes().shape()[2] - 1, " of the ", line.end() == 0 ? "input" : "output",
                " in their order, with an exchange more; this rank ", here, ", in ",
                line.pieces()->layout.boxes(rank).size(), " boxes of the grid\n");
}

}  // namespace weft::detail
