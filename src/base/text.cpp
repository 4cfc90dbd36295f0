#include "base/text.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

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

}  // namespace weft::detail
