// Options, and the lists of what there is.
#include "handles.hpp"

namespace weft::c {

namespace {

/// An entry of a list that is counted from 0.
template <class Entry>
const Entry& entry(const std::vector<Entry>& list, int index, const char* what) {
  if (index < 0 || static_cast<std::size_t>(index) >= list.size()) {
    throw Error(concat(what, ' ', index, " is asked for; there are ", list.size(), ", counted from 0"));
  }
  return list[static_cast<std::size_t>(index)];
}

/// Texts of such lists stay as long as the program.
void point(const char** out, const std::string& text) {
  if (out != nullptr) *out = text.c_str();
}

struct ListedOption {
  Options::Description description;
  std::string usual;
};
const std::vector<ListedOption>& listed_options() {
  static const std::vector<ListedOption> list = [] {
    std::vector<ListedOption> all;
    for (const auto& one : Options::describe()) all.push_back({one, Options{}.get(one.name)});
    return all;
  }();
  return list;
}

const std::vector<StrategyDescription>& listed_strategies() {
  static const std::vector<StrategyDescription> list = describe_strategies();
  return list;
}

const std::vector<std::string>& listed_backends() {
  static const std::vector<std::string> list = backends();
  return list;
}

template <class List>
int give_count(int* count, const List& list) {
  return guarded([&] { need(count, "count") = static_cast<int>(list().size()); });
}

/// The option `input` or `output`.
std::optional<Layout>& end_of(Options& options, std::string_view end) {
  if (end == "input") return options.input;
  if (end == "output") return options.output;
  throw Error(concat("end is '", end, "'; allowed are input, output"));
}

Operation operation_of(std::string_view name) {
  if (name == "transform") return Operation::transform;
  if (name == "redistribution") return Operation::redistribution;
  if (name == "sphere") return Operation::sphere;
  throw Error(concat("operation is '", name, "'; allowed are transform, redistribution, sphere"));
}

}  // namespace

}  // namespace weft::c

using namespace weft;
using namespace weft::c;

int weft_options_create(weft_options* options) {
  return create(options, [] { return weft_options_impl{Options{}}; });
}

int weft_options_copy(weft_options options, weft_options* copy) {
  return create(copy, [&] { return weft_options_impl{need(options, "options").options}; });
}

int weft_options_destroy(weft_options* options) { return destroy(options); }

int weft_options_set(weft_options options, const char* name, const char* value) {
  return guarded([&] { need(options, "options").options.set(need_text(name, "name"), need_text(value, "value")); });
}

int weft_options_set_int(weft_options options, const char* name, int64_t value) {
  return weft_options_set(options, name, std::to_string(value).c_str());
}

int weft_options_get(weft_options options, const char* name, const char** value) {
  return give_text(options, "options", value, [&](auto& mine) { return mine.options.get(need_text(name, "name")); });
}

int weft_options_set_layout(weft_options options, const char* end, weft_layout layout) {
  return guarded([&] {
    std::optional<Layout>& mine = end_of(need(options, "options").options, need_text(end, "end"));
    mine = layout != nullptr ? std::optional(layout->layout) : std::nullopt;
  });
}

int weft_options_set_nodes(weft_options options, int count, const int* nodes) {
  return guarded([&] {
    const auto all = need_array(nodes, count, "nodes");
    need(options, "options").options.nodes.assign(all.begin(), all.end());
  });
}

int weft_options_apply_environment(weft_options options, const char* operation) {
  return guarded([&] {
    Options changed = need(options, "options").options;
    changed.apply_environment(operation_of(need_text(operation, "operation")));
    options->options = std::move(changed);
  });
}

int weft_option_count(int* count) { return give_count(count, listed_options); }

int weft_option_at(int index, const char** name, const char** values, const char** help, const char** usual,
                   const char** applies_to) {
  return guarded([&] {
    const ListedOption& option = entry(listed_options(), index, "option");
    point(name, option.description.name);
    point(values, option.description.values);
    point(help, option.description.help);
    point(usual, option.usual);
    point(applies_to, option.description.applies_to);
  });
}

int weft_strategy_count(int* count) { return give_count(count, listed_strategies); }

int weft_strategy_at(int index, const char** name, const char** summary, const char** obstacle) {
  return guarded([&] {
    const StrategyDescription& strategy = entry(listed_strategies(), index, "strategy");
    point(name, strategy.name);
    point(summary, strategy.summary);
    point(obstacle, strategy.obstacle);
  });
}

template <class Comm>
static int strategy_obstacle(const char* name, Comm comm, const char** obstacle) {
  return guarded([&] {
    const std::string_view wanted = need_text(name, "name");
    std::vector<std::string> names;
    for (const StrategyDescription& strategy : describe_strategies(communicator(comm))) {
      if (strategy.name == wanted) return give(thread_text(), obstacle, strategy.obstacle);
      names.push_back(strategy.name);
    }
    throw Error(detail::unknown("strategy", wanted, names));
  });
}
int weft_strategy_obstacle_on(const char* name, const weft_comm* comm, const char** obstacle) {
  return strategy_obstacle(name, comm, obstacle);
}
int weft_strategy_obstacle_f(const char* name, int comm, const char** obstacle) {
  return strategy_obstacle(name, comm, obstacle);
}

int weft_backend_count(int* count) { return give_count(count, listed_backends); }

int weft_backend_at(int index, const char** name) {
  return guarded([&] { point(name, entry(listed_backends(), index, "backend")); });
}
