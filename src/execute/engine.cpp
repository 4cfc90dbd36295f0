#include "execute/engine.hpp"

#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "base/nodes.hpp"
#include "base/text.hpp"
#include "plan/work.hpp"

namespace weft::detail {

namespace {

/// An exchange in which every rank keeps everything.
class NoExchange final : public Exchange {
 public:
  std::byte* send_block(Index, std::size_t) override { return nullptr; }
  const std::byte* recv_block(Index, std::size_t) override { return nullptr; }
  void start(Index) override {}
  void finish(Index) override {}
  bool blocks() const override { return true; }
};

/// A quarter of the second-level cache: a chunk is there twice, as rows and turned, and more streams through.
Index cache_bytes(const Options& options) {
  if (options.cache > 0) return options.cache;
  const long asked = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return asked > 0 ? asked / 4 : Index{256} << 10;
}

/// Arrays larger than this are written past the cache, a quarter of the last level: what is written would be gone
/// before it is read. (128^3 on one rank of a Zen 5 with 32 MB: 9.7 ms a direction, 11.6 without; 64^3 takes 5 ms if
/// streamed, 0.7 without.)
Index streaming_bytes() {
  const long asked = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return asked > 0 ? asked / 4 : Index{8} << 20;
}

/// Threads of a rank: what the option says, else what OMP_NUM_THREADS says. (Not the processors that OpenMP finds,
/// since other ranks have them, too.)
int number_of_threads([[maybe_unused]] const Options& options) {
#ifdef _OPENMP
  if (options.threads > 0) return options.threads;
  return std::getenv("OMP_NUM_THREADS") != nullptr ? omp_get_max_threads() : 1;
#else
  return 1;
#endif
}

int thread_number() {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

/// Largest count handed to MPI; WEFT_TEST_COUNT_LIMIT lowers it, so that the way around it can be tested.
Index count_limit() {
  const char* text = std::getenv("WEFT_TEST_COUNT_LIMIT");
  return text == nullptr ? INT_MAX : std::max(1L, std::atol(text));
}

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

namespace {

Index flag_bytes(const Link& link) {
  return link.is_exchange && link.exchange.shared_memory
             ? flags_per_tile * static_cast<Index>(link.exchange.tiles.size()) * NodeMemory::flag_bytes
             : 0;
}

Index flag_bytes(const Route& route) {
  Index bytes = 0;
  for (const Link& link : route.links) bytes += flag_bytes(link);
  return bytes;
}

}  // namespace

MPI_Comm ExchangeCommunicators::of(const ExchangePlan& plan) {
  for (const Entry& entry : entries_) {
    if ((entry.a == plan.from && entry.b == plan.to) || (entry.a == plan.to && entry.b == plan.from)) {
      return entry.comm.get() == MPI_COMM_NULL ? all_ : entry.comm.get();
    }
  }
  // Exchanges among all ranks, which all ranks see alike, need no communicator of their own.
  if (static_cast<int>(plan.peers.size()) == plan.from.ranks()) return all_;
  entries_.push_back({plan.from, plan.to, Communicator::split(all_, plan.peers.front())});
  return entries_.back().comm.get();
}

BoundRoute::BoundRoute(const Route& route, int number, const Problem& problem, const Options& options,
                       ExchangeCommunicators& communicators, MPI_Comm all, const Memory& memory)
    : route_(&route), number_(number), threads_(number_of_threads(options)), flights_(route.links.size()) {
  std::byte* const workspace = memory.workspace;
  Index flags = memory.flags_offset;
  const Index limit = count_limit();
  const Index howmany = route.passes.front().units.back().items.hi;
  for (const Link& link : route.links) {
    if (!link.is_exchange) {
      exchanges_.push_back(nullptr);
      continue;
    }
    const MPI_Comm comm = communicators.of(link.exchange);
    int large = 0;
    for (const Tile& tile : link.exchange.tiles) {
      if (std::max({tile.send_count, tile.recv_count, tile.staging_count}) > limit) large = 1;
    }
    WEFT_MPI(all, MPI_Allreduce(MPI_IN_PLACE, &large, 1, MPI_INT, MPI_MAX, all));
    const ExchangeContext context{.comm = comm,
                                  .plan = &link.exchange,
                                  .workspace = workspace,
                                  .workspace_offset = memory.workspace_offset,
                                  .count_limit = limit,
                                  .large_counts = large != 0,
                                  .memory = memory.node,
                                  .node_rank = memory.node_rank,
                                  .flags_offset = flags,
                                  .window = memory.window,
                                  .link = static_cast<int>(exchanges_.size()),
                                  .links = static_cast<int>(route.links.size())};
    flags += flag_bytes(link);
    std::unique_ptr<Exchange> exchange;
    all_or_none(all, [&] {
      if (link.exchange.peers.size() > 1) {
        exchange = find_strategy(link.exchange.strategy).make(context);
      } else {
        exchange = std::make_unique<NoExchange>();
      }
    });
    flights_[exchanges_.size()].blocks = exchange->blocks();
    exchanges_.push_back(std::move(exchange));
  }
  all_or_none(all, [&] {
    for (std::size_t p = 0; p < route.passes.size(); ++p) {
      View in = View::of_array(route.input, howmany, workspace), out = View::of_array(route.output, howmany, workspace);
      if (p > 0) {
        const Link& link = route.links[p - 1];
        in = link.is_exchange ? View::of_received(link.exchange, *exchanges_[p - 1], workspace)
                              : View::of_array(link.array, howmany, workspace);
      }
      if (p < route.links.size()) {
        const Link& link = route.links[p];
        out = link.is_exchange ? View::of_sent(link.exchange, *exchanges_[p], workspace)
                               : View::of_array(link.array, howmany, workspace);
      }
      out.choose_store(streaming_bytes());
      const Index cache = cache_bytes(options);
      const Pass& pass = route.passes[p];
      if (pass.sphere.work != SphereWork::none) {
        passes_.push_back(make_sphere_pass(pass, std::move(in), std::move(out), problem.precision, options));
      } else if (pass.transforms.empty()) {
        passes_.push_back(make_copy_pass(pass, std::move(in), std::move(out), cache));
      } else {
        passes_.push_back(make_transform_pass(pass, std::move(in), std::move(out), problem, options, cache));
      }
    }
  });
}

Index BoundRoute::scratch_bytes() const {
  Index bytes = 0;
  for (const auto& pass : passes_) bytes = std::max(bytes, pass->scratch_bytes());
  // Threads' parts begin in pages of their own.
  return round_up(bytes, page_bytes);
}

void BoundRoute::use_scratch(std::byte* scratch, Index of_thread) {
  for (auto& pass : passes_) pass->use_scratch(scratch, of_thread, threads_);
}

std::vector<bool> BoundRoute::blocks() const {
  std::vector<bool> blocks;
  for (const Flight& flight : flights_) blocks.push_back(flight.blocks);
  return blocks;
}

void BoundRoute::announce_reshapes(Statistics& statistics) {
  for (std::size_t link = 0; link < route_->links.size(); ++link) {
    if (!route_->links[link].is_exchange) continue;
    flights_[link].reshape = statistics.reshapes.size();
    statistics.reshapes.push_back(
        {.direction = static_cast<Direction>(route_->passes[link].sign), .number = static_cast<int>(link)});
  }
}

std::size_t BoundRoute::most_events(int tests) const {
  std::size_t computes = 0;
  for (const Action& action : route_->schedule) computes += action.what == Action::What::compute ? 1 : 0;
  // The tests of a unit come after equal numbers of chunks, which makes them fewer than twice as many as asked for, on
  // each thread; and one thread may compute them all.
  const auto most_tests = 2 * static_cast<std::size_t>(tests) * static_cast<std::size_t>(threads_);
  return route_->schedule.size() + computes * most_tests * exchanges_.size() + 1;
}

void BoundRoute::begin(const UserArrays& arrays) {
  items_ = arrays.items;
  step_ = 0;
  for (auto& pass : passes_) pass->bind(arrays);
  for (auto& exchange : exchanges_) {
    if (exchange) exchange->begin(arrays.input, arrays.output);
  }
}

std::optional<double> BoundRoute::advance(int tests, double before, Statistics& statistics, const Watchers& watchers) {
  using What = Action::What;
  const std::vector<Action>& schedule = route_->schedule;
  if (step_ == schedule.size()) return std::nullopt;
  // The end of an action is the beginning of the next: one look at the clock for each.
  while (step_ < schedule.size()) {
    const std::size_t step = step_++;
    const Action& action = schedule[step];
    if (watchers.watchdog != nullptr) watchers.watchdog->at(number_, static_cast<std::int64_t>(step));
    const auto stage = static_cast<std::size_t>(action.stage);
    if (route_->first_item(action) >= items_) continue;
    if (action.what == What::compute) {
      before = compute(action, items_, tests, before, statistics, watchers);
      continue;
    }
    Event::What what = Event::What::acquire;
    switch (action.what) {
      case What::acquire: exchanges_[stage]->acquire(action.index); break;
      case What::start:
        finish_streaming();
        exchanges_[stage]->start(action.index);
        what = Event::What::start;
        break;
      case What::finish:
        exchanges_[stage]->finish(action.index);
        what = Event::What::finish;
        break;
      default: exchanges_[stage]->release(action.index); continue;
    }
    const double after = now();
    count(action, before, after, statistics);
    if (watchers.progress != nullptr) watchers.progress->on_their_way(static_cast<int>(on_their_way_));
    record(watchers.recorder, what, action.stage, action.index, before, after);
    before = after;
    if (action.what != What::acquire) break;
  }
  if (step_ == schedule.size()) finish_streaming();
  return before;
}

void BoundRoute::count(const Action& action, double begin, double end, Statistics& statistics) {
  const auto stage = static_cast<std::size_t>(action.stage);
  Flight& flight = flights_[stage];
  ReshapeStatistics& reshape = statistics.reshapes[flight.reshape];
  const double seconds = end - begin;
  if (action.what != Action::What::start) {
    statistics.wait += seconds;
    reshape.wait += seconds;
    if (action.what == Action::What::acquire || flight.blocks) return;
    --on_their_way_;
    if (--flight.tiles == 0) reshape.in_flight += end - flight.since;
    return;
  }
  statistics.start += seconds;
  reshape.start += seconds;
  if (flight.blocks) {
    reshape.in_flight += seconds;
  } else {
    ++on_their_way_;
    if (flight.tiles++ == 0) flight.since = begin;
  }
  const ExchangePlan& exchange = route_->links[stage].exchange;
  const Tile& tile = exchange.tiles[static_cast<std::size_t>(action.index)];
  const Index messages = tile.sent.messages, bytes = tile.sent.elements * exchange.element_bytes;
  statistics.messages += messages;
  statistics.bytes_sent += bytes;
  reshape.messages += messages;
  reshape.bytes_sent += bytes;
}

MemoryTraffic BoundRoute::compute_on_threads(const Action& action, [[maybe_unused]] Index items, int tests,
                                             Statistics& statistics, const Watchers& watchers) {
  MemoryTraffic total;
  std::exception_ptr failure;
  const auto stage = static_cast<std::size_t>(action.stage);
  const Index unit = action.index;
  PassRunner& pass = *passes_[stage];
  const Index chunks = pass.chunks(unit);
  [[maybe_unused]] Work chunk_work;
  if constexpr (simulated) chunk_work = work_of(route_->passes[stage], unit, items) / chunks;
  const int threads = static_cast<int>(std::clamp<Index>(chunks, 1, threads_));
  const Index interval = tests > 0 ? std::max<Index>(1, chunks / tests / threads) : 0;
  // Whoever is free takes the next chunk: planes of a rank are few, and cores are not always alone.
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    const int thread = thread_number();
    MemoryTraffic mine;
    Index done = 0;
#pragma omp for schedule(dynamic) nowait
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      try {  // no exception may leave a thread
        if (!sizes_only_) pass.run(unit, chunk, thread, mine);
        if constexpr (simulated) charge(chunk_work);
        if (thread != 0) continue;
        if (watchers.watchdog != nullptr) watchers.watchdog->beat();
        if (interval > 0 && on_their_way_ > 0 && ++done % interval == 0) test(now(), statistics, watchers);
      } catch (...) {
#pragma omp critical(weft_failure)
        failure = std::current_exception();
      }
    }
#pragma omp critical(weft_traffic)
    {
      total.read += mine.read;
      total.written += mine.written;
    }
    finish_streaming();
  }
  if (failure) std::rethrow_exception(failure);
  return total;
}

double BoundRoute::compute(const Action& action, Index items, int tests, double begin, Statistics& statistics,
                           const Watchers& watchers) {
  const double tested_before = statistics.test;
  const MemoryTraffic traffic = compute_on_threads(action, items, tests, statistics, watchers);
  statistics.bytes_read += traffic.read;
  statistics.bytes_written += traffic.written;
  const double end = now();
  const double seconds = end - begin - (statistics.test - tested_before);
  statistics.compute += seconds;
  for (const Flight& flight : flights_) {
    if (flight.tiles > 0) statistics.reshapes[flight.reshape].hidden += seconds;
  }
  record(watchers.recorder, Event::What::compute, action.stage, action.index, begin, end);
  return end;
}

void BoundRoute::test(double begin, Statistics& statistics, const Watchers& watchers) {
  for (std::size_t link = 0; link < flights_.size(); ++link) {
    if (flights_[link].tiles == 0) continue;
    exchanges_[link]->test();
    const double end = now();
    statistics.test += end - begin;
    statistics.reshapes[flights_[link].reshape].test += end - begin;
    record(watchers.recorder, Event::What::test, static_cast<int>(link), -1, begin, end);
    begin = end;
  }
}

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

void Engine::drop_trace() {
  recorder_.reset();
  if (window_memory_) window_memory_->leave();
  if (node_memory_) node_memory_->leave();
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
