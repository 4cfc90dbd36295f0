// A machine of which nothing is known.
#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "weft/model.hpp"

namespace weft::model {

Machine unmeasured(int cores_per_node, int nodes) {
  for (const auto& [name, value] : {std::pair{"cores_per_node", cores_per_node}, std::pair{"nodes", nodes}}) {
    if (value < 1) throw Error(detail::concat(name, " is ", value, "; at least 1 is needed"));
  }
  Machine machine;
  machine.name = "unmeasured";
  machine.title = "An ordinary node of today and a network of 25 Gbit/s, assumed";
  machine.nodes = nodes;
  machine.cores = cores_per_node;
  machine.flops = 5e9;
  machine.core_bandwidth = 12e9;
  // Some cores fill a node's memory channels; more cores come with more channels.
  machine.memory_bandwidth = std::max(20e9, 5e9 * cores_per_node);
  machine.latency = 25e-6;
  machine.bandwidth = 2.9e9;
  machine.gap = 0.5e-6;
  machine.overhead = 3e-6;
  machine.eager = machine.alltoall_pairwise = 4096;
  machine.assumed = {"flops", "memory_bandwidth", "core_bandwidth", "network", "node", "mpi"};
  return machine;
}

}  // namespace weft::model
