#include "execute/bound_route.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <exception>
#include <utility>

#include "base/buffer.hpp"
#include "base/clock.hpp"
#include "base/simulation.hpp"
#include "execute/caches.hpp"
#include "execute/seen_pass.hpp"
#include "execute/simulated_pass.hpp"
#include "plan/threads.hpp"

namespace weft::detail {

namespace {

/// An exchange in which every rank keeps everything.
class NoExchange final : public Exchange {
 public:
  std::byte* send_block(Index, std::size_t) override { return nullptr; }
  const std::byte* recv_block(Index, std::size_t) override { return nullptr; }
  void start(Index) override {}
  void finish(Index) override {}
};

/// Threads that a route of this build has.
int usable_threads([[maybe_unused]] const Options& options) {
#ifdef _OPENMP
  return number_of_threads(options);
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

/// Whether rows that the columns of a pass write in turns want the same places of the cache.
bool writes_colliding_rows(const Pass& pass, const View& out) {
  return std::any_of(pass.transforms.begin(), pass.transforms.end(), [&](const LineTransform& line) {
    return line.axis != 2 && collide(pass.out.extent(line.axis), out.most_distance(line.axis) * pass.out_bytes);
  });
}

Index flag_bytes(const Link& link) {
  return link.is_exchange && link.exchange.shared_memory
             ? flags_per_tile * static_cast<Index>(link.exchange.tiles.size()) * NodeMemory::flag_bytes
             : 0;
}

}  // namespace

Index flag_bytes(const Route& route) {
  Index bytes = 0;
  for (const Link& link : route.links) bytes += flag_bytes(link);
  return bytes > 0 ? bytes + NodeMemory::flag_bytes : 0;  // of the meeting
}

BoundRoute::BoundRoute(std::shared_ptr<const Route> bound, const RoutePlace& place, const Problem& problem,
                       const Options& options, Communicators& communicators)
    : route_(std::move(bound)),
      threads_(usable_threads(options)),
      place_(place),
      turns_(threads_),
      flights_(route_->links.size()) {
  const Route& route = *route_;
  if (options.measure_wire) worst_error_ = std::make_unique<std::atomic<double>>(0);
  const MPI_Comm all = communicators.all();
  std::byte* const workspace = place.workspace;
  Index flags = place.flags_offset;
  const Index limit = count_limit();
  const Index batch = route.passes.front().units.back().items.hi / route.passes.front().in_fields;
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
    const bool gathers = link.exchange.peers.size() > 1 && find_strategy(link.exchange.strategy).traits.gathers;
    const auto* const of_nodes = gathers ? &communicators.of_nodes(link.exchange) : nullptr;
    const ExchangeContext context{.comm = comm,
                                  .node = of_nodes != nullptr ? of_nodes->node.get() : MPI_COMM_NULL,
                                  .leaders = of_nodes != nullptr ? of_nodes->leaders.get() : MPI_COMM_NULL,
                                  .plan = &link.exchange,
                                  .workspace = workspace,
                                  .workspace_offset = place.workspace_offset,
                                  .count_limit = limit,
                                  .large_counts = large != 0,
                                  .memory = place.node,
                                  .nodes = &communicators.nodes(),
                                  .flags_offset = flags,
                                  .window = place.window,
                                  .link = place.first_link + static_cast<int>(exchanges_.size()),
                                  .links = place.links};
    flags += flag_bytes(link);
    std::unique_ptr<Exchange> exchange;
    all_or_none(all, [&] {
      if (link.exchange.peers.size() > 1) {
        exchange = find_strategy(link.exchange.strategy).make(context);
      } else {
        exchange = std::make_unique<NoExchange>();
      }
    });
    exchanges_.push_back(std::move(exchange));
  }
  const int on_node = communicators.node_size();
  const bool shares = std::any_of(route.links.begin(), route.links.end(),
                                  [](const Link& link) { return link.is_exchange && link.exchange.shared_memory; });
  const bool timed = options.effort != Effort::estimate && !simulated;
  const PassingOn of_ranks = shares && timed ? communicators.passing_on() : PassingOn{};
  const PassingOn of_threads = timed ? how_threads_pass_on(threads_) : PassingOn{};
  if (of_ranks.may_change()) {
    watch_ranks(of_ranks, communicators, flags);
  } else if (of_threads.may_change() && on_node == 1) {
    watch_threads(of_threads);
  }
  const Index read_first = route.input.bytes(batch), written_last = route.output.bytes(batch);
  const CacheLimits limits =
      cache_limits(std::max({read_first, written_last, route.workspace_bytes}),
                   read_first + (options.in_place ? 0 : written_last) + route.workspace_bytes, on_node);
  const Making with{.problem = problem,
                    .options = options,
                    .batch = batch,
                    .limits = limits,
                    .threads_past_caches = of_threads.past_caches};
  past_caches_ = words_ != nullptr ? of_threads.past_caches : of_ranks.past_caches;
  all_or_none(all, [&] {
    const std::vector<Way> way = make_passes(past_caches_, with, {});
    if (cores_) static_cast<void>(make_passes(!past_caches_, with, way));
  });
}

std::vector<BoundRoute::Way> BoundRoute::make_passes(bool past_caches, const Making& with,
                                                     const std::vector<Way>& other) {
  const Route& route = *route_;
  std::byte* const workspace = place_.workspace;
  const bool threads_past_caches = words_ != nullptr ? past_caches : with.threads_past_caches;
  std::vector<Way> made;
  for (std::size_t p = 0; p < route.passes.size(); ++p) {
    View in = View::of_array(route.input, with.batch, workspace),
         out = View::of_array(route.output, with.batch, workspace);
    if (p > 0) {
      const Link& link = route.links[p - 1];
      in = link.is_exchange ? View::of_received(link.exchange, *exchanges_[p - 1], workspace)
                            : View::of_array(link.array, with.batch, workspace);
    }
    if (p < route.links.size()) {
      const Link& link = route.links[p];
      out = link.is_exchange ? View::of_sent(link.exchange, *exchanges_[p], workspace)
                             : View::of_array(link.array, with.batch, workspace);
    }
    const Pass& planned = route.passes[p];
    const Pass& pass = as_seen(planned, in, out, seen_);
    const Index cache = chunk_bytes(pass, with.options);
    if (worst_error_) out.measure_errors(*worst_error_);
    // An array between passes is read when it has been written, by the fields of a unit.
    const auto bytes = [&](const View& view, bool between) {
      if (!between || !view.is_array() || planned.units.empty()) return view.bytes();
      return std::min(view.bytes(), view.bytes() / view.array().items * planned.units.front().items.count());
    };
    const Index read = bytes(in, p > 0), written = bytes(out, p < route.links.size());
    // What was written past the cache is read from memory.
    const bool far = (!made.empty() && made.back().store == Store::streamed) || read > with.limits.stays;
    in.set_far(far);
    const bool passed_on = p < route.links.size() && route.links[p].is_exchange &&
                           route.links[p].exchange.shared_memory && route.links[p].exchange.peers.size() > 1;
    // What is written where it was read is in cache already.
    const bool stays = in.lies_where(out, with.options.in_place);
    if (stays) {
      out.set_store(Store::cached);
    } else if ((passed_on && past_caches) || threads_past_caches) {
      out.set_store(Store::streamed);
    } else {
      out.set_store(best_store(written, writes_colliding_rows(pass, out), with.limits, with.options.effort));
    }
    in.set_asked_ahead(far || read > with.limits.near);
    out.set_asked_ahead(!stays && out.store() == Store::cached && written > with.limits.near);
    made.push_back({far, out.store()});
    if (!other.empty() && other[p] == made.back()) {
      passes_[past_caches].push_back(passes_[!past_caches][p]);
      continue;
    }
    std::unique_ptr<PassRunner> runner;
    if (pass.special != nullptr) {
      runner = pass.special->make_runner(pass, std::move(in), std::move(out), with.options);
    } else if (pass.transforms.empty()) {
      runner = make_copy_pass(pass, std::move(in), std::move(out), cache);
    } else {
      runner = make_transform_pass(pass, std::move(in), std::move(out), with.problem, with.options, cache);
    }
    if constexpr (simulated) runner = make_simulated_pass(planned, std::move(runner));
    passes_[past_caches].push_back(runner.get());
    runners_.push_back(std::move(runner));
  }
  return made;
}

void BoundRoute::watch_ranks(const PassingOn& found, const Communicators& communicators, Index flag) {
  Index bytes = 0;
  for (std::size_t link = 0; link < route_->links.size(); ++link) {
    const ExchangePlan& exchange = route_->links[link].exchange;
    if (!route_->links[link].is_exchange || !exchange.shared_memory || exchange.peers.size() == 1) continue;
    meets_after_ = link;
    bytes = Box{{}, exchange.from.shape()}.count() / exchange.from.ranks() * exchange.element_bytes;
  }
  if (bytes == 0) return;
  const int me = communicators.node_rank();
  const std::optional<int> partner = partner_of(me, communicators.node_size());
  std::optional<Meeting> meeting;
  if (partner && found.round_trip > 0) {
    meeting.emplace(Meeting{place_.node->flag(me, flag), place_.node->flag(*partner, flag), me < *partner});
  }
  cores_.emplace(found, meeting, bytes);
}

void BoundRoute::watch_threads(const PassingOn& found) {
  words_ = std::make_unique<std::array<Word, 2>>();
  std::optional<Meeting> meeting;
  if (found.round_trip > 0) meeting.emplace(Meeting{(*words_)[0].shared(), (*words_)[1].shared(), true});
  const Pass& first = route_->passes.front();
  cores_.emplace(found, meeting, first.in.count() * first.in_bytes / threads_);
}

Index BoundRoute::scratch_bytes() const {
  Index bytes = 0;
  for (const auto& pass : runners_) bytes = std::max(bytes, pass->scratch_bytes());
  // Threads' parts begin in pages of their own.
  return round_up(bytes, page_bytes);
}

void BoundRoute::use_scratch(std::byte* scratch, Index of_thread) {
  for (auto& pass : runners_) pass->use_scratch(scratch, of_thread, threads_);
}

void BoundRoute::announce_exchanges(Statistics& statistics) {
  for (std::size_t link = 0; link < route_->links.size(); ++link) {
    if (!route_->links[link].is_exchange) continue;
    flights_[link].exchange = statistics.exchanges.size();
    statistics.exchanges.push_back({.direction = route_->links[link].direction, .number = static_cast<int>(link)});
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
  if (worst_error_) *worst_error_ = 0;
  // Memory is there from now on only, as it would be without huge pages.
  if (!walked_ && place_.node != nullptr) place_.node->use_huge_pages(place_.workspace, route_->workspace_bytes);
  walked_ = true;
  changed_ = cores_ && cores_->begin() != past_caches_;
  if (changed_) past_caches_ = !past_caches_;
  for (PassRunner* pass : passes_[past_caches_]) pass->bind(arrays);
  for (auto& exchange : exchanges_) {
    if (exchange) exchange->begin(arrays.input, arrays.output);
  }
}

std::optional<double> BoundRoute::advance(int tests, double before, Statistics& statistics,
                                          const Observers& observers) {
  using What = Action::What;
  const std::vector<Action>& schedule = route_->schedule;
  if (step_ == schedule.size()) return std::nullopt;
  // The end of an action is the beginning of the next: one look at the clock for each.
  while (step_ < schedule.size()) {
    const std::size_t step = step_++;
    const Action& action = schedule[step];
    if (observers.watchdog != nullptr) observers.watchdog->at(number_, static_cast<std::int64_t>(step));
    const auto stage = static_cast<std::size_t>(action.stage);
    if (route_->first_item(action) >= items_) continue;
    if (action.what == What::compute) {
      before = compute(action, tests, before, statistics, observers);
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
        if (meets_after(action)) cores_->meet();
        what = Event::What::finish;
        break;
      default: exchanges_[stage]->release(action.index); continue;
    }
    const double after = now();
    const Index others = on_their_way_;
    count(action, before, after, statistics);
    if (observers.progress != nullptr && on_their_way_ != others) {
      observers.progress->on_their_way(static_cast<int>(on_their_way_ - others));
    }
    record(observers.recorder, what, action.stage, action.index, before, after);
    before = after;
    if (action.what != What::acquire) break;
  }
  if (step_ == schedule.size()) {
    finish_streaming();
    if (worst_error_) statistics.wire_error = std::max(statistics.wire_error, worst_error_->load());
    if (cores_) statistics.core_round_trip = cores_->last_round_trip();
    if (changed_) ++statistics.core_moves;
  }
  return before;
}

void BoundRoute::count(const Action& action, double begin, double end, Statistics& statistics) {
  const auto stage = static_cast<std::size_t>(action.stage);
  Flight& flight = flights_[stage];
  const ExchangePlan& exchange = route_->links[stage].exchange;
  ExchangeStatistics& spent = statistics.exchanges[flight.exchange];
  const double seconds = end - begin;
  if (action.what != Action::What::start) {
    statistics.wait += seconds;
    spent.wait += seconds;
    if (action.what == Action::What::acquire || exchange.waits) return;
    --on_their_way_;
    if (--flight.tiles == 0) spent.in_flight += end - flight.since;
    return;
  }
  statistics.start += seconds;
  spent.start += seconds;
  if (exchange.waits) {
    spent.in_flight += seconds;
  } else {
    ++on_their_way_;
    if (flight.tiles++ == 0) flight.since = begin;
  }
  const Tile& tile = exchange.tiles[static_cast<std::size_t>(action.index)];
  const Index messages = tile.sent.messages, bytes = tile.sent.elements * exchange.element_bytes;
  statistics.messages += messages;
  statistics.bytes_sent += bytes;
  spent.messages += messages;
  spent.bytes_sent += bytes;
}

MemoryTraffic BoundRoute::compute_on_threads(const Action& action, int tests, Statistics& statistics,
                                             const Observers& observers) {
  MemoryTraffic total;
  const auto stage = static_cast<std::size_t>(action.stage);
  const Index unit = action.index;
  PassRunner& pass = *passes_[past_caches_][stage];
  const Index chunks = pass.chunks(unit);
  const int threads = static_cast<int>(std::clamp<Index>(chunks, 1, threads_));
  const Index interval = tests > 0 ? std::max<Index>(1, chunks / tests / threads) : 0;
  const auto compute_chunk = [&](Turn turn, int thread, Index& done, MemoryTraffic& traffic) {
    pass.run(unit, turn, thread, traffic);
    if (thread != 0) return;
    if (observers.watchdog != nullptr) observers.watchdog->beat();
    if (interval > 0 && on_their_way_ > 0 && ++done % interval == 0) test(now(), statistics, observers);
  };
  if (threads == 1) {
    // A parallel region of one thread is not free: of 8^3 it was a tenth.
    Index done = 0;
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      compute_chunk({chunk, chunk + 1 < chunks ? chunk + 1 : -1}, 0, done, total);
    }
    finish_streaming();
    return total;
  }
  std::exception_ptr failure;
  turns_.deal(chunks, threads);
  const bool meets = words_ != nullptr && cores_->should_meet() && threads == threads_ && stage == 0 && unit == 0;
#pragma omp parallel num_threads(threads)
  {
    const int thread = thread_number();
    MemoryTraffic mine;
    Index done = 0;
    for (Turn turn = turns_.first(thread); turn.chunk >= 0; turn = turns_.after(turn, thread)) {
      try {  // no exception may leave a thread
        compute_chunk(turn, thread, done, mine);
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
    // Here threads wait for each other anyway.
    if (meets && thread == 0) cores_->meet();
    if (meets && thread == threads / 2) cores_->answer({(*words_)[1].shared(), (*words_)[0].shared(), false});
  }
  if (failure) std::rethrow_exception(failure);
  return total;
}

double BoundRoute::compute(const Action& action, int tests, double begin, Statistics& statistics,
                           const Observers& observers) {
  const double tested_before = statistics.test;
  const MemoryTraffic traffic = compute_on_threads(action, tests, statistics, observers);
  statistics.bytes_read += traffic.read;
  statistics.bytes_written += traffic.written;
  const double end = now();
  const double seconds = end - begin - (statistics.test - tested_before);
  statistics.compute += seconds;
  for (const Flight& flight : flights_) {
    if (flight.tiles > 0) statistics.exchanges[flight.exchange].hidden += seconds;
  }
  record(observers.recorder, Event::What::compute, action.stage, action.index, begin, end);
  return end;
}

void BoundRoute::test(double begin, Statistics& statistics, const Observers& observers) {
  for (std::size_t link = 0; link < flights_.size(); ++link) {
    if (flights_[link].tiles == 0) continue;
    exchanges_[link]->test();
    const double end = now();
    statistics.test += end - begin;
    statistics.exchanges[flights_[link].exchange].test += end - begin;
    record(observers.recorder, Event::What::test, static_cast<int>(link), -1, begin, end);
    begin = end;
  }
}

}  // namespace weft::detail
