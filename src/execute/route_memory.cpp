#include "execute/route_memory.hpp"

#include "base/host.hpp"
#include "plan/workspace.hpp"
#include "weft/error.hpp"

namespace weft::detail {

RouteMemory::RouteMemory(const std::vector<NamedRoutes>& runs, const Strategy& strategy,
                         const Communicators& communicators) {
  std::vector<std::vector<Index>> sizes;
  Index flags = 0;
  for (const NamedRoutes& run : runs) {
    sizes.emplace_back();
    int links = 0;
    for (const auto& route : run.routes) {
      sizes.back().push_back(route->workspace_bytes);
      places_.push_back({.flags_offset = flags, .first_link = links});
      flags += flag_bytes(*route);
      links += static_cast<int>(route->links.size());
    }
    for (std::size_t i = places_.size() - run.routes.size(); i < places_.size(); ++i) places_[i].links = links;
  }
  const Workspaces placed = place_workspaces(sizes, strategy.traits.shared_memory);
  bytes_ = placed.bytes;
  const MPI_Comm all = communicators.all();
  const std::string lack = lack_of_memory(communicators.node(), bytes_);
  const std::string of_windows =
      strategy.traits.window ? lack_of_window_memory(communicators.node(), bytes_) : std::string();
  all_or_none(all, [&] {
    require_strategy(strategy, all);
    if (!lack.empty() || !of_windows.empty()) throw Error(lack.empty() ? of_windows : lack);
  });
  std::byte* memory = nullptr;
  if (strategy.traits.shared_memory) {
    node_memory_.emplace(communicators.node(), all, flags, bytes_);
    memory = node_memory_->workspace(communicators.node_rank());
  } else if (strategy.traits.window) {
    window_memory_.emplace(all, bytes_);
    memory = window_memory_->data();
  } else {
    all_or_none(all, [&] { buffer_ = Buffer(bytes_); });
    memory = buffer_.data();
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    RoutePlace& place = places_[i];
    place.workspace_offset = placed.offsets[i];
    place.workspace = memory + placed.offsets[i];
    place.node = node_memory_ ? &*node_memory_ : nullptr;
    place.window = window_memory_ ? window_memory_->window() : MPI_WIN_NULL;
  }
}

}  // namespace weft::detail
