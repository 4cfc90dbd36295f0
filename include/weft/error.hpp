// Errors of Weft: one exception type, whose message names the argument, its value and what is allowed.
#pragma once

#include <stdexcept>
#include <string>

namespace weft {

/// Thrown by every part of Weft. When a collective call fails on any rank, every rank of the communicator
/// throws with the same message.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace weft
