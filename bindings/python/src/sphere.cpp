// weft._core.Sphere and SpherePlan: a weft::SphereTransform of either precision, on the memory of NumPy arrays.
#include "sphere.hpp"

#include <nanobind/stl/variant.h>

#include <variant>

#include "communicator.hpp"
#include "untyped.hpp"

namespace weft::python {

std::span<const GVector> span_of(const WaveList& list) {
  static_assert(sizeof(GVector) == 3 * sizeof(Index));
  return {reinterpret_cast<const GVector*>(list.data()), list.shape(0)};
}

namespace {

/// The problem from its words. Throws Error naming the argument.
SphereProblem make_sphere_problem(const Shape& grid, bool gamma, const std::string& precision, Index howmany,
                                  const std::string& normalization, const std::array<Index, 2>& padded, bool spinors) {
  SphereProblem problem;
  problem.grid = grid;
  problem.gamma = gamma;
  problem.precision = parse_precision(precision);
  problem.howmany = howmany;
  problem.normalization = parse_normalization(normalization);
  problem.padded = padded;
  problem.spinors = spinors;
  return problem;
}

using Lattice = std::array<std::array<double, 3>, 3>;

/// An array of its own.
nb::object as_array(std::vector<GVector> waves) {
  auto* const owned = new std::vector<GVector>(std::move(waves));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<GVector>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, Index>(owned->data(), {owned->size(), 3}, owner));
}

/// Arrays of calls are addresses: the Python side has checked them.
class PySphere {
 public:
  PySphere(const Agreement& agreement, const SphereProblem& problem, const SphereWaves& waves,
           const OptionTexts& backward, const OptionTexts& forward, std::optional<Index> planes)
      : sphere_(problem, waves, agreement.comm(), make_options(backward, std::nullopt, std::nullopt),
                make_options(forward, std::nullopt, std::nullopt), planes) {}
  PySphere(const PySphere& share, const SphereProblem& problem, const SphereWaves& waves, const OptionTexts& backward,
           const OptionTexts& forward, std::optional<Index> planes)
      : sphere_(problem, waves, share.sphere_, make_options(backward, std::nullopt, std::nullopt),
                make_options(forward, std::nullopt, std::nullopt), planes) {}

  SpherePlan plan() const {
    return sphere_.visit([](const auto& t) { return t.plan(); });
  }
  Statistics statistics() const {
    return sphere_.visit([](const auto& t) { return t.statistics(); });
  }
  void reset_statistics() {
    sphere_.visit([](auto& t) { t.reset_statistics(); });
  }
  void drop_trace() {
    sphere_.visit([](auto& t) { t.drop_trace(); });
  }
  std::pair<Index, Index> bands_here(Index count) const {
    const Range range = sphere_.visit([&](const auto& t) { return t.bands_here(count); });
    return {range.lo, range.hi};
  }
  void raise_any(const std::string& message) {
    sphere_.visit([&](auto& t) { t.raise_any(message); });
  }

  void backward(std::uintptr_t waves, std::uintptr_t space, Index bands, Index waves_apart, Index points_apart) {
    const nb::gil_scoped_release release;
    sphere_.backward(at(waves), at(space), {bands, waves_apart, points_apart});
  }
  void forward(std::uintptr_t space, std::uintptr_t waves, Index bands, Index waves_apart, Index points_apart,
               bool accumulate) {
    const nb::gil_scoped_release release;
    sphere_.forward(at(space), at(waves), {bands, waves_apart, points_apart, accumulate});
  }
  void apply(std::uintptr_t v, bool complex, std::uintptr_t waves, std::uintptr_t out, Index bands, Index waves_apart,
             Index results_apart, bool accumulate) {
    const nb::gil_scoped_release release;
    sphere_.apply(at(v), complex, at(waves), at(out), {bands, waves_apart, 0, accumulate, results_apart});
  }
  void density(std::uintptr_t waves, std::uintptr_t weights, std::uintptr_t imaginary_weights, std::uintptr_t rho,
               Index bands, Index waves_apart) {
    const nb::gil_scoped_release release;
    sphere_.density(at(waves), static_cast<const double*>(at(weights)),
                    static_cast<const double*>(at(imaginary_weights)), at(rho), {bands, waves_apart, 0});
  }

 private:
  static void* at(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

  bindings::UntypedSphere sphere_;
  EndOfProgram end_;
};

/// The plan that a sphere of that cutoff would have, dealt over so many ranks; without MPI.
SpherePlan dry_sphere(const SphereProblem& problem, const std::vector<WaveList>& lists, const OptionTexts& backward,
                      const OptionTexts& forward, int rank, const std::vector<WaveList>& result_lists) {
  Options options[2] = {make_options(backward, std::nullopt, std::nullopt),
                        make_options(forward, std::nullopt, std::nullopt)};
  for (Options& each : options) each.apply_environment(Operation::sphere);
  const auto of_ranks = [](const std::vector<WaveList>& all) {
    std::vector<std::vector<GVector>> waves;
    for (const WaveList& list : all) waves.emplace_back(span_of(list).begin(), span_of(list).end());
    return waves;
  };
  return SpherePlan(problem, of_ranks(lists), options[0], options[1], rank, of_ranks(result_lists));
}

nb::dict lines_of(const SpherePlan& plan) {
  const SpherePlan::Lines lines = plan.lines();
  nb::dict out;
  for (std::size_t i = 0; i < 3; ++i) {
    out[nb::str(&"xyz"[lines.axis[i]], 1)] = nb::make_tuple(lines.lines[i], lines.full[i]);
  }
  return out;
}

}  // namespace

void bind_sphere(nb::module_& m) {
  nb::class_<SphereProblem>(m, "SphereProblem", "What is transformed.")
      .def(
          "__init__",
          [](SphereProblem* self, const Shape& grid, bool gamma, const std::string& precision, Index howmany,
             const std::string& normalization, const std::array<Index, 2>& padded, bool spinors) {
            new (self)
                SphereProblem(make_sphere_problem(grid, gamma, precision, howmany, normalization, padded, spinors));
          },
          nb::arg("grid"), nb::arg("gamma"), nb::arg("precision"), nb::arg("howmany"),
          nb::arg("normalization") = "none", nb::arg("padded") = std::array<Index, 2>{}, nb::arg("spinors") = false)
      .def_prop_ro("precision", [](const SphereProblem& p) { return to_string(p.precision); });

  nb::class_<SpherePlan>(m, "SpherePlan",
                         "What one rank does in the transforms of a sphere, as data. Made by `weft.sphere_plan`, or "
                         "asked of a `weft.SphereFFT`.")
      .def_prop_ro(
          "grid", [](const SpherePlan& p) { return as_tuple(p.problem().grid); }, "n_x, n_y, n_z.")
      .def_prop_ro(
          "gamma", [](const SpherePlan& p) { return p.problem().gamma; }, "Real in space.")
      .def_prop_ro(
          "spinors", [](const SpherePlan& p) { return p.problem().spinors; }, "Pairs of bands are spinors.")
      .def_prop_ro(
          "howmany", [](const SpherePlan& p) { return p.problem().howmany; }, "Bands at a time.")
      .def_prop_ro(
          "precision", [](const SpherePlan& p) { return to_string(p.problem().precision); }, "single or double.")
      .def_prop_ro("ranks", &SpherePlan::ranks, "Number of ranks.")
      .def_prop_ro("rank", &SpherePlan::rank, "The rank that this plan is for.")
      .def_prop_ro("waves", &SpherePlan::waves, "Plane waves of this rank.")
      .def_prop_ro("results", &SpherePlan::results, "Plane waves that `forward` and `apply` give.")
      .def_prop_ro("columns", &SpherePlan::columns, "Columns of this rank.")
      .def_prop_ro("all_columns", &SpherePlan::all_columns, "Columns of all ranks.")
      .def_prop_ro(
          "space_box", [](const SpherePlan& p) { return corners(p.space_box()); },
          "This rank's part of the arrays in space, ``(lo, hi)`` along z, y, x.")
      .def_prop_ro(
          "space_extents", [](const SpherePlan& p) { return as_tuple(p.space_extents()); },
          "Extents of those arrays in memory, with what `padded` puts beyond.")
      .def_prop_ro("lines", &lines_of,
                   "Lines that are transformed in one direction for one band by all ranks, and those of the full box, "
                   "by axis.")
      .def(
          "traffic",
          [](const SpherePlan& p, const std::string& direction) {
            return traffic_dict(p.traffic(direction_of(direction)));
          },
          nb::arg("direction"), "Messages and bytes of one execution, as `Plan.traffic`.")
      .def(
          "option",
          [](const SpherePlan& p, const std::string& name, const std::string& direction) {
            return p.options(direction_of(direction)).get(name);
          },
          nb::arg("name"), nb::arg("direction") = "backward", "The text of an option.")
      .def_prop_ro("workspace_bytes", &SpherePlan::workspace_bytes, "Bytes of exchange buffers.")
      .def("explain", &SpherePlan::explain, "Lines, layouts, tiles, messages and bytes in words.")
      .def(
          "as_dict", [](const SpherePlan& p) { return from_json(p.json()); }, "The same as data.")
      .def(
          "_repr_html_", [](const SpherePlan& p) { return html_of(p.explain()); }, "The same for notebooks.")
      .def("__str__", &SpherePlan::explain)
      .def("__repr__", [](const SpherePlan& p) {
        return "<weft.SpherePlan " + to_string(p.problem().grid) + (p.problem().gamma ? ", real" : ", complex") +
               " in space, rank " + std::to_string(p.rank()) + " of " + std::to_string(p.ranks()) + ">";
      });

  m.def(
      "plane_waves",
      [](const Lattice& lattice, double energy, const std::array<double, 3>& k, bool gamma) {
        return as_array(plane_waves({lattice, energy, k}, gamma));
      },
      nb::arg("lattice"), nb::arg("energy"), nb::arg("k"), nb::arg("gamma"));
  m.def(
      "sphere_grid",
      [](const Lattice& lattice, double energy, const std::array<double, 3>& k, double box_cut) {
        return as_tuple(sphere_grid({lattice, energy, k}, box_cut));
      },
      nb::arg("lattice"), nb::arg("energy"), nb::arg("k"), nb::arg("box_cut"));
  m.def(
      "deal_columns",
      [](const WaveList& waves, int ranks, int sharing) {
        nb::list dealt;
        for (auto& mine : deal_columns(span_of(waves), ranks, sharing)) dealt.append(as_array(std::move(mine)));
        return dealt;
      },
      nb::arg("waves"), nb::arg("ranks"), nb::arg("sharing") = 1);
  m.def("dry_sphere", &dry_sphere, nb::arg("problem"), nb::arg("waves"), nb::arg("backward"), nb::arg("forward"),
        nb::arg("rank"), nb::arg("results") = std::vector<WaveList>{});

  nb::class_<PySphere>(m, "Sphere", "A sphere's transforms bound to a communicator; `weft.SphereFFT` wraps it.")
      .def(
          "__init__",
          [](PySphere* self, std::variant<const Agreement*, const PySphere*> agreement, const SphereProblem& problem,
             const WaveList& waves, const OptionTexts& backward, const OptionTexts& forward,
             std::optional<Index> planes, const std::optional<WaveList>& results) {
            const auto given = span_of(waves);
            const SphereWaves lists = results ? SphereWaves(given, span_of(*results)) : SphereWaves(given);
            std::visit([&](const auto* on) { new (self) PySphere(*on, problem, lists, backward, forward, planes); },
                       agreement);
          },
          nb::arg("agreement"), nb::arg("problem"), nb::arg("waves"), nb::arg("backward"), nb::arg("forward"),
          nb::arg("planes").none(), nb::arg("results").none() = nb::none(), nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("plan", &PySphere::plan)
      .def("bands_here", &PySphere::bands_here)
      .def("backward", &PySphere::backward)
      .def("forward", &PySphere::forward)
      .def("apply", &PySphere::apply)
      .def("density", &PySphere::density)
      .def("raise_any", &PySphere::raise_any, nb::call_guard<nb::gil_scoped_release>())
      .def("statistics", [](const PySphere& t) { return statistics_dict(t.statistics()); })
      .def("reset_statistics", &PySphere::reset_statistics)
      .def("drop_trace", &PySphere::drop_trace);
}

}  // namespace weft::python
