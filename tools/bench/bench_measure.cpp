#include "bench_measure.hpp"

#include <algorithm>

#include "bench_contestants.hpp"
#include "limits.hpp"

namespace weft::tools {

namespace {

/// Messages, bytes and the parts of the time, of one execution.
void add_statistics(Result& result, const Statistics& cost, const Job& job) {
  const auto times = static_cast<Index>(result.seconds.size());
  result.bytes_sent = job.max(cost.bytes_sent) / times;
  result.messages = job.max(cost.messages) / times;
  result.bytes_moved = job.max(cost.bytes_read + cost.bytes_written) / times;
  const auto mean = [&](double seconds) { return job.sum(seconds) / job.ranks / static_cast<double>(times); };
  using S = Statistics;
  for (const auto part : {&S::total, &S::compute, &S::start, &S::test, &S::wait, &S::check}) {
    result.mean.*part = mean(cost.*part);
  }
  result.mean.core_round_trip = job.max(cost.core_round_trip);
  result.mean.core_moves = job.max(cost.core_moves);
  result.mean.exchanges = cost.exchanges;
  using R = ExchangeStatistics;
  for (ExchangeStatistics& exchange : result.mean.exchanges) {
    for (const auto part : {&R::start, &R::test, &R::wait, &R::in_flight, &R::hidden}) {
      exchange.*part = mean(exchange.*part);
    }
    exchange.messages = job.max(exchange.messages) / times;
    exchange.bytes_sent = job.max(exchange.bytes_sent) / times;
  }
}

template <class Real>
Machine measure_machine_in(const Settings& settings, Index field_bytes, const Job& job) {
  job.progress("measuring the machine's limits");
  Machine machine;
  // Arrays as large as the transform's, so that they fit the caches that the transform's fit, and no others.
  machine.copy_rate = measure_copy_rate(job, field_bytes);
  const Extents& shape = settings.problem.shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto same = static_cast<std::size_t>(std::find(shape.begin(), shape.end(), shape[axis]) - shape.begin());
    if (shape[axis] == 1) continue;
    machine.line_rates[axis] = same < axis ? machine.line_rates[same] : measure_line_rate<Real>(job, shape[axis]);
  }
  return machine;
}

}  // namespace

std::vector<Options> options_by_strategy(const Settings& settings, const Job& job) {
  std::vector<Options> all;
  for (const std::string& strategy : settings.strategies) {
    all.push_back(job.with_nodes(settings.options));
    all.back().set("strategy", strategy);
  }
  return all;
}

Planned plan_all(const Settings& settings, const Job& job) {
  return settings.applied ? plan_operators(settings, job) : plan_transforms(settings, job);
}

std::vector<Result> measure(const Settings& settings, const Planned& planned, const Job& job) {
  const std::unique_ptr<Contest> contest =
      settings.applied ? contest_of_operators(settings, planned, job) : contest_of_transforms(settings, planned, job);
  std::vector<std::unique_ptr<Contestant>> contestants;
  std::vector<std::unique_ptr<Timed>> rivals;
  std::vector<Result> results;
  for (const Options& options : planned.options) {
    job.progress("planning " + options.strategy);
    MPI_Barrier(job.comm);
    const double start = MPI_Wtime();
    contestants.push_back(contest->contestant(options));
    Result result;
    result.planning = job.max(MPI_Wtime() - start);
    contestants.back()->tell(result);
    if (auto rival = contest->rival(options)) {
      rival->tell(result);
      rivals.push_back(std::move(rival));
    }
    results.push_back(std::move(result));
  }

  const auto once = [&](Timed& one) {
    one.restore_input();
    MPI_Barrier(job.comm);
    const double start = MPI_Wtime();
    one.run();
    return job.max(MPI_Wtime() - start);
  };
  contest->make_input();
  for (int i = 0; i < settings.warmup; ++i) {
    for (const auto& one : contestants) once(*one);
    for (const auto& one : rivals) once(*one);
  }
  for (const auto& one : contestants) one->reset_statistics();
  job.progress(text("timing %d repetition%s", settings.repeats, settings.repeats == 1 ? "" : "s"));
  const double start = MPI_Wtime();
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      results[i].seconds.push_back(once(*contestants[i]));
      results[i].error = std::max(results[i].error, contestants[i]->error());
      if (!rivals.empty()) results[i].steps_seconds.push_back(once(*rivals[i]));
    }
    // Every rank asks for the same number, so that all stop together.
    if (settings.seconds > 0 && job.max(MPI_Wtime() - start) >= settings.seconds) break;
  }
  for (std::size_t i = 0; i < contestants.size(); ++i) add_statistics(results[i], contestants[i]->statistics(), job);
  return results;
}

Machine measure_machine(const Settings& settings, const Planned& planned, const Job& job) {
  const bool in_double = settings.problem.precision == Precision::double_;
  return in_double ? measure_machine_in<double>(settings, planned.field_bytes, job)
                   : measure_machine_in<float>(settings, planned.field_bytes, job);
}

}  // namespace weft::tools
