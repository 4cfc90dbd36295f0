// Operators.
#include "names.hpp"

namespace weft::c {

namespace {

At at_of(int at) {
  if (at == WEFT_AT_WAVENUMBERS) return At::wavenumbers;
  if (at == WEFT_AT_POINTS) return At::points;
  throw Error(concat("at is ", at, "; allowed are ", static_cast<int>(WEFT_AT_WAVENUMBERS), " (wave numbers) and ",
                     static_cast<int>(WEFT_AT_POINTS), " (points)"));
}

Problem& problem_of(weft_problem problem) { return need(problem, "problem").problem; }
const OperatorPlan& plan_of(weft_operator op) { return need(op, "operator").plan.plan; }
bindings::UntypedOperator& operation_of(weft_operator op) { return need(op, "operator").operation; }

weft_operator_sizes sizes_of(const OperatorPlan& plan) {
  const Problem& problem = plan.problem();
  weft_operator_sizes out{};
  out.input_box = box_of(bindings::array_box(plan.input_boxes(), plan.input()));
  out.output_box = box_of(bindings::array_box(plan.output_boxes(), plan.output()));
  out.middle_box = box_of(plan.middle_box());
  out.input_size = plan.input_size();
  out.output_size = plan.output_size();
  out.inputs = plan.inputs();
  out.outputs = plan.outputs();
  out.batch = problem.batch;
  out.workspace_bytes = plan.workspace_bytes();
  out.rank = plan.rank();
  out.ranks = plan.ranks();
  out.type = type_of(problem.precision, plan.real_ends());
  out.middle_type = type_of(problem.precision, plan.real_middle());
  out.at = plan.at() == At::points ? WEFT_AT_POINTS : WEFT_AT_WAVENUMBERS;
  return out;
}

const Layout& layout_of(const OperatorPlan& plan, std::string_view which) {
  if (which == "input") return plan.input();
  if (which == "output") return plan.output();
  if (which == "middle") return plan.middle();
  throw Error(detail::unknown("layout", which, {"input", "output", "middle"}));
}

void check_kernel(weft_problem problem, const void* kernel, int64_t count) {
  problem_of(problem), need_array(static_cast<const char*>(kernel), count, "kernel");
}

template <class Comm>
int create_convolution(weft_problem problem, const void* kernel, int64_t count, int correlate, weft_options options,
                       Comm comm, weft_function* function) {
  return create_among(
      comm, function, [&] { check_kernel(problem, kernel, count); },
      [&](MPI_Comm all) {
        return weft_function_impl{
            bindings::kernel_function(problem->problem, kernel, count, correlate != 0, all, options_of(options))};
      });
}

template <class Comm>
int create_operator(weft_problem problem, weft_function function, weft_options options, Comm comm, weft_operator* op) {
  return create_among(
      comm, op, [&] { need(function, "function").function.require(problem_of(problem).precision); },
      [&](MPI_Comm all) {
        bindings::UntypedOperator made(problem->problem, function->function, all, options_of(options));
        const OperatorPlan plan = made.plan();
        return weft_operator_impl{std::move(made), {plan, false}};
      });
}

}  // namespace

}  // namespace weft::c

using namespace weft;
using namespace weft::c;

int weft_function_named(weft_problem problem, const char* name, int count, const double* values,
                        weft_function* function) {
  return create(function, [&] {
    return weft_function_impl{
        bindings::named_function(problem_of(problem), need_text(name, "name"), need_array(values, count, "values"))};
  });
}

int weft_function_named_f(weft_problem problem, const char* name, int count, const double* values,
                          weft_function* function) {
  return create(function, [&] {
    return weft_function_impl{bindings::named_function_of_fortran(problem_of(problem), need_text(name, "name"),
                                                                  need_array(values, count, "values"))};
  });
}

int weft_function_of_tiles(weft_problem problem, int at, int64_t inputs, int64_t outputs, weft_tile_function call,
                           void* context, weft_function* function) {
  return create(function, [&] {
    const Precision precision = problem_of(problem).precision;
    if (call == nullptr) throw Error("call is NULL; a function is needed");
    return weft_function_impl{bindings::compiled_function(precision, at_of(at), inputs, outputs, call, context)};
  });
}

int weft_function_multiply(weft_problem problem, int at, const void* table, int real, int64_t count,
                           weft_function* function) {
  return create(function, [&] {
    const Precision precision = problem_of(problem).precision;
    need_array(static_cast<const char*>(table), count, "numbers of the table");
    return weft_function_impl{bindings::table_function(precision, at_of(at), table, count, real != 0)};
  });
}

int weft_function_multiply_separable(weft_problem problem, const void* const* factors, const int64_t* counts,
                                     weft_function* function) {
  return create(function, [&] {
    const Problem& mine = problem_of(problem);
    need(factors, "factors"), need(counts, "counts");
    const std::size_t axes = mine.shape.size();
    for (std::size_t axis = 0; axis < axes; ++axis) {
      need_array(static_cast<const char*>(factors[axis]), counts[axis], "numbers of a factor");
    }
    return weft_function_impl{
        bindings::separable_function(mine.precision, std::span(factors, axes), std::span(counts, axes))};
  });
}

int weft_function_convolution_on(weft_problem problem, const void* kernel, int64_t count, int correlate,
                                 weft_options options, const weft_comm* comm, weft_function* function) {
  return create_convolution(problem, kernel, count, correlate, options, comm, function);
}
int weft_function_convolution_f(weft_problem problem, const void* kernel, int64_t count, int correlate,
                                weft_options options, int comm, weft_function* function) {
  return create_convolution(problem, kernel, count, correlate, options, comm, function);
}
int weft_function_destroy(weft_function* function) { return destroy(function); }

int weft_operator_plan_create(weft_problem problem, weft_function function, weft_options options, int ranks, int rank,
                              weft_operator_plan* plan) {
  return create(plan, [&] {
    const Problem& mine = problem_of(problem);
    return need(function, "function").function.visit([&](const auto& f) {
      return weft_operator_plan_impl{OperatorPlan(mine, f.at, f.inputs, f.outputs, options_of(options), ranks, rank)};
    });
  });
}
int weft_operator_plan_destroy(weft_operator_plan* plan) { return destroy(plan); }

int weft_operator_plan_sizes(weft_operator_plan plan, size_t size, weft_operator_sizes* sizes) {
  return guarded([&] { give(size, sizes, sizes_of(need(plan, "plan").plan)); });
}
int weft_operator_plan_layout(weft_operator_plan plan, const char* which, weft_layout* layout) {
  return create(layout,
                [&] { return weft_layout_impl{layout_of(need(plan, "plan").plan, need_text(which, "which"))}; });
}
int weft_operator_plan_places(weft_operator_plan plan, int axis, int odd, const double** values, int64_t* count) {
  return guarded([&] {
    const OperatorPlan& mine = need(plan, "plan").plan;
    need(values, "values"), need(count, "count");
    const std::size_t along = axis_of(axis, mine.problem().shape.rank());
    const std::span<const double> all = odd != 0 ? mine.odd(along) : mine.places(along);
    *values = all.data();
    *count = static_cast<int64_t>(all.size());
  });
}
int weft_operator_plan_traffic(weft_operator_plan plan, size_t size, weft_traffic* traffic) {
  return guarded([&] { give(size, traffic, traffic_of(need(plan, "plan").plan.traffic())); });
}
int weft_operator_plan_option(weft_operator_plan plan, const char* name, const char** value) {
  return give_text(plan, "plan", value, [&](auto& mine) {
    const auto* const property = find(problem_names(), need_text(name, "name"));
    return property != nullptr ? property->get(mine.plan.problem()) : mine.plan.options().get(name);
  });
}
int weft_operator_plan_explain(weft_operator_plan plan, const char** text) {
  return give_text(plan, "plan", text, [](auto& mine) { return mine.plan.explain(); });
}
int weft_operator_plan_json(weft_operator_plan plan, const char** text) {
  return give_text(plan, "plan", text, [](auto& mine) { return mine.plan.json(); });
}

int weft_operator_create_on(weft_problem problem, weft_function function, weft_options options, const weft_comm* comm,
                            weft_operator* op) {
  return create_operator(problem, function, options, comm, op);
}
int weft_operator_create_f(weft_problem problem, weft_function function, weft_options options, int comm,
                           weft_operator* op) {
  return create_operator(problem, function, options, comm, op);
}
int weft_operator_destroy(weft_operator* op) { return destroy(op); }

int weft_operator_get_plan(weft_operator op, weft_operator_plan* plan) {
  return guarded([&] { need(plan, "the plan's address") = &need(op, "operator").plan; });
}
int weft_operator_set_function(weft_operator op, weft_function function) {
  return guarded([&] { operation_of(op).set_function(need(function, "function").function); });
}

int weft_operator_apply(weft_operator op, const void* in, void* out) {
  return guarded([&] { operation_of(op).execute(in, out); });
}
int weft_operator_execute(weft_operator op, const void* in, int in_type, int64_t in_size, void* out, int out_type,
                          int64_t out_size) {
  return guarded([&] {
    const weft_operator_sizes sizes = sizes_of(plan_of(op));
    std::string message = objection("in", in_type, in_size, sizes.type, sizes.input_size, sizes.rank);
    if (message.empty()) message = objection("out", out_type, out_size, sizes.type, sizes.output_size, sizes.rank);
    // Without an objection there is nothing to agree on that the execution does not agree on itself.
    if (message.empty()) {
      operation_of(op).execute(in, out);
    } else {
      operation_of(op).visit([&](auto& o) { o.raise_any(message); });
    }
  });
}

int weft_operator_raise(weft_operator op, const char* message) {
  return guarded([&] { operation_of(op).visit([&](auto& o) { o.raise_any(message != nullptr ? message : ""); }); });
}
int weft_operator_statistics(weft_operator op, size_t size, weft_statistics* statistics) {
  return guarded(
      [&] { operation_of(op).visit([&](auto& o) { give(size, statistics, statistics_of(o.statistics())); }); });
}
int weft_operator_exchange(weft_operator op, int64_t index, size_t size, weft_exchange_statistics* statistics) {
  return guarded(
      [&] { operation_of(op).visit([&](auto& o) { give(size, statistics, exchange_of(o.statistics(), index)); }); });
}
int weft_operator_reset_statistics(weft_operator op) {
  return guarded([&] { operation_of(op).visit([](auto& o) { o.reset_statistics(); }); });
}
int weft_operator_drop_trace(weft_operator op) {
  return guarded([&] { operation_of(op).visit([](auto& o) { o.drop_trace(); }); });
}
