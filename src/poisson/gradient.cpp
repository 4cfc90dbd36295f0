#include "poisson/gradient.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/mpi.hpp"
#include "base/text.hpp"
#include "plan/options.hpp"

namespace weft::detail {

namespace {

bool has_whole_lines(const Layout& layout, std::size_t axis) {
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    const Box box = layout.box(rank);
    if (!box.empty() && box.extent(static_cast<int>(axis)) != layout.shape()[axis]) return false;
  }
  return true;
}

/// Lines along an axis, dealt by the grid of ranks whose largest box is smallest; of several the one that cuts the
/// earlier axis more often, so that rows stay long.
Layout whole_lines(const Shape& shape, int ranks, std::size_t axis) {
  const std::size_t one = axis == 0 ? 1 : 0, other = 3 - axis - one;
  std::array<int, 3> best{};
  Index least = 0;
  for (int rows = ranks; rows >= 1; --rows) {
    if (ranks % rows != 0) continue;
    const auto largest = [&](std::size_t cut, int parts) { return (shape[cut] + parts - 1) / parts; };
    const Index box = largest(one, rows) * largest(other, ranks / rows);
    if (best[axis] != 0 && box >= least) continue;
    least = box;
    best[one] = rows;
    best[other] = ranks / rows;
    best[axis] = 1;
  }
  return Layout::grid(shape, best);
}

}  // namespace

template <class Real>
GradientInSpace<Real>::GradientInSpace(const PoissonProblem& problem, const Layout& layout, const Options& options,
                                       MPI_Comm comm)
    : problem_(problem) {
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank_));
  box_ = layout.box(rank_);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!component(axis)) continue;
    all_or_none(comm, [&] {
      along_[axis].emplace(
          Along{.lines = {problem, axis, options}, .box = box_, .there = {}, .back = {}, .to_ghosts = {}});
    });
    Along& along = *along_[axis];
    if (has_whole_lines(layout, axis)) continue;
    // On a few points neighbours on both sides are the same ones.
    if (along.lines.parabolas() && problem.shape[axis] >= 4 * LineDerivatives<Real>::ghosts) {
      bring_ghosts(along, layout, axis, comm);
    } else {
      bring_lines(along, layout, axis, options, comm);
    }
    bytes_sent_ += along.bytes_sent;
    all_or_none(comm, [&] {
      from_.room_for<Real>(along.box.count());
      if (along.back) to_.room_for<Real>(along.box.count());
    });
  }
}

template <class Real>
void GradientInSpace<Real>::bring_lines(Along& along, const Layout& layout, std::size_t axis, const Options& options,
                                        MPI_Comm comm) {
  Options moving = applicable(options, Operation::redistribution);
  moving.trace.clear();  // the file is the operator's
  const Layout whole = whole_lines(problem_.shape, layout.ranks(), axis);
  along.box = whole.box(rank_);
  along.there.emplace(layout, whole, static_cast<int>(sizeof(Real)), comm, 1, moving);
  along.back.emplace(whole, layout, static_cast<int>(sizeof(Real)), comm, 1, moving);
  // What leaves this rank on either way: all that is not in both boxes.
  const Index kept = intersect(box_, along.box).count();
  along.bytes_sent = (box_.count() + along.box.count() - 2 * kept) * static_cast<Index>(sizeof(Real));
}

template <class Real>
void GradientInSpace<Real>::bring_ghosts(Along& along, const Layout& layout, std::size_t axis, MPI_Comm comm) {
  Ghosts ghosts;
  ghosts.below[axis] = ghosts.above[axis] = LineDerivatives<Real>::ghosts;
  ghosts.periodic[axis] = problem_.sides[axis][0] == Side::periodic;
  along.box = ghosts.around(box_);
  const PartsTraffic::Numbers numbers{static_cast<int>(sizeof(Real)), 1, 1};
  along.to_ghosts.emplace(layout, layout, ghosts, BoxArray({box_}), BoxArray({along.box}), false, numbers, comm);
  along.bytes_sent = along.to_ghosts->moved(true).bytes_sent;
}

template <class Real>
std::optional<std::size_t> GradientInSpace<Real>::component(std::size_t axis) const {
  const bool plane = problem_.shape[1] == 1;
  if (plane && axis == 1) return std::nullopt;
  const std::size_t place = plane ? axis / 2 : axis, last = plane ? 1 : 2;
  return problem_.reversed_components ? last - place : place;
}

template <class Real>
void GradientInSpace<Real>::run(const Real* u, std::span<Real* const> to) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!along_[axis]) continue;
    Along& along = *along_[axis];
    Real* const result = to[*component(axis)];
    Real *const lines = reinterpret_cast<Real*>(from_.data()), *const slopes = reinterpret_cast<Real*>(to_.data());
    if (along.to_ghosts) {
      along.to_ghosts->there(reinterpret_cast<const std::byte*>(u), from_.data());
      along.lines.run(box_, along.box, lines, result);
    } else if (along.there) {
      (*along.there)(u, lines);
      along.lines.run(along.box, along.box, lines, slopes);
      (*along.back)(slopes, result);
    } else {
      along.lines.run(box_, box_, u, result);
    }
  }
}

template <class Real>
std::string GradientInSpace<Real>::explain() const {
  std::ostringstream out;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!along_[axis]) continue;
    const Along& along = *along_[axis];
    out << "gradient   along axis " << axis << ": "
        << (along.lines.parabolas() ? "parabolas through neighbours" : "waves") << ", in space; ";
    if (along.to_ghosts) {
      out << "neighbours' points, ";
    } else if (along.there) {
      out << "two exchanges, ";
    } else {
      out << "lines are whole\n";
      continue;
    }
    out << along.bytes_sent << " B sent by this rank\n";
  }
  return out.str();
}

template class GradientInSpace<float>;
template class GradientInSpace<double>;

}  // namespace weft::detail
