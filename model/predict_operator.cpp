// Operators: a route whose middle pass goes both ways.
#include <algorithm>

#include "operator/operator.hpp"
#include "predict.hpp"

namespace weft::model {

namespace {

/// The middle pass has lines of the inputs before the function, and of the outputs after it; what the function itself
/// computes is not known, and taken for nothing.
void both_ways(PassWork& work, const detail::Pass& pass, const Shape& shape) {
  const auto inputs = static_cast<double>(pass.in_fields), outputs = static_cast<double>(pass.out_fields);
  work.lines.clear();
  for (const detail::LineTransform& line : pass.transforms) {
    const Index n = shape[static_cast<std::size_t>(line.axis)];
    const double fields = line.way == pass.transforms.front().way ? inputs : outputs;
    if (pass.out.empty()) continue;
    // Of a point that is written: spectra have fewer along the line, and where modes are left out fewer rows as well.
    double part = static_cast<double>(n) / static_cast<double>(pass.out.extent(line.axis));
    for (const detail::LineTransform& column : pass.transforms) {
      if (line.axis != 2 || column.axis == 2 || column.way != line.way) continue;
      part *= static_cast<double>(shape[static_cast<std::size_t>(column.axis)]) /
              static_cast<double>(pass.out.extent(column.axis));
    }
    if (line.type == detail::LineType::c2c) {
      const LineKind kind = line.axis == 2 ? LineKind::rows : LineKind::columns;
      work.lines.push_back({kind, n, operations_of_point(n) * part * fields / outputs});
    } else {
      // A real line has half of the operations.
      work.lines.push_back(
          {LineKind::real_rows, n, operations_of_point(n) * part / 2 * fields / std::min(inputs, outputs)});
    }
  }
  for (Points& points : work.units) points.out = points.out / pass.in_fields * pass.out_fields;
}

}  // namespace

OperatorPrediction predict(const OperatorPlan& plan, const Machine& machine, int ranks_on_node) {
  const OperatorProblem& problem = plan.problem();
  const Site site = site_of(machine, plan.options(), plan.ranks(), ranks_on_node, problem.precision);
  const OperatorPlan there(problem, plan.at(), plan.inputs(), plan.outputs(),
                           on_nodes(plan.options(), site.ranks_on_node), plan.ranks(), plan.rank());
  const detail::Route& route = there.data().route;
  OperatorPrediction found;
  const Index ends = there.input_size() + (there.options().in_place ? 0 : there.output_size());
  found.memory_bytes = ends * there.number_bytes() + there.workspace_bytes();
  std::vector<PassWork> works = works_of(route);
  for (std::size_t i = 0; i < works.size(); ++i) {
    if (route.passes[i].pointwise == detail::Pointwise::function) both_ways(works[i], route.passes[i], problem.shape);
  }
  const Pace pace = pace_of(site, there.options(), problem.kind, static_cast<double>(found.memory_bytes));
  found.walk = walk(site, route, links_of(route), works, pace);
  found.walk.terms += call_seconds(site, there.options().check);
  return found;
}

}  // namespace weft::model
