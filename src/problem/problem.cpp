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
  static const Names<Kind> names{{"c2c", Kind::c2c}, {"r2c", Kind::r2c}, {"c2r", Kind::c2r}};
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

std::string to_string(Line line) {
  if (line == Line::dft) return "dft";
  if (line == Line::half_dft) return "half_dft";
  return detail::traits_of(detail::type_of(line, detail::Way::to_spectrum)).name;
}
std::string to_string(const Kind& kind) {
  for (const auto& [name, named] : kinds()) {
    if (named == kind) return name;
  }
  std::string text;
  const auto add = [&](Line line) {
    const std::string half = kind.to_space ? "c2r" : "r2c";
    text += detail::concat(text.empty() ? "" : "-", line == Line::half_dft ? half : to_string(line));
  };
  std::for_each(kind.lines.begin(), kind.lines.end(), add);
  std::for_each(kind.more.begin(), kind.more.begin() + kind.told, add);
  return text;
}
std::string to_string(Precision precision) { return name_of(precisions(), precision); }
std::string to_string(Normalization normalization) { return name_of(normalizations(), normalization); }
std::string to_string(const MemoryOrder& order) { return detail::concat(order[0], order[1], order[2]); }
Kind kind_of(std::vector<Line> lines, bool to_space) {
  if (lines.size() < 2 || lines.size() > Extents::most_axes) {
    throw Error(detail::concat("a kind has ", lines.size(), " lines; allowed are 2 to ", Extents::most_axes));
  }
  if (lines.size() == 2) lines.insert(lines.begin() + 1, Line::none);
  Kind kind;
  kind.to_space = to_space;
  std::copy_n(lines.begin(), 3, kind.lines.begin());
  std::copy(lines.begin() + 3, lines.end(), kind.more.begin());
  kind.told = static_cast<int>(lines.size()) - 3;
  return kind;
}
Kind parse_kind(std::string_view text, std::string_view argument) {
  for (const auto& [name, kind] : kinds()) {
    if (text == name) return kind;
  }
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all;
    for (int line = 0; line <= static_cast<int>(Line::dht); ++line) {
      all.push_back(to_string(static_cast<Line>(line)));
    }
    return all;
  }();
  std::vector<Line> lines;
  bool good = true, to_space = false;
  for (std::size_t begin = 0; begin <= text.size() && good;) {
    const std::size_t end = std::min(text.find('-', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const auto found = std::find(words.begin(), words.end(), word);
    to_space = to_space || word == "c2r";
    if (found != words.end()) {
      lines.push_back(static_cast<Line>(found - words.begin()));
    } else if (word == "r2c" || word == "c2r") {
      lines.push_back(Line::half_dft);
    } else if (word == "c2c") {
      lines.push_back(Line::dft);
    } else {
      good = false;
    }
    begin = end + 1;
  }
  if (good && lines.size() == 1) lines.assign(3, lines.front());
  if (!good || lines.size() > Extents::most_axes) {
    throw Error(detail::concat(argument, " is '", text,
                               "'; allowed are c2c, r2c, c2r, and a line for each axis, such as ", "dct2-dct2-r2c, of ",
                               detail::join(words), ", r2c and c2r"));
  }
  return kind_of(std::move(lines), to_space);
}
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
