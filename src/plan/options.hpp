// Options where they are used.
#pragma once

#include "weft/plan.hpp"

namespace weft::detail {

/// Error unless all that applies to the operation has a value that is allowed, and what does not is as if not given.
void check_options(const Options& options, Operation operation, int ranks);

/// The options with the strategy that `auto` stands for where it is not known how long messages are: `shared` on a node,
/// otherwise `alltoallv`, also where it is not known which ranks share a node. With `shared` the blocks of all fields keep
/// their places, so large batches, whose memory that would double, have `alltoallv`.
Options settled(Options options, int ranks, Index howmany);

/// The options with the defaults of what does not apply to the operation.
Options applicable(Options options, Operation operation);

}  // namespace weft::detail
