// The one list of strategies.
#include "base/text.hpp"
#include "exchange/exchange.hpp"
#include "weft/error.hpp"

namespace weft::detail {

Strategy alltoallv_strategy();
Strategy ialltoallv_strategy();
Strategy alltoallv_init_strategy();
Strategy padded_strategy();
Strategy pairwise_strategy();
Strategy zerocopy_strategy();
Strategy rma_strategy();
Strategy shared_strategy();
Strategy node_shm_strategy();
Strategy node_gather_strategy();

const std::vector<Strategy>& strategy_registry() {
  static const std::vector<Strategy> registry{
      alltoallv_strategy(),   ialltoallv_strategy(), alltoallv_init_strategy(),
      padded_strategy(),      pairwise_strategy(),   zerocopy_strategy(),
      rma_strategy(),         shared_strategy(),     node_shm_strategy(),
      node_gather_strategy(),
  };
  return registry;
}

const Strategy& find_strategy(const std::string& name) {
  std::vector<std::string> names{automatic_strategy};
  const Strategy* found = nullptr;
  for (const auto& strategy : strategy_registry()) {
    const bool usable = strategy.obstacle(MPI_COMM_NULL).empty();
    if (usable) names.push_back(strategy.name);
    if (strategy.name == name) found = &strategy;
  }
  if (found == nullptr) throw Error(concat("strategy is '", name, "'; allowed are ", join(names)));
  const std::string obstacle = found->obstacle(MPI_COMM_NULL);
  if (!obstacle.empty()) {
    throw Error(concat("strategy is '", name, "', which ", obstacle, "; allowed are ", join(names)));
  }
  return *found;
}

void require_strategy(const Strategy& strategy, MPI_Comm comm) {
  const std::string obstacle = strategy.obstacle(comm);
  if (!obstacle.empty()) throw Error(concat("strategy is '", strategy.name, "', which ", obstacle));
}

}  // namespace weft::detail
