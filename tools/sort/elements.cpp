#include "elements.hpp"

#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::sort {

namespace {

const std::vector<ElementType>& all_types() {
  static const std::vector<ElementType> types = {
      {"bool", "|b1", 1, false, Order::plain},     {"int8", "|i1", 1, true, Order::plain},
      {"uint8", "|u1", 1, false, Order::plain},    {"int16", "<i2", 2, true, Order::plain},
      {"uint16", "<u2", 2, false, Order::plain},   {"int32", "<i4", 4, true, Order::plain},
      {"uint32", "<u4", 4, false, Order::plain},   {"int64", "<i8", 8, true, Order::plain},
      {"uint64", "<u8", 8, false, Order::plain},   {"float16", "<f2", 2, true, Order::real},
      {"float32", "<f4", 4, true, Order::real},    {"float64", "<f8", 8, true, Order::real},
      {"datetime64", "<M8", 8, true, Order::time}, {"timedelta64", "<m8", 8, true, Order::time},
  };
  return types;
}

}  // namespace

std::vector<std::string> element_type_names() {
  std::vector<std::string> names;
  for (const ElementType& type : all_types()) names.push_back(type.name);
  return names;
}

ElementType element_type(const std::string& name) {
  for (const ElementType& type : all_types()) {
    if (type.name == name) return type;
  }
  throw Error(detail::concat("dtype is '", name, "'; allowed are ", detail::join(element_type_names())));
}

ElementType element_type_of_descr(const std::string& descr) {
  for (ElementType type : all_types()) {
    // Times have their unit behind: <M8[ns]. It is kept for the output file.
    if (descr == type.descr || (type.order == Order::time && descr.starts_with(type.descr + "["))) {
      type.descr = descr;
      return type;
    }
  }
  std::vector<std::string> good;
  for (const ElementType& type : all_types()) good.push_back(type.descr);
  throw Error(detail::concat("elements are '", descr, "'; allowed are ", detail::join(good)));
}

}  // namespace weft::sort
