// Bands of a sphere, spread over groups of ranks.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/mpi.hpp"
#include "exchange/message_buffers.hpp"
#include "weft/sphere.hpp"

namespace weft::detail {

class SphereEngine;

/// Each group of consecutive ranks transforms a share of the bands by itself, among fewer ranks that have more planes
/// each: the task groups of plane-wave codes. The ranks with the same place in their groups bring their plane waves
/// together; each of them gets all of these for its group's bands.
class SphereGroups {
 public:
  /// `groups` divides the number of ranks. Collective over `comm`, and so is everything else.
  SphereGroups(const SphereProblem& problem, std::span<const GVector> waves, MPI_Comm comm, const Options& backward,
               const Options& forward, std::optional<Index> planes);
  ~SphereGroups();

  SphereEngine& inner() { return *inner_; }
  const SphereEngine& inner() const { return *inner_; }
  /// Bands of this rank's group among `count`.
  Range bands(Index count) const;

  /// Brings the group's bands of all waves together, `apart` numbers between bands of this rank's; returns where they
  /// are, one band after the other.
  void* spread(const void* waves, Index apart, Index count);
  /// Where they would be.
  void* together(Index count);
  /// The way back, from there.
  void collect(void* waves, Index apart, Index count);
  /// Adds up what each group has for the same points: to[i] += sum over groups of from[i].
  void add_up(const void* from, void* to, Index numbers);
  /// Zeroes for so many real numbers, the same number every time.
  void* zeroes(Index numbers);

 private:
  void exchange(void* waves, Index apart, Index count, bool to_groups);

  MPI_Comm comm_;
  Communicator group_, across_;  ///< this rank's group; the ranks with the same place in theirs
  Precision precision_;
  std::vector<Index> waves_;  ///< of each rank across
  Index all_waves_ = 0;
  std::unique_ptr<SphereEngine> inner_;
  Buffer together_, sums_;
  Index most_bands_ = -1;  ///< that `together_` has room for
};

}  // namespace weft::detail
