#include "execute/statistics.hpp"

#include <algorithm>

namespace weft::detail {

void add_costs(Statistics& all, const Statistics& part) {
  using S = Statistics;
  for (const auto member : {&S::compute, &S::start, &S::test, &S::wait, &S::check}) all.*member += part.*member;
  for (const auto member : {&S::bytes_read, &S::bytes_written, &S::messages, &S::bytes_sent}) {
    all.*member += part.*member;
  }
  all.wire_error = std::max(all.wire_error, part.wire_error);
  all.core_round_trip = std::max(all.core_round_trip, part.core_round_trip);
  all.core_moves += part.core_moves;
}

}  // namespace weft::detail
