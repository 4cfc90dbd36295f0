#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "weft/error.hpp"

namespace weft::test {

/// That `work` throws an Error whose message contains all of `parts`.
inline void expect_error(const std::function<void()>& work, const std::vector<std::string>& parts) {
  try {
    work();
  } catch (const Error& error) {
    const std::string message = error.what();
    for (const auto& part : parts) {
      if (message.find(part) == std::string::npos) ADD_FAILURE() << "'" << part << "' is not in: " << message;
    }
    return;
  }
  ADD_FAILURE() << "nothing was thrown; expected an Error with '" << (parts.empty() ? "" : parts.front()) << "'";
}

inline std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace weft::test
