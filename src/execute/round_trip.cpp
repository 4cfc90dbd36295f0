#include "execute/round_trip.hpp"

#include <algorithm>
#include <limits>

#include "base/clock.hpp"

namespace weft::detail {

std::optional<double> round_trip(const Meeting& meeting, Index number) {
  // An interrupt may fall into one of the groups, hardly into both.
  constexpr Index groups = 2, trips = 2;
  constexpr double patience = 30e-6;  // seconds; a trip takes half a microsecond between sockets
  const double limit = now() + patience;
  const auto wait_for = [&](Index word) {
    for (Index looks = 1; meeting.theirs.load(std::memory_order_acquire) < word; ++looks) {
      if (looks % 16 == 0 && now() > limit) return false;
    }
    return true;
  };
  double begin = 0, best = std::numeric_limits<double>::infinity();
  // Before the first trip they meet.
  for (Index trip = 0; trip <= groups * trips; ++trip) {
    const Index word = number * (groups * trips + 1) + trip;
    if (meeting.leads) meeting.mine.store(word, std::memory_order_release);
    if (!wait_for(word)) return std::nullopt;
    if (!meeting.leads) meeting.mine.store(word, std::memory_order_release);
    if (trip % trips != 0) continue;
    const double end = now();
    if (trip > 0) best = std::min(best, (end - begin) / static_cast<double>(trips));
    begin = end;
  }
  return best;
}

}  // namespace weft::detail
