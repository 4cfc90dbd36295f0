// What is known of the exchange strategies without running one: for planner, model and tuner.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace weft::detail {

class Exchange;
struct ExchangeContext;

/// What the planner must know of a strategy.
struct StrategyTraits {
  /// The smallest window with which start returns before its tile has come; 0: with none.
  int overlaps_from = 0;
  bool shared_memory = false;  ///< the workspace lies in memory that the ranks of a node share
  bool window = false;         ///< the workspace lies in memory into which others can put
  bool posts_early = false;  ///< receives are posted before their tile is computed, so their buffers live from then on
  bool padded = false;       ///< all blocks of a tile have the same size, a slot for each peer
  bool collective = false;   ///< each peer sends to each other, if only an empty message
  bool node_runs = false;    ///< blocks for other nodes lie one after the other with leaders, who send them as one
  bool gathers = false;      ///< leaders gather, sort and send what their nodes send, and scatter what they get
  bool arrays = false;       ///< blocks are parts of arrays, see ExchangePlan

  /// Whether start returns only when its tile has come, so that no tile is on its way while its rank does other things.
  /// The window is so wide: that of the exchange, or the option, of which 0 counts as 1.
  bool waits(int wide) const { return overlaps_from == 0 || std::max(1, wide) < overlaps_from; }
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
/// What those say who leave it to Weft, which takes one of them before exchanges are made: see plan/settle.hpp.
inline constexpr const char* automatic_strategy = "auto";
/// The strategy of that name; Error if it cannot be used, or listing the good ones if there is none.
const Strategy& find_strategy(const std::string& name);
/// Error if the strategy cannot be used among these ranks.
void require_strategy(const Strategy& strategy, MPI_Comm comm);

}  // namespace weft::detail
