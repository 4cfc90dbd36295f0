// Errors of Weft: one exception type, whose message names the argument, its value and what is allowed.
#pragma once

// Every header begins with this one. A compiler that is told so goes on with a wall of other errors, unless it misses a
// file.
#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#error \
    "Weft's headers need C++20: compile with -std=c++20. Programs in older C++ can use weft/weft.h, the interface of C."
#include "weft: compile with -std=c++20"
#endif

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
