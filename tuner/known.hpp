// What tuning files know, for those who read no JSON: the reader's headers are for entries.cpp alone, since they take
// many times longer to compile than what uses them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "weft/tuner.hpp"

namespace weft::tuner {

/// One entry.
struct Known {
  OptionTexts options;
  Effort effort = Effort::estimate;
  double seconds = 0, default_seconds = 0, sureness = 0;
  std::vector<Tried> tried;  ///< nothing if somebody has changed that by hand
};

/// What a file knows of these keys, of at least that effort: a text that ranks can send to each other. Errors and
/// warnings are those of read_entries.
std::string find_known(const std::string& path, const std::vector<detail::Json>& keys, Effort effort,
                       std::vector<std::string>& warnings);
/// That text as entries, one for each key; none if any key has none.
std::vector<Known> read_known(const std::string& text);

/// Puts entries into a file (see put). `meanwhile` is called under its lock. Errors and warnings are those of
/// change_entries.
void put_known(const std::string& path, const std::vector<detail::Json>& entries, bool renew,
               const std::function<void()>& meanwhile, std::vector<std::string>& warnings);

}  // namespace weft::tuner
