// Bands of a sphere, spread over groups of ranks.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "execute/engine.hpp"
#include "weft/sphere.hpp"

namespace weft::detail {

/// Each group of consecutive ranks transforms a share of the bands by itself, among fewer ranks that have more planes
/// each: the task groups of plane-wave codes. The ranks with the same place in their groups bring their plane waves
/// together; each of them gets all of these for its group's bands: redistributions of the bands of all groups at once.
class SphereGroups {
 public:
  /// This rank has so many waves. `options.groups` divides the number of ranks. What is given by reference, but for the
  /// options, outlives it. Collective over all ranks, and so is everything else.
  SphereGroups(Precision precision, Index waves, Communicators& all, const Options& options, Watchers& watchers);

  /// Of this rank's group.
  Communicators& inside() { return inside_; }
  PartOfRanks ranks_inside() const { return {group_ * inside_.size(), 1}; }
  /// The waves of all ranks with this place in their groups.
  std::vector<GVector> bring_together(std::span<const GVector> waves) const;
  /// Bands of this rank's group among `count`.
  Range bands(Index count) const { return split(count, across_.size(), group_); }

  /// Where the group's bands of all those waves lie, one after the other.
  void* together(Index count);
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
  /// This rank's waves.
  Index waves_here() const { return waves_[static_cast<std::size_t>(across_.rank())]; }
  /// Executes a run of the moves, in which each group has its part of the waves' array.
  void move(std::size_t run, std::byte* waves, Index apart, Index count);
  int number_bytes() const { return precision_ == Precision::double_ ? 16 : 8; }

  Communicators& all_;
  Watchers& watchers_;
  Precision precision_;
  int group_;
  Communicators inside_, across_;  ///< this rank's group; the ranks with the same place in theirs
  Options moving_;
  std::vector<Index> waves_;  ///< of each rank across
  Index all_waves_ = 0;
  Index prepared_ = -1;          ///< for so many bands are the moves
  std::optional<Engine> moves_;  ///< to the groups, and from them
  Buffer together_, sums_, collected_;
  Index most_bands_ = -1, most_collected_ = -1;  ///< that `together_` and `collected_` have room for
  Statistics costs_;                             ///< of moves that are gone, and of sums
};

}  // namespace weft::detail
