// The strategy of those who leave it to Weft.
#pragma once

#include <span>

#include "plan/stages.hpp"

namespace weft::detail {

/// The options with the strategy that `auto` stands for where it is not known how long messages are: `shared` on a
/// node, otherwise `alltoallv`, also where it is not known which ranks share a node.
Options settled(Options options, int ranks);

/// The options with the strategy that `auto` stands for with these stages, of one direction or of both, and so many
/// fields. On a node it is `shared`. Across nodes that have several ranks messages decide: where an exchange has short
/// ones, it is `node-shm` if its ranks share nodes, so that messages can travel together, else `alltoallv`; where all
/// are long, `shared`. If each rank has a node, it is `ialltoallv` where the batch's messages are long. In all other
/// cases it is `alltoallv`. With `auto`, no `tests` are some where messages to other nodes are on their way meanwhile.
Options settled(Options options, std::span<const Stage> stages, Index batch);

}  // namespace weft::detail
