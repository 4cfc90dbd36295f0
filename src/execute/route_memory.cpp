#include "execute/route_memory.hpp"

#include "plan/workspace.hpp"

namespace weft::detail {

RouteMemory::RouteMemory(const std::vector<NamedRoutes>& runs, const Strategy& strategy,
                         const Communicators& communicators, MemoryPool& pool)
    : node_(communicators.node()) {
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
  bool is_new = true;
  block_ = pool.take(runs.front().name, bytes_, flags, strategy, communicators, is_new);
  block_->last = this;
  if (block_->node && !is_new) flags_.emplace(node_, communicators.all(), flags, *block_->node);
  std::byte* const memory = block_->data(communicators.node_rank());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    RoutePlace& place = places_[i];
    place.workspace_offset = placed.offsets[i];
    place.workspace = memory + placed.offsets[i];
    place.node = flags_ ? &*flags_ : block_->node ? &*block_->node : nullptr;
    place.window = block_->window ? block_->window->window() : MPI_WIN_NULL;
  }
}

RouteMemory::~RouteMemory() {
  if (block_->last == this) block_->last = nullptr;
}

void RouteMemory::begin() {
  if (block_->last == this) return;
  block_->last = this;
  if (block_->node) WEFT_MPI(node_, MPI_Barrier(node_));
}

void RouteMemory::leave() {
  block_->leave();
  if (flags_) flags_->leave();
}

}  // namespace weft::detail
