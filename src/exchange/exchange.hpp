// Exchange strategies: how one tile's blocks get from rank to rank.
//
// A strategy answers four questions: where shall tile k's blocks be written, when are they on their way, when have they
// come, and where do they lie now. It is one file and one line of the registry; nothing else names it.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/nodes.hpp"
#include "exchange/strategy.hpp"
#include "exchange/tiles.hpp"

namespace weft::detail {

class NodeMemory;

/// What a strategy is bound to.
struct ExchangeContext {
  MPI_Comm comm;             ///< the peers of the exchange, rank i being peers[i]; outlives the strategy
  MPI_Comm node, leaders;    ///< for strategies that gather: this node's peers, and the lowest one of each node
  const ExchangePlan* plan;  ///< outlives the strategy
  std::byte* workspace;      ///< where the plan's offsets lead
  Index workspace_offset;    ///< of it from the start of this rank's memory
  Index count_limit;         ///< largest count handed to MPI at once (INT_MAX; less in tests)
  bool large_counts;         ///< some tile of some peer exceeds it: all must make the same call
  const NodeMemory* memory;  ///< for strategies with shared_memory: where the workspaces of this node's ranks lie
  const Nodes* nodes;        ///< of the ranks of the transform
  Index flags_offset;        ///< of this exchange's flags, see NodeMemory
  MPI_Win window;            ///< for strategies with window: over all ranks of the transform, holds their memory
  int link = 0, links = 1;   ///< which of the links this is, and how many those have that are walked at once

  /// For messages of a tile, of `kinds` different kinds. Exchanges of a route share communicators and are on their way
  /// at once, in an order that is not that of their tiles; so each has tags of its own. Tile numbers repeat long after
  /// the messages that had them are gone: every MPI allows tags up to 32767.
  int tag(Index tile, int kind = 0, int kinds = 1) const {
    const Index different = Index{links} * kinds, tiles = std::max<Index>(1, 32767 / different);
    return static_cast<int>((tile % tiles * different + Index{link} * kinds + kind) % 32768);
  }
};

/// Flags that a rank has for each tile of an exchange with shared_memory.
constexpr Index flags_per_tile = 3;

/// One exchange, ready to run again and again. Tiles are started in ascending order, the same on all peers, and
/// finished in that order. Of each tile: acquire, (blocks are written), start, test..., finish, (blocks are read),
/// release.
class Exchange {
 public:
  virtual ~Exchange() = default;

  /// Where the block for (or, of recv, from) a peer lies, in the order of the plan's blocks; kept ones never travel.
  virtual std::byte* send_block(Index tile, std::size_t block) = 0;
  virtual const std::byte* recv_block(Index tile, std::size_t block) = 0;

  /// An execution begins, with the user's input and output there; not all tiles need be part of it, but the first are.
  virtual void begin(const std::byte*, std::byte*) {}

  virtual void acquire(Index) {}
  virtual void start(Index tile) = 0;
  /// Gives the MPI library a chance to make progress.
  virtual void test() {}
  virtual void finish(Index tile) = 0;
  virtual void release(Index) {}
};

}  // namespace weft::detail
