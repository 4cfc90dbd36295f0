// The public plan: checks its arguments, builds both routes, answers questions about them.
#include "weft/plan.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "exchange/exchange.hpp"
#include "fft/serial.hpp"
#include "plan/bounds.hpp"
#include "plan/groups.hpp"
#include "plan/options.hpp"
#include "plan/route.hpp"
#include "plan/workspace.hpp"

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
  detail::check_options(options, Operation::transform, ranks);
  if (options.groups > 1) {
    if (options.groups > ranks)
      throw Error(concat("groups is ", options.groups, "; allowed are 1 to the number of ranks, ", ranks));
    if (options.in_place) throw Error(concat("groups is ", options.groups, "; in place only 1 is allowed"));
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

}  // namespace

Plan::Plan(const Problem& problem, const Options& asked, int ranks, int rank) {
  check_arguments(problem, asked, ranks, rank);
  const Options options = detail::settled(asked, ranks, problem.howmany);
  auto data = std::make_shared<detail::PlanData>();
  data->problem = problem;
  data->options = options;
  data->ranks = ranks;
  data->rank = rank;

  const std::vector<detail::Stage> forward = detail::forward_stages(problem, options, ranks);
  data->input = forward.front().in;
  data->output = forward.back().out;

  const int in_bytes = problem.input_bytes(), out_bytes = problem.output_bytes();
  Array input = user_array(data->input, rank, in_bytes, Array::Where::input, options.in_place && in_bytes < out_bytes);
  Array output =
      user_array(data->output, rank, out_bytes, Array::Where::output, options.in_place && out_bytes < in_bytes);
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
    ends.scale = detail::scale_of(problem, direction);
    ends.in_place = options.in_place;
    ends.input = direction == Direction::forward ? input : output;
    ends.output = direction == Direction::forward ? output : input;
    ends.input.where = Array::Where::input;
    ends.output.where = Array::Where::output;
    return detail::make_route(stages, ends, {options, options}, problem.howmany, rank);
  };
  data->forward = route(forward, Direction::forward);
  data->backward = route(detail::reversed(forward), Direction::backward);
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
  if (data_->options.groups > 1) return detail::grouped_workspace(*data_);
  const std::vector<Index> runs[] = {{data_->forward.workspace_bytes}, {data_->backward.workspace_bytes}};
  return detail::place_workspaces(runs, detail::find_strategy(data_->options.strategy).traits.shared_memory).bytes;
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
