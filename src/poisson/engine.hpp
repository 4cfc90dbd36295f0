// A solver of Poisson's equation: an operator, and what fields need before it and after it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "base/mpi.hpp"
#include "execute/parts_arrays.hpp"
#include "poisson/walls.hpp"

namespace weft::detail {

template <class Real>
class PoissonEngine {
 public:
  /// Collective.
  PoissonEngine(const PoissonProblem& problem, MPI_Comm comm, Options options);

  const PoissonProblem& problem() const { return problem_; }
  const Layout& input() const { return parts_[0] ? parts_[0]->layout : input_; }
  const Layout& output() const { return parts_[1] ? parts_[1]->layout : output_; }
  /// What the caller's arrays hold at an end, with ghosts.
  std::vector<Box> boxes(std::size_t end) const;
  /// Numbers from one field to the next in the caller's arrays.
  Index users_item(std::size_t end) const;
  Operator<Real>& transforms() { return *operator_; }
  const Operator<Real>& transforms() const { return *operator_; }

  void solve(const Real* f, Real* u);
  void set_shift(double shift);
  void set_wall(std::size_t axis, int end, std::span<const Real> values);
  Index wall_size(std::size_t axis, int end) const { return walls_->size(axis, end); }
  std::vector<double> mean(const Real* f);
  std::string explain() const;
  const Statistics& statistics() const;
  void reset_statistics();

 private:
  /// What the operator calls, and what of it gives u.
  PointFunction<Real> function();
  PointFunction<Real> solution();
  bool own() const { return problem_.green.kind == Green::Kind::own; }
  /// Whether f has a mean that is taken from it or refused; a curl has none.
  bool has_mean() const { return problem_.singular() && problem_.result != Result::velocity; }
  void check_ends(const Real* f, const Real* u);
  /// Between arrays without parts.
  void solve_boxes(const Real* f, Real* u);
  /// The same, of what the operator gives.
  void solve_operator(const Real* f, Real* u);
  /// The gradients of the solutions, one after the other, and what of them the result has.
  void give_gradients(const Real* solutions, Real* u);
  Box unknowns_in() const { return operator_->plan().input_box(); }
  /// Numbers from one field to the next, of those that the operator takes.
  Index operator_item() const { return operator_->plan().input_size() / problem_.batch; }
  bool needs_copy() const { return copies(axes_) || !walls_->empty(); }
  /// The unknowns of f, with what the walls add.
  Real* copied(const Real* f);
  /// The unknowns of u to the caller's array.
  void give(const Real* from, Real* u) const;
  std::vector<double> means(const Real* f) const;
  void refuse_mean(const Real* f);

  PoissonProblem problem_;
  Communicator comm_;
  std::array<SidesOfAxis, 3> axes_;
  Problem transforms_;
  std::shared_ptr<FreeSpaceTable<Real>> table_;  ///< where a side is open, or the kernel the caller's
  std::unique_ptr<Operator<Real>> operator_;
  Layout input_, output_;             ///< one box a rank
  Index in_item_ = 0, out_item_ = 0;  ///< numbers from one field to the next there
  PartsEnds parts_;
  Statistics of_parts_;  ///< and of gradients
  mutable Statistics all_;
  std::optional<PartsArrays> arrays_;
  std::optional<Walls<Real>> walls_;
  Buffer in_, out_;  ///< unknowns, where they are not the caller's arrays
  std::optional<GradientInSpace<Real>> gradient_;
  Buffer solutions_;  ///< of which gradients are taken, where they are not in the caller's array
};

}  // namespace weft::detail
