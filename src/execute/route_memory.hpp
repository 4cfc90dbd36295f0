// Memory of routes.
#pragma once

#include <optional>
#include <vector>

#include "base/buffer.hpp"
#include "base/node_memory.hpp"
#include "base/window_memory.hpp"
#include "exchange/exchange.hpp"
#include "execute/bound_route.hpp"

namespace weft::detail {

/// The workspaces of all routes of an engine, in whatever kind of memory their strategy needs.
class RouteMemory {
 public:
  /// `communicators` outlives it. Collective; the same Error on all ranks if the memory cannot be had.
  RouteMemory(const std::vector<NamedRoutes>& runs, const Strategy& strategy, const Communicators& communicators);

  /// What is a route's: those of the first run, of the second, ...
  const RoutePlace& place(std::size_t route) const { return places_[route]; }
  Index bytes() const { return bytes_; }
  /// Lets its end wait for no other rank.
  void leave() {
    if (node_memory_) node_memory_->leave();
    if (window_memory_) window_memory_->leave();
  }

 private:
  Index bytes_ = 0;
  Buffer buffer_;
  std::optional<NodeMemory> node_memory_;
  std::optional<WindowMemory> window_memory_;
  std::vector<RoutePlace> places_;
};

}  // namespace weft::detail
