// JSON that is written: plans and reports. What reads JSON brings a library of its own.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::detail {

/// A value of JSON. Pairs in braces are an object, which keeps the order of its members:
///
///   Json report{{"ranks", 4}, {"seconds", {{"min", 0.25}, {"max", 0.5}}}, {"shape", std::vector{8, 8, 8}}};
///   report["verified"] = true;
class Json {
 public:
  struct Member;

  Json() = default;  ///< null
  /// Read again, a number is the same. JSON has no infinities, nor what is no number: they are null.
  Json(double value);
  Json(std::integral auto value) {
    if constexpr (std::same_as<decltype(value), bool>) {
      set(value);
    } else if constexpr (std::signed_integral<decltype(value)>) {
      set(std::int64_t{value});
    } else {
      set(std::uint64_t{value});
    }
  }
  Json(const char* text) : kind_(Kind::text), text_(text) {}
  Json(std::string_view text) : kind_(Kind::text), text_(text) {}
  Json(std::string text) : kind_(Kind::text), text_(std::move(text)) {}
  Json(std::initializer_list<Member> members);
  /// A list, of any container of what can be JSON.
  template <class Values>
    requires(!std::convertible_to<const Values&, std::string_view>) &&
            requires(const Values& values) { values.begin(); }
  Json(const Values& values) : kind_(Kind::list) {
    for (const auto& value : values) values_.emplace_back(value);
  }

  static Json list() { return Json(Kind::list); }
  static Json object() { return Json(Kind::object); }

  /// The member of that name, null if it is new. What is null becomes an object.
  Json& operator[](std::string_view name);
  /// To the end of a list. What is null becomes one.
  void push_back(Json value);
  /// Takes over the members of another object; those that are here already get its values.
  void update(const Json& other);

  /// On one line; with an indent, a line for each value.
  std::string dump(int indent = -1) const;

 private:
  enum class Kind : unsigned char { null, word, number, text, list, object };

  explicit Json(Kind kind) : kind_(kind) {}
  void set(bool value);
  void set(std::int64_t value);
  void set(std::uint64_t value);
  void dump(std::string& out, int indent, std::size_t depth) const;

  Kind kind_ = Kind::null;
  std::string text_;                ///< words and numbers as they are written, text as it was given
  std::vector<std::string> names_;  ///< of an object's values
  std::vector<Json> values_;
};

struct Json::Member {
  std::string name;
  Json value;
};

}  // namespace weft::detail
