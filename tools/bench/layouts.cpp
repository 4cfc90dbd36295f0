#include "layouts.hpp"

#include "weft/error.hpp"

namespace weft::tools {

Layout parse_layout(const std::string& name, const std::string& flag, const Shape& shape, int ranks) {
  const std::string word = name.substr(0, name.size() - (name.empty() ? 0 : 1));
  const int axis = name.empty() ? -1 : name.back() - '0';
  if (axis < 0 || axis > 2 || (word != "slab" && word != "pencil")) {
    throw Error(flag + " is '" + name + "'; allowed are slab0, slab1, slab2, pencil0, pencil1, pencil2");
  }
  if (word == "slab") return Layout::slab(shape, ranks, axis);
  int rows = 1;
  for (int i = 1; i * i <= ranks; ++i) {
    if (ranks % i == 0) rows = i;
  }
  return Layout::pencil(shape, rows, ranks / rows, axis);
}

}  // namespace weft::tools
