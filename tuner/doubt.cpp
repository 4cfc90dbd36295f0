#include "doubt.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "contest.hpp"

namespace weft::tuner {

using detail::concat;
using detail::text;

namespace {

/// A choice among fewer, where there would have been more, is not called measured.
constexpr int fewest_compared = 4;
/// Two predictions that are as wrong as any that are known (2.1 times, docs/model.md), in opposite ways.
constexpr double absurd = 4.5;

std::string too_few(const Tuned& answer, double budget) {
  const auto count = [&](const auto& which) { return std::count_if(answer.tried.begin(), answer.tried.end(), which); };
  const auto timed = count([](const Tried& one) { return one.rounds > 0; });
  const auto left_out = count([](const Tried& one) { return one.left_out; });
  const std::string within = concat(" within the budget of ", budget, " s");
  if (left_out > 0 && timed < fewest_compared) {
    return concat("only ", timed, " of ", timed + left_out, " candidates could be compared", within);
  }
  const int rounds = answer.tried[0].rounds;
  if (timed < 2 || rounds >= fewest_of_winner) return {};
  return concat("the choice could be timed only ", rounds, rounds == 1 ? " time" : " times", within, ", and ",
                fewest_of_winner, " are needed to tell what disturbs it");
}

std::string too_busy(const Tuned& answer, const detail::Busy& busy) {
  if (busy.too_much()) return "the machine was too busy to compare them: meanwhile " + busy.text();
  if (busy.said) return {};
  std::vector<double> spreads;
  for (const Tried& one : answer.tried) {
    if (one.decisive && one.rounds >= fewest_of_winner) spreads.push_back((one.high - one.low) / one.seconds);
  }
  if (spreads.empty()) return {};
  const auto middle = spreads.begin() + static_cast<std::ptrdiff_t>(spreads.size() / 2);
  std::nth_element(spreads.begin(), middle, spreads.end());
  if (*middle <= detail::spread_limit) return {};
  return text(
      "the machine was too busy to compare them: half of them spread by %.0f%% or more (usual are some per cent)",
      100 * *middle);
}

std::string too_good(const Tuned& answer, const Evidence& evidence) {
  if (evidence.busy.said || evidence.predicted_gain <= 0 || answer.seconds <= 0) return {};
  const double gain = answer.default_seconds / answer.seconds, expected = std::max(1.0, evidence.predicted_gain);
  if (gain <= absurd * expected) return {};
  return text(
      "what was given took %.1f times as long as the choice, and by the model it takes %.1f times as long: "
      "something has disturbed it",
      gain, evidence.predicted_gain);
}

}  // namespace

std::string doubt(const Tuned& answer, const Evidence& evidence) {
  std::string why = too_busy(answer, evidence.busy);
  if (why.empty()) why = too_few(answer, evidence.budget);
  return why.empty() ? too_good(answer, evidence) : why;
}

}  // namespace weft::tuner
