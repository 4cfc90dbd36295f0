// Times candidates in turns, on all ranks together, until contests are decided or the budget is spent.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/mpi.hpp"
#include "contest.hpp"
#include "timed_transform.hpp"

namespace weft::tuner {

using Clock = std::function<double()>;

/// Seconds that are left, as rank 0 sees it.
class Budget {
 public:
  Budget(MPI_Comm comm, double seconds, Clock clock = detail::now);
  /// Whether something that takes so long should be begun. Collective.
  bool allows(double seconds) const;
  double spent() const;
  double left() const;
  /// Another one on the same clock.
  Budget part(double seconds) const { return {comm_, seconds, clock_}; }
  const Clock& clock() const { return clock_; }

 private:
  MPI_Comm comm_;
  Clock clock_;
  double begin_, end_;
};

/// The candidates are numbers; `make` plans one, or throws on all ranks alike.
class Timing {
 public:
  using Make = std::function<std::unique_ptr<TimedTransform>(int candidate)>;
  using Tell = std::function<void(const std::string&)>;

  /// `parts`: what of each candidate is timed by itself (the directions of a sphere), a contest each. Workspaces of up
  /// to `memory` bytes a rank (the least that any rank names) are kept; what exceeds them is planned anew for each
  /// round. `patience` is that of the contests. Collective.
  Timing(MPI_Comm comm, int candidates, int parts, Make make, Index memory, int patience = 1);

  /// Collective. Candidate 0 and the first that can be used beside it are timed whatever that takes: one alone is no
  /// contest. Those that the budget does not allow to be timed at all are left out.
  void run(const Budget& budget, const Tell& tell);

  const Contest& contest(int part) const { return contests_[static_cast<std::size_t>(part)]; }
  /// Why a candidate could not be used; empty: it could.
  const std::string& obstacle(int candidate) const { return obstacles_[static_cast<std::size_t>(candidate)]; }
  bool left_out(int candidate) const { return left_out_[static_cast<std::size_t>(candidate)]; }

 private:
  bool round(const Budget& budget);
  bool may_begin(int candidate, const Budget& budget, const Budget& first_round) const;
  void leave_out(const std::vector<int>& candidates);
  void visit(int candidate, const Clock& clock);
  /// Plans the candidate if it is not there; false: it cannot be used.
  bool prepare(int candidate);
  void keep_if_it_fits(int candidate);
  double timed(TimedTransform& transform, int part, int repeats, const Clock& clock) const;

  MPI_Comm comm_;
  int parts_;
  Make make_;
  Index memory_, kept_ = 0;
  std::vector<Contest> contests_;
  std::vector<std::unique_ptr<TimedTransform>> transforms_;
  std::vector<std::string> obstacles_;
  std::vector<bool> left_out_;
  /// Seconds that planning, and running in one round, took of each, and the most of all but the first: that one pays
  /// for what others then find ready (FFTW's wisdom, connections, pages).
  struct Visit {
    double planning = 0, running = 0;
  };
  std::vector<Visit> visits_;
  Visit longest_;
  int timed_ = 0;  ///< candidates that have a time
};

}  // namespace weft::tuner
