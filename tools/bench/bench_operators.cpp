// An operator, and the same in steps: forward, the function, backward.
#include "bench_contestants.hpp"
#include "bench_numbers.hpp"
#include "operator_steps.hpp"

namespace weft::tools {

namespace {

Problem problem_of(const Settings& settings) {
  const Problem& problem = settings.problem;
  return {.shape = problem.shape,
          .kind = problem.kind,
          .precision = problem.precision,
          .points = problem.points,
          .batch = problem.batch,
          .normalization = problem.normalization,
          .lengths = settings.applied->lengths};
}

bindings::UntypedFunction function_of(const Settings& settings) {
  return bindings::named_function(problem_of(settings), settings.applied->name, settings.applied->values);
}

OperatorPlan plan_of(const Settings& settings, const Options& options, const Job& job) {
  return function_of(settings).visit([&](const auto& f) {
    return OperatorPlan(problem_of(settings), f.at, f.inputs, f.outputs, options, job.ranks, job.rank);
  });
}

/// A rank's arrays, large enough for all strategies; in place there is no output.
template <class Real>
struct Fields {
  explicit Fields(const Planned& planned)
      : in(planned.input_bytes / size),
        out(planned.output_bytes / size),
        kept(in.size()),
        by_steps(std::max(in.size(), out.size())) {
    std::fill(out.begin(), out.end(), Real());
    std::fill(by_steps.begin(), by_steps.end(), Real());
  }
  static constexpr Index size = sizeof(Real);
  void restore_input() { std::copy(kept.begin(), kept.end(), in.begin()); }

  Array<Real> in, out, kept, by_steps;
};

template <class Real>
class InSteps final : public Timed {
 public:
  InSteps(const Settings& settings, const Options& options, Fields<Real>& fields, const Job& job)
      : steps_(problem_of(settings), function_of(settings), job.comm, options), fields_(fields), job_(job) {}

  /// Half spectra are not any numbers, so spectra are made from random fields. The result is there to compare with.
  void make_input() {
    if (steps_.plan().at() == At::wavenumbers) {
      fill_random(fields_.kept, job_.rank);
    } else {
      const OperatorPlan& plan = steps_.plan();
      const Index fields = plan.inputs() * plan.problem().batch;
      const Index each = plan.problem().kind == Kind::r2c ? 1 : 2;
      Array<Real> space(steps_.middle_field() * fields * each);
      fill_random(space, job_.rank);
      steps_.transform_inputs(space.data(), fields_.kept.data());
    }
    restore_input();
    run();
  }
  void restore_input() override { fields_.restore_input(); }
  void run() override { steps_.execute(fields_.in.data(), fields_.by_steps.data()); }
  void tell(Result& result) const override { result.wire_error = 2 * steps_.wire_error(); }

 private:
  OperatorSteps steps_;
  Fields<Real>& fields_;
  const Job& job_;
};

template <class Real>
class Applied final : public Contestant {
 public:
  Applied(const Settings& settings, const Options& options, Fields<Real>& fields, const Job& job)
      : operator_(problem_of(settings), function_of(settings), job.comm, options), fields_(fields), job_(job) {}

  void restore_input() override { fields_.restore_input(); }
  void run() override { operator_.execute(fields_.in.data(), output().data()); }

  /// The largest difference to what the steps give.
  double error() const override {
    LargestDifference<Real> difference;
    const Index numbers = plan().output_size() * plan().number_bytes() / Fields<Real>::size;
    difference.add(output().data(), fields_.by_steps.data(), numbers, 1);
    return over_largest(job_.max(difference.worst()), job_.max(difference.largest()));
  }

  const Statistics& statistics() const override {
    return operator_.visit([](const auto& o) -> const Statistics& { return o.statistics(); });
  }
  void reset_statistics() override {
    operator_.visit([](auto& o) { o.reset_statistics(); });
  }
  void tell(Result& result) const override {
    result.strategy = plan().options().strategy;
    result.options = options_json(plan().options());
    if (job_.root() && job_.wants_json()) result.traffic = traffic_json(plan().traffic());
    result.layouts =
        plan().input().describe() + " -> " + plan().middle().describe() + " -> " + plan().output().describe();
  }

 private:
  const OperatorPlan& plan() const { return operator_.plan(); }
  Array<Real>& output() const { return plan().options().in_place ? fields_.in : fields_.out; }

  bindings::UntypedOperator operator_;
  Fields<Real>& fields_;
  const Job& job_;
};

template <class Real>
class Operators final : public Contest {
 public:
  Operators(const Settings& settings, const Planned& planned, const Job& job)
      : settings_(settings), job_(job), fields_(planned) {}
  std::unique_ptr<Contestant> contestant(const Options& options) override {
    return std::make_unique<Applied<Real>>(settings_, options, fields_, job_);
  }
  std::unique_ptr<Timed> rival(const Options& options) override {
    auto made = std::make_unique<InSteps<Real>>(settings_, options, fields_, job_);
    if (first_ == nullptr) first_ = made.get();
    return made;
  }
  void make_input() override { first_->make_input(); }

 private:
  const Settings& settings_;
  const Job& job_;
  Fields<Real> fields_;
  InSteps<Real>* first_ = nullptr;
};

}  // namespace

Planned plan_operators(const Settings& settings, const Job& job) {
  Planned planned;
  Index middle = 0;
  for (const Options& options : options_by_strategy(settings, job)) {
    const OperatorPlan plan = plan_of(settings, options, job);
    const Index in = plan.input_size() * plan.number_bytes(), out = plan.output_size() * plan.number_bytes();
    if (planned.options.empty()) planned.field_bytes = in;
    planned.options.push_back(plan.options());
    planned.input_bytes = std::max(planned.input_bytes, in);
    planned.output_bytes = std::max(planned.output_bytes, options.in_place ? 0 : out);
    // The steps have an operator's fields between their transforms, and transforms that need about as much as it does.
    middle += 2 * (in + out) + 3 * plan.workspace_bytes();
    planned.inputs = plan.inputs();
    planned.outputs = plan.outputs();
  }
  planned.memory_bytes = middle + 3 * planned.input_bytes + 2 * planned.output_bytes;
  return planned;
}

std::unique_ptr<Contest> contest_of_operators(const Settings& settings, const Planned& planned, const Job& job) {
  if (settings.problem.precision == Precision::double_) {
    return std::make_unique<Operators<double>>(settings, planned, job);
  }
  return std::make_unique<Operators<float>>(settings, planned, job);
}

}  // namespace weft::tools
