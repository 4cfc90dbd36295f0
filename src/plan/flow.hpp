// Who exchanges data with whom, seen from all ranks. Integers only.
#pragma once

#include <vector>

#include "exchange/tiles.hpp"
#include "weft/index.hpp"
#include "weft/layout.hpp"
#include "weft/options.hpp"

namespace weft::detail {

/// The ranks that `rank` exchanges data with, directly or through others: they share a communicator.
std::vector<int> component(const Layout& from, const Layout& to, int rank);
/// All of these, for little more than one of them costs.
std::vector<std::vector<int>> components(const Layout& from, const Layout& to);
/// Node of a rank, as far as the plan knows.
int node_of(const Options& options, int rank);
/// Of all ranks.
std::vector<int> nodes_of(const Options& options, int ranks);
/// Points of the largest block that any rank sends to any other in tile k of a field.
Index largest_block(const ExchangePlan& exchange, int k);

}  // namespace weft::detail
