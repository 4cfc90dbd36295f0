// Plans.
#include "names.hpp"

namespace weft::c {

namespace {

weft_array array_of(const Plan& plan, const Box& box, Index size, int bytes, Index row, const Plan::Strides& strides,
                    bool real) {
  return {box_of(box),
          size,
          size * bytes,
          row,
          strides.field,
          type_of(plan.problem().precision, real),
          0,
          {strides.axis[0], strides.axis[1], strides.axis[2]}};
}
weft_array input_of(const Plan& plan) {
  const Problem& problem = plan.problem();
  return array_of(plan, bindings::array_box(plan.input_boxes(), plan.input()), plan.input_size(), problem.input_bytes(),
                  plan.input_row(), plan.input_strides(), problem.real_input());
}
weft_array output_of(const Plan& plan) {
  const Problem& problem = plan.problem();
  return array_of(plan, bindings::array_box(plan.output_boxes(), plan.output()), plan.output_size(),
                  problem.output_bytes(), plan.output_row(), plan.output_strides(), problem.real_output());
}

}  // namespace

}  // namespace weft::c

using namespace weft;
using namespace weft::c;

int weft_plan_create(weft_problem problem, weft_options options, int ranks, int rank, weft_plan* plan) {
  return create(
      plan, [&] { return weft_plan_impl{Plan(need(problem, "problem").problem, options_of(options), ranks, rank)}; });
}

int weft_plan_destroy(weft_plan* plan) { return destroy(plan); }

int weft_plan_rank(weft_plan plan, int* rank, int* ranks) {
  return guarded([&] {
    const Plan& mine = need(plan, "plan").plan;
    need(rank, "rank"), need(ranks, "ranks");
    *rank = mine.rank();
    *ranks = mine.ranks();
  });
}

int weft_plan_input(weft_plan plan, size_t size, weft_array* array) {
  return guarded([&] { give(size, array, input_of(need(plan, "plan").plan)); });
}
int weft_plan_output(weft_plan plan, size_t size, weft_array* array) {
  return guarded([&] { give(size, array, output_of(need(plan, "plan").plan)); });
}

int weft_plan_input_layout(weft_plan plan, weft_layout* layout) {
  return create(layout, [&] { return weft_layout_impl{need(plan, "plan").plan.input()}; });
}
int weft_plan_output_layout(weft_plan plan, weft_layout* layout) {
  return create(layout, [&] { return weft_layout_impl{need(plan, "plan").plan.output()}; });
}

int weft_plan_workspace_bytes(weft_plan plan, int64_t* bytes) {
  return guarded([&] { need(bytes, "bytes") = need(plan, "plan").plan.workspace_bytes(); });
}

int weft_plan_traffic(weft_plan plan, int direction, size_t size, weft_traffic* traffic) {
  return guarded([&] { give(size, traffic, traffic_of(need(plan, "plan").plan.traffic(direction_of(direction)))); });
}

int weft_plan_flows(weft_plan plan, int direction, int64_t capacity, weft_flow* flows, int64_t* count) {
  return guarded([&] {
    const auto all = need(plan, "plan").plan.flows(direction_of(direction));
    give_list(all, capacity, flows, count,
              [](const Plan::Flow& flow) { return weft_flow{flow.exchange, flow.from, flow.to, 0, flow.bytes}; });
  });
}

int weft_plan_option(weft_plan plan, const char* name, const char** value) {
  return give_text(plan, "plan", value, [&](auto& mine) {
    const auto* const property = find(problem_names(), need_text(name, "name"));
    return property != nullptr ? property->get(mine.plan.problem()) : mine.plan.options().get(name);
  });
}

int weft_plan_explain(weft_plan plan, const char** text) {
  return give_text(plan, "plan", text, [](auto& mine) { return mine.plan.explain(); });
}
int weft_plan_json(weft_plan plan, const char** text) {
  return give_text(plan, "plan", text, [](auto& mine) { return mine.plan.json(); });
}
