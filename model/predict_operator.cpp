// Operators. What their function itself computes is not known, and taken for nothing.
#include "operator/operator.hpp"
#include "predict.hpp"

namespace weft::model {

OperatorPrediction predict(const OperatorPlan& plan, const Machine& machine, int ranks_on_node) {
  const Problem& problem = plan.problem();
  const Site site = site_of(machine, plan.options(), plan.ranks(), ranks_on_node, problem.precision);
  const OperatorPlan there(problem, plan.at(), plan.inputs(), plan.outputs(),
                           on_nodes(plan.options(), site.ranks_on_node), plan.ranks(), plan.rank());
  const detail::Route& route = there.data().route;
  OperatorPrediction found;
  const Index ends = there.input_size() + (there.options().in_place ? 0 : there.output_size());
  found.memory_bytes = ends * there.number_bytes() + there.workspace_bytes();
  const Pace pace = pace_of(site, there.options(), problem.kind, static_cast<double>(found.memory_bytes));
  found.walk = walk(site, route, links_of(route), pace);
  found.walk.terms += call_seconds(site, there.options().check);
  return found;
}

}  // namespace weft::model
