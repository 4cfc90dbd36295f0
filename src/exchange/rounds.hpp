// Who talks to whom in which round of a pairwise exchange. Integers only.
#pragma once

#include <vector>

namespace weft::detail {

/// The partners of one rank in one round: whom it sends to, whom it receives from.
struct Round {
  int to, from;
};

/// Ranks of a node if the ranks are nodes of equal size one after the other, and there are several; else 0. `nodes`
/// names the node of each rank.
int common_node_size(const std::vector<int>& nodes);

/// Rounds in which every rank sends to one other and receives from one other, so that no port is hit by two senders at
/// once: XOR for powers of two (both partners are the same: full-duplex pairs), rotation otherwise. P - 1 rounds.
/// (Shimizu 1997 schedules the pattern; the paper's algorithm is lost, these are the classical ones.)
std::vector<Round> conflict_free_rounds(int ranks, int me);

/// The same for ranks on nodes of equal size that each have one link: rounds are ordered node by node and within a node
/// shifted, so that in the rounds of one node distance every node sends to one other node and receives from one other.
/// `node_size` must divide `ranks`.
std::vector<Round> node_aware_rounds(int ranks, int me, int node_size);

}  // namespace weft::detail
