// Machine files: small readable TOML files, checked.
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "base/input_file.hpp"
#include "base/text.hpp"
#include "weft/model.hpp"

namespace weft::model {

using detail::concat;

namespace {

/// Tables that are for others, or are read below.
constexpr const char* other_tables[] = {"sources", "topology", "rates", "measured", "calibration"};

template <class Value>
constexpr const char* type_name = "a list";
template <>
constexpr const char* type_name<std::string> = "a str";
template <>
constexpr const char* type_name<int> = "an int";
template <>
constexpr const char* type_name<Index> = "an int";
template <>
constexpr const char* type_name<double> = "a float";
template <>
constexpr const char* type_name<bool> = "a bool";

using Limit = MachineField::Limit;

std::string full_name(const MachineField& field) {
  return *field.table == '\0' ? field.name : concat(field.table, ".", field.name);
}

template <class Value>
std::optional<Value> value_of(const toml::node& node) {
  if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
    if (!node.is_array()) return std::nullopt;
    Value words;
    for (const toml::node& word : *node.as_array()) {
      if (!word.is_string()) return std::nullopt;
      words.push_back(word.as_string()->get());
    }
    return words;
  } else if constexpr (std::is_same_v<Value, double>) {
    return node.is_number() ? node.value<double>() : std::nullopt;
  } else if constexpr (std::is_same_v<Value, int>) {
    return node.is_integer() ? node.value<int>() : std::nullopt;  // none if it is too large
  } else {
    return node.value_exact<Value>();
  }
}

std::string text_of(const toml::node& node) {
  std::ostringstream out;
  node.visit([&](const auto& value) { out << value; });
  return out.str();
}

/// Reads one file; messages name it.
class Reader {
 public:
  Reader(const toml::table& top, const std::string& where) : top_(top), where_(where) {}

  Machine machine() const {
    check_names();
    Machine machine;
    for (const MachineField& field : machine_fields()) {
      const toml::table* const table = table_of(top_, field.table);
      if (table == nullptr) continue;
      const toml::node* const node = table->get(field.name);
      if (node != nullptr) {
        const auto into = [&](auto member) { take(*node, full_name(field), field.limit, machine.*member); };
        std::visit(into, field.member);
      } else if (field.needed) {
        fail(full_name(field), " is missing");
      }
    }
    if (!top_.contains("core_bandwidth")) machine.core_bandwidth = machine.memory_bandwidth;
    if (const toml::table* const calibration = table_of(top_, "calibration")) {
      if (const toml::table* const tables = table_of(*calibration, "tables")) take(*tables, machine.calibration);
    }
    return machine;
  }

 private:
  template <class... Words>
  [[noreturn]] void fail(const Words&... words) const {
    throw Error(concat("machine file '", where_, "': ", words...));
  }

  /// "" is the table itself. Null if it is not there, unless it is `needed`.
  const toml::table* table_of(const toml::table& table, std::string_view name, std::string_view needed = "") const {
    if (name.empty()) return &table;
    const toml::node* const node = table.get(name);
    if (node == nullptr && name == needed) fail("the table ", name, " is missing");
    if (node != nullptr && !node->is_table()) fail(name, " is ", text_of(*node), "; a table is needed");
    return node == nullptr ? nullptr : node->as_table();
  }

  /// Error for a name that is none of `good`.
  void check_names(const toml::table& table, const std::string& prefix, std::vector<std::string> good,
                   const std::vector<std::string>& also = {}) const {
    std::sort(good.begin(), good.end());
    for (const auto& [key, node] : table) {
      const std::string word(key.str());
      if (std::binary_search(good.begin(), good.end(), word)) continue;
      if (std::find(also.begin(), also.end(), word) != also.end()) continue;
      fail(prefix, word, " is unknown; allowed are ", detail::join(good));
    }
  }

  void check_names() const {
    std::map<std::string, std::vector<std::string>> good;  // by table
    for (const MachineField& field : machine_fields()) good[field.table].emplace_back(field.name);
    std::vector<std::string> tables(std::begin(other_tables), std::end(other_tables));
    for (const auto& [table, names] : good) tables.push_back(table);
    for (const auto& [name, names] : good) {
      const toml::table* const table = table_of(top_, name, "network");
      if (table == nullptr) continue;
      check_names(*table, name.empty() ? "" : name + ".", names, name.empty() ? tables : std::vector<std::string>{});
    }
  }

  template <class Value>
  void take(const toml::node& node, const std::string& name, Limit limit, Value& into) const {
    const std::optional<Value> value = value_of<Value>(node);
    if (!value) fail(name, " is ", text_of(node), "; ", type_name<Value>, " is needed");
    if constexpr (std::is_arithmetic_v<Value>) {
      if (limit == Limit::positive && !(*value > Value{})) fail(name, " is ", text_of(node), "; it must be positive");
      if (limit == Limit::not_negative && !(*value >= Value{})) {
        fail(name, " is ", text_of(node), "; it must not be negative");
      }
    }
    into = *value;
  }

  /// What `weft calibrate` adds.
  void take(const toml::table& from, Calibration& into) const {
    using C = Calibration;
    static const std::map<std::string, Table C::*> tables{{"copy_all", &C::copy_all},
                                                          {"copy_one", &C::copy_one},
                                                          {"neighbour", &C::neighbour},
                                                          {"exchange_node", &C::exchange_node},
                                                          {"exchange_network", &C::exchange_network},
                                                          {"pieces_node", &C::pieces_node},
                                                          {"alltoall", &C::alltoall},
                                                          {"alltoall_network", &C::alltoall_network}};
    struct Named {
      std::map<std::string, Table> C::*tables;
      std::vector<std::string> names;  ///< those allowed; empty: any
    };
    static const std::map<std::string, Named> named_tables{
        {"lines",
         {&C::lines,
          {"columns_double", "columns_single", "real_rows_double", "real_rows_single", "rows_double", "rows_single"}}},
        {"transforms", {&C::transforms, {"c2c_double", "c2c_single", "r2c_double", "r2c_single"}}},
        {"strategies", {&C::strategies, {}}}};
    std::vector<std::string> good{"ranks", "barrier", "allreduce", "backends"};
    for (const auto& [name, member] : tables) good.push_back(name);
    for (const auto& [name, member] : named_tables) good.push_back(name);
    const std::string prefix = "calibration.tables.";
    check_names(from, prefix, good);
    for (const auto& [key, node] : from) {
      const std::string name(key.str());
      if (name == "ranks") {
        take(node, prefix + name, Limit::positive, into.ranks);
      } else if (name == "barrier" || name == "allreduce") {
        take(node, prefix + name, Limit::not_negative, name == "barrier" ? into.barrier : into.allreduce);
      } else if (const auto table = tables.find(name); table != tables.end()) {
        into.*table->second = rows_of(node, prefix + name);
      } else if (const toml::table* const inner = table_of(from, name)) {
        if (name == "backends") {
          for (const auto& [which, tables_of_backend] : *inner) {
            const std::string backend(which.str()), where = concat(prefix, name, ".");
            const toml::table* const lines = table_of(*inner, backend);
            into.backends[backend] = tables_in(*lines, concat(where, backend, "."), named_tables.at("lines").names);
          }
          continue;
        }
        const Named& named = named_tables.at(name);
        into.*named.tables = tables_in(*inner, concat(prefix, name, "."), named.names);
      }
    }
    if (into.ranks == 0) fail(prefix, "ranks is missing");
  }

  /// Tables by name; `good`: the names allowed, or none if any is.
  std::map<std::string, Table> tables_in(const toml::table& from, const std::string& prefix,
                                         const std::vector<std::string>& good) const {
    if (!good.empty()) check_names(from, prefix, good);
    std::map<std::string, Table> found;
    for (const auto& [which, rows] : from) {
      const std::string word(which.str());
      found[word] = rows_of(rows, prefix + word);
    }
    return found;
  }

  /// Rows of size, value and, if it is there, spread; sizes ascend.
  Table rows_of(const toml::node& node, const std::string& name) const {
    Table table;
    if (!node.is_array()) fail(name, " is ", text_of(node), "; a list of rows [size, value, spread] is needed");
    for (const toml::node& row : *node.as_array()) {
      const toml::array* const numbers = row.as_array();
      Sample sample;
      double* const parts[] = {&sample.size, &sample.value, &sample.spread};
      bool good = numbers != nullptr && (numbers->size() == 2 || numbers->size() == 3);
      for (std::size_t i = 0; good && i < numbers->size(); ++i) {
        const std::optional<double> value = value_of<double>((*numbers)[i]);
        good = value && std::isfinite(*value) && (i == 0 ? *value >= 1 : i == 1 ? *value > 0 : *value >= 0);
        if (good) *parts[i] = *value;
      }
      good = good && (table.empty() || table.back().size < sample.size);
      if (!good)
        fail(name, " has ", text_of(row), "; numbers above 0 [size, value, spread] with ascending sizes are needed");
      table.push_back(sample);
    }
    return table;
  }

  const toml::table& top_;
  const std::string& where_;
};

}  // namespace

Machine parse(std::string_view text, const std::string& where) {
  try {
    return Reader(toml::parse(text), where).machine();
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw Error(concat("cannot read the machine '", where, "': ", error.description(), " (line ", at.line, ")"));
  }
}

Machine read(const std::filesystem::path& path) {
  const std::string name = path.string();
  return fitted(parse(detail::read_file(name, concat("cannot read the machine '", name, "': ")), name));
}

}  // namespace weft::model
