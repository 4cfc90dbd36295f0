// The fields of machine files.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "weft/model.hpp"

namespace weft::model {

/// Where a field is kept, which says of what type it is.
using Member = std::variant<std::string Machine::*, int Machine::*, Index Machine::*, double Machine::*,
                            bool Machine::*, std::vector<std::string> Machine::*>;

enum class Limit { none, not_negative, positive };

struct Field {
  const char *table, *name;
  bool needed;
  Limit limit;
  Member member;

  std::string full_name() const { return *table == '\0' ? name : std::string(table) + "." + name; }
};

/// The one list of them.
const std::vector<Field>& fields();

}  // namespace weft::model
