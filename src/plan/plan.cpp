// The public plan: checks its arguments, builds both routes, answers questions about them.
#include "weft/plan.hpp"

#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "exchange/exchange.hpp"
#include "fft/serial.hpp"
#include "plan/bounds.hpp"
#include "plan/groups.hpp"
#include "plan/route.hpp"

namespace weft {

using detail::Array;
using detail::concat;

namespace {

/// Range checks that the types themselves do not make.
void check_arguments(const Problem& problem, const Options& options, int ranks, int rank) {
  if (ranks < 1) throw Error(concat("ranks is ", ranks, "; at least 1 is needed"));
  if (rank < 0 || rank >= ranks) throw Error(concat("rank is ", rank, "; allowed are 0 to ", ranks - 1));
  Index numbers = 2 * problem.real_bytes();
  for (Index n : problem.shape) {
    if (n < 1) throw Error(concat("shape is ", to_string(problem.shape), "; every extent must be at least 1"));
    numbers = detail::multiply(numbers, n + 2, "the size of the field in bytes");
  }
  if (problem.howmany < 1) throw Error(concat("howmany is ", problem.howmany, "; at least 1 is needed"));
  detail::multiply(numbers, problem.howmany, "the size of the batch in bytes");
  detail::require_lines("shape", problem.shape, 2 * problem.real_bytes(), 2);
  detail::require_ranks(ranks);
  if (!options.nodes.empty() && options.nodes.size() != static_cast<std::size_t>(ranks)) {
    throw Error(
        concat("nodes has ", options.nodes.size(), " entries; one for each of the ", ranks, " ranks is needed"));
  }
  if (options.groups > 1) {
    if (options.groups > ranks)
      throw Error(concat("groups is ", options.groups, "; allowed are 1 to the number of ranks, ", ranks));
    if (options.in_place) throw Error(concat("groups is ", options.groups, "; in place only 1 is allowed"));
    if (!options.trace.empty()) throw Error(concat("groups is ", options.groups, "; with a trace only 1 is allowed"));
  }
  // Members set directly are held to the same rules as text.
  Options copy;
  for (const auto& option : Options::describe()) {
    if (option.name != "grid") copy.set(option.name, options.get(option.name));
  }
}

/// A user array in C order, rows padded where in-place real transforms need it.
Array user_array(const Layout& layout, int rank, int element_bytes, Array::Where where, bool padded) {
  Array array;
  array.where = where;
  array.box = layout.box(rank);
  array.element_bytes = element_bytes;
  const bool whole_rows = array.box.extent(2) == layout.shape()[2];
  array.row = padded && whole_rows ? 2 * (array.box.extent(2) / 2 + 1) : array.box.extent(2);
  array.item = array.box.empty() ? 0 : array.box.extent(0) * array.box.extent(1) * array.row;
  return array;
}

double points_of(const Shape& shape) {
  return static_cast<double>(shape[0]) * static_cast<double>(shape[1]) * static_cast<double>(shape[2]);
}

}  // namespace

double detail::scale_of(Normalization normalization, Direction direction, double points) {
  switch (normalization) {
    case Normalization::none: return 1;
    case Normalization::forward: return direction == Direction::forward ? 1 / points : 1;
    case Normalization::backward: return direction == Direction::backward ? 1 / points : 1;
    case Normalization::ortho: return 1 / std::sqrt(points);
  }
  return 1;
}

Plan::Plan(const Problem& problem, const Options& options, int ranks, int rank) {
  check_arguments(problem, options, ranks, rank);
  auto data = std::make_shared<detail::PlanData>();
  data->problem = problem;
  data->options = options;
  data->ranks = ranks;
  data->rank = rank;

  std::vector<detail::Stage> forward = detail::analysis_stages(problem, options, ranks);
  std::vector<detail::Stage> backward = detail::reversed(forward);
  if (problem.kind == Kind::c2r) std::swap(forward, backward);
  data->input = forward.front().in;
  data->output = forward.back().out;

  const bool padded = options.in_place;
  Array input =
      user_array(data->input, rank, forward.front().in_bytes, Array::Where::input, padded && problem.kind == Kind::r2c);
  Array output = user_array(data->output, rank, forward.back().out_bytes, Array::Where::output,
                            padded && problem.kind == Kind::c2r);
  if (options.in_place) {
    // Both ends share one array: a field takes what the larger end needs, in whole complex numbers.
    const Index complex_bytes = 2 * problem.real_bytes();
    const Index bytes = std::max(input.item * input.element_bytes, output.item * output.element_bytes);
    const Index field = (bytes + complex_bytes - 1) / complex_bytes * complex_bytes;
    input.item = field / input.element_bytes;
    output.item = field / output.element_bytes;
  }
  const auto route = [&](const std::vector<detail::Stage>& stages, Direction direction) {
    detail::RouteEnds ends;
    ends.sign = static_cast<int>(direction);
    ends.scale = detail::scale_of(problem.normalization, direction, points_of(problem.shape));
    ends.in_place = options.in_place;
    ends.input = direction == Direction::forward ? input : output;
    ends.output = direction == Direction::forward ? output : input;
    ends.input.where = Array::Where::input;
    ends.output.where = Array::Where::output;
    return detail::make_route(stages, ends, options, problem.howmany, rank);
  };
  data->forward = route(forward, Direction::forward);
  data->backward = route(backward, Direction::backward);
  data_ = std::move(data);
}

const Problem& Plan::problem() const { return data_->problem; }
const Options& Plan::options() const { return data_->options; }
int Plan::ranks() const { return data_->ranks; }
int Plan::rank() const { return data_->rank; }
const Layout& Plan::input() const { return data_->input; }
const Layout& Plan::output() const { return data_->output; }
Index Plan::input_size() const { return data_->forward.input.item * data_->problem.howmany; }
Index Plan::output_size() const { return data_->forward.output.item * data_->problem.howmany; }
Index Plan::input_row() const { return data_->forward.input.row; }
Index Plan::output_row() const { return data_->forward.output.row; }
Index Plan::workspace_bytes() const {
  return std::max(data_->forward.workspace_bytes, data_->backward.workspace_bytes);
}

Plan::Traffic Plan::traffic(Direction direction) const {
  if (data_->options.groups > 1) return detail::grouped_traffic(*data_, direction);
  return detail::route_traffic(direction == Direction::forward ? data_->forward : data_->backward, data_->options);
}

std::vector<Plan::Flow> Plan::flows(Direction direction) const {
  if (data_->options.groups > 1) return detail::grouped_flows(*data_, direction);
  return detail::route_flows(direction == Direction::forward ? data_->forward : data_->backward);
}

}  // namespace weft
