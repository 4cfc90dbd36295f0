// What was tried and chosen, for people and as JSON.
#include <algorithm>

#include "base/json.hpp"
#include "base/text.hpp"
#include "weft/tuner.hpp"
#include "words.hpp"

namespace weft {

using detail::Json;

namespace {

/// "1.234 ms"
std::string time_text(double seconds) {
  if (seconds <= 0) return "-";
  if (seconds < 1e-3) return detail::text("%.1f us", seconds * 1e6);
  if (seconds < 1) return detail::text("%.3f ms", seconds * 1e3);
  return detail::text("%.3f s", seconds);
}

Json texts_json(const OptionTexts& texts) {
  Json json = Json::object();
  for (const auto& [name, value] : texts) json[name] = value;
  return json;
}

/// Lines of a table: the fastest, the default wherever it came in, and how many more there were.
constexpr std::size_t shown = 12;

std::string line(char mark, const Tried& one) {
  const std::string half = one.rounds > 0 ? time_text(one.low) + " to " + time_text(one.high) : "-";
  return detail::text("%c%-52s %11s %11s %25s %7d\n", mark, tuner::label(one.options).c_str(),
                      time_text(one.predicted).c_str(), time_text(one.seconds).c_str(), half.c_str(), one.rounds);
}

/// Those that were timed at another time than the choice: against the options as given, which ran beside them.
std::string earlier(const std::vector<Tried>& tried, std::size_t lines) {
  std::string out;
  std::size_t count = 0, more = 0;
  for (const Tried& one : tried) {
    if (one.decisive || one.rounds == 0 || !one.obstacle.empty()) continue;
    if (count++ >= lines) {
      ++more;
      continue;
    }
    out += detail::text(" %-52s %11s %10.2fx %25s %7d\n", tuner::label(one.options).c_str(),
                        time_text(one.predicted).c_str(), one.relative, "", one.rounds);
  }
  if (count == 0) return out;
  out = detail::text(" %-52s %11s %11s\n", "in earlier contests, against the options as given there", "", "") + out;
  if (more > 0) out += detail::text(" and %zu more\n", more);
  return out;
}

/// What the budget was too short for.
std::string left_out(const std::vector<Tried>& tried) {
  const auto untimed = [](const Tried& one) { return one.left_out; };
  const auto count = std::count_if(tried.begin(), tried.end(), untimed);
  if (count == 0) return {};
  const auto timed = std::count_if(tried.begin(), tried.end(), [](const Tried& one) { return one.rounds > 0; });
  const auto first = std::find_if(tried.begin(), tried.end(), untimed);
  return detail::text(" not compared: %td of the %td that were to be timed, e.g. %s; the budget did not allow it\n",
                      count, count + timed, tuner::label(first->options).c_str());
}

}  // namespace

std::string Tuned::text() const {
  std::string out =
      detail::text(" %-52s %11s %11s %25s %7s\n", "candidate", "predicted", "median", "middle half", "rounds");
  const bool any_timed = !tried.empty() && tried.front().decisive;
  std::size_t lines = 0, priced = 0, unusable = 0;
  for (const Tried& one : tried) {
    if (!one.obstacle.empty()) {
      ++unusable;
    } else if (any_timed && !one.decisive) {
      priced += one.rounds == 0 && !one.left_out ? 1 : 0;
    } else if (lines >= shown && !one.options.empty()) {
      ++priced;
    } else {
      out += line(&one == &tried.front() ? '*' : ' ', one);
      ++lines;
    }
  }
  out += earlier(tried, shown - std::min(lines, shown - 3));
  if (priced > 0) out += detail::text(" and %zu more%s\n", priced, any_timed ? " that were only priced" : "");
  out += left_out(tried);
  if (unusable > 0)
    out += detail::text(" %zu cannot be used, e.g. %s\n", unusable,
                        std::find_if(tried.begin(), tried.end(), [](const Tried& one) { return !one.obstacle.empty(); })
                            ->obstacle.substr(0, 300)
                            .c_str());
  out += "\n chosen: " + tuner::label(chosen);
  out += source == "model" ? ", by the model of " + machine : (source == "file" ? ", known from the tuning file" : "");
  if (default_seconds > 0) {
    out +=
        detail::text("\n %s%s; what was given would take %s, %.2f times as long", source == "model" ? "predicted " : "",
                     time_text(seconds).c_str(), time_text(default_seconds).c_str(), default_seconds / seconds);
  } else {
    out += detail::text("\n %s", time_text(seconds).c_str());
  }
  if (sureness > 0) {
    const int rounds = tried.size() > 1 ? std::min(tried[0].rounds, tried[1].rounds) : 0;
    out += detail::text("\n faster than the runner-up in %.0f %% of their %d rounds", 100 * sureness, rounds);
  }
  out += detail::text("\n found in %.2f s\n", spent);
  for (const std::string& warning : warnings) out += " warning: " + warning + "\n";
  return out;
}

std::string Tuned::json() const {
  Json all = Json::list();
  for (const Tried& one : tried) {
    all.push_back({{"options", texts_json(one.options)},
                   {"predicted", one.predicted},
                   {"seconds", one.seconds},
                   {"low", one.low},
                   {"high", one.high},
                   {"rounds", one.rounds},
                   {"relative", one.relative},
                   {"decisive", one.decisive},
                   {"left_out", one.left_out},
                   {"obstacle", one.obstacle}});
  }
  const Json json{{"options", texts_json(chosen)},
                  {"source", source},
                  {"machine", machine},
                  {"effort", tuner::effort_name(effort)},
                  {"seconds", seconds},
                  {"default_seconds", default_seconds},
                  {"sureness", sureness},
                  {"spent", spent},
                  {"tried", all},
                  {"warnings", warnings}};
  return json.dump();
}

}  // namespace weft
