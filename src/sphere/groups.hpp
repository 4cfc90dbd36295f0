// Bands of a sphere, spread over groups of ranks.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "execute/engine.hpp"
#include "plan/groups.hpp"
#include "weft/sphere.hpp"

namespace weft::detail {

/// Each group of consecutive ranks transforms a share of the bands by itself, among fewer ranks that have more planes
/// each: the task groups of plane-wave codes. The ranks with the same place in their groups bring their plane waves
/// together; each of them gets all of these for its group's bands: redistributions of the bands of all groups at once.
class SphereGroups {
 public:
  /// `waves`: this rank's. `options.groups` divides the number of ranks. What is given by reference, but for the
  /// problem and the options, outlives it. Collective over all ranks, and so is everything else.
  SphereGroups(const SphereProblem& problem, const SphereWaves& waves, Communicators& all, const Options& options,
               Watchers& watchers);

  /// Of this rank's group.
  Communicators& inside() { return inside_; }
  PartOfRanks ranks_inside() const { return {group_ * inside_.size(), 1}; }
  /// The waves of all ranks with this place in their groups: those that go to space, or those that come from there.
  std::vector<GVector> bring_together(Way way, std::span<const GVector> waves);
  /// Bands of this rank's group among `count`.
  Range bands(Index count) const { return bands_of_group(count, together_, across_.size(), group_); }

  /// Where the group's bands of all those waves lie, one after the other: of those that go to space, and of those that
  /// come from there, which is one place if they are the same.
  void* together(Way way, Index count);
  /// Brings them there, `apart` numbers between bands of this rank's; and the way back, or adds to what is there.
  void spread(const void* waves, Index apart, Index count);
  void collect(void* waves, Index apart, Index count, bool accumulate);
  /// Adds up what each group has for the same points: to[i] += sum over groups of from[i], i of the points of `box` in
  /// arrays of these extents. `route` is what made it.
  void add_up(int route, const void* from, void* to, const Box& box, const Shape& extents);
  /// Zeroes for so many real numbers, the same number every time.
  void* zeroes(Index numbers);
  /// Adds what has been counted since the last time.
  void take_costs(Statistics& statistics);

 private:
  /// Gets ready to move so many bands.
  void prepare(Index count);
  /// Waves of each rank across, and of all; and where they come together, with room for so many bands.
  struct List {
    std::vector<Index> waves;
    Index all = 0;
    Buffer together;
    Index most_bands = -1;
  };
  List list_of(Index waves) const;
  List& list(Way way) { return way == Way::to_spectrum && results_ ? *results_ : given_; }
  /// This rank's waves that come back.
  Index waves_here() { return list(Way::to_spectrum).waves[static_cast<std::size_t>(across_.rank())]; }
  /// Executes a run of the moves, in which each group has its part of the waves' array.
  void move(std::size_t run, std::byte* waves, Index apart, Index count);
  int number_bytes() const { return precision_ == Precision::double_ ? 16 : 8; }

  Communicators& all_;
  Watchers& watchers_;
  Precision precision_;
  Index together_;  ///< bands that are in one group
  int group_;
  Communicators inside_, across_;  ///< this rank's group; the ranks with the same place in theirs
  Options moving_;
  List given_;
  std::optional<List> results_;  ///< if they are others
  Index prepared_ = -1;          ///< for so many bands are the moves
  std::optional<Engine> moves_;  ///< to the groups, and from them
  Buffer sums_, collected_;
  Index most_collected_ = -1;  ///< bands that `collected_` has room for
  Statistics costs_;           ///< of moves that are gone, and of sums
};

}  // namespace weft::detail
