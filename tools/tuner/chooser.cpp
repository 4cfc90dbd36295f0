#include "chooser.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/text.hpp"
#include "host.hpp"
#include "machine.hpp"

namespace weft::tuner {

using detail::concat;

namespace {

/// Options in which the two directions of a sphere cannot differ.
constexpr const char* common_names[] = {"backend", "leaders", "progress", "cache"};

std::string common(const Options& options) {
  std::string text;
  for (const char* name : common_names) text += options.get(name) + " ";
  return text;
}

/// "4x24": nodes and ranks on each where consecutive ranks share a node; else ranks by node, one after the other.
std::string layout_text(const std::vector<int>& node) {
  std::vector<std::pair<int, int>> runs;  // node, ranks
  for (const int one : node) {
    if (runs.empty() || runs.back().first != one) runs.emplace_back(one, 0);
    ++runs.back().second;
  }
  const bool alike =
      std::all_of(runs.begin(), runs.end(), [&](const auto& run) { return run.second == runs[0].second; });
  std::vector<int> names;
  for (const auto& run : runs) names.push_back(run.first);
  std::sort(names.begin(), names.end());
  const bool apart = std::adjacent_find(names.begin(), names.end()) == names.end();
  if (alike && apart) return concat(runs.size(), "x", runs[0].second);
  std::string text;
  for (const auto& [name, ranks] : runs) text += concat(text.empty() ? "" : " ", name, ":", ranks);
  return text;
}

}  // namespace

Chooser::Chooser(MPI_Comm comm, Case& what, const Tuning& tuning) : comm_(comm), case_(what), tuning_(tuning) {
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank_));
  const std::string nodes = look_around();
  records_ = std::make_unique<Records>(comm, what, tuning_, nodes);
}

void Chooser::say(const std::string& line) const {
  if (rank_ == 0 && tuning_.progress) tuning_.progress(line);
}

/// Sets the room for choices; who shares a node, as one word.
std::string Chooser::look_around() {
  const Options& given = case_.given(0);
  const detail::Nodes nodes = detail::find_nodes(comm_, given.nodes, given.node_size);
  Room& room = case_.room;
  room.ranks = static_cast<int>(nodes.node.size());
  room.ranks_on_node = 1;
  for (const int node : nodes.node) {
    const auto here = std::count(nodes.node.begin(), nodes.node.end(), node);
    room.ranks_on_node = std::max(room.ranks_on_node, static_cast<int>(here));
  }
  for (const auto& strategy : describe_strategies(comm_)) {
    if (strategy.obstacle.empty()) room.strategies.push_back(strategy.name);
  }
  int level = 0;
  WEFT_MPI(comm_, MPI_Query_thread(&level));
  room.thread = level == MPI_THREAD_MULTIPLE;
  room.may_transpose = tuning_.may_transpose;
  room.wide = tuning_.effort == Effort::patient;
  for (int part = 0; part < case_.parts(); ++part) {
    room.kept.merge(kept_names(case_.given(part), tuning_.keep));
  }
  if (!tuning_.may_transpose) room.kept.insert("transposed");
  if (case_.parts() > 1) room.kept.insert("groups");
  return layout_text(nodes.node);
}

/// Rank 0 looks at the machine file and has the others know.
void Chooser::price(std::size_t from) {
  Json prices = Json::array();
  if (rank_ == 0) {
    try {
      const NamedMachine machine = find_machine(tuning_.machine, records_->path(), case_.room);
      machine_name_ = machine.name;
      const Index available = available_memory();
      for (std::size_t i = from; i < candidates_.size(); ++i) {
        Price price;
        try {
          price = case_.price(candidates_[i].options, machine.machine, case_.room.ranks_on_node);
          if (price.memory > available / case_.room.ranks_on_node) {
            price.obstacle = concat("needs ", price.memory, " bytes of memory a rank, and ", case_.room.ranks_on_node,
                                    " ranks of a node share ", available);
          }
        } catch (const Error& error) {
          price.obstacle = error.what();
        }
        prices.push_back({price.seconds, price.memory, price.obstacle});
      }
    } catch (const Error& error) {
      prices = error.what();
    }
  }
  prices = Json::parse(detail::broadcast(comm_, prices.dump()));
  if (prices.is_string()) throw Error(prices.get<std::string>());
  for (std::size_t i = from; i < candidates_.size(); ++i) {
    const Json& one = prices[i - from];
    candidates_[i].price = {one[0].get<std::array<double, 2>>(), one[1].get<Index>(), one[2].get<std::string>()};
    candidates_[i].obstacle = candidates_[i].price.obstacle;
  }
  machine_name_ = detail::broadcast(comm_, machine_name_);
}

/// The given options first, then by what the model thinks, but the best of each strategy and decomposition early: where
/// the model errs, it errs alike for all plans of a kind.
std::vector<int> Chooser::likely(std::size_t count, std::size_t among) const {
  std::vector<double> least(static_cast<std::size_t>(case_.parts()), std::numeric_limits<double>::infinity());
  for (const Candidate& candidate : candidates_) {
    if (!candidate.obstacle.empty()) continue;
    for (std::size_t part = 0; part < least.size(); ++part) {
      least[part] = std::min(least[part], candidate.price.seconds[part]);
    }
  }
  const auto ratio = [&](int i) {
    double found = std::numeric_limits<double>::infinity();
    for (std::size_t part = 0; part < least.size(); ++part) {
      found = std::min(found, candidates_[static_cast<std::size_t>(i)].price.seconds[part] / least[part]);
    }
    return found;
  };
  std::vector<int> order;
  for (std::size_t i = 1; i < among; ++i) {
    if (candidates_[i].obstacle.empty()) order.push_back(static_cast<int>(i));
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return ratio(a) < ratio(b); });
  std::set<std::string> kinds;
  std::vector<int> first{0}, rest;
  for (const int i : order) {
    const Options& options = candidates_[static_cast<std::size_t>(i)].options;
    const std::string kind = options.strategy + options.get("decomposition");
    // The model is never wrong by that much.
    const bool chance = ratio(i) < 3;
    (chance && kinds.insert(kind).second ? first : rest).push_back(i);
  }
  first.insert(first.end(), rest.begin(), rest.end());
  first.resize(std::min(first.size(), count));
  return first;
}

void Chooser::time(const std::vector<int>& which, const Budget& budget) {
  timed_ = which;
  const Index memory = available_memory() / 4 / case_.room.ranks_on_node;
  timing_ = std::make_unique<Timing>(
      comm_, static_cast<int>(which.size()), case_.parts(),
      [&](int i) {
        Options options = candidates_[static_cast<std::size_t>(timed_[static_cast<std::size_t>(i)])].options;
        options.trace.clear();
        return case_.make(options);
      },
      memory);
  timing_->run(budget, [&](const std::string& line) { say(line); });
  for (std::size_t i = 0; i < which.size(); ++i) {
    Candidate& candidate = candidates_[static_cast<std::size_t>(which[i])];
    const int number = static_cast<int>(i);
    for (int part = 0; part < case_.parts(); ++part) {
      const Standing standing = timing_->contest(part).standing(number);
      if (standing.rounds > 0) candidate.standing[static_cast<std::size_t>(part)] = standing;
    }
    if (!timing_->obstacle(number).empty()) candidate.obstacle = timing_->obstacle(number);
  }
}

/// Tries what differs from the leaders in one option, as long as that helps.
void Chooser::refine(const Budget& budget) {
  for (int step = 0; step < 4 && budget.allows(0); ++step) {
    const std::vector<int> leaders = best();
    std::vector<int> which{0};
    const auto add = [&](int i) {
      const bool usable = candidates_[static_cast<std::size_t>(i)].obstacle.empty();
      if (usable && std::find(which.begin(), which.end(), i) == which.end()) which.push_back(i);
    };
    for (const int leader : leaders) add(leader);
    for (int part = 0; part < case_.parts(); ++part) {
      const std::vector<int> order = ranking(part);
      if (order.size() > 1) add(order[1]);
    }
    const std::size_t before = candidates_.size(), incumbents = which.size();
    for (const int leader : leaders) {
      for (Options& options : case_.neighbours(candidates_[static_cast<std::size_t>(leader)].options)) {
        if (known(options) < 0) candidates_.push_back({std::move(options), {}, {}, {}});
      }
    }
    price(before);
    for (std::size_t i = before; i < candidates_.size(); ++i) add(static_cast<int>(i));
    if (which.size() == incumbents) return;
    say(concat("variations of the best: ", which.size() - incumbents));
    std::unique_ptr<Timing> last = std::move(timing_);
    const std::vector<int> last_timed = timed_;
    time(which, budget);
    // Without time for the leaders there is nothing to learn from it.
    for (int part = 0; part < case_.parts(); ++part) {
      const int leader = leaders[static_cast<std::size_t>(part)];
      const auto place = std::find(timed_.begin(), timed_.end(), leader) - timed_.begin();
      if (timing_->contest(part).standing(static_cast<int>(place)).rounds > 0) continue;
      timing_ = std::move(last);
      timed_ = last_timed;
      return;
    }
    if (best() == leaders) return;
  }
}

int Chooser::known(const Options& options) const {
  const OptionTexts texts = differences(options);
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (differences(candidates_[i].options) == texts) return static_cast<int>(i);
  }
  return -1;
}

double Chooser::figure(int candidate, int part) const {
  const Candidate& one = candidates_[static_cast<std::size_t>(candidate)];
  const auto p = static_cast<std::size_t>(part);
  if (!one.obstacle.empty()) return -1;
  return timing_ != nullptr ? (one.standing[p].rounds > 0 ? one.standing[p].median : -1) : one.price.seconds[p];
}

/// Fastest first: of the last contest, then those of earlier ones; or by price.
std::vector<int> Chooser::ranking(int part) const {
  std::vector<int> order;
  if (timing_ != nullptr) {
    for (const int i : timing_->contest(part).ranking()) order.push_back(timed_[static_cast<std::size_t>(i)]);
  }
  std::vector<int> rest;
  for (int i = 0; i < static_cast<int>(candidates_.size()); ++i) {
    if (figure(i, part) > 0 && std::find(order.begin(), order.end(), i) == order.end()) rest.push_back(i);
  }
  std::stable_sort(rest.begin(), rest.end(), [&](int a, int b) { return figure(a, part) < figure(b, part); });
  order.insert(order.end(), rest.begin(), rest.end());
  return order;
}

std::vector<int> Chooser::best() const {
  if (case_.parts() == 1) return {ranking(0).front()};
  // Directions may differ, but not in everything: the best pair for each of what they have in common.
  std::vector<int> chosen;
  double least = std::numeric_limits<double>::infinity();
  const std::vector<int> backward = ranking(0), forward = ranking(1);
  std::set<std::string> seen;
  for (const int b : backward) {
    const std::string shared = common(candidates_[static_cast<std::size_t>(b)].options);
    if (!seen.insert(shared).second) continue;
    const auto f = std::find_if(forward.begin(), forward.end(), [&](int i) {
      return common(candidates_[static_cast<std::size_t>(i)].options) == shared;
    });
    if (f == forward.end()) continue;
    const double sum = figure(b, 0) + figure(*f, 1);
    if (sum < least) {
      least = sum;
      chosen = {b, *f};
    }
  }
  return chosen;
}

Tuned Chooser::answer(int part, int candidate, const Budget& budget) const {
  Tuned tuned;
  tuned.options = case_.of_part(candidates_[static_cast<std::size_t>(candidate)].options, part);
  tuned.chosen = differences(tuned.options);
  tuned.source = timing_ != nullptr ? "timed" : "model";
  tuned.machine = machine_name_;
  tuned.effort = tuning_.effort;
  tuned.seconds = figure(candidate, part);
  tuned.default_seconds = std::max(0.0, figure(0, part));
  tuned.spent = budget.spent();

  std::vector<int> order = ranking(part);
  order.erase(std::find(order.begin(), order.end(), candidate));
  order.insert(order.begin(), candidate);
  if (timing_ != nullptr && order.size() > 1) {
    const auto place = [&](int one) {
      return static_cast<int>(std::find(timed_.begin(), timed_.end(), one) - timed_.begin());
    };
    const int mine = place(candidate), other = place(order[1]), all = static_cast<int>(timed_.size());
    if (mine < all && other < all) tuned.sureness = timing_->contest(part).wins(mine, other);
  }
  for (int i = 0; i < static_cast<int>(candidates_.size()); ++i) {
    if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
  }
  const auto p = static_cast<std::size_t>(part);
  for (const int i : order) {
    const Candidate& one = candidates_[static_cast<std::size_t>(i)];
    const Standing& standing = one.standing[p];
    tuned.tried.push_back({differences(case_.of_part(one.options, part)), std::max(0.0, one.price.seconds[p]),
                           standing.median, standing.low, standing.high, standing.rounds, one.obstacle});
  }
  return tuned;
}

std::vector<Tuned> Chooser::choose() {
  std::vector<Tuned> answers;
  const double usual = tuning_.effort == Effort::patient ? 60 : 10;
  const double seconds = tuning_.budget > 0 ? tuning_.budget : usual;
  const Budget budget(comm_, seconds);
  records_->learn_wisdom();
  if (!records_->find(answers)) {
    // A wide choice begins with what a narrow one looks at.
    const bool wide = tuning_.effort == Effort::patient;
    case_.room.wide = false;
    for (Options& options : case_.candidates()) candidates_.push_back({std::move(options), {}, {}, {}});
    const std::size_t narrow = candidates_.size();
    if (wide) {
      case_.room.wide = true;
      std::set<OptionTexts> seen;
      for (const Candidate& one : candidates_) seen.insert(differences(one.options));
      for (Options& options : case_.candidates()) {
        if (seen.insert(differences(options)).second) candidates_.push_back({std::move(options), {}, {}, {}});
      }
    }
    price(0);
    if (!candidates_[0].obstacle.empty()) throw Error(candidates_[0].obstacle);
    if (tuning_.effort != Effort::estimate) {
      std::vector<int> which = likely(16, narrow);
      if (wide) {
        for (const int i : likely(160, candidates_.size())) {
          if (std::find(which.begin(), which.end(), i) == which.end()) which.push_back(i);
        }
      }
      say(concat(candidates_.size(), " candidates, of which ", which.size(), " are timed"));
      // Some of a patient search is left for what lies beside the best.
      time(which, wide ? Budget(comm_, 0.6 * seconds) : budget);
      if (wide) refine(budget);
    }
    const std::vector<int> chosen = best();
    for (int part = 0; part < case_.parts(); ++part) {
      answers.push_back(answer(part, chosen[static_cast<std::size_t>(part)], budget));
    }
    if (tuning_.effort != Effort::estimate) records_->keep(answers);
  }
  const Json warnings = Json::parse(detail::broadcast(comm_, Json(records_->warnings).dump()));
  for (Tuned& one : answers) {
    one.spent = budget.spent();
    one.warnings = warnings.get<std::vector<std::string>>();
  }
  return answers;
}

}  // namespace weft::tuner
