#include "base/json.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "base/text.hpp"

namespace weft::detail {

namespace {

template <class Number>
std::string number_text(Number value) {
  char text[32];  // more than any number of 64 bits takes
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

void add_quoted(std::string& out, std::string_view text) {
  constexpr const char* digits = "0123456789abcdef";
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const char first = rest[0];
    const std::size_t size = character_bytes(rest);
    i += size == 0 ? 1 : size;
    if (size == 0) {
      out += no_character;
    } else if (first == '"' || first == '\\') {
      (out += '\\') += first;
    } else if (first == '\n') {
      out += "\\n";
    } else if (first == '\t') {
      out += "\\t";
    } else if (size == 1 && first < 0x20) {
      ((out += "\\u00") += digits[first >> 4]) += digits[first & 0xf];
    } else {
      out += rest.substr(0, size);
    }
  }
  out += '"';
}

}  // namespace

Json::Json(double value) {
  if (!std::isfinite(value)) return;
  kind_ = Kind::number;
  text_ = number_text(value);
  // Readers that tell floating-point numbers from whole ones shall see what it was.
  if (text_.find_first_of(".e") == std::string::npos) text_ += ".0";
}

Json::Json(std::initializer_list<Member> members) : kind_(Kind::object) {
  for (const Member& member : members) (*this)[member.name] = member.value;
}

void Json::set(bool value) {
  kind_ = Kind::word;
  text_ = value ? "true" : "false";
}
void Json::set(std::int64_t value) {
  kind_ = Kind::number;
  text_ = number_text(value);
}
void Json::set(std::uint64_t value) {
  kind_ = Kind::number;
  text_ = number_text(value);
}

Json& Json::operator[](std::string_view name) {
  if (kind_ == Kind::null) kind_ = Kind::object;
  if (kind_ != Kind::object) throw std::logic_error("a member of JSON that is no object");
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return values_[i];
  }
  names_.emplace_back(name);
  return values_.emplace_back();
}

void Json::push_back(Json value) {
  if (kind_ == Kind::null) kind_ = Kind::list;
  if (kind_ != Kind::list) throw std::logic_error("an element of JSON that is no list");
  values_.push_back(std::move(value));
}

void Json::update(const Json& other) {
  for (std::size_t i = 0; i < other.names_.size(); ++i) (*this)[other.names_[i]] = other.values_[i];
}

std::string Json::dump(int indent) const {
  std::string out;
  dump(out, indent, 1);
  return out;
}

void Json::dump(std::string& out, int indent, std::size_t depth) const {
  if (kind_ == Kind::null) out += "null";
  if (kind_ == Kind::word || kind_ == Kind::number) out += text_;
  if (kind_ == Kind::text) add_quoted(out, text_);
  if (kind_ != Kind::list && kind_ != Kind::object) return;

  const bool lines = indent >= 0 && !values_.empty();
  const auto new_line = [&](std::size_t level) {
    if (lines) (out += '\n').append(level * static_cast<std::size_t>(indent), ' ');
  };
  out += kind_ == Kind::list ? '[' : '{';
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (i > 0) out += ',';
    new_line(depth);
    if (kind_ == Kind::object) {
      add_quoted(out, names_[i]);
      out += indent >= 0 ? ": " : ":";
    }
    values_[i].dump(out, indent, depth + 1);
  }
  new_line(depth - 1);
  out += kind_ == Kind::list ? ']' : '}';
}

}  // namespace weft::detail
