// Random problems as every rank of a job plans them: what the planner's own tests walk through.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "case.hpp"
#include "field.hpp"
#include "matrix.hpp"
#include "operator/operator.hpp"
#include "plan/stages.hpp"
#include "sphere/sphere.hpp"
#include "weft/operator.hpp"
#include "weft/plan.hpp"
#include "weft/sphere.hpp"

namespace weft::test {

using verify::for_points;

/// One direction of a transform on all ranks. What is between its ends is the same for any problem.
struct Job {
  std::vector<const detail::Route*> route;  ///< by rank
  Index batch = 1;
  bool in_place = false;

  int ranks() const { return static_cast<int>(route.size()); }
  std::size_t links() const { return route.front()->links.size(); }
  const detail::ExchangePlan& exchange(int rank, std::size_t link) const {
    return route[static_cast<std::size_t>(rank)]->links[link].exchange;
  }
};

using JobTest = std::function<void(const Job&)>;

inline constexpr std::uint64_t job_seed = 20260;
inline constexpr int most_ranks = 12;

/// Both directions of every random problem, on 1 to 12 ranks; with half of them on more ranks than the grid has planes.
/// After a problem of which one fails nothing more is tried. `wire`: the format of those that can have it.
inline void for_random_transforms(std::size_t problems, const JobTest& test, Wire wire = Wire::same) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    const std::uint64_t seed = job_seed + static_cast<std::uint64_t>(ranks);
    std::size_t number = 0;
    for (verify::Case& one : verify::random_cases(verify::factors(ranks), problems, seed)) {
      // Some have rows that are worth gaps, and no cache to lie in without them.
      const bool gaps = ++number % 5 == 0;
      if (gaps) one.problem.shape = {one.problem.shape[0], 8 + one.problem.shape[1], number % 2 == 0 ? 33 : 64};
      if (gaps) one.problem.one_line = false;
      SCOPED_TRACE(std::to_string(ranks) + " ranks, seed " + std::to_string(seed) + ": " + verify::to_string(one));
      Options options = verify::options_of(one, ranks);
      if (gaps) options.cache = 64;
      options.groups = 1;  // inside of a group a plan is as any other; what moves to groups is a redistribution
      if (options.strategy != "zerocopy") options.wire = wire;
      std::vector<Plan> plans;
      for (int rank = 0; rank < ranks; ++rank) plans.emplace_back(one.problem, options, ranks, rank);
      for (const bool forward : {true, false}) {
        SCOPED_TRACE(forward ? "forward" : "backward");
        Job job;
        job.batch = detail::arrays_of(one.problem);
        // (In place modes in order are copied, between arrays of their own and those of routes.)
        job.in_place = options.in_place && !plans.front().data().half_line;
        for (const Plan& plan : plans) job.route.push_back(forward ? &plan.data().forward : &plan.data().backward);
        test(job);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

/// Redistributions from any layout to any other, which have exchanges from the user's input straight into the output.
inline void for_random_redistributions(std::size_t problems, const JobTest& test) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    const std::uint64_t seed = 2 * job_seed + static_cast<std::uint64_t>(ranks);
    std::mt19937_64 random(seed);
    for (verify::Case& one : verify::random_cases(verify::factors(ranks), problems, seed)) {
      one.options.in_place = false;
      one.options.groups = 1;
      const auto layout = [&] {
        const std::vector<std::string> some{"slab:0", "slab:1", "slab:2", "pencil:0", "grid", "one:1"};
        const std::size_t which = random() % (some.size() + 2);
        const std::string text = which < some.size() ? some[which] : "bricks:" + std::to_string(random() % 1000);
        return *verify::make_layout(text, one.problem.shape, ranks);
      };
      const Layout from = layout(), to = layout();
      SCOPED_TRACE(std::to_string(ranks) + " ranks, seed " + std::to_string(seed) + ": " + from.describe() + " to " +
                   to.describe() + ": " + verify::to_string(one));
      std::vector<detail::Route> routes;
      for (int rank = 0; rank < ranks; ++rank) {
        routes.push_back(detail::make_redistribution(from, to, 8, one.problem.batch, one.options, rank));
      }
      Job job;
      job.batch = one.problem.batch;
      for (const detail::Route& route : routes) job.route.push_back(&route);
      test(job);
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// Points of a box that a rank holds.
inline Index held(const Layout& layout, int rank, const Box& box) {
  Index points = 0;
  for (const Box& mine : layout.boxes(rank)) points += intersect(mine, box).count();
  return points;
}

/// All four routes of spheres of plane waves, whose columns are dealt at random: some ranks may have none. Some share
/// planes.
inline void for_random_spheres(std::size_t problems, const JobTest& test) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    const std::uint64_t seed = 3 * job_seed + static_cast<std::uint64_t>(ranks);
    std::mt19937_64 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    for (const verify::Case& one : verify::random_cases(verify::factors(ranks), problems, seed)) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, seed " + std::to_string(seed) + ": sphere, " +
                   verify::to_string(one));
      Options options;
      for (const char* name : {"strategy", "tile", "window", "fields", "node_size", "leaders"}) {
        options.set(name, one.options.get(name));
      }
      std::vector<int> rows;
      for (int n = 1; n <= ranks; ++n) {
        if (ranks % n == 0) rows.push_back(n);
      }
      const int of_grid = rows[below(rows.size())];
      if (below(3) > 0) options.process_grid = {of_grid, ranks / of_grid};
      SphereProblem problem{.grid = {static_cast<Index>(3 + below(8)), static_cast<Index>(3 + below(8)),
                                     static_cast<Index>(3 + below(8))}};
      problem.howmany = static_cast<Index>(1 + below(4));
      std::vector<std::vector<GVector>> waves(static_cast<std::size_t>(ranks));
      const std::size_t with_waves = 1 + below(waves.size());
      for (Index x = -1; x <= 1; ++x) {
        for (Index y = -1; y <= 1; ++y) {
          auto& rank = waves[below(with_waves)];
          for (Index z = -1; z <= static_cast<Index>(below(2)); ++z) rank.push_back({x, y, z});
        }
      }
      std::vector<SpherePlan> plans;
      for (int rank = 0; rank < ranks; ++rank) plans.emplace_back(problem, waves, options, options, rank);
      std::vector<detail::Route> density, apply;
      for (const SpherePlan& plan : plans) {
        density.push_back(detail::make_density_route(plan.data()));
        apply.push_back(detail::make_apply_route(plan.data()));
      }
      for (const int which : {0, 1, 2, 3}) {
        Job job;
        job.batch = problem.howmany;
        for (std::size_t rank = 0; rank < plans.size(); ++rank) {
          const detail::SphereData& data = plans[rank].data();
          job.route.push_back(which == 0   ? &data.backward
                              : which == 1 ? &data.forward
                              : which == 2 ? &density[rank]
                                           : &apply[rank]);
        }
        test(job);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

/// Operators from some fields to others, whose fields may travel in tiles of their own.
inline void for_random_operators(std::size_t problems, const JobTest& test) {
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    const std::uint64_t seed = 4 * job_seed + static_cast<std::uint64_t>(ranks);
    std::mt19937_64 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<Index>(random() % n); };
    for (const verify::Case& one : verify::random_cases(verify::factors(ranks), problems, seed)) {
      Options options;
      for (const char* name : {"strategy", "tile", "window", "fields", "node_size", "leaders", "consume"}) {
        options.set(name, one.options.get(name));
      }
      options.decomposition = below(2) == 0 ? Decomposition::slab : Decomposition::pencil;
      const Problem problem{
          .shape = Shape(one.problem.shape), .kind = below(2) == 0 ? Kind::c2c : Kind::r2c, .batch = 1 + below(3)};
      const At at = below(2) == 0 ? At::wavenumbers : At::points;
      const Index inputs = 1 + below(3), outputs = 1 + below(3);
      options.in_place = inputs == outputs && below(2) == 0;
      SCOPED_TRACE(std::to_string(ranks) + " ranks, seed " + std::to_string(seed) + ": operator at " + to_string(at) +
                   ", " + std::to_string(inputs) + " to " + std::to_string(outputs) + ", " + verify::to_string(one));
      std::vector<OperatorPlan> plans;
      for (int rank = 0; rank < ranks; ++rank) plans.emplace_back(problem, at, inputs, outputs, options, ranks, rank);
      Job job;
      job.batch = problem.batch;
      job.in_place = options.in_place;
      for (const OperatorPlan& plan : plans) job.route.push_back(&plan.data().route);
      test(job);
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// Tiles that a unit of a pass writes.
inline std::vector<Index> tiles_written(const detail::Pass& pass, const detail::Unit& unit) {
  std::vector<Index> tiles;
  const Index fields = unit.out_step > 0 ? pass.out_fields : 1;
  for (Index field = 0; unit.out_tile >= 0 && field < fields; ++field) tiles.push_back(unit.out_tile_of(field));
  return tiles;
}

/// All of these; with sanitizers a quarter, since they are after other faults than the planner's.
inline void for_random_jobs(std::size_t problems, const JobTest& test) {
#ifdef __SANITIZE_ADDRESS__
  problems = problems / 4 + 1;
#endif
  for_random_transforms(problems, test);
  for_random_redistributions(problems / 2 + 1, test);
  for_random_spheres(problems / 4 + 1, test);
}

}  // namespace weft::test
