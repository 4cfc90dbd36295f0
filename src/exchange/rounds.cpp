#include "exchange/rounds.hpp"

namespace weft::detail {

int common_node_size(const std::vector<int>& nodes) {
  std::size_t size = 1;
  while (size < nodes.size() && nodes[size] == nodes[0]) ++size;
  if (size == 1 || size == nodes.size() || nodes.size() % size != 0) return 0;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    if (nodes[rank] != nodes[rank / size * size]) return 0;
    if (rank > 0 && rank % size == 0 && nodes[rank] == nodes[rank - 1]) return 0;
  }
  return static_cast<int>(size);
}

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
