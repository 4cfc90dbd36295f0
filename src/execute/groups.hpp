// Independent transforms of a batch, spread over groups of ranks.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "base/buffer.hpp"
#include "execute/engine.hpp"
#include "plan/groups.hpp"

namespace weft::detail {

/// Each group of consecutive ranks transforms its share of the batch by itself, so that what is exchanged inside a
/// transform stays inside the group: a network segment of Shimizu's, a task group of plane-wave codes. Fields are
/// redistributed to the groups before and back after, of all groups at once: one group's links alone would be a part of
/// the network. However many groups there are, these moves share their communicators and their memory.
class Groups {
 public:
  /// `plan` is that of all ranks; all that is given outlives it. Collective, and so is everything else.
  Groups(const Plan& plan, Communicators& communicators, Watchers& watchers);

  void run(Direction direction, const UserArrays& arrays);
  /// Of the first thing that is run in a direction, among what is watched.
  int number(Direction direction) const { return moves_->number(first_run(direction)); }
  /// Adds what has been counted since the last time.
  void take_costs(Statistics& statistics);
  Index workspace_bytes() const;
  /// Lets its end wait for no other rank.
  void leave() {
    moves_->leave();
    if (inside_) inside_->engine->leave();
  }

 private:
  /// What a group with fields transforms.
  struct Inside {
    explicit Inside(Communicator group) : communicators(std::move(group)) {}
    Communicators communicators;
    std::shared_ptr<const Plan> plan;
    Buffer input, output;  ///< the group's fields
    std::optional<Engine> engine;
  };
  static std::size_t first_run(Direction direction) { return direction == Direction::forward ? 0 : 2; }

  GroupMoves routes_;
  Index input_bytes_, output_bytes_;  ///< of a field of the caller's arrays
  std::optional<Inside> inside_;      ///< none in a group without fields
  std::optional<Engine> moves_;
  std::vector<UserArrays> moved_;  ///< of the groups, in an execution
};

}  // namespace weft::detail
