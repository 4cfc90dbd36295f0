// The gradient of a solution between walls, taken in space: along each axis ranks have whole lines, or get them; or,
// for differences, the points of their neighbours.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "exchange/parts_traffic.hpp"
#include "poisson/line_derivatives.hpp"
#include "weft/weft.hpp"

namespace weft::detail {

template <class Real>
class GradientInSpace {
 public:
  /// Collective. `layout` is that of the stored points of u; `options` are those of the solver's operator.
  GradientInSpace(const PoissonProblem& problem, const Layout& layout, const Options& options, MPI_Comm comm);

  /// Collective: the derivatives of one field in the order of the problem's components, all in this rank's box of the
  /// layout. Walls' values other than those stored are not in them.
  void run(const Real* u, std::span<Real* const> to);
  /// Which of the fields is the derivative along an axis; none of a plane's along axis 1.
  std::optional<std::size_t> component(std::size_t axis) const;
  /// As LineDerivatives'.
  double of_wall(std::size_t axis, int end) const { return along_[axis]->lines.of_wall(end); }

  /// What a run sends to others.
  Index bytes_sent() const { return bytes_sent_; }
  std::string explain() const;

 private:
  struct Along {
    LineDerivatives<Real> lines;
    Box box;  ///< in which this rank has whole lines, or its own with ghosts
    // Where others have parts of lines: to whole ones and back, or to ghosts.
    std::optional<Redistribution> there, back;
    std::optional<PartsTraffic> to_ghosts;
    Index bytes_sent = 0;
  };

  void bring_lines(Along& along, const Layout& layout, std::size_t axis, const Options& options, MPI_Comm comm);
  void bring_ghosts(Along& along, const Layout& layout, std::size_t axis, MPI_Comm comm);

  const PoissonProblem problem_;
  int rank_ = 0;
  Box box_;
  std::array<std::optional<Along>, 3> along_;
  Buffer from_, to_;  ///< whole lines, or what has ghosts; what whole lines give
  Index bytes_sent_ = 0;
};

}  // namespace weft::detail
