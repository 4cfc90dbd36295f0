// The public plan: checks its arguments, builds both routes, answers questions about them.
#include "weft/plan.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "exchange/exchange.hpp"
#include "fft/serial.hpp"
#include "operator/operator.hpp"
#include "plan/bounds.hpp"
#include "plan/flow.hpp"
#include "plan/groups.hpp"
#include "plan/half_line.hpp"
#include "plan/options.hpp"
#include "plan/padded_line.hpp"
#include "plan/parts.hpp"
#include "plan/route.hpp"
#include "plan/settle.hpp"
#include "plan/workspace.hpp"

namespace weft {

using detail::Array;
using detail::concat;

namespace {

void check_order(const MemoryOrder& order, const char* argument, bool padded) {
  if (padded && order[2] != 2) {
    throw Error(
        concat(argument, " is ", to_string(order),
               "; where rows of a real field are padded (in place, or with padded_rows) 012 and 102 are allowed"));
  }
}

/// Of one line of real numbers.
void check_half_line(const Problem& problem, const Options& options) {
  const auto refuse = [](const std::string& what, const char* allowed) {
    throw Error(concat(what, "; of one line of real numbers ", allowed));
  };
  if (!detail::HalfLine::fits(problem, options)) {
    if (options.in_place) refuse("in_place and transposed are true", "one of them is allowed");
    return;
  }
  const bool first = problem.kind.to_space;
  const char* const end = first ? "input" : "output";
  if (first ? options.input : options.output) {
    refuse(concat(end, " is a layout"), "modes are dealt by Weft, unless transposed is true");
  }
  const MemoryOrder& order = first ? problem.input_order : problem.output_order;
  if (order != MemoryOrder{0, 1, 2}) {
    refuse(concat(end, "_order is ", to_string(order)), "012 is allowed, unless transposed is true");
  }
}

/// Range checks that the types themselves do not make.
void check_arguments(const Problem& problem, const Options& options, int ranks, int rank) {
  if (ranks < 1) throw Error(concat("ranks is ", ranks, "; at least 1 is needed"));
  if (rank < 0 || rank >= ranks) throw Error(concat("rank is ", rank, "; allowed are 0 to ", ranks - 1));
  problem.check();
  if (!detail::PaddedLine::fits(problem, options, ranks)) {
    detail::require_lines("shape", problem.shape, 2 * problem.real_bytes(), 2);
  }
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
    if (problem.one_line) only_one("of one line");
    if (!problem.plain_arrays()) only_one("with padded_rows, or an input_order or output_order other than 012,");
    if (detail::have_parts(options)) only_one("with ghosts, or with several boxes of a rank,");
  }
  if (detail::is_real_line(problem)) check_half_line(problem, options);
  const bool turned = problem.input_order != MemoryOrder{0, 1, 2} || problem.output_order != MemoryOrder{0, 1, 2};
  if (detail::have_parts(options) && (problem.padded_rows || problem.one_line || turned)) {
    throw Error(concat(problem.one_line      ? "one_line is true"
                       : problem.padded_rows ? "padded_rows is true"
                                             : "input_order or output_order is not 012",
                       "; with ghosts, or with several boxes of a rank, that is not allowed"));
  }
  const bool pads = detail::pads_rows(problem, options) && problem.shape.rank() == 3;
  check_order(problem.input_order, "input_order", pads && problem.real_input());
  check_order(problem.output_order, "output_order", pads && problem.real_output());
}

/// Numbers of an element at one end of the transform.
Index element_numbers(const Problem& problem, const Options& options, bool input) {
  const detail::PointNumbers numbers = detail::numbers_of_point(problem, detail::pads_rows(problem, options));
  return input != problem.kind.to_space ? numbers.in_space : numbers.in_spectrum;
}

/// One end of the transform.
Array user_array(const Problem& problem, const Options& options, const Layout& layout, int rank, bool input) {
  const Box box = layout.box(rank);
  const MemoryOrder& order = input ? problem.input_order : problem.output_order;
  const bool real = input ? problem.real_input() : problem.real_output();
  const int number_bytes = input ? problem.input_bytes() : problem.output_bytes();
  const Index numbers = element_numbers(problem, options, input);
  const int bytes =
      detail::narrow<int>(detail::multiply(number_bytes, numbers, "the bytes of a point"),
                          problem.shape.rank() == 3 ? "batch: the bytes that interleaved fields have at a point"
                                                    : "shape: the bytes that a point of the first three axes has");
  const bool whole_rows = box.extent(2) == layout.shape()[2];
  const Index length = box.extent(order[2]);
  const bool padded = real && detail::pads_rows(problem, options) && whole_rows && problem.shape.rank() == 3;
  const Index row = padded ? 2 * (length / 2 + 1) : length;
  return detail::array_of(box, bytes, input ? Array::Where::input : Array::Where::output, order, row);
}

/// In place both ends are one array: it takes what the larger end needs, in whole points of the larger numbers.
void share_memory(Array& input, Array& output) {
  const Index point = std::max(input.element_bytes, output.element_bytes);
  const Index bytes = std::max(input.item * input.element_bytes, output.item * output.element_bytes);
  const Index field = (bytes + point - 1) / point * point;
  input.item = field / input.element_bytes;
  output.item = field / output.element_bytes;
}

/// In numbers.
Plan::Strides strides_of(const Problem& problem, const Array& array, int number_bytes) {
  const detail::Strides points = array_strides(array);
  const Index numbers = array.element_bytes / number_bytes;
  Plan::Strides strides{points.axis, problem.interleaved ? 1 : points.item * numbers};
  for (Index& stride : strides.axis) stride *= numbers;
  return strides;
}

/// Numbers of a user's array.
Index size_of(const Problem& problem, const Array& array, int number_bytes) {
  return array.bytes(detail::arrays_of(problem)) / number_bytes;
}

/// What the user's arrays hold at an end.
const Layout& layout_of(const detail::PlanData& data, std::size_t end) {
  if (data.half_line && data.half_line->end() == end) return data.half_line->modes();
  return data.parts[end] ? data.parts[end]->layout : end == 0 ? data.input : data.output;
}
std::vector<Box> boxes_of(const detail::PlanData& data, std::size_t end) {
  return data.parts[end] ? data.parts[end]->boxes(data.rank) : std::vector{layout_of(data, end).box(data.rank)};
}

/// What moves to put the modes of a line of reals in order, or to take them from it.
std::vector<Plan::Flow> flows_of_modes(const detail::PlanData& data, Direction direction) {
  if (!data.half_line) return {};
  const bool in = data.half_line->end() == 0;
  const Index bytes = (in ? data.input_array : data.output_array).element_bytes * detail::arrays_of(data.problem);
  return data.half_line->flows(in ? data.input : data.output, bytes, in != (direction == Direction::forward));
}

/// Points from row to row.
Index row_of(const detail::PlanData& data, bool input) {
  if (data.problem.shape.rank() == 3) return (input ? data.input_array : data.output_array).row;
  const bool pads = detail::pads_rows(data.problem, data.options);
  const detail::InnerAxis last = detail::inner_axes(data.problem, pads).at(data.problem.shape.size() - 3);
  return input != data.problem.kind.to_space ? last.in_space : last.in_spectrum;
}

}  // namespace

namespace {

/// Of a padded line: both routes are convolutions.
std::shared_ptr<const detail::PlanData> plan_padded_line(const Problem& problem, const Options& asked, int ranks,
                                                         int rank) {
  auto line = std::make_shared<const detail::PaddedLine>(problem, ranks);
  detail::require_lines("shape", Extents(line->shape()), 2 * problem.real_bytes(), 2);
  const auto convolution = [&](std::size_t from) {
    return detail::make_convolution(line->grid(from), line->grid(1 - from), detail::PaddedLine::options(asked), ranks,
                                    rank);
  };
  const auto forward = convolution(0), backward = convolution(1);
  auto data = std::make_shared<detail::PlanData>();
  data->problem = problem;
  data->options = forward->options;
  data->options.in_place = asked.in_place;
  data->options.transposed = asked.transposed;
  data->options.decomposition = asked.decomposition;
  data->options.grid = asked.grid;
  data->ranks = ranks;
  data->rank = rank;
  data->input = line->numbers(0);
  data->output = line->numbers(1);
  // Exchanges are counted by the direction of the transform, not by that of the convolution's halves.
  const auto route = [](detail::Route all, Direction direction) {
    for (detail::Link& link : all.links) link.direction = direction;
    return all;
  };
  data->forward = route(forward->route, Direction::forward);
  data->backward = route(backward->route, Direction::backward);
  data->convolutions = {forward, backward};
  data->input_array = user_array(problem, data->options, data->input, rank, true);
  data->output_array = user_array(problem, data->options, data->output, rank, false);
  if (asked.in_place) share_memory(data->input_array, data->output_array);
  data->padded_line = std::move(line);
  return data;
}

}  // namespace

Plan::Plan(const Problem& problem, const Options& asked, int ranks, int rank) {
  check_arguments(problem, asked, ranks, rank);
  if (detail::PaddedLine::fits(problem, asked, ranks)) {
    data_ = plan_padded_line(problem, asked, ranks, rank);
    return;
  }
  const std::vector<detail::Stage> forward = detail::forward_stages(problem, detail::without_parts(asked), ranks);
  const Options options = detail::settled(asked, forward, problem.batch);
  auto data = std::make_shared<detail::PlanData>();
  data->problem = problem;
  data->options = options;
  data->ranks = ranks;
  data->rank = rank;

  data->input = forward.front().in;
  data->output = forward.back().out;
  data->parts = detail::parts_of(options, data->input, data->output, problem);

  std::array<Array, 2> ends{user_array(problem, options, data->input, rank, true),
                            user_array(problem, options, data->output, rank, false)};
  std::array<Array, 2> users{detail::users_array(data->parts[0], rank, ends[0]),
                             detail::users_array(data->parts[1], rank, ends[1])};
  if (detail::HalfLine::fits(problem, options)) {
    data->half_line = std::make_shared<const detail::HalfLine>(problem, ranks, rank);
    Array& end = users[data->half_line->end()];
    end = detail::array_of(data->half_line->modes().box(rank), end.element_bytes, end.where);
  }
  if (options.in_place) {
    share_memory(users[0], users[1]);
    // Routes are between these arrays, but for modes in order, which are copied.
    for (std::size_t end = 0; end < 2; ++end) {
      if (!data->half_line || data->half_line->end() != end) ends[end].item = users[end].item;
    }
  }
  data->input_array = users[0];
  data->output_array = users[1];
  const auto route = [&](const std::vector<detail::Stage>& stages, Direction direction) {
    const std::size_t from = direction == Direction::forward ? 0 : 1;
    detail::RouteEnds of_route;
    of_route.scale = detail::scale_of(problem, direction);
    of_route.in_place = options.in_place && !data->half_line;
    of_route.real_bytes = problem.real_bytes();
    of_route.input = ends[from];
    of_route.output = ends[1 - from];
    of_route.input.where = Array::Where::input;
    of_route.output.where = Array::Where::output;
    return detail::make_route(stages, of_route, {options, options}, detail::arrays_of(problem), rank);
  };
  data->forward = route(forward, Direction::forward);
  data->backward = route(detail::reversed(forward), Direction::backward);
  data_ = std::move(data);
}

const Problem& Plan::problem() const { return data_->problem; }
const Options& Plan::options() const { return data_->options; }
int Plan::ranks() const { return data_->ranks; }
int Plan::rank() const { return data_->rank; }
const Layout& Plan::input() const { return layout_of(*data_, 0); }
const Layout& Plan::output() const { return layout_of(*data_, 1); }
std::vector<Box> Plan::input_boxes() const { return boxes_of(*data_, 0); }
std::vector<Box> Plan::output_boxes() const { return boxes_of(*data_, 1); }
Index Plan::input_size() const { return size_of(problem(), data_->input_array, problem().input_bytes()); }
Index Plan::output_size() const { return size_of(problem(), data_->output_array, problem().output_bytes()); }
Index Plan::input_row() const { return row_of(*data_, true); }
Index Plan::output_row() const { return row_of(*data_, false); }
Plan::Strides Plan::input_strides() const { return strides_of(problem(), data_->input_array, problem().input_bytes()); }
Plan::Strides Plan::output_strides() const {
  return strides_of(problem(), data_->output_array, problem().output_bytes());
}
Index Plan::workspace_bytes() const {
  if (data_->options.groups > 1) return detail::grouped_workspace(*data_);
  const std::vector<Index> runs[] = {{data_->forward.workspace_bytes}, {data_->backward.workspace_bytes}};
  return detail::place_workspaces(runs, detail::find_strategy(data_->options.strategy).traits.shared_memory).bytes;
}

Plan::Traffic Plan::traffic(Direction direction) const {
  if (data_->options.groups > 1) return detail::grouped_traffic(*data_, direction);
  Traffic traffic =
      detail::route_traffic(direction == Direction::forward ? data_->forward : data_->backward, options());
  for (const Flow& flow : flows_of_modes(*data_, direction)) {
    const auto count = [&](Index& messages, Index& with_data, Index& bytes) {
      ++messages;
      ++with_data;
      bytes += flow.bytes;
    };
    count(traffic.all_messages, traffic.all_data_messages, traffic.all_bytes);
    if (flow.from == rank()) count(traffic.messages, traffic.data_messages, traffic.bytes);
    if (detail::node_of(options(), flow.from) == detail::node_of(options(), flow.to)) continue;
    count(traffic.network_messages, traffic.network_data_messages, traffic.network_bytes);
  }
  return traffic;
}

double Plan::wire_error(Direction direction) const {
  if (data_->options.groups > 1) return detail::grouped_wire_error(*data_, direction);
  return detail::wire_error(direction == Direction::forward ? data_->forward : data_->backward);
}

std::vector<Plan::Flow> Plan::flows(Direction direction) const {
  if (data_->options.groups > 1) return detail::grouped_flows(*data_, direction);
  const detail::Route& route = direction == Direction::forward ? data_->forward : data_->backward;
  std::vector<Flow> flows = detail::route_flows(route);
  std::vector<Flow> of_modes = flows_of_modes(*data_, direction);
  if (of_modes.empty()) return flows;
  // Modes are put in order first on the way to space, and last on the way from it.
  const bool first = data_->half_line->end() == (direction == Direction::forward ? 0 : 1);
  const auto exchanges =
      static_cast<int>(std::ranges::count_if(route.links, [](const auto& link) { return link.is_exchange; }));
  for (Flow& flow : first ? flows : of_modes) flow.exchange += first ? 1 : exchanges;
  flows.insert(first ? flows.begin() : flows.end(), of_modes.begin(), of_modes.end());
  return flows;
}

}  // namespace weft
