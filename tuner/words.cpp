#include "words.hpp"

#include "base/text.hpp"

namespace weft::tuner {

const std::vector<std::string>& tuned_names() {
  static const std::vector<std::string> names{"decomposition", "grid",    "transposed", "strategy", "tile",
                                              "fields",        "window",  "tests",      "progress", "consume",
                                              "backend",       "leaders", "groups",     "cache",    "wire"};
  return names;
}

std::string label(const OptionTexts& texts) {
  if (texts.empty()) return "the defaults";
  std::vector<std::string> words;
  for (const auto& [name, value] : texts) {
    if (name == "strategy" || name == "grid") {
      words.push_back(value);
    } else if (name == "decomposition") {
      if (value != "pencil") words.push_back(value);
    } else {
      words.push_back(name + " " + value);
    }
  }
  return detail::join(words);
}

std::string effort_name(Effort effort) {
  Options options;
  options.effort = effort;
  return options.get("effort");
}

Effort effort_of(const std::string& name) {
  for (const Effort effort : {Effort::measure, Effort::patient}) {
    if (effort_name(effort) == name) return effort;
  }
  return Effort::estimate;
}

}  // namespace weft::tuner
