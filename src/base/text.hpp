// Small text helpers for messages. Nearly every file includes them, so that they include little themselves.
#pragma once

#include <optional>
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

/// Letters to put in, take out, change, or swap with the next one to make one word of the other.
std::size_t edit_distance(std::string_view a, std::string_view b);
/// The one of `words` that was most likely meant: of which it is the beginning, or a slip of the pen; empty if none.
std::string nearest(std::string_view word, const std::vector<std::string>& words);
/// "option 'stratgy' is unknown; did you mean 'strategy'? Allowed are ..."
std::string unknown(std::string_view what, std::string_view name, const std::vector<std::string>& names);

/// Bytes of the character of UTF-8 that `text`, which is not empty, begins with; 0 if it begins with none.
std::size_t character_bytes(std::string_view text);
/// The character that stands for what is none.
constexpr std::string_view no_character = "\xef\xbf\xbd";
/// The text in UTF-8, whatever bytes the name or the content of a file has put into it.
std::string printable(std::string_view text);

/// true, 1, yes, on, or false, 0, no, off; nothing for anything else.
std::optional<bool> parse_flag(std::string_view text);

}  // namespace weft::detail
