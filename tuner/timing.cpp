#include "timing.hpp"

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::tuner {

namespace {

/// A round of a candidate runs at least so long, so that clocks and barriers do not matter.
constexpr double shortest_visit = 2e-3;
/// The part of the budget that the first round may take: few candidates in many rounds are better than many in one.
constexpr double first_part = 0.35;
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

Budget::Budget(MPI_Comm comm, double seconds) : comm_(comm), begin_(detail::now()), end_(begin_ + seconds) {}

bool Budget::allows(double seconds) const {
  int yes = detail::now() + seconds < end_ ? 1 : 0;
  WEFT_MPI(comm_, MPI_Bcast(&yes, 1, MPI_INT, 0, comm_));
  return yes != 0;
}

double Budget::spent() const { return detail::now() - begin_; }
double Budget::left() const { return end_ - detail::now(); }

Timing::Timing(MPI_Comm comm, int candidates, int parts, Make make, Index memory)
    : comm_(comm),
      parts_(parts),
      make_(std::move(make)),
      memory_(memory),
      contests_(static_cast<std::size_t>(parts), Contest(candidates)),
      transforms_(static_cast<std::size_t>(candidates)),
      obstacles_(static_cast<std::size_t>(candidates)),
      visits_(static_cast<std::size_t>(candidates), 0) {
  // What is kept must be kept by all.
  WEFT_MPI(comm_, MPI_Allreduce(MPI_IN_PLACE, &memory_, 1, MPI_INT64_T, MPI_MIN, comm_));
}

void Timing::run(const Budget& budget, const Tell& tell) {
  const auto decided = [](const Contest& contest) { return contest.decided(); };
  const Budget beginning(comm_, first_part * budget.left());
  int before = 0;
  for (int number = 1; !std::all_of(contests_.begin(), contests_.end(), decided); ++number) {
    const bool whole = round(budget, beginning);
    for (Contest& contest : contests_) contest.close();
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
bool Timing::round(const Budget& budget, const Budget& first_round) {
  std::vector<int> order = contests_[0].round();
  for (std::size_t part = 1; part < contests_.size(); ++part) {
    for (const int candidate : contests_[part].round()) {
      if (std::find(order.begin(), order.end(), candidate) == order.end()) order.push_back(candidate);
    }
  }
  const bool beginning = contests_[0].rounds() == 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double known = visits_[static_cast<std::size_t>(order[i])];
    // Nobody knows how long planning takes: about as long as that of the others.
    const double expected = known > 0 ? known : longest_;
    if ((!beginning || i > 0) && !budget.allows(expected)) return false;
    if (beginning && i > 0 && !first_round.allows(expected)) {
      leave_out({order.begin() + static_cast<std::ptrdiff_t>(i), order.end()});
      return true;
    }
    visit(order[i]);
  }
  return true;
}

void Timing::leave_out(const std::vector<int>& candidates) {
  for (const int candidate : candidates) {
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

void Timing::visit(int candidate) {
  const auto i = static_cast<std::size_t>(candidate);
  const double begin = detail::now();
  const bool anew = transforms_[i] == nullptr;
  if (!prepare(candidate)) return;
  TimedTransform& transform = *transforms_[i];
  for (int part = 0; part < parts_; ++part) {
    Contest& contest = contests_[static_cast<std::size_t>(part)];
    if (contest.out(candidate)) continue;
    // The first run finds caches and pages cold, and says how often a round is to be repeated. Long ones do not care.
    const double known = contest.standing(candidate).median;
    const double cold = known > cold_matters_up_to && !anew ? known : timed(transform, part, 1);
    const double repeats = std::clamp(std::ceil(shortest_visit / std::max(cold, 1e-9)), 1.0, 1000.0);
    contest.record(candidate, timed(transform, part, static_cast<int>(repeats)));
  }
  if (anew) {
    const auto kept =
        std::count_if(transforms_.begin(), transforms_.end(), [](const auto& one) { return one != nullptr; });
    const Index bytes = largest(comm_, kept_ + transform.workspace_bytes(), MPI_INT64_T);
    if (bytes > memory_ || kept > most_kept) {
      transforms_[i].reset();
    } else {
      kept_ += transform.workspace_bytes();
    }
  }
  visits_[i] = largest(comm_, detail::now() - begin, MPI_DOUBLE);
  longest_ = std::max(longest_, visits_[i]);
}

double Timing::timed(TimedTransform& transform, int part, int repeats) const {
  WEFT_MPI(comm_, MPI_Barrier(comm_));
  const double begin = detail::now();
  for (int i = 0; i < repeats; ++i) transform.run(part);
  return largest(comm_, (detail::now() - begin) / repeats, MPI_DOUBLE);
}

}  // namespace weft::tuner
