// A transform's plan, bound to a communicator and memory.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "execute/agreement.hpp"
#include "execute/engine.hpp"
#include "execute/groups.hpp"
#include "execute/half_line_array.hpp"
#include "execute/parts_arrays.hpp"
#include "front/padded_line_runs.hpp"

namespace weft::detail {

/// What Transform is made of.
class TransformEngine {
 public:
  /// Collective.
  TransformEngine(const Problem& problem, MPI_Comm comm, Options options);

  const Plan& plan() const { return *plan_; }
  void execute(Direction direction, const void* in, Number in_number, void* out, Number out_number);
  void execute_in_place(Direction direction, void* data);
  /// As Transform's.
  bool have_sizes(Direction direction, Index in, Index out);
  /// The same of the one array of a plan in place.
  bool have_bytes(Direction direction, Index bytes);
  void raise_any(Direction direction, const std::string& message);

  const Statistics& statistics();
  /// Counts anew, and forgets the trace.
  void reset_statistics();
  void write_trace();
  void drop_trace() {
    watchers_->drop_trace();
    engine_ ? engine_->leave() : groups_->leave();
  }
  /// What the plan calls so, as it was allocated.
  Index workspace_bytes() const;

 private:
  static std::size_t run_of(Direction direction) { return direction == Direction::forward ? 0 : 1; }
  /// Of what runs in a direction, among what is watched.
  int number(Direction direction) const {
    return engine_ ? engine_->number(run_of(direction)) : groups_->number(direction);
  }
  template <class Check>
  bool agree(Direction direction, const Check& check);
  /// Takes part in an execution with arrays of zeros.
  void stand_in(Direction direction);
  /// What belongs to an execution beside its route.
  template <class Work>
  void timed(const Work& work);
  /// Without a check of the arguments.
  void run(Direction direction, const void* in, void* out);
  /// The same of a padded line.
  void run_padded(Direction direction, const void* in, void* out);
  /// The same between arrays of parts, where ends have them.
  void run_parts(Direction direction, const void* in, void* out);

  Communicators communicators_;
  std::shared_ptr<const Plan> plan_;
  std::optional<Watchers> watchers_;
  Statistics statistics_;         ///< of groups
  std::optional<Engine> engine_;  ///< forward and backward
  std::optional<Groups> groups_;  ///< instead of the engine, where the options ask for several
  std::optional<PartsArrays> parts_;
  std::optional<HalfLineArray> half_line_;
  std::unique_ptr<PaddedLineRuns> padded_line_;
  std::optional<Agreement> agreement_;
};

}  // namespace weft::detail
