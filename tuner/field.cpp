#include "field.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace weft::tuner {

namespace {

/// Numbers are rounded only for more than that.
constexpr double worthwhile_rounding = 1.03;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Options in which the two directions of a sphere cannot differ.
constexpr const char* common_names[] = {"backend", "leaders", "progress"};

std::string common(const Options& options) {
  std::string text;
  for (const char* name : common_names) text += options.get(name) + " ";
  return text;
}

std::size_t at(int number) { return static_cast<std::size_t>(number); }

}  // namespace

void Field::consider(std::vector<Options> more) {
  for (Options& options : more) {
    if (known_.insert(differences(options)).second) candidates_.push_back({std::move(options), {}, {}, {}, false});
  }
}

void Field::price(int candidate, Price price) {
  Candidate& one = candidates_[at(candidate)];
  one.obstacle = price.obstacle;
  one.price = std::move(price);
}

void Field::enter(const std::vector<int>& which, const Timing& timing, const std::vector<int>& needed) {
  const auto standing = [&](int part, std::size_t i) { return timing.contest(part).standing(static_cast<int>(i)); };
  bool counts = true;
  for (std::size_t i = 0; i < which.size(); ++i) {
    Candidate& one = candidates_[at(which[i])];
    const int number = static_cast<int>(i);
    if (!timing.obstacle(number).empty()) one.obstacle = timing.obstacle(number);
    one.left_out = timing.left_out(number) && one.result[0].contest == 0;
    for (int part = 0; part < parts_ && !needed.empty(); ++part) {
      const bool leads = i == 0 || needed[at(part)] == which[i];
      const int enough = std::clamp(one.result[at(part)].standing.rounds, 1, fewest_of_winner);
      if (leads && standing(part, i).rounds < enough) counts = false;
    }
  }
  if (!counts) return;
  ++held_;
  contests_.clear();
  for (int part = 0; part < parts_; ++part) {
    contests_.push_back(timing.contest(part));
    const std::vector<int> order = contests_.back().ranking();
    const auto compared = [&](int i) { return contests_.back().comparable(i, order.front()); };
    const double given = order.empty() ? 0 : compared(0).median;
    for (std::size_t i = 0; i < which.size(); ++i) {
      if (standing(part, i).rounds == 0) continue;
      candidates_[at(which[i])].result[at(part)] = {compared(static_cast<int>(i)), given, held_};
    }
  }
  timed_ = which;
}

/// The best of each strategy and decomposition come early: where the model errs, it errs alike for all plans of a kind.
std::vector<int> Field::likely(std::size_t count, int among) const {
  std::vector<double> least(at(parts_), infinity);
  for (const Candidate& one : candidates_) {
    if (!one.obstacle.empty()) continue;
    for (std::size_t part = 0; part < least.size(); ++part) {
      least[part] = std::min(least[part], one.price.seconds[part]);
    }
  }
  const auto ratio = [&](int i) {
    double found = infinity;
    for (std::size_t part = 0; part < least.size(); ++part) {
      found = std::min(found, candidates_[at(i)].price.seconds[part] / least[part]);
    }
    return found;
  };
  std::vector<int> order;
  for (int i = 1; i < among; ++i) {
    if (candidates_[at(i)].obstacle.empty()) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return ratio(a) < ratio(b); });
  std::set<std::string> kinds;
  std::vector<int> first{0}, rest;
  for (const int i : order) {
    const Options& options = candidates_[at(i)].options;
    const std::string kind =
        options.strategy + options.get("decomposition") + (options.wire == Wire::same ? "" : " rounded");
    // The model is never wrong by that much.
    const bool chance = ratio(i) < 3;
    (chance && kinds.insert(kind).second ? first : rest).push_back(i);
  }
  first.insert(first.end(), rest.begin(), rest.end());
  first.resize(std::min(first.size(), count));
  return first;
}

double Field::figure(int candidate, int part) const {
  const Candidate& one = candidates_[at(candidate)];
  if (!one.obstacle.empty()) return -1;
  if (!timed()) return one.price.seconds[at(part)];
  const Result& result = one.result[at(part)];
  if (result.contest == 0) return -1;
  return decisive(candidate, part) ? result.standing.median : result.relative() * candidates_[0].result[at(part)].given;
}

bool Field::decisive(int candidate, int part) const {
  return held_ > 0 && candidates_[at(candidate)].result[at(part)].contest == held_;
}

std::vector<int> Field::ranking(int part) const {
  std::vector<int> order;
  if (timed()) {
    for (const int i : contests_[at(part)].ranking()) order.push_back(timed_[at(i)]);
  }
  std::vector<int> rest;
  for (int i = 0; i < size(); ++i) {
    if (figure(i, part) > 0 && std::find(order.begin(), order.end(), i) == order.end()) rest.push_back(i);
  }
  std::stable_sort(rest.begin(), rest.end(), [&](int a, int b) { return figure(a, part) < figure(b, part); });
  order.insert(order.end(), rest.begin(), rest.end());
  return order;
}

bool Field::rounds(int candidate) const {
  return candidates_[at(candidate)].options.wire != candidates_[0].options.wire;
}

int Field::worth_its_error(const std::vector<int>& order, int part) const {
  const int first = order.front();
  const auto exact = std::find_if(order.begin(), order.end(), [&](int i) { return !rounds(i); });
  if (!rounds(first) || exact == order.end()) return first;
  return figure(*exact, part) <= worthwhile_rounding * figure(first, part) ? *exact : first;
}

std::vector<Field::Pair> Field::pairs() const {
  std::vector<Pair> found;
  const std::vector<int> backward = ranking(0), forward = ranking(1);
  std::set<std::string> seen;
  for (const int one : backward) {
    const std::string shared = common(candidates_[at(one)].options);
    if (!seen.insert(shared).second) continue;
    const auto sharing = [&](std::vector<int> order) {
      std::erase_if(order, [&](int i) { return common(candidates_[at(i)].options) != shared; });
      return order;
    };
    const std::vector<int> there = sharing(backward), back = sharing(forward);
    if (back.empty()) continue;
    const int b = worth_its_error(there, 0), f = worth_its_error(back, 1);
    found.push_back({b, f, figure(b, 0) + figure(f, 1), decisive(b, 0) && decisive(f, 1)});
  }
  std::stable_sort(found.begin(), found.end(), [](const Pair& a, const Pair& b) {
    return a.decisive != b.decisive ? a.decisive : a.seconds < b.seconds;
  });
  return found;
}

std::vector<int> Field::best() const {
  if (parts_ == 1) return {worth_its_error(ranking(0), 0)};
  const Pair first = pairs().front();
  return {first.backward, first.forward};
}

std::vector<int> Field::of_pairs(std::size_t count) const {
  std::vector<int> found;
  if (parts_ == 1) return found;
  const std::vector<Pair> all = pairs();
  for (std::size_t i = 0; i < std::min(count, all.size()); ++i) {
    found.push_back(all[i].backward);
    found.push_back(all[i].forward);
  }
  return found;
}

double Field::sureness(int part, int candidate, int against) const {
  const auto place = [&](int one) { return std::find(timed_.begin(), timed_.end(), one) - timed_.begin(); };
  const auto mine = place(candidate), other = place(against), all = std::ssize(timed_);
  if (mine == all || other == all) return 0;
  return contests_[at(part)].wins(static_cast<int>(mine), static_cast<int>(other));
}

}  // namespace weft::tuner
