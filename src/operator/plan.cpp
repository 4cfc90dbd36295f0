// The plan of an operator: two chains of stages, joined where the function is.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "exchange/exchange.hpp"
#include "execute/pass.hpp"
#include "operator/operator.hpp"
#include "plan/bounds.hpp"
#include "plan/cost.hpp"
#include "plan/options.hpp"
#include "plan/parts.hpp"
#include "plan/route.hpp"
#include "plan/settle.hpp"
#include "plan/workspace.hpp"

namespace weft {

namespace detail {

Problem as_transform(const Problem& problem) {
  Problem transform = problem;
  if (problem.normalization == Normalization::none) transform.normalization = Normalization::backward;
  return transform;
}

namespace {

void check_problem(const Problem& problem, At at) {
  const Kind& kind = problem.kind;
  if (kind.to_space) {
    throw Error(concat("kind is ", to_string(kind), "; an operator's leads from space to the spectrum, as r2c does"));
  }
  if (problem.interleaved) throw Error("interleaved is true; an operator allows only false");
  if (problem.one_line) throw Error("one_line is true; an operator allows only false");
  if (problem.shape.rank() > 3 && (at == At::points || untransformed(problem, 2))) {
    throw Error(concat("shape is ", to_string(problem.shape), "; an operator ",
                       at == At::points ? "at points" : "without a transform from axis 2 on", " allows three axes"));
  }
  if (problem.padded_rows) throw Error("padded_rows is true; an operator allows only false");
  for (const auto& [name, order] :
       {std::pair{"input_order", &problem.input_order}, std::pair{"output_order", &problem.output_order}}) {
    if (*order != Problem{}.input_order) {
      throw Error(concat(name, " is ", to_string(*order), "; an operator allows only 012"));
    }
  }
  if (at == At::points && kind != Kind::c2c && kind != Kind::r2c) {
    throw Error(concat("kind is ", to_string(kind), "; an operator at points allows c2c and r2c"));
  }
  for (std::size_t axis = 0; axis < problem.shape.size(); ++axis) {
    if (problem.line(axis) != Line::hc2r) continue;
    throw Error(concat("kind is ", to_string(kind), "; an operator has no wave numbers of hc2r along axis ", axis));
  }
  int whole = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) whole += untransformed(problem, axis) ? 1 : 0;
  if (whole > 1) {
    throw Error(concat("kind is ", to_string(kind), "; an operator allows one axis of several points without a ",
                       "transform, whose lines its function has whole"));
  }
}

void check_arguments(const Problem& problem, Index inputs, Index outputs, const Options& options, At at, int ranks,
                     int rank) {
  if (ranks < 1) throw Error(concat("ranks is ", ranks, "; at least 1 is needed"));
  if (rank < 0 || rank >= ranks) throw Error(concat("rank is ", rank, "; allowed are 0 to ", ranks - 1));
  problem.check();
  check_problem(problem, at);
  for (const auto& [name, fields] : {std::pair{"inputs", inputs}, std::pair{"outputs", outputs}}) {
    if (fields < 1) throw Error(concat(name, " is ", fields, "; at least 1 is needed"));
  }
  const Index fields = multiply(std::max(inputs, outputs), problem.batch, "the number of fields");
  // What a transform of so many fields asks for, an operator does, too.
  Problem transform = as_transform(problem);
  transform.batch = fields;
  transform.check();
  check_options(options, Operation::transform, ranks);
  require_lines("shape", problem.shape, 2 * transform.real_bytes(), 2);
  require_ranks(ranks);
  if (options.groups > 1) throw Error(concat("groups is ", options.groups, "; an operator allows only 1"));
  if (options.in_place && inputs != outputs) {
    throw Error(concat("in_place is true with ", inputs, " inputs and ", outputs,
                       " outputs; in place an operator needs as many of both"));
  }
  if (options.transposed && at == At::wavenumbers) {
    throw Error("transposed is true; it applies to spectra, and both ends of an operator at wave numbers are in space");
  }
}

/// The chain from space to the spectrum, ends as this operator's end has them.
std::vector<Stage> chain(const Problem& problem, At at, Options options, const std::optional<Layout>& end, int ranks) {
  options.input.reset();
  options.output.reset();
  options.in_place = false;  // the pass with the function writes numbers where they were, or to an exchange
  if (at == At::wavenumbers) {
    options.input = end;
    options.transposed = true;
  } else {
    options.output = end;
  }
  const StagesOf of_operator = problem.one_line   ? StagesOf::convolution
                               : at == At::points ? StagesOf::operator_in_space
                                                  : StagesOf::operator_at_wavenumbers;
  std::vector<Stage> stages = forward_stages(problem, options, ranks, of_operator);
  // In space the function takes the layout that the transforms have.
  if (at == At::points && stages.size() > 1 && stages.front().transforms.empty()) stages.erase(stages.begin());
  const bool columns =
      std::any_of(stages.back().transforms.begin(), stages.back().transforms.end(),
                  [](const LineTransform& line) { return line.axis == 0 || line.type == LineType::none; });
  if (at == At::wavenumbers && !columns) {
    // An axis of one point: nothing to transform, but the function has its place there.
    const Stage last = stages.back();
    const bool real = spectrum_number(problem.kind) == Number::real;
    stages.push_back({{{.axis = 0, .type = real ? LineType::r2hc : LineType::c2c}},
                      last.out,
                      last.out,
                      last.out_bytes,
                      last.out_bytes});
    stages.back().in_numbers = stages.back().out_numbers = last.out_numbers;
  }
  return stages;
}

/// The stages to the function and from it, of which the last and the first become one.
std::vector<Stage> join(std::vector<Stage> to, std::vector<Stage> from, const OperatorData& data) {
  Stage& middle = to.back();
  Stage& after = from.front();
  if (middle.out != after.in) {
    throw Error(
        "input and output are layouts whose transforms meet in different layouts; an operator cannot join them");
  }
  middle.transforms.insert(middle.transforms.end(), after.transforms.begin(), after.transforms.end());
  middle.direction = after.direction;
  middle.out = after.out;
  middle.out_bytes = after.out_bytes;
  middle.out_numbers = after.out_numbers;
  middle.pointwise = Pointwise::function;
  middle.special = &data;
  for (Stage& stage : to) stage.in_fields = stage.out_fields = data.inputs;
  for (Stage& stage : from) stage.in_fields = stage.out_fields = data.outputs;
  middle.out_fields = data.outputs;
  to.insert(to.end(), std::make_move_iterator(from.begin() + 1), std::make_move_iterator(from.end()));
  return to;
}

/// What the function is told of the points along an axis: wave numbers, or coordinates; and those for odd derivatives.
std::pair<std::vector<double>, std::vector<double>> places_along(const OperatorData& data, std::size_t axis) {
  const Line line = data.problem.line(axis);
  const double length = data.problem.lengths[axis];
  if (data.at == At::points) return {coordinates(line, data.problem.shape[axis], length), {}};
  const Index n = data.problem.shape.with_first(data.problem.kept_modes())[axis];
  std::vector<double> waves = wavenumbers(line, n, length);
  if (line != Line::dft && line != Line::half_dft && line != Line::none) return {waves, {}};
  std::vector<double> odd = waves;
  if (n % 2 == 0) odd[static_cast<std::size_t>(n / 2)] = 0;
  return {waves, odd};
}

/// The places along each axis; of more than three, those from the third on for each point of them all.
void find_places(OperatorData& data) {
  const std::size_t axes = data.problem.shape.size();
  const Extents grid = data.at == At::points ? data.problem.shape : data.problem.spectrum_shape();
  data.middle_shape = grid.with_first(data.middle.shape());
  for (std::size_t axis = 0; axis < axes; ++axis) {
    std::tie(data.places[axis], data.odd[axis]) = places_along(data, axis);
    if (axes == 3 || axis < 2) continue;
    std::size_t before = 1, after = 1;
    for (std::size_t other = 2; other < axes; ++other) {
      if (other != axis) (other < axis ? before : after) *= static_cast<std::size_t>(data.middle_shape[other]);
    }
    for (std::vector<double>* const all : {&data.places[axis], &data.odd[axis]}) {
      const std::vector<double> each = std::exchange(*all, {});
      for (std::size_t i = 0; i < before * each.size() * after; ++i) all->push_back(each[i / after % each.size()]);
    }
  }
}

/// The rest of what is known by its problem, place, fields and rank: between the chains of its two ends.
void join_ends(const std::shared_ptr<OperatorData>& data, std::vector<Stage> to, std::vector<Stage> from,
               const Options& asked) {
  const Problem& problem = data->problem;
  const At at = data->at;
  const int rank = data->rank;
  const Problem transform = as_transform(problem);
  const Direction first = at == At::wavenumbers ? Direction::forward : Direction::backward;
  const Direction second = at == At::wavenumbers ? Direction::backward : Direction::forward;
  data->middle = at == At::wavenumbers ? to.back().out : to.front().in;
  (at == At::wavenumbers ? from : to) = reversed(at == At::wavenumbers ? std::move(from) : std::move(to));
  data->scale_before = scale_of(transform, first);
  data->scale_after = scale_of(transform, second);
  data->input = to.front().in;
  data->output = from.back().out;
  find_places(*data);
  const PointNumbers numbers = numbers_of_point(problem, false);
  std::tie(data->end_numbers, data->middle_numbers) = at == At::wavenumbers
                                                          ? std::pair{numbers.in_space, numbers.in_spectrum}
                                                          : std::pair{numbers.in_spectrum, numbers.in_space};
  data->whole = data->middle.box(rank);
  data->whole.lo[2] *= data->middle_numbers;
  data->whole.hi[2] *= data->middle_numbers;
  const int in_bytes = to.front().in_bytes, out_bytes = from.back().out_bytes;
  const std::vector<Stage> stages = join(std::move(to), std::move(from), *data);
  const Options options = settled(asked, stages, problem.batch);
  data->options = options;

  const auto end = [&](const Layout& layout, Array::Where where, Index fields, int bytes) {
    Array array = array_of(layout.box(rank), bytes, where, problem.input_order);
    array.fields = fields;
    return array;
  };
  RouteEnds ends;
  ends.in_place = options.in_place;
  ends.real_bytes = transform.real_bytes();
  ends.input = end(data->input, Array::Where::input, data->inputs, in_bytes);
  ends.output = end(data->output, Array::Where::output, data->outputs, out_bytes);
  if (options.in_place) ends.input.item = ends.output.item = std::max(ends.input.item, ends.output.item);
  data->parts = parts_of(options, data->input, data->output, problem);
  data->input_array = users_array(data->parts[0], rank, ends.input);
  data->output_array = users_array(data->parts[1], rank, ends.output);
  data->route = make_route(stages, ends, {options, options}, problem.batch, rank);
}

}  // namespace

std::shared_ptr<const OperatorData> make_operator(const Problem& problem, At at, Index inputs, Index outputs,
                                                  bool overwrites, const Options& asked, int ranks, int rank) {
  check_arguments(problem, inputs, outputs, asked, at, ranks, rank);
  auto data = std::make_shared<OperatorData>();
  data->problem = problem;
  data->at = at;
  data->inputs = inputs;
  data->outputs = outputs;
  data->overwrites = overwrites;
  data->ranks = ranks;
  data->rank = rank;
  const Problem transform = as_transform(problem);
  const Options inner = without_parts(asked);
  join_ends(data, chain(transform, at, inner, inner.input, ranks),
            chain(transform, at, inner, inner.output ? inner.output : inner.input, ranks), asked);
  return data;
}

std::shared_ptr<const OperatorData> make_convolution(const Problem& input, const Problem& output, const Options& asked,
                                                     int ranks, int rank) {
  auto data = std::make_shared<OperatorData>();
  data->problem = input;
  data->overwrites = true;
  data->ranks = ranks;
  data->rank = rank;
  const auto chain_of = [&](const Problem& end) { return chain(end, At::wavenumbers, asked, {}, ranks); };
  join_ends(data, chain_of(input), chain_of(output), asked);
  return data;
}

Cost OperatorData::cost_of(const Pass& pass, const Unit& unit) const {
  // Of one field that comes in: its lines, and as many of those that go out as there are for it.
  const double out_per_in = static_cast<double>(outputs) / static_cast<double>(inputs);
  Cost cost{.lines = {},
            .read = static_cast<double>(unit.in.count()) * pass.read_bytes,
            .written = out_per_in * static_cast<double>(unit.out.count()) * pass.written_bytes,
            .whole = crossing_points(pass, unit)};
  const Way first = pass.transforms.front().way;
  for (const LineTransform& line : pass.transforms) {
    if (line.type == LineType::none) continue;
    auto lines = static_cast<double>(unit.in.count() / std::max<Index>(unit.in.extent(line.axis), 1));
    for (const LineTransform& before : pass.transforms) {
      if (before.way != first || before.axis == line.axis || before.axis != pass.transforms.front().axis) continue;
      // As many as the lines before them have made.
      lines *= static_cast<double>(middle.shape()[static_cast<std::size_t>(before.axis)]);
      lines /= static_cast<double>(std::max<Index>(unit.in.extent(before.axis), 1));
    }
    lines *= static_cast<double>(middle_numbers);
    if (traits_of(line.type).between_reals() && !real_middle()) lines *= 2;  // of complex numbers
    cost.lines.push_back({line.type, line.axis != 2, problem.shape[static_cast<std::size_t>(line.axis)],
                          (line.way == first ? 1.0 : out_per_in) * lines});
  }
  return cost;
}

std::unique_ptr<PassRunner> OperatorData::make_runner(const Pass& pass, View in, View out, const Options& with) const {
  if (pass.transforms.front().type == LineType::none) {
    return make_operator_lines(*this, pass, std::move(in), std::move(out), with);
  }
  const auto row = std::find_if(pass.transforms.begin(), pass.transforms.end(), [](const LineTransform& line) {
    return line.axis == 2 && line.type != LineType::none;
  });
  const bool rows = row != pass.transforms.end();
  if (rows && row->way == Way::to_spectrum) {
    return make_operator_growing_planes(*this, pass, std::move(in), std::move(out), with);
  }
  // Two kinds of columns each way; or one, and lines that are whole as they are.
  if (!rows && pass.transforms.size() == 4 && pass.transforms[1].type != LineType::none) {
    return make_operator_growing_columns(*this, pass, std::move(in), std::move(out), with);
  }
  return (rows ? make_operator_planes : make_operator_columns)(*this, pass, std::move(in), std::move(out), with);
}

}  // namespace detail

std::string to_string(At at) { return at == At::points ? "points" : "wavenumbers"; }

std::vector<double> wavenumbers(Index n, double length, bool half) {
  return wavenumbers(half ? Line::half_dft : Line::dft, n, length);
}

std::vector<double> wavenumbers(Line line, Index n, double length) {
  const detail::LineTraits& traits = detail::traits_of(detail::type_of(line, detail::Way::to_spectrum));
  if (traits.wave == nullptr) {
    throw Error(detail::concat("line is ", to_string(line), "; its spectrum has no wave numbers"));
  }
  std::vector<double> all(static_cast<std::size_t>(traits.spectrum_points(n)));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = 2 * std::numbers::pi / length * traits.wave(n, static_cast<Index>(i));
  }
  return all;
}

std::vector<double> coordinates(Line line, Index n, double length) {
  const detail::LineTraits& traits = detail::traits_of(detail::type_of(line, detail::Way::to_spectrum));
  std::vector<double> all(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = length * (static_cast<double>(i) + traits.before_first) / traits.spacings(n);
  }
  return all;
}

OperatorPlan::OperatorPlan(const Problem& problem, At at, Index inputs, Index outputs, const Options& options,
                           int ranks, int rank)
    : data_(detail::make_operator(problem, at, inputs, outputs, false, options, ranks, rank)) {}
OperatorPlan::OperatorPlan(std::shared_ptr<const detail::OperatorData> data) : data_(std::move(data)) {}

const Problem& OperatorPlan::problem() const { return data_->problem; }
const Options& OperatorPlan::options() const { return data_->options; }
At OperatorPlan::at() const { return data_->at; }
Index OperatorPlan::inputs() const { return data_->inputs; }
Index OperatorPlan::outputs() const { return data_->outputs; }
int OperatorPlan::ranks() const { return data_->ranks; }
int OperatorPlan::rank() const { return data_->rank; }
const Layout& OperatorPlan::input() const { return data_->parts[0] ? data_->parts[0]->layout : data_->input; }
const Layout& OperatorPlan::output() const { return data_->parts[1] ? data_->parts[1]->layout : data_->output; }
std::vector<Box> OperatorPlan::input_boxes() const {
  return data_->parts[0] ? data_->parts[0]->boxes(rank()) : std::vector{data_->input.box(rank())};
}
std::vector<Box> OperatorPlan::output_boxes() const {
  return data_->parts[1] ? data_->parts[1]->boxes(rank()) : std::vector{data_->output.box(rank())};
}
const Layout& OperatorPlan::middle() const { return data_->middle; }
std::span<const double> OperatorPlan::places(std::size_t axis) const { return data_->places.at(axis); }
std::span<const double> OperatorPlan::odd(std::size_t axis) const { return data_->odd.at(axis); }
Extents OperatorPlan::middle_shape() const { return data_->middle_shape; }
Index OperatorPlan::input_size() const { return data_->input_array.bytes(data_->problem.batch) / number_bytes(); }
Index OperatorPlan::output_size() const { return data_->output_array.bytes(data_->problem.batch) / number_bytes(); }
bool OperatorPlan::real_ends() const { return data_->real_ends(); }
bool OperatorPlan::real_middle() const { return data_->real_middle(); }
int OperatorPlan::number_bytes() const {
  return static_cast<int>(data_->route.input.element_bytes / data_->end_numbers);
}
Plan::Traffic OperatorPlan::traffic() const { return detail::route_traffic(data_->route, data_->options); }
Index OperatorPlan::workspace_bytes() const {
  const std::vector<Index> runs[] = {{data_->route.workspace_bytes}};
  return detail::place_workspaces(runs, detail::find_strategy(data_->options.strategy).traits.shared_memory).bytes;
}

}  // namespace weft
