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
  const std::vector<int>* node_rank;  ///< rank within this node of each rank of the transform; -1 on other nodes
  Index flags_offset;                 ///< of this exchange's flags, see NodeMemory
  MPI_Win window;           ///< for strategies with window: over all ranks of the transform, holds their memory
  int link = 0, links = 1;  ///< which of the links this is, and how many those have that are walked at once

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
  /// Whether start returns only when the tile has come, so that it is never on its way while its rank does other
  /// things.
  virtual bool blocks() const { return false; }

  virtual void acquire(Index) {}
  virtual void start(Index tile) = 0;
  /// Gives the MPI library a chance to make progress.
  virtual void test() {}
  virtual void finish(Index tile) = 0;
  virtual void release(Index) {}
};

/// What the planner must know of a strategy.
struct StrategyTraits {
  bool overlaps = false;       ///< start returns before the data has come, so that several tiles pay
  bool shared_memory = false;  ///< the workspace lies in memory that the ranks of a node share
  bool window = false;         ///< the workspace lies in memory into which others can put
  bool posts_early = false;  ///< receives are posted before their tile is computed, so their buffers live from then on
  bool padded = false;       ///< all blocks of a tile have the same size, a slot for each peer
  bool collective = false;   ///< each peer sends to each other, if only an empty message
  bool node_runs = false;    ///< blocks for other nodes lie one after the other with leaders, who send them as one
  bool gathers = false;      ///< leaders gather, sort and send what their nodes send, and scatter what they get
  bool arrays = false;       ///< blocks are parts of arrays, see ExchangePlan
};

struct Strategy {
  std::string name;
  std::string summary;  ///< one line for `explain` and the docs
  StrategyTraits traits;
  std::unique_ptr<Exchange> (*make)(const ExchangeContext&);
  /// Why it cannot be used, to be read after "which": at all (MPI_COMM_NULL), or among these ranks. Empty if it can.
  /// The same on all ranks; does not communicate.
  std::string (*obstacle)(MPI_Comm) = [](MPI_Comm) { return std::string(); };
};

/// All strategies, also those that cannot be used here. The registry's only list is in registry.cpp.
const std::vector<Strategy>& strategy_registry();
/// The strategy of that name; Error if it cannot be used, or listing the good ones if there is none.
const Strategy& find_strategy(const std::string& name);
/// Error if the strategy cannot be used among these ranks.
void require_strategy(const Strategy& strategy, MPI_Comm comm);

}  // namespace weft::detail
