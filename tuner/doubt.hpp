// Why an answer is not worth keeping.
#pragma once

#include <string>

#include "base/busy.hpp"
#include "weft/tuner.hpp"

namespace weft::tuner {

/// What is known of an answer beside what it tells itself.
struct Evidence {
  detail::Busy busy;          ///< who else used the processors while it was timed
  double predicted_gain = 0;  ///< what was given over the choice, by the model; 0: one of them has no price
  double budget = 0;          ///< seconds
};

/// Empty: it can be kept.
std::string doubt(const Tuned& answer, const Evidence& evidence);

}  // namespace weft::tuner
