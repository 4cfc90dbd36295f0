// Forward plus backward transforms, one after the other.
#include "bench_contestants.hpp"
#include "bench_numbers.hpp"
#include "untyped.hpp"

namespace weft::tools {

namespace {

/// A rank's arrays, large enough for all strategies.
template <class Real>
struct Fields {
  explicit Fields(const Planned& planned)
      : in(planned.input_bytes / size), out(planned.output_bytes / size), kept(in.size()) {
    std::fill(in.begin(), in.end(), Real());
    std::fill(out.begin(), out.end(), Real());
  }
  static constexpr Index size = sizeof(Real);

  Array<Real> in, out, kept;
};

template <class Real>
class RoundTrip final : public Contestant {
 public:
  RoundTrip(const Settings& settings, const Options& options, Fields<Real>& fields, const Job& job)
      : fft_(settings.problem, job.comm, options), fields_(fields), job_(job) {}

  /// A half spectrum is not any numbers, so that of c2r is made from a random real field; and a field in space has no
  /// more modes than the spectrum keeps.
  void make_input() {
    const bool to_space = plan().problem().kind.to_space && plan().problem().real_output();
    const bool from_output = to_space && !plan().options().in_place;
    fill_random(from_output ? fields_.out : fields_.in, job_.rank);
    const Problem& problem = plan().problem();
    if (to_space && !problem.real_input()) {
      fft_.execute(Direction::backward, output(), fields_.in.data());
    } else if (problem.kept_modes() != Shape(problem.shape)) {
      run();
    }
    std::copy(fields_.in.begin(), fields_.in.end(), fields_.kept.begin());
  }
  void restore_input() override { std::copy(fields_.kept.begin(), fields_.kept.end(), fields_.in.begin()); }
  void run() override {
    fft_.execute(Direction::forward, fields_.in.data(), output());
    fft_.execute(Direction::backward, output(), fields_.in.data());
  }

  /// The largest difference between the input and what came back, over the largest input.
  double error() const override {
    const Problem& problem = plan().problem();
    const double scale = problem.normalization == Normalization::none ? 1 / problem.factor() : 1;
    const Box box = plan().input().box(job_.rank);
    const Index each = problem.real_input() ? 1 : 2;
    // A row lies along the last axis.
    const bool more = problem.shape.rank() > 3;
    const Extents whole = problem.kind.to_space ? problem.spectrum_shape() : problem.shape;
    // In another order of axes, which in place there is not, all is one row.
    const bool one_row = problem.input_order[2] != 2;
    const Index numbers = one_row ? box.count() : more ? whole[whole.size() - 1] : box.extent(2);
    Index rows = box.empty() ? 0 : one_row ? 1 : box.extent(0) * box.extent(1) * (more ? box.extent(2) : 1);
    for (std::size_t axis = 3; axis + 1 < whole.size(); ++axis) rows *= whole[axis];
    LargestDifference<Real> difference;
    for (Index field = 0; field < problem.batch; ++field) {
      for (Index row = 0; row < rows; ++row) {
        // In place, fields and rows may be longer than what they hold.
        const Index first = (field * (plan().input_size() / problem.batch) + row * plan().input_row()) * each;
        difference.add(fields_.in.data() + first, fields_.kept.data() + first, numbers * each,
                       static_cast<Real>(scale));
      }
    }
    return over_largest(job_.max(difference.worst()), job_.max(difference.largest()));
  }

  const Statistics& statistics() const override {
    return fft_.visit([](const auto& t) -> const Statistics& { return t.statistics(); });
  }
  void reset_statistics() override {
    fft_.visit([](auto& t) { t.reset_statistics(); });
  }
  void tell(Result& result) const override {
    result.strategy = plan().options().strategy;
    result.options = options_json(plan().options());
    // The traffic of all ranks takes the square of their number to count.
    if (job_.root() && job_.wants_json()) result.traffic = traffic_json(plan());
    result.layouts = plan().input().describe() + " -> " + plan().output().describe();
    result.wire_error = plan().wire_error(Direction::forward) + plan().wire_error(Direction::backward);
  }

 private:
  const Plan& plan() const { return fft_.plan(); }
  void* output() { return plan().options().in_place ? fields_.in.data() : fields_.out.data(); }

  bindings::UntypedTransform fft_;
  Fields<Real>& fields_;
  const Job& job_;
};

template <class Real>
class RoundTrips final : public Contest {
 public:
  RoundTrips(const Settings& settings, const Planned& planned, const Job& job)
      : settings_(settings), job_(job), fields_(planned) {}
  std::unique_ptr<Contestant> contestant(const Options& options) override {
    auto made = std::make_unique<RoundTrip<Real>>(settings_, options, fields_, job_);
    if (first_ == nullptr) first_ = made.get();
    return made;
  }
  void make_input() override { first_->make_input(); }

 private:
  const Settings& settings_;
  const Job& job_;
  Fields<Real> fields_;
  RoundTrip<Real>* first_ = nullptr;
};

}  // namespace

Planned plan_transforms(const Settings& settings, const Job& job) {
  Planned planned;
  for (const Options& options : options_by_strategy(settings, job)) {
    const Plan plan(settings.problem, options, job.ranks, job.rank);
    const Index in = plan.input_bytes(), out = plan.output_bytes();
    const bool in_place = options.in_place;
    if (planned.options.empty()) planned.field_bytes = in;
    planned.options.push_back(plan.options());
    planned.input_bytes = std::max({planned.input_bytes, in, in_place ? out : 0});
    planned.output_bytes = std::max(planned.output_bytes, in_place ? 0 : out);
    planned.memory_bytes += plan.workspace_bytes();
  }
  planned.memory_bytes += 2 * planned.input_bytes + planned.output_bytes;
  return planned;
}

std::unique_ptr<Contest> contest_of_transforms(const Settings& settings, const Planned& planned, const Job& job) {
  if (settings.problem.precision == Precision::double_) {
    return std::make_unique<RoundTrips<double>>(settings, planned, job);
  }
  return std::make_unique<RoundTrips<float>>(settings, planned, job);
}

}  // namespace weft::tools
