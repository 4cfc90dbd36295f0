#include "timing.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::tuner {

namespace {

/// A round of a candidate runs at least so long, so that clocks and barriers do not matter.
constexpr double shortest_visit = 2e-3;
/// The part of the budget that the first round may take: few candidates in many rounds are better than many in one.
constexpr double first_part = 0.35;
/// But so many are timed in it as long as there is any budget.
constexpr int handful = 4;
/// Longer runs go through so much memory that it matters little what was in the caches.
constexpr double cold_matters_up_to = 20e-3;
/// Candidates that are planned at once: MPI libraries have some thousand communicators in all.
constexpr int most_kept = 96;

template <class T>
T largest(MPI_Comm comm, T value, MPI_Datatype type) {
  WEFT_MPI(comm, MPI_Allreduce(MPI_IN_PLACE, &value, 1, type, MPI_MAX, comm));
  return value;
}

}  // namespace

Budget::Budget(MPI_Comm comm, double seconds, Clock clock)
    : comm_(comm), clock_(std::move(clock)), begin_(clock_()), end_(begin_ + seconds) {}

bool Budget::allows(double seconds) const {
  int yes = clock_() + seconds < end_ ? 1 : 0;
  WEFT_MPI(comm_, MPI_Bcast(&yes, 1, MPI_INT, 0, comm_));
  return yes != 0;
}

double Budget::spent() const { return clock_() - begin_; }
double Budget::left() const { return end_ - clock_(); }

Timing::Timing(MPI_Comm comm, int candidates, int parts, Make make, Index memory, int patience)
    : comm_(comm),
      parts_(parts),
      make_(std::move(make)),
      memory_(memory),
      contests_(static_cast<std::size_t>(parts), Contest(candidates, patience)),
      transforms_(static_cast<std::size_t>(candidates)),
      obstacles_(static_cast<std::size_t>(candidates)),
      left_out_(static_cast<std::size_t>(candidates), false),
      visits_(static_cast<std::size_t>(candidates)) {
  // What is kept must be kept by all.
  WEFT_MPI(comm_, MPI_Allreduce(MPI_IN_PLACE, &memory_, 1, MPI_INT64_T, MPI_MIN, comm_));
}

void Timing::run(const Budget& budget, const Tell& tell) {
  const auto decided = [](const Contest& contest) { return contest.decided(); };
  int before = 0;
  for (int number = 1; !std::all_of(contests_.begin(), contests_.end(), decided); ++number) {
    const bool whole = round(budget);
    for (Contest& contest : contests_) whole || number == 1 ? contest.close() : contest.abandon();
    int in = 0;
    for (std::size_t i = 0; i < transforms_.size(); ++i) {
      const bool out = std::all_of(contests_.begin(), contests_.end(),
                                   [&](const Contest& contest) { return contest.out(static_cast<int>(i)); });
      in += out ? 0 : 1;
      if (out && transforms_[i] != nullptr) {
        kept_ -= transforms_[i]->workspace_bytes();
        transforms_[i].reset();
      }
    }
    if (tell && in != before) {
      tell(detail::concat("round ", number, ": ", in, in == 1 ? " candidate" : " candidates", " left after ",
                          std::round(budget.spent() * 10) / 10, " s"));
    }
    before = in;
    if (!whole) return;
  }
}

/// False: the budget ended it.
bool Timing::round(const Budget& budget) {
  std::vector<int> order = contests_[0].round();
  for (std::size_t part = 1; part < contests_.size(); ++part) {
    for (const int candidate : contests_[part].round()) {
      if (std::find(order.begin(), order.end(), candidate) == order.end()) order.push_back(candidate);
    }
  }
  const bool beginning = contests_[0].rounds() == 0;
  Budget first_round = budget;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!may_begin(order[i], budget, first_round)) {
      if (beginning) leave_out({order.begin() + static_cast<std::ptrdiff_t>(i), order.end()});
      return beginning && budget.allows(0);
    }
    visit(order[i], budget.clock());
    // The first pays for what the others find ready: their part begins after it.
    if (beginning && i == 0) first_round = budget.part(first_part * budget.left());
  }
  return true;
}

bool Timing::may_begin(int candidate, const Budget& budget, const Budget& first_round) const {
  const bool beginning = contests_[0].rounds() == 0;
  if (beginning && timed_ < 2) return true;
  const auto i = static_cast<std::size_t>(candidate);
  // Nobody knows how long one takes that has not been here: about as long as the others.
  const bool known = visits_[i].running > 0;
  const Visit& expected = known ? visits_[i] : longest_;
  const double planning = transforms_[i] == nullptr ? expected.planning : 0;
  return (beginning && timed_ >= handful ? first_round : budget).allows(planning + expected.running);
}

void Timing::leave_out(const std::vector<int>& candidates) {
  for (const int candidate : candidates) {
    left_out_[static_cast<std::size_t>(candidate)] = true;
    for (Contest& contest : contests_) contest.withdraw(candidate);
  }
}

bool Timing::prepare(int candidate) {
  auto& transform = transforms_[static_cast<std::size_t>(candidate)];
  if (transform != nullptr) return true;
  try {
    transform = make_(candidate);
    return true;
  } catch (const Error& error) {
    obstacles_[static_cast<std::size_t>(candidate)] = error.what();
    for (Contest& contest : contests_) contest.withdraw(candidate);
    return false;
  }
}

void Timing::visit(int candidate, const Clock& clock) {
  const auto i = static_cast<std::size_t>(candidate);
  const double begin = clock();
  const bool anew = transforms_[i] == nullptr;
  if (!prepare(candidate)) return;
  const double planned = clock();
  TimedTransform& transform = *transforms_[i];
  for (int part = 0; part < parts_; ++part) {
    Contest& contest = contests_[static_cast<std::size_t>(part)];
    if (contest.out(candidate)) continue;
    // The first run finds caches and pages cold, and says how often a round is to be repeated. Long ones do not care.
    const double known = contest.standing(candidate).median;
    const double cold = known > cold_matters_up_to && !anew ? known : timed(transform, part, 1, clock);
    const double repeats = std::clamp(std::ceil(shortest_visit / std::max(cold, 1e-9)), 1.0, 1000.0);
    contest.record(candidate, timed(transform, part, static_cast<int>(repeats), clock));
  }
  Visit& mine = visits_[i];
  if (mine.running == 0) ++timed_;
  mine.running = largest(comm_, clock() - planned, MPI_DOUBLE);
  if (anew) mine.planning = largest(comm_, planned - begin, MPI_DOUBLE);
  if (timed_ > 1) {
    longest_ = {std::max(longest_.planning, mine.planning), std::max(longest_.running, mine.running)};
  }
  if (anew) keep_if_it_fits(candidate);
}

void Timing::keep_if_it_fits(int candidate) {
  auto& transform = transforms_[static_cast<std::size_t>(candidate)];
  const auto kept =
      std::count_if(transforms_.begin(), transforms_.end(), [](const auto& one) { return one != nullptr; });
  const Index bytes = largest(comm_, kept_ + transform->workspace_bytes(), MPI_INT64_T);
  if (bytes > memory_ || kept > most_kept) {
    transform.reset();
  } else {
    kept_ += transform->workspace_bytes();
  }
}

double Timing::timed(TimedTransform& transform, int part, int repeats, const Clock& clock) const {
  WEFT_MPI(comm_, MPI_Barrier(comm_));
  const double begin = clock();
  for (int i = 0; i < repeats; ++i) transform.run(part);
  return largest(comm_, (clock() - begin) / repeats, MPI_DOUBLE);
}

}  // namespace weft::tuner
