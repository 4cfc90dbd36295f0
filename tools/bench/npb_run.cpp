#include "npb_run.hpp"

#include <utility>

namespace weft::npb {

/// Adds the time since the last lap to a part, or to none.
class Stopwatch {
 public:
  void lap(double& seconds) { seconds += lap(); }
  double lap() {
    const double last = std::exchange(last_, MPI_Wtime());
    return last_ - last;
  }
  double start() const { return start_; }
  double last() const { return last_; }

 private:
  double start_ = MPI_Wtime(), last_ = start_;
};

Kernel::Kernel(const Class& grid, const Plan& plan, const tools::Job& job, int groups)
    : grid_(grid),
      options_(plan.options()),
      job_(job),
      groups_(groups),
      spectrum_(plan.output_size()),
      field_(plan.input_size()) {
  mine_ = job.rank / (job.ranks / groups);
  group_ = detail::Communicator::split(job.comm, mine_);
  // The pages are handed out here, not while the clock runs.
  for (tools::Array<Complex>* array : {&spectrum_, &field_}) std::fill(array->begin(), array->end(), Complex());
}

Index Kernel::array_bytes(const Plan& plan) {
  return static_cast<Index>(sizeof(Complex)) * (plan.input_size() + plan.output_size());
}

void Kernel::warm_up() {
  Breakdown ignored;
  Stopwatch watch;
  begin(ignored, watch);
  fft_.reset();
}

Run Kernel::timed() {
  Run run;
  Breakdown mine;
  std::vector<Complex> sums(static_cast<std::size_t>(grid_.iterations));
  double reduction = 0;

  MPI_Barrier(job_.comm);
  Stopwatch watch;
  begin(mine, watch);
  Evolution evolution(grid_, fft_->output_box());
  watch.lap(mine.evolution);
  int before = 0;
  for (int t = 1 + mine_; t <= grid_.iterations; before = t, t += groups_) {
    inverse(before, t, evolution, mine, watch);
    watch.lap();  // the library keeps its own account
    sums[static_cast<std::size_t>(t - 1)] = partial_checksum(grid_, fft_->input_box(), field_.data());
    watch.lap(mine.checksums);
  }
  // One reduction for all iterations: nothing needs a checksum before the end.
  run.sums = sums;
  MPI_Allreduce(sums.data(), run.sums.data(), 2 * grid_.iterations, MPI_DOUBLE, MPI_SUM, job_.comm);
  watch.lap(reduction);
  for (int t = 1; t <= grid_.iterations; ++t) {
    run.errors.push_back(checksum_error(grid_, t, run.sums[static_cast<std::size_t>(t - 1)]));
  }
  watch.lap(mine.checksums);

  const double own_seconds = watch.last() - watch.start();
  run.seconds = job_.max(own_seconds);
  const Statistics& cost = fft_->statistics();
  mine.transforms = cost.compute;
  mine.send_receive = cost.start + cost.test;
  mine.waiting = cost.wait;
  // A rank that is ready earlier than the last one waits for it.
  mine.synchronisation = cost.check + reduction + (run.seconds - own_seconds);
  mine.calculation = run.seconds - mine.send_receive - mine.waiting - mine.synchronisation;
  mine.other =
      mine.calculation - mine.transforms - mine.random_numbers - mine.evolution - mine.checksums - mine.planning;
  run.bytes_sent = job_.sum(cost.bytes_sent);
  run.messages = job_.sum(cost.messages);
  for (const Breakdown::Part& part : Breakdown::parts) {
    run.mean.*part.seconds = job_.sum(mine.*part.seconds) / job_.ranks;
    run.max.*part.seconds = job_.max(mine.*part.seconds);
  }
  fft_.reset();
  return run;
}

/// From nothing to the spectrum of the initial field.
void Kernel::begin(Breakdown& breakdown, Stopwatch& watch) {
  fft_.emplace(Problem{.shape = grid_.shape()}, group_.get(), options_);
  watch.lap(breakdown.planning);
  tools::Array<Complex>& initial = options_.in_place ? spectrum_ : field_;
  set_initial_conditions(grid_, fft_->input_box(), initial.data());
  watch.lap(breakdown.random_numbers);
  if (options_.in_place) {
    fft_->forward(spectrum_.data());
  } else {
    fft_->forward(field_.data(), spectrum_.data());
  }
  watch.lap();
}

/// The field at step t. A transform out of place leaves the spectrum as it is, so that it needs no copy and is taken
/// further from step to step; a transform in place gets a copy that is taken t steps further on the way.
void Kernel::inverse(int before, int t, Evolution& evolution, Breakdown& breakdown, Stopwatch& watch) {
  if (options_.in_place) {
    evolution.evolve(t, spectrum_.data(), field_.data());
    watch.lap(breakdown.evolution);
    fft_->backward(field_.data());
  } else {
    evolution.evolve(t - before, spectrum_.data(), spectrum_.data());
    watch.lap(breakdown.evolution);
    fft_->backward(spectrum_.data(), field_.data());
  }
}

}  // namespace weft::npb
