// Small text helpers for messages. Nearly every file includes them, so that they include little themselves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::detail {

/// To the end of a text: words, or a number as streams write it.
void append(std::string& text, std::string_view words);
void append(std::string& text, char letter);
void append(std::string& text, int number);
void append(std::string& text, long number);
void append(std::string& text, long long number);
void append(std::string& text, unsigned number);
void append(std::string& text, unsigned long number);
void append(std::string& text, unsigned long long number);
void append(std::string& text, double number);

/// The arguments one after the other.
template <class... Args>
std::string concat(const Args&... args) {
  std::string out;
  (append(out, args), ...);
  return out;
}

/// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...);

/// "a, b, c"
std::string join(const std::vector<std::string>& items, const std::string& separator = ", ");

}  // namespace weft::detail
