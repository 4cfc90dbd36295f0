// Text forms of the problem's words.
#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "problem/lines.hpp"
#include "weft/error.hpp"
#include "weft/problem.hpp"

namespace weft {

namespace {

template <class Value>
using Names = std::vector<std::pair<const char*, Value>>;

const Names<Kind>& kinds() {
  static const Names<Kind> names = [] {
    Names<Kind> all;
    for (const detail::KindTraits& kind : detail::all_kinds()) all.emplace_back(kind.name, kind.kind);
    return all;
  }();
  return names;
}
const Names<Precision>& precisions() {
  static const Names<Precision> names{
      {"single", Precision::single_}, {"double", Precision::double_}, {"float", Precision::single_}};
  return names;
}
const Names<Normalization>& normalizations() {
  static const Names<Normalization> names{{"none", Normalization::none},
                                          {"forward", Normalization::forward},
                                          {"backward", Normalization::backward},
                                          {"ortho", Normalization::ortho}};
  return names;
}

template <class Value>
std::string name_of(const Names<Value>& names, Value value) {
  for (const auto& [name, v] : names) {
    if (v == value) return name;
  }
  return "?";
}

template <class Value>
Value value_of(const Names<Value>& names, std::string_view text, std::string_view argument) {
  std::vector<std::string> good;
  for (const auto& [name, value] : names) {
    if (text == name) return value;
    good.emplace_back(name);
  }
  throw Error(detail::concat(argument, " is '", text, "'; allowed are ", detail::join(good)));
}

}  // namespace

std::string to_string(Kind kind) { return name_of(kinds(), kind); }
std::string to_string(Precision precision) { return name_of(precisions(), precision); }
std::string to_string(Normalization normalization) { return name_of(normalizations(), normalization); }
std::string to_string(const MemoryOrder& order) { return detail::concat(order[0], order[1], order[2]); }
Kind parse_kind(std::string_view text, std::string_view argument) { return value_of(kinds(), text, argument); }
Precision parse_precision(std::string_view text, std::string_view argument) {
  return value_of(precisions(), text, argument);
}
Normalization parse_normalization(std::string_view text, std::string_view argument) {
  return value_of(normalizations(), text, argument);
}
MemoryOrder parse_order(std::string_view text, std::string_view argument) {
  Names<MemoryOrder> orders;
  std::vector<std::string> texts;
  for (MemoryOrder order{0, 1, 2};;) {
    texts.push_back(to_string(order));
    orders.emplace_back(nullptr, order);
    if (!std::next_permutation(order.begin(), order.end())) break;
  }
  for (std::size_t i = 0; i < orders.size(); ++i) orders[i].first = texts[i].c_str();
  return value_of(orders, text, argument);
}

}  // namespace weft
