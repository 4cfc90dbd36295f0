// Times candidates in turns, on all ranks together, until contests are decided or the budget is spent.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/mpi.hpp"
#include "contest.hpp"
#include "timed_transform.hpp"

namespace weft::tuner {

/// Seconds that are left, as rank 0 sees it.
class Budget {
 public:
  Budget(MPI_Comm comm, double seconds);
  /// Whether something that takes so long should be begun. Collective.
  bool allows(double seconds) const;
  double spent() const;
  double left() const;

 private:
  MPI_Comm comm_;
  double begin_, end_;
};

/// The candidates are numbers; `make` plans one, or throws on all ranks alike.
class Timing {
 public:
  using Make = std::function<std::unique_ptr<TimedTransform>(int candidate)>;
  using Tell = std::function<void(const std::string&)>;

  /// `parts`: what of each candidate is timed by itself (the directions of a sphere), a contest each. Workspaces of up
  /// to `memory` bytes a rank (the least that any rank names) are kept; what exceeds them is planned anew for each
  /// round. Collective.
  Timing(MPI_Comm comm, int candidates, int parts, Make make, Index memory);

  /// Collective.
  void run(const Budget& budget, const Tell& tell);

  const Contest& contest(int part) const { return contests_[static_cast<std::size_t>(part)]; }
  /// Why a candidate could not be used; empty: it could.
  const std::string& obstacle(int candidate) const { return obstacles_[static_cast<std::size_t>(candidate)]; }

 private:
  bool round(const Budget& budget, const Budget& first_round);
  void leave_out(const std::vector<int>& candidates);
  void visit(int candidate);
  /// Plans the candidate if it is not there; false: it cannot be used.
  bool prepare(int candidate);
  double timed(TimedTransform& transform, int part, int repeats) const;

  MPI_Comm comm_;
  int parts_;
  Make make_;
  Index memory_, kept_ = 0;
  std::vector<Contest> contests_;
  std::vector<std::unique_ptr<TimedTransform>> transforms_;
  std::vector<std::string> obstacles_;
  std::vector<double> visits_;  ///< seconds that the last visit of each took
  double longest_ = 0;          ///< of all visits
};

}  // namespace weft::tuner
