// Solvers of Poisson's equation.
#include "weft/poisson.hpp"

#include <algorithm>

#include "names.hpp"

struct weft_poisson_impl {
  weft::bindings::OfEitherPrecision<weft::Poisson> solver;
  weft_operator_plan_impl plan;
  std::array<std::vector<double>, 3> coordinates;
  std::string text{};
};

namespace weft::c {

namespace {

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// A word for all axes, or one for each, or for both of a plane; the axis between those has `middle`.
template <class Value, class Parse>
std::array<Value, 3> of_axes(std::string_view text, const char* name, Value middle, const Parse& parse) {
  const std::vector<std::string_view> words = split(text, ',');
  if (words.size() == 1) {
    const Value all = parse(words[0]);
    return {all, all, all};
  }
  if (words.size() == 2) return {parse(words[0]), middle, parse(words[1])};
  if (words.size() == 3) return {parse(words[0]), parse(words[1]), parse(words[2])};
  throw Error(concat(name, " is '", text, "'; allowed are a word, or one for each of two or three axes with commas"));
}

using Pair = std::array<Side, 2>;

Pair parse_pair(std::string_view text) {
  const std::vector<std::string_view> words = split(text, '-');
  if (words.size() > 2) throw Error(concat("sides has '", text, "'; allowed are a word, or two of them: odd-even"));
  return {parse_side(words.front()), parse_side(words.back())};
}
std::string text_of(const Pair& sides) { return concat(to_string(sides[0]), '-', to_string(sides[1])); }

const std::vector<Named<PoissonProblem>>& poisson_names() {
  using P = PoissonProblem;
  static const std::vector<Named<P>> table{
      {"lengths", [](P& p, std::string_view text) { parse_lengths(text, p.lengths); },
       [](const P& p) { return lengths_text(p.lengths); }},
      {"sides", [](P& p, std::string_view text) { p.sides = of_axes(text, "sides", Pair{}, parse_pair); },
       [](const P& p) { return concat(text_of(p.sides[0]), ',', text_of(p.sides[1]), ',', text_of(p.sides[2])); }},
      {"points",
       [](P& p, std::string_view text) {
         p.points = of_axes(text, "points", Points::cells, [](std::string_view word) { return parse_points(word); });
       },
       [](const P& p) {
         return concat(to_string(p.points[0]), ',', to_string(p.points[1]), ',', to_string(p.points[2]));
       }},
      {"precision", [](P& p, std::string_view text) { p.precision = parse_precision(text); },
       [](const P& p) { return to_string(p.precision); }},
      {"batch", [](P& p, std::string_view text) { p.batch = parse_whole(text, "batch"); },
       [](const P& p) { return std::to_string(p.batch); }},
      {"stencil", [](P& p, std::string_view text) { p.stencil = parse_stencil(text); },
       [](const P& p) { return to_string(p.stencil); }},
      {"green",
       [](P& p, std::string_view text) {
         const Green::Kind kind = parse_green(text);
         if (kind == Green::Kind::own && !p.green.values) throw Error("green is own; set the kernel instead");
         p.green.kind = kind;
       },
       [](const P& p) { return to_string(p.green.kind); }},
      {"green_order",
       [](P& p, std::string_view text) { p.green.order = static_cast<int>(parse_whole(text, "green_order")); },
       [](const P& p) { return std::to_string(p.green.order); }},
      {"green_width", [](P& p, std::string_view text) { p.green.width = parse_number(text, "green_width"); },
       [](const P& p) { return detail::text("%.17g", p.green.width); }},
      {"shift", [](P& p, std::string_view text) { p.shift = parse_number(text, "shift"); },
       [](const P& p) { return detail::text("%.17g", p.shift); }},
      {"mean", [](P& p, std::string_view text) { p.mean = parse_mean(text); },
       [](const P& p) { return to_string(p.mean); }},
      {"result", [](P& p, std::string_view text) { p.result = parse_result(text); },
       [](const P& p) { return to_string(p.result); }},
      {"reversed_components",
       [](P& p, std::string_view text) {
         const std::optional<bool> value = detail::parse_flag(text);
         if (!value) throw Error(concat("reversed_components is '", text, "'; allowed are true, false"));
         p.reversed_components = *value;
       },
       [](const P& p) { return std::string(p.reversed_components ? "true" : "false"); }},
  };
  return table;
}

auto& solver_of(weft_poisson solver) { return need(solver, "solver").solver; }

weft_poisson_sizes sizes_of(weft_poisson solver) {
  return solver_of(solver).visit([](const auto& s) {
    weft_poisson_sizes out{};
    out.input_box = box_of(bindings::array_box(s.input_boxes(), s.input()));
    out.output_box = box_of(bindings::array_box(s.output_boxes(), s.output()));
    out.input_size = s.input_size();
    out.output_size = s.output_size();
    out.batch = s.problem().batch;
    out.workspace_bytes = s.plan().workspace_bytes();
    out.rank = s.plan().rank();
    out.ranks = s.plan().ranks();
    out.type = type_of(s.problem().precision, true);
    out.singular = s.problem().singular() ? 1 : 0;
    out.inputs = s.problem().inputs();
    out.outputs = s.problem().outputs();
    return out;
  });
}

template <class Comm>
int create_solver(weft_poisson_problem problem, weft_options options, Comm comm, weft_poisson* solver) {
  return create_among(
      comm, solver, [&] { need(problem, "problem"); },
      [&](MPI_Comm all) {
        const PoissonProblem& mine = problem->problem;
        bindings::OfEitherPrecision<Poisson> made(mine.precision, mine, all, options_of(options));
        const OperatorPlan plan = made.visit([](const auto& s) { return s.plan(); });
        return weft_poisson_impl{
            std::move(made), {plan, false}, {coordinates(mine, 0), coordinates(mine, 1), coordinates(mine, 2)}};
      });
}

void solve(weft_poisson solver, const void* f, void* u) {
  solver_of(solver).visit([&]<class Real>(Poisson<Real>& s) { s(static_cast<const Real*>(f), static_cast<Real*>(u)); });
}

}  // namespace

}  // namespace weft::c

using namespace weft;
using namespace weft::c;

int weft_poisson_problem_create(int axes, const int64_t* shape, weft_poisson_problem* problem) {
  return create(problem, [&] {
    if (axes != 2 && axes != 3) throw Error(concat("axes is ", axes, "; allowed are 2 and 3"));
    const int64_t* n = &need(shape, "shape");
    PoissonProblem made;
    made.shape = axes == 2 ? plane(n[0], n[1]) : shape_of(n);
    return weft_poisson_problem_impl{checked(made)};
  });
}
int weft_poisson_problem_destroy(weft_poisson_problem* problem) { return destroy(problem); }
int weft_poisson_problem_set(weft_poisson_problem problem, const char* name, const char* value) {
  return set_named(problem, &weft_poisson_problem_impl::problem, "problem", poisson_names(), name, value);
}
int weft_poisson_problem_get(weft_poisson_problem problem, const char* name, const char** value) {
  return get_named(problem, &weft_poisson_problem_impl::problem, "problem", poisson_names(), name, value);
}
int weft_poisson_problem_set_spacings(weft_poisson_problem problem, int axis, const double* values, int64_t count) {
  return guarded([&] {
    PoissonProblem changed = need(problem, "problem").problem;
    if (count < 0) throw Error(concat("count is ", count, "; at least 0 is needed"));
    const double* first = count == 0 ? nullptr : &need(values, "values");
    changed.spacings[axis_of(axis)].assign(first, first + count);
    problem->problem = checked(changed);
  });
}
int weft_poisson_problem_set_kernel(weft_poisson_problem problem, double (*kernel)(const double at[3], void* data),
                                    void* data) {
  return guarded([&] {
    PoissonProblem changed = need(problem, "problem").problem;
    const auto value = [kernel, data](double a, double b, double c) {
      const double at[3] = {a, b, c};
      return kernel(at, data);
    };
    changed.green = kernel == nullptr ? Green{} : Green::own(value);
    problem->problem = checked(changed);
  });
}

int weft_poisson_create_on(weft_poisson_problem problem, weft_options options, const weft_comm* comm,
                           weft_poisson* solver) {
  return create_solver(problem, options, comm, solver);
}
int weft_poisson_create_f(weft_poisson_problem problem, weft_options options, int comm, weft_poisson* solver) {
  return create_solver(problem, options, comm, solver);
}
int weft_poisson_destroy(weft_poisson* solver) { return destroy(solver); }

int weft_poisson_get_plan(weft_poisson solver, weft_operator_plan* plan) {
  return guarded([&] { need(plan, "the plan's address") = &need(solver, "solver").plan; });
}
int weft_poisson_get_sizes(weft_poisson solver, size_t size, weft_poisson_sizes* sizes) {
  return guarded([&] { give(size, sizes, sizes_of(solver)); });
}
int weft_poisson_layout(weft_poisson solver, const char* which, weft_layout* layout) {
  return create(layout, [&] {
    return solver_of(solver).visit([&](const auto& s) {
      const std::string_view end = need_text(which, "which");
      if (end == "input") return weft_layout_impl{s.input()};
      if (end == "output") return weft_layout_impl{s.output()};
      throw Error(detail::unknown("layout", end, {"input", "output"}));
    });
  });
}
int weft_poisson_coordinates(weft_poisson solver, int axis, const double** values, int64_t* count) {
  return guarded([&] {
    const std::vector<double>& all = need(solver, "solver").coordinates[axis_of(axis)];
    need(values, "values") = all.data();
    need(count, "count") = static_cast<int64_t>(all.size());
  });
}
int weft_poisson_explain(weft_poisson solver, const char** text) {
  return give_text(solver, "solver", text,
                   [](auto& mine) { return mine.solver.visit([](const auto& s) { return s.explain(); }); });
}

int weft_poisson_solve(weft_poisson solver, const void* f, void* u) {
  return guarded([&] { solve(solver, f, u); });
}
int weft_poisson_execute(weft_poisson solver, const void* f, int f_type, int64_t f_size, void* u, int u_type,
                         int64_t u_size) {
  return guarded([&] {
    const weft_poisson_sizes sizes = sizes_of(solver);
    std::string message = objection("f", f_type, f_size, sizes.type, sizes.input_size, sizes.rank);
    if (message.empty()) message = objection("u", u_type, u_size, sizes.type, sizes.output_size, sizes.rank);
    // Without an objection there is nothing to agree on that the execution does not agree on itself.
    if (message.empty()) {
      solve(solver, f, u);
    } else {
      solver_of(solver).visit([&](auto& s) { s.raise_any(message); });
    }
  });
}
int weft_poisson_set_shift(weft_poisson solver, double shift) {
  return guarded([&] { solver_of(solver).visit([&](auto& s) { s.set_shift(shift); }); });
}
int weft_poisson_wall_size(weft_poisson solver, int axis, int end, int64_t* size) {
  return guarded([&] {
    need(size, "size") = solver_of(solver).visit([&](const auto& s) { return s.wall_size(axis_of(axis), end); });
  });
}
int weft_poisson_set_wall(weft_poisson solver, int axis, int end, const void* values, int64_t count) {
  return guarded([&] {
    const auto given = need_array(static_cast<const char*>(values), count, "values");
    solver_of(solver).visit([&]<class Real>(Poisson<Real>& s) {
      s.set_wall(axis_of(axis), end, std::span(reinterpret_cast<const Real*>(given.data()), given.size()));
    });
  });
}
int weft_poisson_mean(weft_poisson solver, const void* f, double* means) {
  return guarded([&] {
    auto& mine = solver_of(solver);
    if (means == nullptr) mine.visit([](auto& s) { s.raise_any("means is NULL; an address is needed"); });
    const std::vector<double> found =
        mine.visit([&]<class Real>(Poisson<Real>& s) { return s.mean(static_cast<const Real*>(f)); });
    std::copy(found.begin(), found.end(), means);
  });
}

int weft_poisson_raise(weft_poisson solver, const char* message) {
  return guarded([&] { solver_of(solver).visit([&](auto& s) { s.raise_any(message != nullptr ? message : ""); }); });
}
int weft_poisson_statistics(weft_poisson solver, size_t size, weft_statistics* statistics) {
  return guarded(
      [&] { solver_of(solver).visit([&](auto& s) { give(size, statistics, statistics_of(s.statistics())); }); });
}
int weft_poisson_exchange(weft_poisson solver, int64_t index, size_t size, weft_exchange_statistics* statistics) {
  return guarded(
      [&] { solver_of(solver).visit([&](auto& s) { give(size, statistics, exchange_of(s.statistics(), index)); }); });
}
int weft_poisson_reset_statistics(weft_poisson solver) {
  return guarded([&] { solver_of(solver).visit([](auto& s) { s.reset_statistics(); }); });
}
int weft_poisson_drop_trace(weft_poisson solver) {
  return guarded([&] { solver_of(solver).visit([](auto& s) { s.drop_trace(); }); });
}
