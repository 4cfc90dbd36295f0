// Whether the cores of two who pass data on to each other have been moved. A virtual machine's may be at any time: to
// chiplets that have no cache in common, most often when both begin to work, and back.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "execute/caches.hpp"
#include "execute/round_trip.hpp"

namespace weft::detail {

class CoreWatch {
 public:
  /// `bytes`: what one of the two writes in a walk, about; the same for both. There is a meeting but where tests say
  /// when to change.
  CoreWatch(const PassingOn& found, std::optional<Meeting> meeting, Index bytes)
      : found_(found), meeting_(meeting), round_trip_(found.round_trip) {
    // A meeting takes up to two microseconds, and should be one of a thousand.
    constexpr std::uint64_t worth_it = std::uint64_t{8} << 20, most = 64;
    const std::uint64_t walks = std::bit_floor(worth_it / static_cast<std::uint64_t>(std::max<Index>(1, bytes)));
    least_between_ = between_ = static_cast<Index>(std::clamp<std::uint64_t>(walks, 1, most));
  }

  /// A walk begins, whose data is passed on past the caches or through them.
  bool begin() {
    ++walks_;
    return found_.in_turns ? walks_ % 2 == 0 : found_.past_caches_at(round_trip_);
  }
  /// Seconds, when the two last met, or when `found` was found; 0: they never meet.
  double last_round_trip() const { return round_trip_; }
  /// Whether the two should meet in this walk.
  bool should_meet() const { return meeting_ && walks_ % between_ == 0; }
  /// Both come at about the same time.
  void meet() {
    const std::optional<double> seconds = round_trip(*meeting_, walks_);
    if (seconds) round_trip_ = *seconds;
    // Who does not come is waited for ever more rarely.
    constexpr Index most = 1024;
    between_ = seconds ? least_between_ : std::min(2 * between_, most);
  }
  /// The other's part, where both are threads and one of them watches: the other only answers.
  void answer(const Meeting& other) const { static_cast<void>(round_trip(other, walks_)); }

 private:
  PassingOn found_;
  std::optional<Meeting> meeting_;
  double round_trip_;  ///< when they last met
  Index walks_ = 0, least_between_ = 1, between_ = 1;
};

}  // namespace weft::detail
