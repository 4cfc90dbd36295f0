// Plan and machine give a predicted time.
#include "predict.hpp"

#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "plan/flow.hpp"
#include "plan/groups.hpp"
#include "plan/half_line.hpp"
#include "plan/padded_line.hpp"
#include "plan/route.hpp"
#include "plan/threads.hpp"
#include "plan/tiling.hpp"

namespace weft::model {

Options on_nodes(Options options, int ranks_on_node) {
  if (ranks_on_node < 1) {
    throw Error(detail::concat("ranks_on_node is ", ranks_on_node, "; at least 1 is needed"));
  }
  if (options.nodes.empty()) options.node_size = ranks_on_node;
  return options;
}

Site site_of(const Machine& machine, const Options& options, int ranks, int ranks_on_node, Precision precision) {
  Site site{machine, ranks, std::min(ranks, ranks_on_node), precision};
  site.threads = detail::number_of_threads(options);
  site.backend = options.backend;
  if (options.cache > 0) site.chunk_bytes = options.cache;
  return site;
}

Pace pace_of(const Site& site, const Options& options, Kind kind, double footprint) {
  Pace pace;
  // Ranks that take turns on a core share its caches; threads of a rank have those of their cores.
  pace.footprint = site.longer * footprint * site.crowd_of_threads() / site.threads;
  pace.tests = options.tests;
  pace.thread = options.progress == Progress::thread;
  pace.factor = pass_factor(site.machine, kind, site.precision, pace.footprint);
  pace.inside = site.ranks_on_node > 1 ? strategy_factor(site.machine, options.strategy, pace.footprint) : 1;
  return pace;
}

Seconds call_seconds(const Site& site, bool check) {
  const Machine& machine = site.machine;
  Seconds call;
  call[Term::synchronisation] = machine.call * site.crowd();
  if (check && site.ranks > 1) {
    const double measured = machine.calibration.allreduce;
    call[Term::synchronisation] += (measured > 0 ? measured : machine.node_latency) * site.crowd();
    call[Term::latency] = 2 * std::log2(static_cast<double>(site.nodes())) * machine.latency;
  }
  return call;
}

Index array_bytes(const Plan& plan) { return plan.input_bytes() + (plan.options().in_place ? 0 : plan.output_bytes()); }

namespace {

/// Putting the modes of a line of real numbers in order: among the same ranks, each moves about as much as between the
/// columns of the grid and its rows.
void add_order_of_modes(Prediction& found, const Plan& plan, const Site& site, const Pace& pace) {
  const detail::PlanData& data = plan.data();
  const bool in = data.half_line->end() == 0;
  const Layout& grid = in ? data.input : data.output;
  const Layout rows = Layout::slab(grid.shape(), plan.ranks(), 0);
  const int bytes = (in ? data.input_array : data.output_array).element_bytes;
  const detail::Route there =
      detail::make_redistribution(in ? rows : grid, in ? grid : rows, bytes, detail::arrays_of(plan.problem()),
                                  detail::moving_options(plan.options()), plan.rank());
  const Walk moved = walk(site, there, links_of(there), pace);
  const Stage stage{"modes in order", moved.terms, moved.hidden};
  in ? add_first(found.forward, stage) : add_last(found.forward, stage);
  in ? add_last(found.backward, stage) : add_first(found.backward, stage);
  found.memory_bytes += in ? 2 * plan.input_bytes() : 2 * plan.output_bytes();
}

/// What a padded line does at its ends: each number is multiplied on its way to the grid, or from it.
void add_chirps(Prediction& found, const Plan& plan, const Site& site, const Pace& pace) {
  const detail::PaddedLine& line = *plan.data().padded_line;
  const auto chirp = [&](std::size_t end) {
    const Layout& numbers = line.numbers(end);
    const detail::Route route =
        detail::make_redistribution(numbers, numbers, 2 * plan.problem().real_bytes(), plan.problem().batch,
                                    detail::moving_options(plan.options()), plan.rank());
    const Walk moved = walk(site, route, links_of(route), pace);
    return Stage{"chirp", moved.terms, moved.hidden};
  };
  const Stage input = chirp(0), output = chirp(1);
  add_first(found.forward, input);
  add_last(found.forward, output);
  add_first(found.backward, output);
  add_last(found.backward, input);
  found.memory_bytes += line.bytes(plan.rank());
}

}  // namespace

Prediction price_together(const Plan& plan, const Site& site) {
  Prediction found;
  found.memory_bytes = array_bytes(plan) + plan.workspace_bytes();
  const Pace pace = pace_of(site, plan.options(), plan.problem().kind, static_cast<double>(found.memory_bytes));
  const auto walked = [&](const detail::Route& route) { return walk(site, route, links_of(route), pace); };
  found.forward = walked(plan.data().forward);
  found.backward = walked(plan.data().backward);
  if (plan.data().half_line) add_order_of_modes(found, plan, site, pace);
  if (plan.data().padded_line) add_chirps(found, plan, site, pace);
  return found;
}

namespace {

/// Whether a rank sends to more ranks of other nodes than the plan's does. The first rank's part often stays on its
/// node: its row of pencils lies there, and what it has in one layout it has in the next. (It has most points, too.)
bool has_more_peers_elsewhere(const Plan& plan, int rank) {
  const auto more = [&](const detail::Link& link) {
    const auto elsewhere = [&](int of) {
      const int node = detail::node_of(plan.options(), of);
      const std::vector<int> peers = link.exchange.to.overlapping(link.exchange.from.box(of));
      return std::count_if(peers.begin(), peers.end(),
                           [&](int peer) { return detail::node_of(plan.options(), peer) != node; });
    };
    return link.is_exchange && elsewhere(rank) > elsewhere(plan.rank());
  };
  const auto any = [&](const detail::Route& route) {
    return std::any_of(route.links.begin(), route.links.end(), more);
  };
  return any(plan.data().forward) || any(plan.data().backward);
}

/// So many fields of a batch that one more takes as long as the one before: their tiles have filled the window.
double fields_in_step(const Problem& problem, const Options& options, int ranks) {
  Problem one = problem;
  one.batch = 1;
  const Plan plan(one, options, ranks);
  const Index together =
      detail::choose_cutting(detail::forward_stages(problem, plan.options(), ranks), plan.options(), problem.batch)
          .group;
  return 128.0 * options.groups * static_cast<double>(together);
}

double further(double half, double whole, double halves) { return std::max(0.0, whole + (whole - half) * halves); }

Seconds further(const Seconds& half, const Seconds& whole, double halves) {
  Seconds found;
  for (std::size_t i = 0; i < terms; ++i) found.by_term[i] = further(half.by_term[i], whole.by_term[i], halves);
  return found;
}

Walk further(const Walk& half, Walk whole, double halves) {
  for (std::size_t i = 0; i < whole.stages.size(); ++i) {
    Stage& stage = whole.stages[i];
    stage.terms = further(half.stages.at(i).terms, stage.terms, halves);
    stage.hidden = further(half.stages[i].hidden, stage.hidden, halves);
  }
  whole.terms = further(half.terms, whole.terms, halves);
  whole.hidden = further(half.hidden, whole.hidden, halves);
  return whole;
}

/// Continues the line from `half` to `whole`, the predictions of a batch and of one twice as long: what each further
/// half of the longer batch adds is the difference between the two. `halves`: how many follow.
Prediction further(const Prediction& half, const Prediction& whole, double halves) {
  return {further(half.forward, whole.forward, halves), further(half.backward, whole.backward, halves),
          static_cast<Index>(
              further(static_cast<double>(half.memory_bytes), static_cast<double>(whole.memory_bytes), halves))};
}

Prediction predict_at(const Site& site, const Plan& plan) {
  const auto price = [&](const Plan& of) {
    return of.options().groups > 1 ? price_in_groups(of, site) : price_together(of, site);
  };
  Prediction found = price(plan);
  const int middle = plan.ranks() / 2;
  if (has_more_peers_elsewhere(plan, middle)) {
    Prediction other = price(Plan(plan.problem(), plan.options(), plan.ranks(), middle));
    const Index most = std::max(found.memory_bytes, other.memory_bytes);
    if (other.seconds() > found.seconds()) found = std::move(other);
    found.memory_bytes = most;
  }
  const Seconds call = call_seconds(site, plan.options().check);
  found.forward.terms += call;
  found.backward.terms += call;
  return found;
}

}  // namespace

Prediction predict(const Plan& plan, const Machine& machine, int ranks_on_node) {
  return predict_at(site_of(machine, plan.options(), plan.ranks(), ranks_on_node, plan.problem().precision), plan);
}

Prediction predict(const Problem& problem, const Options& options, const Machine& machine, int ranks,
                   int ranks_on_node) {
  const Options placed = on_nodes(options, std::min(ranks, ranks_on_node));
  const auto batch = static_cast<double>(problem.batch);
  const auto of = [&](Index fields) {
    Problem some = problem;
    some.batch = fields;
    const Plan plan(some, placed, ranks);
    Site site = site_of(machine, plan.options(), ranks, ranks_on_node, problem.precision);
    site.longer = batch / static_cast<double>(fields);
    return predict_at(site, plan);
  };
  if (problem.batch < 3 || problem.interleaved) return of(problem.batch);
  const double enough = fields_in_step(problem, placed, ranks);
  if (batch <= 2 * enough) return of(problem.batch);
  const Index fields = detail::multiply(64, problem.batch, "the size of the batch in bytes");
  detail::multiply(problem.shape[0] * problem.shape[1] * problem.shape[2], fields, "the size of the batch in bytes");
  const Prediction whole = of(static_cast<Index>(enough)), half = of(static_cast<Index>(enough) / 2);
  return further(half, whole, 2 * (batch - enough) / enough);
}

}  // namespace weft::model
