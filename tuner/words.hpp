// Options and efforts in words.
#pragma once

#include <string>
#include <vector>

#include "weft/tuner.hpp"

namespace weft::tuner {

/// Names of the options that a tuner may change.
const std::vector<std::string>& tuned_names();

/// "strategy shared, tile 4"; "the defaults".
std::string label(const OptionTexts& texts);

/// Efforts as the library's option of that name has them; what is no effort is the least.
std::string effort_name(Effort effort);
Effort effort_of(const std::string& name);

}  // namespace weft::tuner
