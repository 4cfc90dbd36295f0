// A solver of Poisson's equation: an operator, and what fields need before it and after it.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/mpi.hpp"
#include "poisson/sides.hpp"

namespace weft::detail {

template <class Real>
class PoissonEngine {
 public:
  /// Collective.
  PoissonEngine(const PoissonProblem& problem, MPI_Comm comm, Options options);

  const PoissonProblem& problem() const { return problem_; }
  const Layout& input() const { return input_; }
  const Layout& output() const { return output_; }
  /// Numbers from one field to the next.
  Index in_item() const { return in_item_; }
  Index out_item() const { return out_item_; }
  Operator<Real>& transforms() { return *operator_; }
  const Operator<Real>& transforms() const { return *operator_; }

  void solve(const Real* f, Real* u);
  void set_shift(double shift);
  void set_wall(std::size_t axis, int end, std::span<const Real> values);
  Index wall_size(std::size_t axis, int end) const;
  std::vector<double> mean(const Real* f);
  std::string explain() const;

 private:
  /// A wall whose values are not 0.
  struct Wall {
    std::size_t axis;
    int end;
    std::vector<Real> values;
  };

  PointFunction<Real> function();
  Box unknowns_in() const { return operator_->plan().input_box(); }
  /// Numbers from one field to the next, of those that the operator takes.
  Index operator_item() const { return operator_->plan().input_size() / problem_.batch; }
  bool needs_copy() const { return copies(axes_) || !walls_.empty(); }
  /// The unknowns of f, with what the walls add.
  Real* copied(const Real* f);
  void add(const Wall& wall, Real* f) const;
  /// The unknowns of u to the caller's array.
  void give(const Real* from, Real* u) const;
  void give_wall(std::size_t axis, int end, Index field, Real* u) const;
  std::vector<double> means(const Real* f) const;
  void refuse_mean(const Real* f);

  PoissonProblem problem_;
  Communicator comm_;
  std::array<SidesOfAxis, 3> axes_;
  Problem transforms_;
  std::shared_ptr<FreeSpaceTable<Real>> table_;  ///< where a side is open
  std::unique_ptr<Operator<Real>> operator_;
  Layout input_, output_;
  Index in_item_ = 0, out_item_ = 0;
  std::vector<Wall> walls_;
  std::vector<Real> in_, out_;  ///< unknowns, where they are not the caller's arrays
};

}  // namespace weft::detail
