#include "exchange/rounds.hpp"

namespace weft::detail {

std::vector<Round> conflict_free_rounds(int ranks, int me) {
  std::vector<Round> rounds;
  const bool power_of_two = (ranks & (ranks - 1)) == 0;
  for (int step = 1; step < ranks; ++step) {
    if (power_of_two) {
      rounds.push_back({me ^ step, me ^ step});
    } else {
      rounds.push_back({(me + step) % ranks, (me + ranks - step) % ranks});
    }
  }
  return rounds;
}

std::vector<Round> node_aware_rounds(int ranks, int me, int node_size) {
  std::vector<Round> rounds;
  const int nodes = ranks / node_size, node = me / node_size, slot = me % node_size;
  for (int distance = 0; distance < nodes; ++distance) {
    const int to_node = (node + distance) % nodes, from_node = (node + nodes - distance) % nodes;
    for (int shift = 0; shift < node_size; ++shift) {
      if (distance == 0 && shift == 0) continue;
      rounds.push_back({to_node * node_size + (slot + shift) % node_size,
                        from_node * node_size + (slot + node_size - shift) % node_size});
    }
  }
  return rounds;
}

}  // namespace weft::detail
