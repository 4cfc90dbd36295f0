// The fields of machine files.
#include "weft/model.hpp"

namespace weft::model {

const std::vector<MachineField>& machine_fields() {
  using enum MachineField::Limit;
  static const std::vector<MachineField> list{
      {"", "name", true, none, &Machine::name},
      {"", "title", false, none, &Machine::title},
      {"", "year", false, not_negative, &Machine::year},
      {"", "source", false, none, &Machine::source},
      {"", "nodes", true, positive, &Machine::nodes},
      {"", "cores", true, positive, &Machine::cores},
      {"", "flops", true, positive, &Machine::flops},
      {"", "memory_bandwidth", true, positive, &Machine::memory_bandwidth},
      {"", "core_bandwidth", false, positive, &Machine::core_bandwidth},
      {"", "assumed", false, none, &Machine::assumed},
      {"network", "shared", false, none, &Machine::shared},
      {"network", "nodes_per_segment", false, not_negative, &Machine::nodes_per_segment},
      {"network", "latency", true, not_negative, &Machine::latency},
      {"network", "bandwidth", true, positive, &Machine::bandwidth},
      {"network", "efficiency", false, positive, &Machine::efficiency},
      {"network", "gap", false, not_negative, &Machine::gap},
      {"network", "overhead", false, not_negative, &Machine::overhead},
      {"network", "copy_bandwidth", false, positive, &Machine::copy_bandwidth},
      {"node", "latency", true, not_negative, &Machine::node_latency},
      {"node", "bandwidth", true, positive, &Machine::node_bandwidth},
      {"node", "gap", false, not_negative, &Machine::node_gap},
      {"mpi", "eager", false, not_negative, &Machine::eager},
      {"mpi", "alltoall_short", false, not_negative, &Machine::alltoall_short},
      {"mpi", "alltoall_pairwise", false, not_negative, &Machine::alltoall_pairwise},
  };
  return list;
}

}  // namespace weft::model
