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
#include "plan/settle.hpp"
#include "plan/workspace.hpp"

namespace weft {

using detail::Array;
using detail::concat;

namespace {

/// Whether rows of real fields are padded: in place, so that those of their half spectra fit.
bool pads(const Problem& problem, const Options& options) {
  return problem.padded_rows || (options.in_place && problem.real_input() != problem.real_output());
}

void check_order(const MemoryOrder& order, const char* argument, bool padded) {
  if (padded && order[2] != 2) {
    throw Error(
        concat(argument, " is ", to_string(order),
               "; where rows of a real field are padded (in place, or with padded_rows) 012 and 102 are allowed"));
  }
}

/// Range checks that the types themselves do not make.
void check_arguments(const Problem& problem, const Options& options, int ranks, int rank) {
  if (ranks < 1) throw Error(concat("ranks is ", ranks, "; at least 1 is needed"));
  if (rank < 0 || rank >= ranks) throw Error(concat("rank is ", rank, "; allowed are 0 to ", ranks - 1));
  problem.check();
  detail::require_lines("shape", problem.shape, 2 * problem.real_bytes(), 2);
  detail::require_ranks(ranks);
  detail::check_options(options, Operation::transform, ranks);
  if (options.groups > 1) {
    if (options.groups > ranks)
      throw Error(concat("groups is ", options.groups, "; allowed are 1 to the number of ranks, ", ranks));
    const auto only_one = [&](const char* why) {
      throw Error(concat("groups is ", options.groups, "; ", why, " only 1 is allowed"));
    };
    if (options.in_place) only_one("in place");
    if (problem.interleaved) only_one("with interleaved fields");
    if (!problem.plain_arrays()) only_one("with padded_rows, or an input_order or output_order other than 012,");
  }
  check_order(problem.input_order, "input_order", pads(problem, options) && problem.real_input());
  check_order(problem.output_order, "output_order", pads(problem, options) && problem.real_output());
}

/// Bytes of what a point has.
int element_bytes(const Problem& problem, int number_bytes) {
  return detail::narrow<int>(number_bytes * detail::numbers_of_point(problem),
                             "batch: the bytes that interleaved fields have at a point");
}

/// One end of the transform.
Array user_array(const Problem& problem, const Options& options, const Layout& layout, int rank, bool input) {
  const Box box = layout.box(rank);
  const MemoryOrder& order = input ? problem.input_order : problem.output_order;
  const bool real = input ? problem.real_input() : problem.real_output();
  const int bytes = element_bytes(problem, input ? problem.input_bytes() : problem.output_bytes());
  const bool whole_rows = box.extent(2) == layout.shape()[2];
  const Index length = box.extent(order[2]);
  const Index row = real && pads(problem, options) && whole_rows ? 2 * (length / 2 + 1) : length;
  return detail::array_of(box, bytes, input ? Array::Where::input : Array::Where::output, order, row);
}

/// In numbers.
Plan::Strides strides_of(const Problem& problem, const Array& array) {
  const detail::Strides points = array_strides(array);
  const Index numbers = detail::numbers_of_point(problem);
  Plan::Strides strides{points.axis, problem.interleaved ? 1 : points.item};
  for (Index& stride : strides.axis) stride *= numbers;
  return strides;
}

}  // namespace

Plan::Plan(const Problem& problem, const Options& asked, int ranks, int rank) {
  check_arguments(problem, asked, ranks, rank);
  const std::vector<detail::Stage> forward = detail::forward_stages(problem, asked, ranks);
  const Options options = detail::settled(asked, forward, problem.batch);
  auto data = std::make_shared<detail::PlanData>();
  data->problem = problem;
  data->options = options;
  data->ranks = ranks;
  data->rank = rank;

  data->input = forward.front().in;
  data->output = forward.back().out;

  Array input = user_array(problem, options, data->input, rank, true);
  Array output = user_array(problem, options, data->output, rank, false);
  if (options.in_place) {
    // Both ends share one array: it takes what the larger end needs, in whole points of the larger numbers.
    const Index point = std::max(input.element_bytes, output.element_bytes);
    const Index bytes = std::max(input.item * input.element_bytes, output.item * output.element_bytes);
    const Index field = (bytes + point - 1) / point * point;
    input.item = field / input.element_bytes;
    output.item = field / output.element_bytes;
  }
  const auto route = [&](const std::vector<detail::Stage>& stages, Direction direction) {
    detail::RouteEnds ends;
    ends.scale = detail::scale_of(problem, direction);
    ends.in_place = options.in_place;
    ends.interleaved = detail::numbers_of_point(problem);
    ends.real_bytes = problem.real_bytes();
    ends.input = direction == Direction::forward ? input : output;
    ends.output = direction == Direction::forward ? output : input;
    ends.input.where = Array::Where::input;
    ends.output.where = Array::Where::output;
    return detail::make_route(stages, ends, {options, options}, detail::arrays_of(problem), rank);
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
Index Plan::input_size() const { return data_->forward.input.item * data_->problem.batch; }
Index Plan::output_size() const { return data_->forward.output.item * data_->problem.batch; }
Index Plan::input_row() const { return data_->forward.input.row; }
Index Plan::output_row() const { return data_->forward.output.row; }
Plan::Strides Plan::input_strides() const { return strides_of(data_->problem, data_->forward.input); }
Plan::Strides Plan::output_strides() const { return strides_of(data_->problem, data_->forward.output); }
Index Plan::workspace_bytes() const {
  if (data_->options.groups > 1) return detail::grouped_workspace(*data_);
  const std::vector<Index> runs[] = {{data_->forward.workspace_bytes}, {data_->backward.workspace_bytes}};
  return detail::place_workspaces(runs, detail::find_strategy(data_->options.strategy).traits.shared_memory).bytes;
}

Plan::Traffic Plan::traffic(Direction direction) const {
  if (data_->options.groups > 1) return detail::grouped_traffic(*data_, direction);
  return detail::route_traffic(direction == Direction::forward ? data_->forward : data_->backward, data_->options);
}

double Plan::wire_error(Direction direction) const {
  if (data_->options.groups > 1) return detail::grouped_wire_error(*data_, direction);
  return detail::wire_error(direction == Direction::forward ? data_->forward : data_->backward);
}

std::vector<Plan::Flow> Plan::flows(Direction direction) const {
  if (data_->options.groups > 1) return detail::grouped_flows(*data_, direction);
  return detail::route_flows(direction == Direction::forward ? data_->forward : data_->backward);
}

}  // namespace weft
