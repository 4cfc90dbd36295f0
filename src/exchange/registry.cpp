// The one list of strategies.
#include "base/text.hpp"
#include "exchange/exchange.hpp"
#include "weft/error.hpp"

namespace weft::detail {

Strategy alltoallv_strategy();
Strategy ialltoallv_strategy();
#if MPI_VERSION >= 4
Strategy alltoallv_init_strategy();
#endif
Strategy padded_strategy();
Strategy pairwise_strategy();
Strategy shared_strategy();

const std::vector<Strategy>& strategy_registry() {
  static const std::vector<Strategy> registry{
      alltoallv_strategy(),
      ialltoallv_strategy(),
#if MPI_VERSION >= 4
      alltoallv_init_strategy(),
#endif
      padded_strategy(),
      pairwise_strategy(),
      shared_strategy(),
  };
  return registry;
}

const Strategy& find_strategy(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& strategy : strategy_registry()) {
    if (strategy.name == name) return strategy;
    names.push_back(strategy.name);
  }
  throw Error(concat("strategy is '", name, "'; allowed are ", join(names)));
}

}  // namespace weft::detail
