#include "npy_header.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::sort {

using detail::concat;

namespace {

/// A part of a header as messages show it: short, and without what a terminal would obey.
std::string shown(std::string_view part) {
  constexpr std::size_t most = 60;
  std::string out;
  for (const char c : part.substr(0, most)) out += c >= ' ' && c <= '~' ? c : '?';
  return part.size() > most ? out + "..." : out;
}

/// Reads the Python that NumPy writes, from left to right: nothing in a header makes it call itself.
class Reader {
 public:
  Reader(const std::string& file, std::string_view header) : file_(file), header_(header) {}

  /// Passes over that character, if it is the next one that is no space.
  bool take(char wanted) {
    const bool found = next() == wanted;
    if (found) ++place_;
    return found;
  }
  void need(char wanted) {
    if (!take(wanted)) cannot_read(concat("'", wanted, "'"));
  }
  /// A string in quotes of either kind.
  std::string_view quoted(const char* what) {
    const char quote = next();
    if (quote != '\'' && quote != '"') cannot_read(what);
    const std::size_t first = place_ + 1, last = header_.find_first_of(concat(quote, "\\\n"), first);
    if (last == std::string_view::npos || header_[last] != quote) {
      cannot_read(concat(what, ", between quotes and without a backslash"));
    }
    place_ = last + 1;
    return header_.substr(first, last - first);
  }
  /// True or False.
  void truth() {
    next();
    for (const std::string_view word : {"True", "False"}) {
      if (header_.substr(place_, word.size()) != word) continue;
      place_ += word.size();
      return;
    }
    cannot_read("True or False");
  }
  /// The only extent of a shape.
  Index extent() {
    next();
    const std::string_view rest = header_.substr(place_), shape = rest.substr(0, rest.find(')') + 1);
    need('(');
    if (take(')')) wrong_shape(shape);
    const Index count = number();
    // Without a comma it would be no tuple to Python.
    need(',');
    if (!take(')')) wrong_shape(shape);
    return count;
  }
  void end() {
    if (next() != '\0' || place_ < header_.size()) cannot_read("nothing more");
  }
  [[noreturn]] void fail(const std::string& what) const { throw Error(concat(file_, what)); }

 private:
  /// The next character that is no space; 0 at the end.
  char next() {
    place_ = std::min(header_.find_first_not_of(" \t\n\r\f", place_), header_.size());
    return place_ < header_.size() ? header_[place_] : '\0';
  }
  Index number() {
    next();
    const std::string_view rest = header_.substr(place_),
                           digits = rest.substr(0, std::min(rest.find_first_not_of("0123456789"), rest.size()));
    if (digits.empty()) cannot_read("an extent: digits");
    Index value = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc{}) {
      fail(concat(" has an extent of ", shown(digits), "; at most ", std::numeric_limits<Index>::max(),
                  " elements are possible"));
    }
    place_ += digits.size();
    if (place_ < header_.size() && header_[place_] == 'L') ++place_;  // as Python 2 wrote them
    return value;
  }
  [[noreturn]] void wrong_shape(std::string_view shape) const {
    if (shape.empty()) cannot_read("')'");
    fail(concat(" has shape ", shown(shape), "; one dimension is needed"));
  }
  [[noreturn]] void cannot_read(const std::string& needed) const {
    const std::string_view rest = header_.substr(place_);
    fail(concat(" has a header that cannot be read: at its byte ", place_, " is ",
                rest.empty() ? std::string("its end") : concat("\"", shown(rest), "\""), "; needed is ", needed));
  }

  const std::string& file_;
  std::string_view header_;
  std::size_t place_ = 0;
};

}  // namespace

NpyArray parse_npy_header(const std::string& file, std::string_view header) {
  constexpr const char* allowed = "; each of descr, fortran_order and shape is needed once, and nothing else";
  Reader reader(file, header);
  std::optional<std::string_view> descr;
  std::optional<Index> count;
  bool ordered = false;
  reader.need('{');
  while (!reader.take('}')) {
    const std::string_view key = reader.quoted("a key");
    if ((key == "descr" && descr) || (key == "shape" && count) || (key == "fortran_order" && ordered)) {
      reader.fail(concat(" has the key '", key, "' twice in its header", allowed));
    }
    reader.need(':');
    if (key == "descr") {
      if (reader.take('[') || reader.take('(')) {
        reader.fail(" has structured elements; numbers, times or strings are needed");
      }
      descr = reader.quoted("a type");
    } else if (key == "fortran_order") {
      reader.truth();
      ordered = true;
    } else if (key == "shape") {
      count = reader.extent();
    } else {
      reader.fail(concat(" has the key '", shown(key), "' in its header", allowed));
    }
    if (reader.take('}')) break;
    reader.need(',');
  }
  reader.end();
  for (const auto& [key, there] :
       {std::pair{"descr", descr.has_value()}, {"fortran_order", ordered}, {"shape", count.has_value()}}) {
    if (!there) reader.fail(concat(" has no key '", key, "' in its header", allowed));
  }
  NpyArray array{{}, *count};
  try {
    array.type = element_type_of_descr(shown(*descr));  // types that there are are shown as they are
  } catch (const Error& error) {
    reader.fail(concat(": ", error.what()));
  }
  Index bytes = 0;
  if (__builtin_mul_overflow(array.count, static_cast<Index>(array.type.file_bytes), &bytes)) {
    reader.fail(concat(" has shape (", array.count, ",) of ", array.type.file_bytes, " bytes each; files have at most ",
                       std::numeric_limits<Index>::max(), " bytes"));
  }
  return array;
}

}  // namespace weft::sort
