// Spheres of plane waves.
#include <map>

#include "handles.hpp"

namespace weft::c {

namespace {

Cutoff cutoff_of(const weft_cutoff* cutoff) {
  const weft_cutoff& given = need(cutoff, "cutoff");
  Cutoff out;
  for (std::size_t i = 0; i < 3; ++i) {
    std::copy_n(given.lattice[i], 3, out.lattice[i].begin());
    out.k[i] = given.k[i];
  }
  out.energy = given.energy;
  return out;
}

Bands bands_of(const weft_bands* bands) {
  if (bands == nullptr) return {};
  return {bands->count, bands->waves_apart, bands->points_apart, bands->accumulate != 0, bands->results_apart};
}

weft_sphere_sizes sizes_of(const SpherePlan& plan) {
  const SphereProblem& problem = plan.problem();
  weft_sphere_sizes out{};
  out.waves = plan.waves();
  out.columns = plan.columns();
  out.all_columns = plan.all_columns();
  out.results = plan.results();
  out.space_box = box_of(plan.space_box());
  out.space_size = plan.space_size();
  const Shape extents = plan.space_extents();
  std::copy(extents.begin(), extents.end(), out.space_extents);
  out.workspace_bytes = plan.workspace_bytes();
  out.rank = plan.rank();
  out.ranks = plan.ranks();
  out.waves_type = type_of(problem.precision, false);
  out.space_type = type_of(problem.precision, problem.gamma);
  const SpherePlan::Lines lines = plan.lines();
  for (std::size_t i = 0; i < 3; ++i) {
    out.line_axis[i] = lines.axis[i];
    out.lines[i] = lines.lines[i];
    out.full_lines[i] = lines.full[i];
  }
  return out;
}

bindings::UntypedSphere& sphere_of(weft_sphere sphere) { return need(sphere, "sphere").sphere; }

weft_sphere_impl sphere_made(bindings::UntypedSphere made) {
  const SpherePlan plan = made.visit([](const auto& t) { return t.plan(); });
  return {std::move(made), {plan, false}};
}

/// This rank's plane waves, with those that the problem was told to give back.
SphereWaves lists_of(const weft_sphere_problem_impl& problem, int64_t count, const int64_t* waves) {
  const auto given = waves_of(count, waves);
  if (problem.results.empty()) return given;
  if (problem.results.size() > 1) {
    throw Error(concat("the problem has results of ", problem.results.size(),
                       " ranks; a transform needs those of this rank, set with ranks 1"));
  }
  return {given, problem.results.front()};
}

template <class Comm>
int create_sphere(weft_sphere_problem problem, int64_t count, const int64_t* waves, int64_t planes,
                  weft_options backward, weft_options forward, Comm comm, weft_sphere* sphere) {
  return create_among(
      comm, sphere, [&] { lists_of(need(problem, "problem"), count, waves); },
      [&](MPI_Comm all) {
        return sphere_made({problem->problem, lists_of(*problem, count, waves), all, options_of(backward),
                            forward_of(forward), planes_of(planes)});
      });
}

}  // namespace

}  // namespace weft::c

using namespace weft;
using namespace weft::c;

int weft_plane_waves(const weft_cutoff* cutoff, int gamma, int64_t capacity, int64_t* waves, int64_t* count) {
  return guarded([&] {
    const auto all = plane_waves(cutoff_of(cutoff), gamma != 0);
    static_assert(sizeof(GVector) == 3 * sizeof(int64_t));
    give_list(all, capacity, reinterpret_cast<GVector*>(waves), count, [](const GVector& g) { return g; });
  });
}

int weft_sphere_grid(const weft_cutoff* cutoff, double box_cut, int64_t grid[3]) {
  return guarded([&] {
    const auto found = sphere_grid(cutoff_of(cutoff), box_cut);
    std::copy(found.begin(), found.end(), &need(grid, "grid"));
  });
}

int weft_deal_columns(int64_t count, const int64_t* waves, int ranks, int sharing, int* owners) {
  return guarded([&] {
    const auto all = waves_of(count, waves);
    const auto out = need_array(owners, count, "owners");
    std::map<std::pair<Index, Index>, int> owner_of_column;
    int rank = 0;
    for (const auto& mine : deal_columns(all, ranks, sharing)) {
      for (const GVector& g : mine) owner_of_column[{g[0], g[1]}] = rank;
      ++rank;
    }
    for (std::size_t i = 0; i < all.size(); ++i) out[i] = owner_of_column.at({all[i][0], all[i][1]});
  });
}

int weft_sphere_plan_create(weft_sphere_problem problem, int ranks, const int64_t* counts, const int64_t* waves,
                            weft_options backward, weft_options forward, int rank, weft_sphere_plan* plan) {
  return create(plan, [&] {
    const SphereProblem& mine = need(problem, "problem").problem;
    const auto all = waves_of_ranks(ranks, counts, waves, "waves");
    const Options back = options_of(backward);
    return weft_sphere_plan_impl{
        SpherePlan(mine, all, back, forward_of(forward).value_or(back), rank, problem->results)};
  });
}

int weft_sphere_plan_destroy(weft_sphere_plan* plan) { return destroy(plan); }

int weft_sphere_plan_sizes(weft_sphere_plan plan, size_t size, weft_sphere_sizes* sizes) {
  return guarded([&] { give(size, sizes, sizes_of(need(plan, "plan").plan)); });
}

int weft_sphere_plan_traffic(weft_sphere_plan plan, int direction, size_t size, weft_traffic* traffic) {
  return guarded([&] { give(size, traffic, traffic_of(need(plan, "plan").plan.traffic(direction_of(direction)))); });
}

int weft_sphere_plan_option(weft_sphere_plan plan, int direction, const char* name, const char** value) {
  return give_text(plan, "plan", value,
                   [&](auto& mine) { return mine.plan.options(direction_of(direction)).get(need_text(name, "name")); });
}

int weft_sphere_plan_explain(weft_sphere_plan plan, const char** text) {
  return give_text(plan, "plan", text, [](auto& mine) { return mine.plan.explain(); });
}
int weft_sphere_plan_json(weft_sphere_plan plan, const char** text) {
  return give_text(plan, "plan", text, [](auto& mine) { return mine.plan.json(); });
}

int weft_sphere_create_on(weft_sphere_problem problem, int64_t count, const int64_t* waves, int64_t planes,
                          weft_options backward, weft_options forward, const weft_comm* comm, weft_sphere* sphere) {
  return create_sphere(problem, count, waves, planes, backward, forward, comm, sphere);
}
int weft_sphere_create_f(weft_sphere_problem problem, int64_t count, const int64_t* waves, int64_t planes,
                         weft_options backward, weft_options forward, int comm, weft_sphere* sphere) {
  return create_sphere(problem, count, waves, planes, backward, forward, comm, sphere);
}

int weft_sphere_create_sharing(weft_sphere_problem problem, int64_t count, const int64_t* waves, int64_t planes,
                               weft_options backward, weft_options forward, weft_sphere share, weft_sphere* sphere) {
  if (sphere != nullptr) *sphere = nullptr;
  return guarded([&] {
    bindings::UntypedSphere& other = sphere_of(share);
    // What is wrong on one rank is told on all.
    std::string message;
    try {
      need(sphere, "the handle's address");
      lists_of(need(problem, "problem"), count, waves);
    } catch (const Error& error) {
      message = error.what();
    }
    other.visit([&](const auto& t) { t.raise_any(message); });
    *sphere = new weft_sphere_impl(sphere_made({problem->problem, lists_of(*problem, count, waves), other,
                                                options_of(backward), forward_of(forward), planes_of(planes)}));
  });
}

int weft_sphere_destroy(weft_sphere* sphere) { return destroy(sphere); }

int weft_sphere_get_plan(weft_sphere sphere, weft_sphere_plan* plan) {
  return guarded([&] { need(plan, "the plan's address") = &need(sphere, "sphere").plan; });
}

int weft_sphere_bands_here(weft_sphere sphere, int64_t count, int64_t* first, int64_t* end) {
  return guarded([&] {
    const Range range = sphere_of(sphere).visit([&](const auto& t) { return t.bands_here(count); });
    need(first, "first"), need(end, "end");
    *first = range.lo;
    *end = range.hi;
  });
}

int weft_sphere_backward(weft_sphere sphere, const void* waves, void* space, const weft_bands* bands) {
  return guarded([&] { sphere_of(sphere).backward(waves, space, bands_of(bands)); });
}
int weft_sphere_forward(weft_sphere sphere, const void* space, void* waves, const weft_bands* bands) {
  return guarded([&] { sphere_of(sphere).forward(space, waves, bands_of(bands)); });
}
int weft_sphere_apply(weft_sphere sphere, const void* v, const void* waves, void* out, const weft_bands* bands) {
  return guarded([&] { sphere_of(sphere).apply(v, false, waves, out, bands_of(bands)); });
}
int weft_sphere_apply_complex(weft_sphere sphere, const void* v, const void* waves, void* out,
                              const weft_bands* bands) {
  return guarded([&] { sphere_of(sphere).apply(v, true, waves, out, bands_of(bands)); });
}
int weft_sphere_density(weft_sphere sphere, const void* waves, const double* weights, void* rho,
                        const weft_bands* bands) {
  return guarded([&] { sphere_of(sphere).density(waves, weights, nullptr, rho, bands_of(bands)); });
}
int weft_sphere_density_by_parts(weft_sphere sphere, const void* waves, const double* weights,
                                 const double* imaginary_weights, void* rho, const weft_bands* bands) {
  return guarded([&] { sphere_of(sphere).density(waves, weights, imaginary_weights, rho, bands_of(bands)); });
}

int weft_sphere_raise(weft_sphere sphere, const char* message) {
  return guarded([&] { sphere_of(sphere).visit([&](auto& t) { t.raise_any(message != nullptr ? message : ""); }); });
}

int weft_sphere_statistics(weft_sphere sphere, size_t size, weft_statistics* statistics) {
  return guarded(
      [&] { sphere_of(sphere).visit([&](auto& t) { give(size, statistics, statistics_of(t.statistics())); }); });
}

int weft_sphere_exchange(weft_sphere sphere, int64_t index, size_t size, weft_exchange_statistics* statistics) {
  return guarded(
      [&] { sphere_of(sphere).visit([&](auto& t) { give(size, statistics, exchange_of(t.statistics(), index)); }); });
}

int weft_sphere_reset_statistics(weft_sphere sphere) {
  return guarded([&] { sphere_of(sphere).visit([](auto& t) { t.reset_statistics(); }); });
}

int weft_sphere_drop_trace(weft_sphere sphere) {
  return guarded([&] { sphere_of(sphere).visit([](auto& t) { t.drop_trace(); }); });
}
