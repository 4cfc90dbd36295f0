// Options by name and text.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <functional>

#include "base/text.hpp"
#include "exchange/exchange.hpp"
#include "fft/serial.hpp"
#include "weft/plan.hpp"

extern "C" char** environ;

namespace weft {

using detail::concat;
using detail::join;

namespace {

struct Entry {
  Options::Description description;
  std::function<void(Options&, std::string_view)> set;
  std::function<std::string(const Options&)> get;
};

[[noreturn]] void bad_value(const Options::Description& description, std::string_view value) {
  throw Error(concat(description.name, " is '", value, "'; allowed are ", description.values));
}

template <class Number>
Number parse_number(const Options::Description& description, std::string_view text, Number least) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < least) bad_value(description, text);
  return number;
}

template <class Number>
Entry number(const char* name, const char* help, Number Options::*member, Number least = 0) {
  const Options::Description description{name, concat("whole numbers from ", least), help};
  return {description,
          [=](Options& o, std::string_view text) { o.*member = parse_number<Number>(description, text, least); },
          [=](const Options& o) { return std::to_string(o.*member); }};
}

Entry flag(const char* name, const char* help, bool Options::*member) {
  const Options::Description description{name, "true, false", help};
  return {description,
          [=](Options& o, std::string_view text) {
            if (text == "true" || text == "1" || text == "yes" || text == "on") {
              o.*member = true;
            } else if (text == "false" || text == "0" || text == "no" || text == "off") {
              o.*member = false;
            } else {
              bad_value(description, text);
            }
          },
          [=](const Options& o) { return o.*member ? "true" : "false"; }};
}

template <class Enum>
Entry choice(const char* name, const char* help, Enum Options::*member,
             std::vector<std::pair<std::string, Enum>> values) {
  std::vector<std::string> names;
  for (const auto& value : values) names.push_back(value.first);
  const Options::Description description{name, join(names), help};
  return {description,
          [=](Options& o, std::string_view text) {
            for (const auto& [word, value] : values) {
              if (word == text) {
                o.*member = value;
                return;
              }
            }
            bad_value(description, text);
          },
          [=](const Options& o) {
            for (const auto& [word, value] : values) {
              if (value == o.*member) return word;
            }
            return std::string("?");
          }};
}

Entry name_of(const char* name, const char* help, std::string Options::*member, std::vector<std::string> names) {
  const Options::Description description{name, join(names), help};
  return {description,
          [=](Options& o, std::string_view text) {
            if (std::find(names.begin(), names.end(), text) == names.end()) bad_value(description, text);
            o.*member = text;
          },
          [=](const Options& o) { return o.*member; }};
}

Entry strategy_entry() {
  Entry entry = name_of("strategy", "how tiles are exchanged", &Options::strategy, strategies());
  entry.set = [](Options& o, std::string_view text) { o.strategy = detail::find_strategy(std::string(text)).name; };
  return entry;
}

Entry file(const char* name, const char* help, std::string Options::*member) {
  return {{name, "file names, empty: none", help},
          [=](Options& o, std::string_view text) { o.*member = text; },
          [=](const Options& o) { return o.*member; }};
}

Entry grid_entry() {
  const Options::Description description{"grid", "PxQ with P*Q the number of ranks, 0x0 to let Weft choose",
                                         "process grid of the pencil decomposition"};
  return {description,
          [=](Options& o, std::string_view text) {
            const auto x = text.find('x');
            if (x == std::string_view::npos) bad_value(description, text);
            try {
              o.grid = {parse_number<int>(description, text.substr(0, x), 0),
                        parse_number<int>(description, text.substr(x + 1), 0)};
            } catch (const Error&) {
              bad_value(description, text);
            }
          },
          [](const Options& o) { return concat(o.grid[0], "x", o.grid[1]); }};
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
      choice<Decomposition>(
          "decomposition", "how the inner stages are distributed", &Options::decomposition,
          {{"auto", Decomposition::automatic}, {"slab", Decomposition::slab}, {"pencil", Decomposition::pencil}}),
      grid_entry(),
      flag("transposed", "leave the spectrum as the last stage has it", &Options::transposed),
      flag("in_place", "one array for input and output", &Options::in_place),
      strategy_entry(),
      number<int>("tile",
                  "tiles that each exchange of a field is cut into, as far as ranks have planes, 0: Weft chooses",
                  &Options::tile),
      number<int>("fields", "fields of the batch that travel together, 0: Weft chooses", &Options::fields),
      number<int>("window", "exchanges that may be on their way at once, 0: Weft chooses", &Options::window),
      number<int>("tests", "times that MPI is called to make progress while a tile is computed", &Options::tests),
      choice<Progress>("progress", "who keeps messages moving while a rank computes: tests alone, or a thread",
                       &Options::progress, {{"none", Progress::none}, {"thread", Progress::thread}}),
      choice<Consume>("consume", "when arrived tiles are consumed: as each arrives, or after all", &Options::consume,
                      {{"auto", Consume::automatic}, {"early", Consume::early}, {"late", Consume::late}}),
      name_of("backend", "what transforms lines", &Options::backend, backends()),
      choice<Effort>("effort", "how hard fast kernels are looked for", &Options::effort,
                     {{"estimate", Effort::estimate}, {"measure", Effort::measure}, {"patient", Effort::patient}}),
      number<Index>("cache", "bytes of cache that in-cache work may fill, 0: ask the machine", &Options::cache),
      number<int>("groups", "groups of ranks that transform their share of the batch by themselves", &Options::groups,
                  1),
      number<int>("threads", "OpenMP threads that compute in each rank, 0: OMP_NUM_THREADS if it is set, else 1",
                  &Options::threads),
      number<int>("node_size", "pretend that so many consecutive ranks share a node, 0: ask MPI", &Options::node_size),
      number<int>("leaders", "ranks of a node that send for all of it", &Options::leaders, 1),
      flag("check", "agree on the arguments of every execution", &Options::check),
      file("trace", "where a trace of all executions of all ranks is written", &Options::trace),
      number<int>("watchdog",
                  "seconds without progress after which all ranks say where they are and the job ends, 0: never",
                  &Options::watchdog),
  };
  return all;
}

const Entry& find_entry(std::string_view name) {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (entry.description.name == name) return entry;
    names.push_back(entry.description.name);
  }
  throw Error(concat("option '", name, "' is unknown; allowed are ", join(names)));
}

std::string environment_name(const std::string& option) {
  std::string name = "WEFT_";
  for (char c : option) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

/// Variables under the prefix that are not options of the library.
bool belongs_to_tools(std::string_view name) {
  for (std::string_view prefix : {"WEFT_TEST_", "WEFT_MPI", "WEFT_PYTHON", "WEFT_BUILD_", "WEFT_CLI_", "WEFT_LAB_",
                                  "WEFT_TUNING_", "WEFT_MACHINE_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace

void Options::set(std::string_view name, std::string_view value) { find_entry(name).set(*this, value); }

std::string Options::get(std::string_view name) const { return find_entry(name).get(*this); }

void Options::apply_environment() {
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (!name.starts_with("WEFT_") || belongs_to_tools(name)) continue;
    const auto entry = std::find_if(entries().begin(), entries().end(),
                                    [&](const Entry& e) { return environment_name(e.description.name) == name; });
    if (entry == entries().end()) {
      std::vector<std::string> names;
      for (const Entry& e : entries()) names.push_back(environment_name(e.description.name));
      throw Error(concat("environment variable ", name, " is unknown; allowed are ", join(names)));
    }
    try {
      entry->set(*this, text.substr(equals + 1));
    } catch (const Error& error) {
      throw Error(concat("environment variable ", name, ": ", error.what()));
    }
  }
}

std::vector<Options::Description> Options::describe() {
  std::vector<Description> all;
  for (const Entry& entry : entries()) all.push_back(entry.description);
  return all;
}

std::vector<std::string> strategies() {
  std::vector<std::string> names;
  for (const auto& strategy : describe_strategies()) {
    if (strategy.obstacle.empty()) names.push_back(strategy.name);
  }
  return names;
}

std::vector<StrategyDescription> describe_strategies() {
  std::vector<StrategyDescription> all;
  for (const auto& strategy : detail::strategy_registry()) {
    all.push_back({strategy.name, strategy.summary, strategy.obstacle(MPI_COMM_NULL)});
  }
  return all;
}

std::vector<std::string> backends() { return detail::backend_names(); }

}  // namespace weft
