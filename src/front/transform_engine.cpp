#include "front/transform_engine.hpp"

#include <algorithm>
#include <array>

#include "base/buffer.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"
#include "plan/options.hpp"
#include "plan/padded_line.hpp"

namespace weft::detail {

namespace {

std::string describe_arguments(const Problem& problem, const Options& options) {
  return concat("shape=", to_string(problem.shape), " modes=", to_string(problem.kept_modes()),
                " points=", to_string(problem.kept_points()), " kind=", to_string(problem.kind),
                " precision=", to_string(problem.precision), " batch=", problem.batch,
                " normalization=", to_string(problem.normalization), " interleaved=", problem.interleaved,
                " input_order=", to_string(problem.input_order), " output_order=", to_string(problem.output_order),
                " padded_rows=", problem.padded_rows, " one_line=", problem.one_line, describe_options(options),
                " input=", describe_layout(options.input), " output=", describe_layout(options.output),
                describe_ghosts(options));
}

const char* name_of(Number number) { return number == Number::real ? "real" : "complex"; }

const char* name_of(Direction direction) { return direction == Direction::forward ? "forward" : "backward"; }

/// What a rank may call, as long as the others call the same.
constexpr std::array<const char*, 3> calls{"forward", "backward", "write_trace"};

}  // namespace

TransformEngine::TransformEngine(const Problem& problem, MPI_Comm comm, Options options)
    : communicators_(Communicator::duplicate(comm)) {
  const MPI_Comm all = communicators_.all();
  all_or_none(all, [&] {
    options.apply_environment();
    check_options(options, Operation::transform, communicators_.size());
  });
  communicators_.find_nodes(options);
  all_or_none(all, [&] {
    plan_ = std::make_shared<const Plan>(problem, options, communicators_.size(), communicators_.rank());
  });
  options = plan_->options();
  require_same(all, describe_arguments(problem, options), "the arguments of a transform");
  watchers_.emplace(communicators_, options,
                    concat(to_string(problem.shape), ' ', to_string(problem.kind), ' ', to_string(problem.precision)));
  if (options.groups > 1) {
    groups_.emplace(*plan_, communicators_, *watchers_);
  } else {
    const auto route = [&](const Route& one) { return std::shared_ptr<const Route>(plan_, &one); };
    const PlanData& data = plan_->data();
    engine_.emplace(std::vector<NamedRoutes>{{"forward", {route(data.forward)}}, {"backward", {route(data.backward)}}},
                    data.padded_line ? data.padded_line->whole_grid() : problem, options, communicators_, *watchers_);
  }
  const PlanData& data = plan_->data();
  const Index fields = arrays_of(problem);
  if (data.half_line) {
    const Array& modes = data.half_line->end() == 0 ? data.input_array : data.output_array;
    all_or_none(all, [&] { half_line_.emplace(data.half_line, problem.real_bytes(), modes, fields); });
  }
  if (data.padded_line) {
    all_or_none(all, [&] { padded_line_ = make_padded_line_runs(*plan_); });
    padded_line_->find_spectrum(communicators_);
  }
  const auto parts = [&](std::size_t end) -> const std::optional<PartsEnd>& {
    return data.half_line && data.half_line->end() == end ? data.half_line->pieces() : data.parts[end];
  };
  parts_.emplace(std::array<PartsArrays::End, 2>{{
                     {parts(0), data.input, data.input_array.element_bytes, fields, true, true},
                     {parts(1), data.output, data.output_array.element_bytes, fields, true, true},
                 }},
                 problem.real_bytes(), options.sum_ghosts, all, &*watchers_,
                 engine_ ? engine_->statistics() : statistics_);
  agreement_.emplace(communicators_, options.check, *watchers_, engine_ ? engine_->statistics() : statistics_,
                     options.check_every);
}

template <class Check>
bool TransformEngine::agree(Direction direction, const Check& check) {
  const auto call = static_cast<std::int64_t>(run_of(direction));
  return (*agreement_)(number(direction), std::array{common_call(call, calls)}, check);
}

void TransformEngine::execute(Direction direction, const void* in, Number in_number, void* out, Number out_number) {
  const bool good = agree(direction, [&] {
    const bool forward = direction == Direction::forward;
    const Kind& kind = plan_->problem().kind;
    const Number in_needed = forward ? input_number(kind) : output_number(kind);
    const Number out_needed = forward ? output_number(kind) : input_number(kind);
    if (in_number != in_needed || out_number != out_needed) {
      throw Error(concat(name_of(direction), " was given ", name_of(in_number), " to ", name_of(out_number), "; kind ",
                         to_string(kind), " needs ", name_of(in_needed), " to ", name_of(out_needed)));
    }
    if (plan_->options().in_place) {
      throw Error(concat(name_of(direction), " was given two arrays; a plan with in_place takes one"));
    }
    const Index input = plan_->input_bytes(), output = plan_->output_bytes();
    check_arrays(in, forward ? input : output, out, forward ? output : input, plan_->rank());
  });
  good ? run(direction, in, out) : stand_in(direction);
}

void TransformEngine::execute_in_place(Direction direction, void* data) {
  const bool good = agree(direction, [&] {
    if (!plan_->options().in_place) {
      throw Error(concat(name_of(direction), " was given one array; a plan without in_place takes two"));
    }
    const Index bytes = plan_->input_bytes();
    if (data == nullptr && bytes > 0) {
      throw Error(concat("data is null on rank ", plan_->rank(), "; ", bytes, " bytes are needed"));
    }
  });
  good ? run(direction, data, data) : stand_in(direction);
}

void TransformEngine::raise_any(Direction direction, const std::string& message) {
  const bool good = agree(direction, [&] {
    if (!message.empty()) throw Error(message);
  });
  if (!good && !message.empty()) stand_in(direction);  // the others may be in an execution
}

bool TransformEngine::have_sizes(Direction direction, Index in, Index out) {
  const bool forward = direction == Direction::forward;
  const Index in_needed = forward ? plan_->input_size() : plan_->output_size();
  const Index out_needed = forward ? plan_->output_size() : plan_->input_size();
  if (in >= in_needed && out >= out_needed) return true;
  // The others are in an execution, where they agree.
  raise_any(direction, concat(name_of(direction), " was given arrays of ", in, " and ", out, " numbers on rank ",
                              plan_->rank(), "; at least ", in_needed, " and ", out_needed, " are needed"));
  return false;
}

bool TransformEngine::have_bytes(Direction direction, Index bytes) {
  // (Which plans are in place is looked at afterwards.)
  const Index needed = plan_->options().in_place ? std::max(plan_->input_bytes(), plan_->output_bytes()) : 0;
  if (bytes >= needed) return true;
  raise_any(direction, concat(name_of(direction), " was given an array of ", bytes, " bytes on rank ", plan_->rank(),
                              "; at least ", needed, " are needed"));
  return false;
}

void TransformEngine::stand_in(Direction direction) {
  const bool forward = direction == Direction::forward;
  const auto zeros = [&](Index bytes) {
    try {
      return Buffer::zeroed(bytes);
    } catch (const Error&) {
      agreement_->give_up();  // the others would wait for this rank
      throw;
    }
  };
  Buffer in = zeros(forward ? plan_->input_bytes() : plan_->output_bytes());
  if (plan_->options().in_place) {
    run(direction, in.data(), in.data());
    return;
  }
  Buffer out = zeros(forward ? plan_->output_bytes() : plan_->input_bytes());
  run(direction, in.data(), out.data());
}

void TransformEngine::write_trace() {
  agreement_->each_time(number(Direction::forward), std::array{common_call(2, calls)},
                        [&] { watchers_->require_trace(); });
  watchers_->write_trace();
}

template <class Work>
void TransformEngine::timed(const Work& work) {
  const double begin = now();
  work();
  engine_->statistics().total += now() - begin;
}

void TransformEngine::run(Direction direction, const void* in, void* out) {
  const std::size_t from = direction == Direction::forward ? 0 : 1;
  if (padded_line_) return run_padded(direction, in, out);
  if (!half_line_) return run_parts(direction, in, out);
  if (half_line_->end() == from) {
    timed([&] { half_line_->spread(in); });
    return run_parts(direction, half_line_->pieces(), out);
  }
  run_parts(direction, in, half_line_->pieces());
  timed([&] { half_line_->gather(out); });
}

void TransformEngine::run_padded(Direction direction, const void* in, void* out) {
  const std::size_t from = direction == Direction::forward ? 0 : 1;
  timed([&] { padded_line_->read(from, direction, in); });
  PointCall call;
  call.function = padded_line_->function(direction);
  UserArrays arrays;
  arrays.input = arrays.output = padded_line_->grid();
  arrays.call = &call;
  engine_->execute(run_of(direction), arrays);
  timed([&] { padded_line_->write(1 - from, direction, out); });
}

void TransformEngine::run_parts(Direction direction, const void* in, void* out) {
  const std::size_t from = direction == Direction::forward ? 0 : 1, to = 1 - from;
  UserArrays arrays;
  arrays.input = static_cast<const std::byte*>(parts_->read(from, in, number(direction)));
  arrays.output = static_cast<std::byte*>(parts_->written(to, out));
  if (engine_) {
    engine_->execute(run_of(direction), arrays);
    parts_->give(to, out, number(direction));
    return;
  }
  const double begin = now();
  groups_->run(direction, arrays);
  statistics_.total += now() - begin;
  ++statistics_.executions;
}

const Statistics& TransformEngine::statistics() {
  if (groups_) groups_->take_costs(statistics_);
  return engine_ ? engine_->statistics() : statistics_;
}

void TransformEngine::reset_statistics() {
  statistics();  // takes what the groups have cost
  statistics_ = {};
  if (engine_) engine_->reset_statistics();
  watchers_->clear();
}

Index TransformEngine::workspace_bytes() const {
  return engine_ ? engine_->workspace_bytes() : groups_->workspace_bytes();
}

}  // namespace weft::detail
