// Transforms.
#include "handles.hpp"

namespace weft::c {

namespace {

const Plan& plan_of(weft_transform transform) { return need(transform, "transform").plan.plan; }

void execute(weft_transform transform, Direction direction, const void* in, void* out) {
  need(transform, "transform").transform.execute(direction, in, out);
}

void raise(weft_transform transform, Direction direction, const std::string& message) {
  need(transform, "transform").transform.visit([&](auto& t) { t.raise_any(direction, message); });
}

/// One that is none is an error on all ranks, of which this one knows nothing: with whichever direction they have.
Direction agreed_direction(weft_transform transform, int direction) {
  try {
    return direction_of(direction);
  } catch (const Error& error) {
    raise(transform, Direction::forward, error.what());
    throw;
  }
}

template <class Comm>
int create_transform(weft_problem problem, weft_options options, Comm comm, weft_transform* transform) {
  return create_among(
      comm, transform, [&] { need(problem, "problem"); },
      [&](MPI_Comm all) {
        bindings::UntypedTransform made(problem->problem, all, options_of(options));
        const Plan plan = made.plan();
        return weft_transform_impl{std::move(made), {plan, false}};
      });
}

}  // namespace

}  // namespace weft::c

using namespace weft;
using namespace weft::c;

int weft_transform_create_on(weft_problem problem, weft_options options, const weft_comm* comm,
                             weft_transform* transform) {
  return create_transform(problem, options, comm, transform);
}
int weft_transform_create_f(weft_problem problem, weft_options options, int comm, weft_transform* transform) {
  return create_transform(problem, options, comm, transform);
}

int weft_transform_destroy(weft_transform* transform) { return destroy(transform); }

int weft_transform_get_plan(weft_transform transform, weft_plan* plan) {
  return guarded([&] { need(plan, "the plan's address") = &need(transform, "transform").plan; });
}

int weft_transform_input_box(weft_transform transform, weft_box* box) {
  return guarded([&] {
    const Plan& plan = plan_of(transform);
    need(box, "box") = box_of(bindings::array_box(plan.input_boxes(), plan.input()));
  });
}
int weft_transform_output_box(weft_transform transform, weft_box* box) {
  return guarded([&] {
    const Plan& plan = plan_of(transform);
    need(box, "box") = box_of(bindings::array_box(plan.output_boxes(), plan.output()));
  });
}

int weft_transform_input_size(weft_transform transform, int64_t* size) {
  return guarded([&] { need(size, "size") = plan_of(transform).input_size(); });
}
int weft_transform_output_size(weft_transform transform, int64_t* size) {
  return guarded([&] { need(size, "size") = plan_of(transform).output_size(); });
}

int weft_transform_forward(weft_transform transform, const void* in, void* out) {
  return guarded([&] { execute(transform, Direction::forward, in, out); });
}
int weft_transform_backward(weft_transform transform, const void* in, void* out) {
  return guarded([&] { execute(transform, Direction::backward, in, out); });
}

int weft_transform_execute(weft_transform transform, int direction, const void* in, int in_type, int64_t in_size,
                           void* out, int out_type, int64_t out_size) {
  return guarded([&] {
    const Plan& plan = plan_of(transform);
    const Problem& problem = plan.problem();
    const Direction way = agreed_direction(transform, direction);
    const int32_t types[2] = {type_of(problem.precision, problem.real_input()),
                              type_of(problem.precision, problem.real_output())};
    const Index sizes[2] = {plan.input_size(), plan.output_size()};
    const int from = way == Direction::forward ? 0 : 1, to = 1 - from;
    std::string message = objection("in", in_type, in_size, types[from], sizes[from], plan.rank());
    if (message.empty()) message = objection("out", out_type, out_size, types[to], sizes[to], plan.rank());
    // Without an objection there is nothing to agree on that the execution does not agree on itself.
    if (message.empty()) {
      execute(transform, way, in, out);
    } else {
      raise(transform, way, message);
    }
  });
}

int weft_transform_raise(weft_transform transform, int direction, const char* message) {
  return guarded([&] { raise(transform, agreed_direction(transform, direction), message != nullptr ? message : ""); });
}

int weft_transform_statistics(weft_transform transform, size_t size, weft_statistics* statistics) {
  return guarded([&] {
    need(transform, "transform").transform.visit([&](auto& t) {
      give(size, statistics, statistics_of(t.statistics()));
    });
  });
}

int weft_transform_exchange(weft_transform transform, int64_t index, size_t size,
                            weft_exchange_statistics* statistics) {
  return guarded([&] {
    need(transform, "transform").transform.visit([&](auto& t) {
      give(size, statistics, exchange_of(t.statistics(), index));
    });
  });
}

int weft_transform_reset_statistics(weft_transform transform) {
  return guarded([&] { need(transform, "transform").transform.visit([](auto& t) { t.reset_statistics(); }); });
}

int weft_transform_write_trace(weft_transform transform) {
  return guarded([&] { need(transform, "transform").transform.visit([](auto& t) { t.write_trace(); }); });
}

int weft_transform_drop_trace(weft_transform transform) {
  return guarded([&] { need(transform, "transform").transform.visit([](auto& t) { t.drop_trace(); }); });
}
