// Memory of routes.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "exchange/exchange.hpp"
#include "execute/bound_route.hpp"
#include "execute/memory_pool.hpp"

namespace weft::detail {

/// The workspaces of all routes of an engine, in whatever kind of memory their strategy needs.
class RouteMemory {
 public:
  /// `communicators` outlives it. Collective; the same Error on all ranks if the memory cannot be had.
  RouteMemory(const std::vector<NamedRoutes>& runs, const Strategy& strategy, const Communicators& communicators,
              MemoryPool& pool);
  RouteMemory(const RouteMemory&) = delete;
  RouteMemory& operator=(const RouteMemory&) = delete;
  ~RouteMemory();

  /// What is a route's: those of the first run, of the second, ...
  const RoutePlace& place(std::size_t route) const { return places_[route]; }
  /// Of the engine; its block may be larger.
  Index bytes() const { return bytes_; }
  /// An execution begins. Neighbours may still read what another engine has left for them in a block of the node's.
  void begin();
  /// Lets its end wait for no other rank.
  void leave();

 private:
  MPI_Comm node_;
  Index bytes_ = 0;
  std::shared_ptr<MemoryBlock> block_;
  std::optional<NodeMemory> flags_;  ///< where those of the block are another engine's
  std::vector<RoutePlace> places_;
};

}  // namespace weft::detail
