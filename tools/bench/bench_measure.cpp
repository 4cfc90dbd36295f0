#include "bench_measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "array.hpp"
#include "limits.hpp"

namespace weft::tools {

namespace {

/// Uniform numbers in [-1/2, 1/2), different on every rank.
template <class Real>
void fill_random(Array<Real>& values, int rank) {
  std::uint64_t state = 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(rank + 1);
  for (Real& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<Real>(static_cast<double>(state >> 40) * 0x1p-24 - 0.5);
  }
}

/// Largest differences, several side by side so that compilers use the vector unit: this runs after each repetition.
template <class Real>
class LargestDifference {
 public:
  void add(const Real* got, const Real* was, Index count, Real scale) {
    Index i = 0;
    for (; i + lanes <= count; i += lanes) {
      for (Index lane = 0; lane < lanes; ++lane) add(got[i + lane], was[i + lane], scale, lane);
    }
    for (; i < count; ++i) add(got[i], was[i], scale, 0);
  }
  /// Infinity if any number was none.
  double worst() const {
    const Real sum = std::accumulate(sums_.begin(), sums_.end(), Real());
    return std::isfinite(sum) ? *std::max_element(worst_.begin(), worst_.end()) : infinity;
  }
  double largest() const { return *std::max_element(largest_.begin(), largest_.end()); }

 private:
  static constexpr Index lanes = 16;
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  void add(Real got, Real was, Real scale, Index lane) {
    const auto l = static_cast<std::size_t>(lane);
    const Real difference = std::abs(got * scale - was), size = std::abs(was);
    worst_[l] = difference > worst_[l] ? difference : worst_[l];
    largest_[l] = size > largest_[l] ? size : largest_[l];
    sums_[l] += difference;  // keeps what is not a number, which a comparison loses
  }
  std::array<Real, lanes> worst_{}, largest_{}, sums_{};
};

/// A rank's arrays, large enough for all strategies.
template <class Real>
class Fields {
 public:
  explicit Fields(const std::vector<Plan>& plans)
      : in_(reals(plans, true)), out_(plans[0].options().in_place ? 0 : reals(plans, false)), kept_(in_.size()) {
    std::fill(in_.begin(), in_.end(), Real());
    std::fill(out_.begin(), out_.end(), Real());
  }

  /// Bytes that a rank's arrays will take.
  static Index bytes(const std::vector<Plan>& plans) {
    const Index out = plans[0].options().in_place ? 0 : reals(plans, false);
    return static_cast<Index>(sizeof(Real)) * (2 * reals(plans, true) + out);
  }

  /// Random input, kept. A half spectrum is not any numbers, so that of c2r is made from a random real field; and a
  /// field in space has no more modes than the spectrum keeps.
  void make_input(Transform<Real>& fft, const Job& job) {
    Array<Real>& source = fft.plan().problem().kind == Kind::c2r && !in_place(fft) ? out_ : in_;
    fill_random(source, job.rank);
    const Problem& problem = fft.plan().problem();
    if (problem.kind == Kind::c2r) {
      backward(fft);
    } else if (problem.kept_modes() != problem.shape) {
      forward(fft);
      backward(fft);
    }
    std::copy(in_.begin(), in_.end(), kept_.begin());
  }
  void restore_input() { std::copy(kept_.begin(), kept_.end(), in_.begin()); }

  void forward(Transform<Real>& fft) {
    if (in_place(fft)) return fft.forward(complex(in_));
    switch (fft.plan().problem().kind) {
      case Kind::c2c: return fft.forward(complex(in_), complex(out_));
      case Kind::r2c: return fft.forward(in_.data(), complex(out_));
      case Kind::c2r: return fft.forward(complex(in_), out_.data());
    }
  }
  void backward(Transform<Real>& fft) {
    if (in_place(fft)) return fft.backward(complex(in_));
    switch (fft.plan().problem().kind) {
      case Kind::c2c: return fft.backward(complex(out_), complex(in_));
      case Kind::r2c: return fft.backward(complex(out_), in_.data());
      case Kind::c2r: return fft.backward(out_.data(), complex(in_));
    }
  }

  /// The largest difference between the input and what came back, over the largest input. Collective.
  double round_trip_error(const Transform<Real>& fft, const Job& job) const {
    const Plan& plan = fft.plan();
    const Problem& problem = plan.problem();
    double scale = 1;
    if (problem.normalization == Normalization::none) {
      for (const Index n : problem.shape) scale /= static_cast<double>(n);
    }
    const Box box = fft.input_box();
    const Index each = problem.real_input() ? 1 : 2;
    const Index rows = box.empty() ? 0 : box.extent(0) * box.extent(1);
    LargestDifference<Real> difference;
    for (Index field = 0; field < problem.howmany; ++field) {
      for (Index row = 0; row < rows; ++row) {
        // In place, fields and rows may be longer than what they hold.
        const Index first = (field * (plan.input_size() / problem.howmany) + row * plan.input_row()) * each;
        difference.add(in_.data() + first, kept_.data() + first, box.extent(2) * each, static_cast<Real>(scale));
      }
    }
    const double worst = job.max(difference.worst()), largest = job.max(difference.largest());
    return largest > 0 ? worst / largest : worst;
  }

 private:
  using Complex = std::complex<Real>;
  static bool in_place(const Transform<Real>& fft) { return fft.plan().options().in_place; }
  // A complex number is two real ones: the standard says so.
  static Complex* complex(Array<Real>& array) { return reinterpret_cast<Complex*>(array.data()); }
  static Index reals(const std::vector<Plan>& plans, bool input) {
    Index most = 0;
    for (const Plan& plan : plans) {
      const Index in = plan.input_bytes(), out = plan.output_bytes();
      most = std::max({most, input ? in : out, plan.options().in_place ? std::max(in, out) : 0});
    }
    return most / static_cast<Index>(sizeof(Real));
  }

  Array<Real> in_, out_, kept_;
};

Options with_strategy(Options options, const std::string& strategy) {
  options.set("strategy", strategy);
  return options;
}

template <class Real>
std::vector<Result> measure_in(const Settings& settings, const std::vector<Plan>& plans, const Job& job) {
  std::vector<Transform<Real>> transforms;
  std::vector<Result> results;
  for (const Plan& plan : plans) {
    job.progress("planning " + plan.options().strategy);
    MPI_Barrier(job.comm);
    const double start = MPI_Wtime();
    transforms.emplace_back(settings.problem, job.comm, plan.options());
    const Plan& made = transforms.back().plan();
    Result result;
    result.planning = job.max(MPI_Wtime() - start);
    result.strategy = made.options().strategy;
    result.options = options_json(made.options());
    // The traffic of all ranks takes the square of their number to count.
    if (job.root() && job.wants_json()) result.traffic = traffic_json(made);
    result.layouts = made.input().describe() + " -> " + made.output().describe();
    results.push_back(result);
  }

  Fields<Real> fields(plans);
  const auto once = [&](Transform<Real>& fft) {
    fields.restore_input();
    MPI_Barrier(job.comm);
    const double start = MPI_Wtime();
    fields.forward(fft);
    fields.backward(fft);
    return job.max(MPI_Wtime() - start);
  };
  fields.make_input(transforms[0], job);
  for (Transform<Real>& fft : transforms) {
    for (int i = 0; i < settings.warmup; ++i) once(fft);
    fft.reset_statistics();
  }
  job.progress(text("timing %d repetition%s", settings.repeats, settings.repeats == 1 ? "" : "s"));
  const double start = MPI_Wtime();
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (std::size_t i = 0; i < transforms.size(); ++i) {
      results[i].seconds.push_back(once(transforms[i]));
      results[i].error = std::max(results[i].error, fields.round_trip_error(transforms[i], job));
    }
    // Every rank asks for the same number, so that all stop together.
    if (settings.seconds > 0 && job.max(MPI_Wtime() - start) >= settings.seconds) break;
  }

  for (std::size_t i = 0; i < transforms.size(); ++i) {
    const Plan& plan = transforms[i].plan();
    results[i].wire_error = plan.wire_error(Direction::forward) + plan.wire_error(Direction::backward);
    const Statistics& cost = transforms[i].statistics();
    Result& result = results[i];
    const auto times = static_cast<Index>(result.seconds.size());
    result.bytes_sent = job.max(cost.bytes_sent) / times;
    result.messages = job.max(cost.messages) / times;
    result.bytes_moved = job.max(cost.bytes_read + cost.bytes_written) / times;
    const auto mean = [&](double seconds) { return job.sum(seconds) / job.ranks / static_cast<double>(times); };
    using S = Statistics;
    for (const auto part : {&S::total, &S::compute, &S::start, &S::test, &S::wait, &S::check}) {
      result.mean.*part = mean(cost.*part);
    }
    result.mean.reshapes = cost.reshapes;
    using R = ReshapeStatistics;
    for (ReshapeStatistics& reshape : result.mean.reshapes) {
      for (const auto part : {&R::start, &R::test, &R::wait, &R::in_flight, &R::hidden}) {
        reshape.*part = mean(reshape.*part);
      }
      reshape.messages = job.max(reshape.messages) / times;
      reshape.bytes_sent = job.max(reshape.bytes_sent) / times;
    }
  }
  return results;
}

template <class Real>
Machine measure_machine_in(const Settings& settings, Index field_bytes, const Job& job) {
  job.progress("measuring the machine's limits");
  Machine machine;
  // Arrays as large as the transform's, so that they fit the caches that the transform's fit, and no others.
  machine.copy_rate = measure_copy_rate(job, field_bytes);
  const Shape& shape = settings.problem.shape;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto same = static_cast<std::size_t>(std::find(shape.begin(), shape.end(), shape[axis]) - shape.begin());
    if (shape[axis] == 1) continue;
    machine.line_rates[axis] = same < axis ? machine.line_rates[same] : measure_line_rate<Real>(job, shape[axis]);
  }
  return machine;
}

}  // namespace

std::vector<Plan> make_plans(const Settings& settings, const Job& job) {
  std::vector<Plan> plans;
  const Options options = job.with_nodes(settings.options);
  for (const std::string& strategy : settings.strategies) {
    plans.emplace_back(settings.problem, with_strategy(options, strategy), job.ranks, job.rank);
  }
  return plans;
}

Index memory_needed(const std::vector<Plan>& plans) {
  const bool in_double = plans[0].problem().precision == Precision::double_;
  Index bytes = in_double ? Fields<double>::bytes(plans) : Fields<float>::bytes(plans);
  for (const Plan& plan : plans) bytes += plan.workspace_bytes();
  return bytes;
}

std::vector<Result> measure(const Settings& settings, const std::vector<Plan>& plans, const Job& job) {
  const bool in_double = settings.problem.precision == Precision::double_;
  return in_double ? measure_in<double>(settings, plans, job) : measure_in<float>(settings, plans, job);
}

Machine measure_machine(const Settings& settings, const Plan& plan, const Job& job) {
  const bool in_double = settings.problem.precision == Precision::double_;
  const Index bytes = plan.input_bytes();
  return in_double ? measure_machine_in<double>(settings, bytes, job) : measure_machine_in<float>(settings, bytes, job);
}

}  // namespace weft::tools
