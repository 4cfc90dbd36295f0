// Small text helpers for messages.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace weft::detail {

/// The arguments streamed one after the other.
template <class... Args>
std::string concat(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return out.str();
}

/// "a, b, c"
inline std::string join(const std::vector<std::string>& items, const std::string& separator = ", ") {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += separator;
    out += item;
  }
  return out;
}

}  // namespace weft::detail
