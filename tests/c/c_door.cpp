#include "c_door.hpp"

#include "c_support.hpp"

namespace weft::verify {

namespace {

using test::box_of;
using test::done;

class CDoor final : public Door {
 public:
  CDoor(const Problem& problem, MPI_Comm comm, const Options& options) {
    test::OwnedProblem what;
    done(weft_problem_create(problem.shape.rank(), problem.shape.begin(), &what));
    const auto set_extents = [&](const char* name, const Shape& extents) {
      std::string text;
      for (const Index n : extents) text += (text.empty() ? "" : "x") + std::to_string(n);
      done(weft_problem_set(what, name, text.c_str()));
    };
    set_extents("modes", problem.kept_modes());
    set_extents("points", problem.kept_points());
    done(weft_problem_set(what, "kind", to_string(problem.kind).c_str()));
    done(weft_problem_set(what, "precision", to_string(problem.precision).c_str()));
    done(weft_problem_set(what, "normalization", to_string(problem.normalization).c_str()));
    done(weft_problem_set_int(what, "batch", problem.batch));
    done(weft_problem_set_int(what, "interleaved", problem.interleaved ? 1 : 0));
    done(weft_problem_set_int(what, "padded_rows", problem.padded_rows ? 1 : 0));
    done(weft_problem_set_int(what, "one_line", problem.one_line ? 1 : 0));
    done(weft_problem_set(what, "input_order", to_string(problem.input_order).c_str()));
    done(weft_problem_set(what, "output_order", to_string(problem.output_order).c_str()));
    test::OwnedOptions how;
    done(weft_options_create(&how));
    for (const auto& option : Options::describe()) {
      done(weft_options_set(how, option.name.c_str(), options.get(option.name).c_str()));
    }
    set_layout(how, "input", options.input);
    set_layout(how, "output", options.output);
    done(weft_transform_create(what, how, comm, &fft_));
    done(weft_transform_get_plan(fft_, &plan_));
  }

  Side input() const override { return side(weft_plan_input, weft_plan_input_layout); }
  Side output() const override { return side(weft_plan_output, weft_plan_output_layout); }
  Index workspace_bytes() const override {
    int64_t bytes = 0;
    done(weft_plan_workspace_bytes(plan_, &bytes));
    return bytes;
  }
  Plan::Traffic traffic(Direction direction) const override {
    weft_traffic t;
    done(weft_plan_traffic(plan_, static_cast<int>(direction), sizeof t, &t));
    return {t.messages,         t.data_messages,         t.bytes,
            t.all_messages,     t.all_data_messages,     t.all_bytes,
            t.network_messages, t.network_data_messages, t.network_bytes};
  }

  void execute(Direction direction, const void* in, void* out) override {
    done(direction == Direction::forward ? weft_transform_forward(fft_, in, out)
                                         : weft_transform_backward(fft_, in, out));
  }
  Statistics statistics() const override {
    weft_statistics s;
    done(weft_transform_statistics(fft_, sizeof s, &s));
    Statistics out;
    out.executions = s.executions;
    out.messages = s.messages;
    out.bytes_sent = s.bytes_sent;
    return out;
  }
  void reset_statistics() override { done(weft_transform_reset_statistics(fft_)); }

 private:
  static void set_layout(weft_options options, const char* end, const std::optional<Layout>& layout) {
    if (!layout) return;
    std::vector<weft_box> boxes;
    for (const Box& box : boxes_of(*layout)) boxes.push_back(box_of(box));
    test::OwnedLayout same;
    if (const auto parts = layout->parts()) {
      done(weft_layout_create_grid(layout->shape().data(), parts->data(), &same));
    } else {
      done(weft_layout_create_boxes(layout->shape().data(), layout->ranks(), boxes.data(), &same));
    }
    done(weft_options_set_layout(options, end, same));
  }

  template <class Ask, class AskLayout>
  Side side(const Ask& ask, const AskLayout& ask_layout) const {
    weft_array array;
    test::OwnedLayout layout;
    done(ask(plan_, sizeof array, &array));
    done(ask_layout(plan_, &layout));
    Side out{box_of(array.box), array.size, {{array.stride[0], array.stride[1], array.stride[2]}, array.field}, {}};
    int ranks = 0;
    done(weft_layout_ranks(layout, &ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      weft_box box;
      done(weft_layout_box(layout, rank, &box));
      out.boxes.push_back(box_of(box));
    }
    return out;
  }

  test::OwnedTransform fft_;
  weft_plan plan_ = nullptr;
};

}  // namespace

std::unique_ptr<Door> c_door(const Problem& problem, MPI_Comm comm, const Options& options) {
  return std::make_unique<CDoor>(problem, comm, options);
}

}  // namespace weft::verify
