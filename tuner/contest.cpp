#include "contest.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace weft::tuner {

namespace {

/// Faster by less than this is no difference: medians of a dozen rounds are not better than that.
constexpr double same = 1.01;
/// Nobody who was this much slower in the best of so many rounds wins in the end: 4, 1.75, 1.33, 1.19, ... On a busy
/// machine one round in a few takes several times as long.
double chance(int rounds) { return 1 + 3.0 / (rounds * rounds); }
/// Those that are this near to the leader are not halved away.
constexpr double alike = 1.04;
constexpr int fewest_rounds = 6, most_rounds = 24;
/// Of so few nobody goes after the first round: to keep them costs little, and one disturbance would decide.
constexpr int few = 3;

double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  const double where = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(where);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (where - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace

Contest::Contest(int candidates, int patience)
    : seconds_(at(candidates), std::vector<double>(1, 0)),
      parts_(at(candidates)),
      out_(at(candidates), false),
      patience_(patience) {}

std::vector<int> Contest::in() const {
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(out_.size()); ++i) {
    if (!out_[at(i)]) found.push_back(i);
  }
  return found;
}

std::vector<int> Contest::round() const {
  std::vector<int> order = in();
  // By number: candidates come with the likely ones first, and the budget may end within the first round.
  if (closed_ > 0) {
    std::mt19937 random(static_cast<std::uint32_t>(closed_));
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  }
  return order;
}

void Contest::record(int candidate, double seconds) { seconds_[at(candidate)].back() = seconds; }

void Contest::withdraw(int candidate) { out_[at(candidate)] = true; }

Standing Contest::standing(int candidate) const {
  std::vector<double> timed;
  for (const double seconds : seconds_[at(candidate)]) {
    if (seconds > 0) timed.push_back(seconds);
  }
  if (timed.empty()) return {};
  return {quantile(timed, 0.5), quantile(timed, 0.25), quantile(timed, 0.75), static_cast<int>(timed.size())};
}

void Contest::close() {
  ++closed_;
  // What slows a round down slows all of it down: in parts of the round's median, rounds can be compared.
  std::vector<double> timed;
  for (const auto& mine : seconds_) {
    if (mine.back() > 0) timed.push_back(mine.back());
  }
  const double usual = timed.empty() ? 1 : quantile(timed, 0.5);
  for (std::size_t i = 0; i < seconds_.size(); ++i) {
    if (seconds_[i].back() > 0) parts_[i].push_back(seconds_[i].back() / usual);
  }
  const std::vector<int> order = ranking();
  if (!order.empty() && closed_ >= patience_) put_out(order);
  for (auto& mine : seconds_) mine.push_back(0);
}

void Contest::abandon() {
  for (auto& mine : seconds_) mine.back() = 0;
}

void Contest::put_out(const std::vector<int>& order) {
  const double best = quantile(parts_[at(order.front())], 0.5);
  const auto least = [&](int candidate) { return quantile(parts_[at(candidate)], 0); };
  std::vector<int> left;
  for (const int candidate : order) {
    if (out_[at(candidate)]) continue;
    const bool never = least(candidate) > std::max(same, chance(closed_)) * best;
    if (never && (closed_ >= 2 || (candidate != 0 && order.size() > few))) {
      out_[at(candidate)] = true;
    } else {
      left.push_back(candidate);
    }
  }
  // After 2, 4, 8, ... rounds the slower half goes, but nobody who can hardly be told from the leader. Of few rounds
  // the best one counts: a median of two is ruined by one disturbance.
  if (closed_ < 2 || (closed_ & (closed_ - 1)) != 0) return;
  const auto score = [&](int candidate) { return quantile(parts_[at(candidate)], closed_ < 8 ? 0 : 0.5); };
  std::stable_sort(left.begin(), left.end(), [&](int a, int b) { return score(a) < score(b); });
  const double limit = std::max(alike, chance(closed_)) * score(left.front());
  for (std::size_t i = std::max<std::size_t>(2, (left.size() + 1) / 2); i < left.size(); ++i) {
    if (score(left[i]) > limit) out_[at(left[i])] = true;
  }
}

bool Contest::decided() const {
  const std::vector<int> order = ranking();
  const std::vector<int> left = in();
  if (left.size() <= 1 || order.empty()) return closed_ >= (order.size() > 1 ? fewest_of_winner : 1);
  if (closed_ >= most_rounds) return true;
  if (closed_ < fewest_rounds) return false;
  // Those that are left are all the same, or the leader beats each of them nearly always.
  const int leader = order.front();
  return std::all_of(left.begin(), left.end(), [&](int candidate) {
    if (candidate == leader) return true;
    const bool tie = closed_ >= 2 * fewest_rounds && standing(candidate).median < same * standing(leader).median;
    return tie || wins(leader, candidate) >= 0.85;
  });
}

std::vector<int> Contest::ranking() const {
  std::vector<int> order;
  for (int i = 0; i < static_cast<int>(out_.size()); ++i) {
    if (standing(i).rounds > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    if (out_[at(a)] != out_[at(b)]) return !out_[at(a)];
    if (!out_[at(a)] && parts_[at(a)].size() == parts_[at(b)].size() && !parts_[at(a)].empty()) {
      return quantile(parts_[at(a)], 0.5) < quantile(parts_[at(b)], 0.5);
    }
    return standing(a).median < standing(b).median;
  });
  return order;
}

Standing Contest::comparable(int candidate, int leader) const {
  Standing found = standing(candidate);
  const std::vector<double>&mine = seconds_[at(candidate)], &leaders = seconds_[at(leader)];
  std::vector<double> ratios;
  for (std::size_t round = 0; round < mine.size(); ++round) {
    if (mine[round] > 0 && leaders[round] > 0) ratios.push_back(mine[round] / leaders[round]);
  }
  // None if it was never timed, or the leader was withdrawn.
  if (ratios.empty()) return found;
  const double scale = quantile(ratios, 0.5) * standing(leader).median / found.median;
  found.median *= scale;
  found.low *= scale;
  found.high *= scale;
  return found;
}

double Contest::wins(int candidate, int against) const {
  double won = 0;
  int rounds = 0;
  for (std::size_t round = 0; round < seconds_[at(candidate)].size(); ++round) {
    const double mine = seconds_[at(candidate)][round], other = seconds_[at(against)][round];
    if (mine <= 0 || other <= 0) continue;
    ++rounds;
    won += mine < other ? 1 : (mine == other ? 0.5 : 0);
  }
  return rounds == 0 ? 0 : won / rounds;
}

}  // namespace weft::tuner
