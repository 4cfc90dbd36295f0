#include "elements.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "records.hpp"
#include "weft/error.hpp"

namespace weft::sort {

namespace {

constexpr bool little = std::endian::native == std::endian::little;
constexpr int longest_text = 4096;  // bytes of its words

/// A type in this machine's byte order.
ElementType native(const char* name, const char* code, int bytes, bool is_signed, Order order, int unit) {
  const char* ends = unit == 1 ? "|" : little ? "<" : ">";
  return {name, detail::concat(ends, code), bytes, is_signed, order, unit, bytes, false};
}

/// All whose size is their own; of strings there are as many as lengths.
const std::vector<ElementType>& all_types() {
  static const std::vector<ElementType> types = [] {
    std::vector<ElementType> all = {
        native("bool", "b1", 1, false, Order::plain, 1),       native("int8", "i1", 1, true, Order::plain, 1),
        native("uint8", "u1", 1, false, Order::plain, 1),      native("int16", "i2", 2, true, Order::plain, 2),
        native("uint16", "u2", 2, false, Order::plain, 2),     native("int32", "i4", 4, true, Order::plain, 4),
        native("uint32", "u4", 4, false, Order::plain, 4),     native("int64", "i8", 8, true, Order::plain, 8),
        native("uint64", "u8", 8, false, Order::plain, 8),     native("float16", "f2", 2, true, Order::real, 2),
        native("float32", "f4", 4, true, Order::real, 4),      native("float64", "f8", 8, true, Order::real, 8),
        native("complex64", "c8", 8, true, Order::complex, 4), native("complex128", "c16", 16, true, Order::complex, 8),
        native("datetime64", "M8", 8, true, Order::time, 8),   native("timedelta64", "m8", 8, true, Order::time, 8),
    };
    if constexpr (sizeof(long double) == sizeof(LongReal)) {
      all.push_back(native("float128", "f16", 16, true, Order::real, 16));
      all.push_back(native("complex256", "c32", 32, true, Order::complex, 16));
    }
    return all;
  }();
  return types;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Error unless this is a unit of time as NumPy has them, with or without a number: [ns], [25s].
void check_unit(const std::string& descr, std::string_view unit) {
  static const std::vector<std::string> units = {"Y",  "M",  "W",  "D",  "h",  "m",  "s",
                                                 "ms", "us", "ns", "ps", "fs", "as", "generic"};
  const std::string_view inside = unit.substr(1, unit.size() - 2);
  const std::size_t digits = std::min(inside.find_first_not_of("0123456789"), inside.size());
  std::int32_t number = 0;
  const bool fits = digits == 0 || std::from_chars(inside.data(), inside.data() + digits, number).ec == std::errc{};
  if (!unit.ends_with(']') || !fits || std::find(units.begin(), units.end(), inside.substr(digits)) == units.end()) {
    throw Error(detail::concat("elements are '", descr, "'; units of time are, with or without a number of 31 bits, [",
                               detail::join(units, "], ["), "]"));
  }
}

/// The strings that NumPy calls S5 or U5; nothing if it is no such name.
std::optional<ElementType> text_type(std::string_view name) {
  if (name.size() < 2 || (name[0] != 'S' && name[0] != 'U') || !is_digit(name[1])) return {};
  int length = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + 1, end, length);
  const int unit = name[0] == 'S' ? 1 : 4;
  if (stop != end || (error != std::errc{} && error != std::errc::result_out_of_range)) return {};
  if (error != std::errc{} || length > longest_text / unit) {
    throw Error(detail::concat("elements are '", name, "'; strings of at most ", longest_text / unit,
                               " characters are sorted"));
  }
  ElementType type =
      native(std::string(name).c_str(), std::string(name).c_str(), length * unit, false, Order::text, unit);
  type.bytes = 8;
  while (type.bytes < type.file_bytes) type.bytes *= type.bytes < 256 ? 2 : 4;
  return type;
}

}  // namespace

std::vector<std::string> element_type_names() {
  std::vector<std::string> names;
  for (const ElementType& type : all_types()) names.push_back(type.name);
  names.insert(names.end(), {"S1, S2, ... (byte strings)", "U1, U2, ... (strings)"});
  return names;
}

ElementType element_type(const std::string& name) {
  for (const ElementType& type : all_types()) {
    if (type.name == name) return type;
  }
  if (const auto text = text_type(name)) return *text;
  throw Error(detail::concat("dtype is '", name, "'; allowed are ", detail::join(element_type_names())));
}

ElementType element_type_of_descr(const std::string& descr) {
  const char ends = descr.empty() ? ' ' : descr[0];
  const std::string code = descr.empty() ? descr : descr.substr(1);
  const auto own_code = [](const ElementType& type) { return type.descr.substr(1); };
  std::optional<ElementType> found = text_type(code);
  for (const ElementType& type : all_types()) {
    // Times have their unit behind: <M8[ns]. It is kept for the output file, as the byte order is.
    const bool unit = type.order == Order::time && code.starts_with(own_code(type) + "[");
    if (unit) check_unit(descr, std::string_view(code).substr(own_code(type).size()));
    if (unit || code == own_code(type)) found = type;
  }
  if (found && (ends == '<' || ends == '>' || (ends == '|' && found->unit == 1))) {
    found->descr = descr;
    found->swapped = found->unit > 1 && (ends == '<') != little;
    return *found;
  }
  std::vector<std::string> good;
  for (const ElementType& type : all_types()) good.push_back(own_code(type));
  throw Error(detail::concat("elements are '", descr, "'; allowed are, in either byte order, ", detail::join(good),
                             ", Sn, Un; objects and structured types have no order"));
}

}  // namespace weft::sort
