#include "base/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdarg>
#include <cstdio>
#include <utility>

namespace weft::detail {

void append(std::string& text, std::string_view words) { text += words; }
void append(std::string& text, char letter) { text += letter; }
void append(std::string& text, int number) { text += std::to_string(number); }
void append(std::string& text, long number) { text += std::to_string(number); }
void append(std::string& text, long long number) { text += std::to_string(number); }
void append(std::string& text, unsigned number) { text += std::to_string(number); }
void append(std::string& text, unsigned long number) { text += std::to_string(number); }
void append(std::string& text, unsigned long long number) { text += std::to_string(number); }
void append(std::string& out, double number) { out += text("%g", number); }

std::string text(const char* format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  std::string out(static_cast<std::size_t>(std::max(0, std::vsnprintf(nullptr, 0, format, arguments))), '\0');
  std::vsnprintf(out.data(), out.size() + 1, format, again);
  va_end(again);
  va_end(arguments);
  return out;
}

std::string join(const std::vector<std::string>& items, const std::string& separator) {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += separator;
    out += item;
  }
  return out;
}

namespace {

/// Letters to put in, take out or change to make one of the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t before = std::exchange(row[0], i);  // the row above, one to the left
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = before + (a[i - 1] == b[j - 1] ? 0 : 1);
      before = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string plain(std::string_view word) {
  std::string out;
  for (const char c : word) out += c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& words) {
  const std::string asked = plain(word);
  std::string best;
  std::size_t least = 2 + std::min<std::size_t>(2, asked.size() / 4);  // no word that far away was meant
  for (const std::string& candidate : words) {
    if (asked.size() > 1 && plain(candidate).starts_with(asked)) return candidate;
    const std::size_t distance = edit_distance(asked, plain(candidate));
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

std::string unknown(std::string_view what, std::string_view name, const std::vector<std::string>& names) {
  const std::string meant = nearest(name, names);
  return concat(what, " '", name, "' is unknown; ",
                meant.empty() ? "allowed" : concat("did you mean '", meant, "'? Allowed"), " are ", join(names));
}

std::optional<bool> parse_flag(std::string_view text) {
  for (const std::string_view yes : {"true", "1", "yes", "on"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"false", "0", "no", "off"}) {
    if (text == no) return false;
  }
  return {};
}

}  // namespace weft::detail
