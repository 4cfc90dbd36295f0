// Memory that the ranks of a node share.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/shared_mapping.hpp"
#include "base/window.hpp"

namespace weft::detail {

/// Every rank of a node has some memory, which all the others can read and write; and some flags, by which they tell
/// each other when. Creation and destruction are collective over the node.
class NodeMemory {
 public:
  /// A flag has a cache line of its own, so that waiting for one does not slow down another.
  static constexpr std::int64_t flag_bytes = 64;

  /// `flags` and `workspace` are bytes of this rank. `node` and `all` outlive it; collective over both, the same Error
  /// on all ranks if the memory cannot be had.
  NodeMemory(MPI_Comm node, MPI_Comm all, std::int64_t flags, std::int64_t workspace);
  /// With flags of its own, and the workspaces of another, which outlives it.
  NodeMemory(MPI_Comm node, MPI_Comm all, std::int64_t flags, const NodeMemory& other)
      : NodeMemory(node, all, flags, 0) {
    workspaces_ = other.workspaces_;
    own_ = other.own_;
  }
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;

  std::byte* workspace(int node_rank) const { return workspaces_[static_cast<std::size_t>(node_rank)]; }
  /// Makes the pages of a part of this rank's workspace huge ones, as far as they are its own.
  void use_huge_pages(std::byte* part, std::int64_t bytes) const;
  /// A counter `offset` bytes into a rank's flags; zero at first.
  std::atomic_ref<std::int64_t> flag(int node_rank, std::int64_t offset) const {
    return std::atomic_ref(*reinterpret_cast<std::int64_t*>(flags_[static_cast<std::size_t>(node_rank)] + offset));
  }
  void leave() { window_.leave(); }

 private:
  SharedMapping mapping_;
  std::span<std::byte> own_;                    ///< this rank's workspace in the mapping, in whole pages
  Window window_;                               ///< where there can be no mapping
  std::vector<std::byte*> flags_, workspaces_;  ///< by node rank
};

}  // namespace weft::detail
