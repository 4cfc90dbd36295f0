#include "chooser.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "base/host.hpp"
#include "base/mpi.hpp"
#include "base/text.hpp"
#include "doubt.hpp"

namespace weft::tuner {

using detail::concat;

Chooser::Chooser(MPI_Comm comm, Case& what, const Tuning& tuning)
    : comm_(comm), case_(what), tuning_(tuning), field_(what.parts()), records_(comm, what, tuning_) {
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank_));
  case_.search_space = find_search_space(comm, case_.given(), tuning_);
}

void Chooser::say(const std::string& line) const {
  if (rank_ == 0 && tuning_.progress) tuning_.progress(line);
}

/// Rank 0 looks at the machine file and has the others know.
void Chooser::price(int from) {
  const auto count = static_cast<std::size_t>(field_.size() - from);
  std::vector<std::array<double, 2>> seconds(count);
  std::vector<Index> memory(count);
  std::vector<std::string> obstacles(count);
  detail::all_or_none(comm_, [&] {
    if (rank_ != 0) return;
    const SearchSpace& space = case_.search_space;
    // If there are more ranks than processors, they take turns.
    const PricedMachine machine = find_machine(tuning_, space.ranks, space.ranks_on_node, detail::processors());
    machine_name_ = machine.source;
    const Index available = detail::available_memory();
    for (std::size_t i = 0; i < count; ++i) {
      Price price;
      try {
        price =
            case_.price(field_[from + static_cast<int>(i)].options, machine.machine, case_.search_space.ranks_on_node);
        if (space.free("wire") && price.wire_error > space.tolerance) {
          price.obstacle =
              detail::text("may bring in an error of %.1e; the tolerance is %.1e", price.wire_error, space.tolerance);
        }
        if (price.memory > available / case_.search_space.ranks_on_node) {
          price.obstacle = concat("needs ", price.memory, " bytes of memory a rank, and ",
                                  case_.search_space.ranks_on_node, " ranks of a node share ", available);
        }
      } catch (const Error& error) {
        price.obstacle = error.what();
      }
      seconds[i] = price.seconds;
      memory[i] = price.memory;
      obstacles[i] = price.obstacle;
    }
  });
  const int numbers = detail::narrow<int>(count, "the number of candidates");
  WEFT_MPI(comm_, MPI_Bcast(seconds.data(), 2 * numbers, MPI_DOUBLE, 0, comm_));
  WEFT_MPI(comm_, MPI_Bcast(memory.data(), numbers, MPI_INT64_T, 0, comm_));
  obstacles = detail::broadcast(comm_, obstacles);
  for (std::size_t i = 0; i < count; ++i) {
    field_.price(from + static_cast<int>(i), {seconds[i], memory[i], 0, obstacles[i]});
  }
  machine_name_ = detail::broadcast(comm_, machine_name_);
}

/// See Field::enter for `needed`, Timing for `memory` and `patience`.
void Chooser::time(const std::vector<int>& which, const Budget& budget, const std::vector<int>& needed, Index memory,
                   int patience) {
  Timing timing(
      comm_, static_cast<int>(which.size()), case_.parts(),
      [&](int i) {
        Options options = field_[which[static_cast<std::size_t>(i)]].options;
        options.trace.clear();
        return case_.make(options);
      },
      memory, patience);
  timing.run(budget, [&](const std::string& line) { say(line); });
  field_.enter(which, timing, needed);
}

/// Adds who can be used and is not there yet.
void Chooser::enlist(std::vector<int>& which, int i) const {
  if (field_[i].obstacle.empty() && std::find(which.begin(), which.end(), i) == which.end()) which.push_back(i);
}

/// Tries what differs from the leaders in one option, as long as that helps.
void Chooser::refine(const Budget& budget) {
  for (int step = 0; step < 4 && budget.allows(0); ++step) {
    const std::vector<int> leaders = field_.best();
    std::vector<int> which{0};
    for (const int leader : leaders) enlist(which, leader);
    for (int part = 0; part < case_.parts(); ++part) {
      const std::vector<int> order = field_.ranking(part);
      if (order.size() > 1) enlist(which, order[1]);
    }
    const int before = field_.size();
    const std::size_t incumbents = which.size();
    for (const int leader : leaders) field_.consider(case_.neighbours(field_[leader].options));
    price(before);
    for (int i = before; i < field_.size(); ++i) enlist(which, i);
    if (which.size() == incumbents) return;
    say(concat("variations of the best: ", which.size() - incumbents));
    // Without time for the leaders there is nothing to learn from it: they remain.
    time(which, budget, leaders, workspaces());
    if (field_.best() == leaders) return;
  }
}

/// The fastest once more, planned anew for each round: where in memory a plan happens to lie is worth some percent, and
/// whoever plans it after us will have it elsewhere.
void Chooser::confirm(const Budget& budget) {
  constexpr std::size_t finalists = 5;
  const std::vector<int> leaders = field_.best();
  std::vector<int> which{0};
  for (int part = 0; part < case_.parts(); ++part) {
    const std::vector<int> order = field_.ranking(part);
    for (std::size_t i = 0; i < std::min(order.size(), finalists); ++i) enlist(which, order[i]);
    // What a format for the wire must beat.
    const auto exact = std::find_if(order.begin(), order.end(), [&](int i) { return !field_.rounds(i); });
    if (exact != order.end()) enlist(which, *exact);
  }
  for (const int one : field_.of_pairs(finalists)) enlist(which, one);
  if (which.size() == 1 || !budget.allows(0)) return;
  say(concat("planned anew in each round: the fastest ", which.size() - 1));
  // One of a pair may be slow beside the fastest of its part, and is chosen all the same: all are timed often enough.
  time(which, budget, leaders, 0, case_.parts() > 1 ? fewest_of_winner : 1);
}

/// Bytes that the plans of a contest may keep, of a rank.
Index Chooser::workspaces() const { return detail::available_memory() / 4 / case_.search_space.ranks_on_node; }

/// What it took is added at the end.
Tuned Chooser::answer(int part, int candidate) const {
  Tuned tuned;
  tuned.options = case_.of_part(field_[candidate].options, part);
  tuned.chosen = differences(tuned.options);
  tuned.source = field_.timed() ? "timed" : "model";
  tuned.machine = machine_name_;
  tuned.effort = tuning_.effort;
  tuned.seconds = field_.figure(candidate, part);
  tuned.default_seconds = std::max(0.0, field_.figure(0, part));

  std::vector<int> order = field_.ranking(part);
  order.erase(std::find(order.begin(), order.end(), candidate));
  order.insert(order.begin(), candidate);
  if (order.size() > 1) tuned.sureness = field_.sureness(part, candidate, order[1]);
  for (int i = 0; i < field_.size(); ++i) {
    if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
  }
  for (const int i : order) {
    const Candidate& one = field_[i];
    const Result& result = one.result[static_cast<std::size_t>(part)];
    const Standing& standing = result.standing;
    Tried tried;
    tried.options = differences(case_.of_part(one.options, part));
    tried.predicted = std::max(0.0, one.price.seconds[static_cast<std::size_t>(part)]);
    tried.seconds = standing.median;
    tried.low = standing.low;
    tried.high = standing.high;
    tried.rounds = standing.rounds;
    tried.relative = result.relative();
    tried.decisive = field_.decisive(i, part);
    tried.left_out = one.left_out;
    tried.obstacle = one.obstacle;
    tuned.tried.push_back(std::move(tried));
  }
  return tuned;
}

/// Prices all that is worth a look, and times the likely.
void Chooser::search(const Budget& budget) {
  // A wide choice begins with what a narrow one looks at.
  const bool wide = std::exchange(case_.search_space.wide, false);
  field_.consider(case_.candidates());
  const int narrow = field_.size();
  case_.search_space.wide = wide;
  if (wide) field_.consider(case_.candidates());
  price(0);
  if (!field_[0].obstacle.empty()) throw Error(field_[0].obstacle);
  if (tuning_.effort == Effort::estimate) return;
  // With formats for the wire there are twice as many kinds.
  std::vector<int> which = field_.likely(case_.search_space.free("wire") ? 24 : 16, narrow);
  if (wide) {
    for (const int i : field_.likely(160, field_.size())) enlist(which, i);
  }
  say(concat(field_.size(), " candidates, of which ", which.size(), " are timed"));
  // Some of the budget is left for what lies beside the best, and for the last word.
  time(which, budget.part((wide ? 0.55 : 0.8) * budget_), {}, workspaces());
  if (wide) refine(budget.part(0.85 * budget_ - budget.spent()));
  confirm(budget);
}

/// Keeps what was measured.
void Chooser::keep(const std::vector<Tuned>& answers, const std::vector<int>& chosen, const detail::Busy& busy) {
  for (std::size_t part = 0; part < answers.size() && !tuning_.force; ++part) {
    const double given = field_[0].price.seconds[part], choice = field_[chosen[part]].price.seconds[part];
    const std::string why = doubt(answers[part], {busy, given > 0 && choice > 0 ? given / choice : 0, budget_});
    if (why.empty()) continue;
    if (rank_ == 0) records_.warnings.push_back(why + ": it is not kept in the tuning file, unless with `force`");
    return;
  }
  records_.keep(answers);
}

std::vector<Tuned> Chooser::choose() {
  std::vector<Tuned> answers;
  const double usual = tuning_.effort == Effort::patient ? 60 : 10;
  budget_ = tuning_.budget > 0 ? tuning_.budget : usual;
  const Budget budget(comm_, budget_);
  records_.learn_wisdom();
  if (!records_.find(answers)) {
    const bool timing = tuning_.effort != Effort::estimate;
    std::optional<detail::BusyWatch> watch;
    if (timing) watch.emplace(comm_);
    search(budget);
    const detail::Busy busy = timing ? watch->seen() : detail::Busy{};
    const std::vector<int> chosen = field_.best();
    for (int part = 0; part < case_.parts(); ++part) {
      answers.push_back(answer(part, chosen[static_cast<std::size_t>(part)]));
    }
    if (timing) keep(answers, chosen, busy);
  }
  const std::vector<std::string> warnings = detail::broadcast(comm_, records_.warnings);
  for (Tuned& one : answers) {
    one.spent = budget.spent();
    one.warnings = warnings;
  }
  return answers;
}

}  // namespace weft::tuner
