#include "execute/engine.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>

#include "base/clock.hpp"
#include "base/nodes.hpp"
#include "base/text.hpp"

namespace weft::detail {

namespace {

std::string describe_layout(const std::optional<Layout>& layout) {
  if (!layout) return "default";
  // The boxes themselves would be too long to compare for many ranks: a hash tells them apart.
  std::uint64_t hash = 1469598103934665603u;
  for (int rank = 0; rank < layout->ranks(); ++rank) {
    const Box box = layout->box(rank);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (Index value : {box.lo[axis], box.hi[axis]}) {
        hash = (hash ^ static_cast<std::uint64_t>(value)) * 1099511628211u;
      }
    }
  }
  return concat(layout->describe(), " of ", to_string(layout->shape()), " #",
                text("%llx", static_cast<unsigned long long>(hash)));
}

std::string describe_options(const Options& options) {
  std::string text;
  for (const auto& option : Options::describe()) {
    // The cache may differ: it only shapes what a rank does by itself.
    if (option.name != "cache") text += concat(' ', option.name, '=', options.get(option.name));
  }
  return text;
}

std::string describe_arguments(const Problem& problem, const Options& options) {
  return concat("shape=", to_string(problem.shape), " kind=", to_string(problem.kind),
                " precision=", to_string(problem.precision), " howmany=", problem.howmany,
                " normalization=", to_string(problem.normalization), describe_options(options),
                " input=", describe_layout(options.input), " output=", describe_layout(options.output));
}

}  // namespace

Engine::Engine(Problem problem, MPI_Comm comm, Options options, Environment environment)
    : comm_(Communicator::duplicate(comm)), options_(std::move(options)) {
  if (environment == Environment::applies) all_or_none(comm_.get(), [&] { options_.apply_environment(); });
  find_nodes();
  all_or_none(comm_.get(), [&] { plan_.emplace(problem, options_, comm_.size(), comm_.rank()); });
  require_same(comm_.get(), describe_arguments(problem, options_), "the arguments of a transform");
  if (options_.groups > 1) {
    groups_.emplace(*plan_, comm_.get(), options_);
    return;
  }
  bind(&plan_->data().forward, &plan_->data().backward, problem);
  post_watchers({"forward", "backward"},
                concat(to_string(problem.shape), ' ', to_string(problem.kind), ' ', to_string(problem.precision)));
}

Engine::Engine(const Layout& from, const Layout& to, int element_bytes, MPI_Comm comm, Index howmany, Options options,
               Environment environment)
    : comm_(Communicator::duplicate(comm)), options_(std::move(options)) {
  if (environment == Environment::applies) all_or_none(comm_.get(), [&] { options_.apply_environment(); });
  find_nodes();
  all_or_none(comm_.get(), [&] {
    if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16) {
      throw Error(concat("element_bytes is ", element_bytes, "; allowed are 4, 8 and 16"));
    }
    if (howmany < 1) throw Error(concat("howmany is ", howmany, "; at least 1 is needed"));
    if (from.shape() != to.shape()) {
      throw Error(
          concat("the shapes of the layouts differ: ", to_string(from.shape()), " and ", to_string(to.shape())));
    }
    for (const Layout* layout : {&from, &to}) {
      if (layout->ranks() != comm_.size()) {
        throw Error(concat("a layout has ", layout->ranks(), " ranks; the communicator has ", comm_.size()));
      }
    }
    route_ = make_redistribution(from, to, element_bytes, howmany, options_, comm_.rank());
  });
  require_same(comm_.get(),
               concat("from=", describe_layout(from), " to=", describe_layout(to), " element_bytes=", element_bytes,
                      " howmany=", howmany, describe_options(options_)),
               "the arguments of a redistribution");
  bind(&*route_, nullptr, Problem{});
  post_watchers({"redistribution"}, to_string(from.shape()));
}

Engine::Engine(const std::string& name, Route route, Precision precision, const std::string& what, MPI_Comm comm,
               Options options)
    : comm_(Communicator::duplicate(comm)), options_(std::move(options)) {
  find_nodes();
  route_ = std::move(route);
  Problem problem;
  problem.precision = precision;
  bind(&*route_, nullptr, problem);
  post_watchers({name}, what);
}

void Engine::find_nodes() {
  Nodes nodes = detail::find_nodes(comm_.get(), options_.nodes, options_.node_size);
  node_ = std::move(nodes.mine);
  options_.nodes = std::move(nodes.node);
  node_rank_ = std::move(nodes.rank_within);
}

void Engine::bind(const Route* forward, const Route* backward, const Problem& problem) {
  communicators_.emplace(comm_.get());
  forward_route_ = forward;
  const Index forward_bytes = forward->workspace_bytes;
  const Index backward_bytes = backward != nullptr ? backward->workspace_bytes : 0;
  Memory forward_memory, backward_memory;
  const Strategy& strategy = find_strategy(options_.strategy);
  all_or_none(comm_.get(), [&] { require_strategy(strategy, comm_.get()); });
  if (strategy.traits.shared_memory) {
    // Others may still read what one direction wrote while this rank is at the next: each has memory of its own.
    const Index second = round_up(forward_bytes, page_bytes);
    node_memory_.emplace(node_.get(), comm_.get(),
                         flag_bytes(*forward) + (backward != nullptr ? flag_bytes(*backward) : 0),
                         second + backward_bytes);
    std::byte* const mine = node_memory_->workspace(node_.rank());
    forward_memory.workspace = mine;
    forward_memory.node = &*node_memory_;
    forward_memory.node_rank = &node_rank_;
    backward_memory = forward_memory;
    backward_memory.workspace += second;
    backward_memory.workspace_offset = second;
    backward_memory.flags_offset = flag_bytes(*forward);
  } else if (strategy.traits.window) {
    window_memory_.emplace(comm_.get(), std::max(forward_bytes, backward_bytes));
    forward_memory.workspace = backward_memory.workspace = window_memory_->data();
    forward_memory.window = backward_memory.window = window_memory_->window();
  } else {
    all_or_none(comm_.get(), [&] { workspace_ = Buffer(std::max(forward_bytes, backward_bytes)); });
    forward_memory.workspace = backward_memory.workspace = workspace_.data();
  }
  forward_.emplace(*forward, 0, problem, options_, *communicators_, comm_.get(), forward_memory);
  Index scratch = forward_->scratch_bytes();
  if (backward != nullptr) {
    backward_.emplace(*backward, 1, problem, options_, *communicators_, comm_.get(), backward_memory);
    scratch = std::max(scratch, backward_->scratch_bytes());
  }
  all_or_none(comm_.get(), [&] {
    scratch_ = Buffer(scratch * forward_->threads());
    // Lanes between padded lines are never read as results, but they are transformed along: no stray NaNs, please.
    std::fill_n(scratch_.data(), scratch_.bytes(), std::byte{0});
  });
  forward_->use_scratch(scratch_.data(), scratch);
  if (backward_) backward_->use_scratch(scratch_.data(), scratch);
}

void Engine::post_watchers(const std::vector<std::string>& names, const std::string& what) {
  story_.rank = comm_.rank();
  story_.what = what;
  story_.routes.push_back({names.front(), forward_route_, forward_->blocks()});
  if (backward_) story_.routes.push_back({names.back(), &plan_->data().backward, backward_->blocks()});
  reset_statistics();
  if (options_.progress == Progress::thread) progress_.emplace(comm_.get());
  if (!options_.trace.empty()) {
    require_trace_file(comm_.get(), options_.trace);
    clock_offset_ = clock_offset(comm_.get(), node_.get(), options_.nodes);
    recorder_.emplace();
  }
  if (options_.watchdog > 0) {
    watchdog_.emplace(options_.watchdog, comm_.get(), node_.get(), [this](const Watchdog::Place& place) {
      return place.step == Watchdog::Place::agreeing ? describe_agreement(story_, place.route)
                                                     : describe_step(story_, place.route, place.step);
    });
  }
}

void Engine::reset_statistics() {
  statistics_ = {};
  if (forward_) forward_->announce_reshapes(statistics_);
  if (backward_) backward_->announce_reshapes(statistics_);
  if (recorder_) recorder_->clear();
}

void Engine::write_trace() {
  if (!recorder_) throw Error("write_trace: there is no trace; the option trace must name a file");
  detail::write_trace(comm_.get(), options_.trace, trace_events(story_, *recorder_, clock_offset_));
  recorder_->clear();
}

Engine::~Engine() {
  watchdog_.reset();
  // While an exception ends a rank's work, nobody knows whether the others come here.
  if (!recorder_ || std::uncaught_exceptions() > 0) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  std::string message = "the transform has lived longer than MPI";
  if (!finalized) {
    try {
      write_trace();
      return;
    } catch (const std::exception& error) {
      message = error.what();
    }
  }
  if (story_.rank == 0) std::fprintf(stderr, "weft: no trace was written: %s\n", message.c_str());
}

template <class Check>
void Engine::agree(Direction direction, const Check& check) {
  if (!options_.check) {
    check();
    return;
  }
  const int route = direction == Direction::forward ? 0 : 1;
  if (watchdog_) watchdog_->at(route, Watchdog::Place::agreeing);
  const double begin = now();
  const auto end = [&] {
    if (watchdog_) watchdog_->idle();
    const double after = now();
    statistics_.check += after - begin;
    statistics_.total += after - begin;
    if (recorder_ && recorder_->make_room(1)) recorder_->add({Event::What::agree, route, 0, -1, begin, after});
  };
  try {
    all_or_none(comm_.get(), check);
  } catch (...) {
    end();
    throw;
  }
  end();
}

namespace {

const char* name_of(Engine::Number number) { return number == Engine::Number::real ? "real" : "complex"; }

const char* name_of(Direction direction) { return direction == Direction::forward ? "forward" : "backward"; }

/// Arrays that a rank needs, and that are apart.
void check_arrays(const void* in, Index in_bytes, const void* out, Index out_bytes, int rank) {
  if (in == nullptr && in_bytes > 0)
    throw Error(concat("in is null on rank ", rank, "; ", in_bytes, " bytes are needed"));
  if (out == nullptr && out_bytes > 0) {
    throw Error(concat("out is null on rank ", rank, "; ", out_bytes, " bytes are needed"));
  }
  if (overlap(in, in_bytes, out, out_bytes)) {
    throw Error(concat("in and out overlap on rank ", rank,
                       "; give two separate arrays, or set the option in_place and give one"));
  }
}

}  // namespace

void Engine::execute(Direction direction, const void* in, Number in_number, void* out, Number out_number) {
  agree(direction, [&] {
    const bool forward = direction == Direction::forward;
    const Kind kind = plan_->problem().kind;
    const bool real_in = forward ? kind == Kind::r2c : kind == Kind::c2r;
    const bool real_out = forward ? kind == Kind::c2r : kind == Kind::r2c;
    const Number in_needed = real_in ? Number::real : Number::complex;
    const Number out_needed = real_out ? Number::real : Number::complex;
    if (in_number != in_needed || out_number != out_needed) {
      throw Error(concat(name_of(direction), " was given ", name_of(in_number), " to ", name_of(out_number), "; kind ",
                         to_string(kind), " needs ", name_of(in_needed), " to ", name_of(out_needed)));
    }
    if (options_.in_place) {
      throw Error(concat(name_of(direction), " was given two arrays; a plan with in_place takes one"));
    }
    const Route& route = forward ? plan_->data().forward : plan_->data().backward;
    const Index howmany = plan_->problem().howmany;
    check_arrays(in, route.input.bytes(howmany), out, route.output.bytes(howmany), comm_.rank());
  });
  run(direction, in, out);
}

void Engine::execute_in_place(Direction direction, void* data) {
  agree(direction, [&] {
    if (!options_.in_place) {
      throw Error(concat(name_of(direction), " was given one array; a plan without in_place takes two"));
    }
    const Index bytes = plan_->data().forward.input.bytes(plan_->problem().howmany);
    if (data == nullptr && bytes > 0) {
      throw Error(concat("data is null on rank ", comm_.rank(), "; ", bytes, " bytes are needed"));
    }
  });
  run(direction, data, data);
}

void Engine::redistribute(const void* in, void* out) {
  const auto bytes = [](const Array& array, const Route& route) {
    return array.bytes(route.passes.front().units.back().items.hi);
  };
  agree(Direction::forward,
        [&] { check_arrays(in, bytes(route_->input, *route_), out, bytes(route_->output, *route_), comm_.rank()); });
  run(Direction::forward, in, out);
}

void Engine::raise_any(Direction direction, const std::string& message) {
  agree(direction, [&] {
    if (!message.empty()) throw Error(message);
  });
}

void Engine::require_sizes(Direction direction, Index in, Index out) {
  agree(direction, [&] {
    const bool forward = direction == Direction::forward;
    const Index in_needed = forward ? plan_->input_size() : plan_->output_size();
    const Index out_needed = forward ? plan_->output_size() : plan_->input_size();
    if (in < in_needed || out < out_needed) {
      throw Error(concat(name_of(direction), " was given arrays of ", in, " and ", out, " numbers on rank ",
                         comm_.rank(), "; at least ", in_needed, " and ", out_needed, " are needed"));
    }
  });
}

void Engine::run(Direction direction, const void* in, void* out) {
  UserArrays arrays;
  arrays.input = static_cast<const std::byte*>(in);
  arrays.output = static_cast<std::byte*>(out);
  run(direction, arrays);
}

void Engine::run(Direction direction, const UserArrays& arrays) {
  const int number = direction == Direction::forward ? 0 : 1;
  if (groups_) {
    const double begin = now();
    groups_->run(direction, arrays.input, arrays.output, statistics_);
    statistics_.total += now() - begin;
    ++statistics_.executions;
    return;
  }
  BoundRoute& route = number == 0 ? *forward_ : *backward_;
  const bool recorded = recorder_ && recorder_->make_room(route.most_events(options_.tests));
  if (recorder_ && !recorded) recorder_->leave_out();
  Watchers watching = watchers();
  if (!recorded) watching.recorder = nullptr;
  const Rest rest{this};
  const double begin = now();
  route.begin(arrays);
  double end = begin;
  while (const auto time = route.advance(options_.tests, end, statistics_, watching)) end = *time;
  end = now();
  statistics_.total += end - begin;
  ++statistics_.executions;
  if (recorded) recorder_->add({Event::What::execution, number, 0, -1, begin, end});
}

void Engine::run_together(std::span<Engine* const> engines, const std::vector<UserArrays>& arrays) {
  for (std::size_t i = 0; i < engines.size(); ++i) engines[i]->forward_->begin(arrays[i]);
  // In a step, a rank waits only for what others do in the same step or an earlier one of the same engine: so no two
  // ranks wait for each other in different engines.
  std::vector<Engine*> walking(engines.begin(), engines.end());
  while (!walking.empty()) {
    std::erase_if(walking, [](Engine* engine) {
      const Rest rest{engine};  // until its next step nobody waits in this one
      return !engine->forward_->advance(engine->options_.tests, now(), engine->statistics_, engine->watchers());
    });
  }
}

Watchers Engine::watchers() {
  return {recorder_ ? &*recorder_ : nullptr, watchdog_ ? &*watchdog_ : nullptr, progress_ ? &*progress_ : nullptr};
}

Engine::Rest::~Rest() {
  if (engine->watchdog_) engine->watchdog_->idle();
  if (engine->progress_) engine->progress_->on_their_way(0);
}

}  // namespace weft::detail
