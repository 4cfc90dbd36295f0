// Plan and machine give a predicted time.
#include "predict.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "plan/flow.hpp"

namespace weft::model {

Options on_nodes(Options options, int ranks_on_node) {
  if (ranks_on_node < 1) {
    throw Error(detail::concat("ranks_on_node is ", ranks_on_node, "; at least 1 is needed"));
  }
  if (options.nodes.empty()) options.node_size = ranks_on_node;
  return options;
}

Pace pace_of(const Site& site, const Options& options, Kind kind, double footprint) {
  Pace pace;
  // Ranks that take turns on a core share its caches.
  pace.footprint = footprint * site.crowd();
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

Prediction price_together(const Plan& plan, const Site& site) {
  Prediction found;
  found.memory_bytes = array_bytes(plan) + plan.workspace_bytes();
  const Pace pace = pace_of(site, plan.options(), plan.problem().kind, static_cast<double>(found.memory_bytes));
  const auto walked = [&](const detail::Route& route) {
    return walk(site, route, links_of(route), works_of(route), pace);
  };
  found.forward = walked(plan.data().forward);
  found.backward = walked(plan.data().backward);
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

}  // namespace

Prediction predict(const Plan& plan, const Machine& machine, int ranks_on_node) {
  const Site site{machine, plan.ranks(), std::min(plan.ranks(), ranks_on_node), plan.problem().precision};
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

Prediction predict(const Problem& problem, const Options& options, const Machine& machine, int ranks,
                   int ranks_on_node) {
  return predict(Plan(problem, on_nodes(options, std::min(ranks, ranks_on_node)), ranks), machine, ranks_on_node);
}

}  // namespace weft::model
