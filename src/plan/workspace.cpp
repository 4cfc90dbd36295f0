#include "plan/workspace.hpp"

#include <algorithm>

#include "base/buffer.hpp"

namespace weft::detail {

Workspaces place_workspaces(std::span<const std::vector<Index>> runs, bool shared) {
  Workspaces placed;
  for (const std::vector<Index>& run : runs) {
    Index next = shared ? round_up(placed.bytes, page_bytes) : 0;
    for (const Index bytes : run) {
      placed.offsets.push_back(next);
      placed.bytes = std::max(placed.bytes, next + bytes);
      next = round_up(next + bytes, page_bytes);
    }
  }
  return placed;
}

}  // namespace weft::detail
