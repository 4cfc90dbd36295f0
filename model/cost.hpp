// What one unit of a pass costs, and what one tile of an exchange costs.
#pragma once

#include <vector>

#include "plan/cost.hpp"
#include "rates.hpp"
#include "traffic.hpp"

namespace weft::model {

/// Where a rank runs: the machine, and how its ranks lie.
struct Site {
  const Machine& machine;
  int ranks, ranks_on_node;
  Precision precision = Precision::double_;
  int threads = 1;  ///< that compute in each rank; one of them makes MPI calls
  std::string backend = "auto";
  Index chunk_bytes = Index{256} << 10;  ///< that a thread takes at a time
  double longer = 1;                     ///< the batch that is meant, relative to the one that is walked

  /// Ranks of a node.
  int busy() const;
  int nodes() const;
  /// Ranks of a core, where there are more ranks than cores.
  double crowd() const;
  /// The same of threads, while all of them compute.
  double crowd_of_threads() const;
};

/// Seconds until so many cores of a node have met.
double meeting(const Site& site, double cores);

struct UnitCost {
  double computation = 0, memory = 0;  ///< beside it
  double region = 0;                   ///< of threads: to begin and to end together
};
/// `from_neighbours` is the part of what it reads that lies where other ranks have written it.
UnitCost unit_cost(const Site& site, const detail::Cost& unit, double footprint, double from_neighbours);

/// One tile: seconds of this rank's processor, and seconds on the way, during which it may do something else.
struct TileCost {
  Seconds processor, network;
  double sending = 0, receiving = 0;  ///< of the processor, too: what messages across nodes take of it at their ends
  double one = 1;                     ///< the part that a single message is of them
  bool eager = true;                  ///< its messages are on their way without their receivers' help
  /// If nothing else is done meanwhile: the first message leaves when it has been handled.
  Seconds alone() const;
};
TileCost tile_cost(const Site& site, const LinkTraffic& link, const TileTraffic& tile);

}  // namespace weft::model
