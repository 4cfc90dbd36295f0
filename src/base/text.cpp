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

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the table of all beginnings of both words.
  std::vector<std::size_t> above_it(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    above_it = std::exchange(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({changed, above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], above_it[j - 2] + 1);
    }
  }
  return row.back();
}

namespace {

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

std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  if (byte(0) < 0x80) return 1;
  if (byte(0) < 0xc2) return 0;  // follows another, or says in two bytes what one can say
  if (byte(0) < 0xe0) return follows(1) ? 2 : 0;
  if (byte(0) < 0xf0) {
    const bool longer_than_needed = byte(0) == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = byte(0) == 0xed && byte(1) > 0x9f;
    return follows(1) && follows(2) && !longer_than_needed && !surrogate ? 3 : 0;
  }
  const bool longer_than_needed = byte(0) == 0xf0 && byte(1) < 0x90;
  const bool beyond_unicode = byte(0) > 0xf4 || (byte(0) == 0xf4 && byte(1) > 0x8f);
  return follows(1) && follows(2) && follows(3) && !longer_than_needed && !beyond_unicode ? 4 : 0;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = character_bytes(text);
    out += size == 0 ? no_character : text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return out;
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
