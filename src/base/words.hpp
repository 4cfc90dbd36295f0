// Values by their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::detail {

/// The value whose name, by to_string, is the text; else an Error that lists the names.
template <class Value>
Value word(std::string_view text, std::string_view argument, const std::vector<Value>& values) {
  std::vector<std::string> names;
  for (const Value value : values) {
    names.push_back(to_string(value));
    if (text == names.back()) return value;
  }
  throw Error(unknown(argument, text, names));
}

}  // namespace weft::detail
