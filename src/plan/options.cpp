// Options by name and text, and the one table of them: values, meaning, what they apply to.
#include "plan/options.hpp"

#include <mpi.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <set>
#include <utility>

#include "base/output_file.hpp"
#include "base/text.hpp"
#include "exchange/exchange.hpp"
#include "exchange/wire_format.hpp"
#include "fft/serial.hpp"

extern "C" char** environ;

namespace weft {

using detail::concat;
using detail::join;

namespace {

struct Entry {
  Options::Description description;
  std::function<void(Options&, std::string_view)> set;
  std::function<std::string(const Options&)> get;
  std::vector<Operation> applies_to{};
  bool has_variable = true;  ///< of the environment

  bool applies(Operation operation) const {
    return std::find(applies_to.begin(), applies_to.end(), operation) != applies_to.end();
  }
};

const char* operation_name(Operation operation) {
  switch (operation) {
    case Operation::transform: return "transform";
    case Operation::redistribution: return "redistribution";
    case Operation::sphere: return "sphere";
  }
  return "?";
}

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
  const Options::Description description{name, concat("whole numbers from ", least), help, {}};
  return {description,
          [=](Options& o, std::string_view text) { o.*member = parse_number<Number>(description, text, least); },
          [=](const Options& o) { return std::to_string(o.*member); }};
}

Entry flag(const char* name, const char* help, bool Options::*member) {
  const Options::Description description{name, "true, false", help, {}};
  return {description,
          [=](Options& o, std::string_view text) {
            const std::optional<bool> value = detail::parse_flag(text);
            if (!value) bad_value(description, text);
            o.*member = *value;
          },
          [=](const Options& o) { return o.*member ? "true" : "false"; }};
}

template <class Enum>
Entry choice(const char* name, const char* help, Enum Options::*member,
             std::vector<std::pair<std::string, Enum>> values) {
  std::vector<std::string> names;
  for (const auto& value : values) names.push_back(value.first);
  const Options::Description description{name, join(names), help, {}};
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
  const Options::Description description{name, join(names), help, {}};
  return {description,
          [=](Options& o, std::string_view text) {
            if (std::find(names.begin(), names.end(), text) == names.end()) bad_value(description, text);
            o.*member = text;
          },
          [=](const Options& o) { return o.*member; }};
}

Entry strategy_entry() {
  std::vector<std::string> names = strategies();
  names.insert(names.begin(), detail::automatic_strategy);
  Entry entry = name_of("strategy", "how tiles are exchanged", &Options::strategy, names);
  entry.set = [](Options& o, std::string_view text) {
    o.strategy =
        text == detail::automatic_strategy ? detail::automatic_strategy : detail::find_strategy(std::string(text)).name;
  };
  return entry;
}

Entry file(const char* name, const char* help, std::string Options::*member) {
  const Options::Description description{name, "file names, empty: none", help, {}};
  return {description,
          [=](Options& o, std::string_view text) {
            if (!text.empty() && !detail::is_file_name(text)) bad_value(description, text);
            o.*member = text;
          },
          [=](const Options& o) { return o.*member; }};
}

Entry grid_entry(const char* name, const char* help, std::array<int, 2> Options::*member) {
  const Options::Description description{name, "PxQ with P*Q the number of ranks, 0x0 to let Weft choose", help, {}};
  return {description,
          [=](Options& o, std::string_view text) {
            const auto x = text.find('x');
            if (x == std::string_view::npos) bad_value(description, text);
            try {
              o.*member = {parse_number<int>(description, text.substr(0, x), 0),
                           parse_number<int>(description, text.substr(x + 1), 0)};
            } catch (const Error&) {
              bad_value(description, text);
            }
          },
          [=](const Options& o) { return concat((o.*member)[0], "x", (o.*member)[1]); }};
}

/// For each axis how many below and above it, "2" or "0:1"; one for all axes, two for a plane's, or three.
Entry ghosts_entry(const char* name, const char* help, Ghosts Options::*member) {
  const Options::Description description{
      name, "a width, PxQxR, or below:above for each, e.g. 1, 1x2x0, 0:1x2x1:0", help, {}};
  const auto set = [=](Options& o, std::string_view text) {
    std::vector<std::array<Index, 2>> widths;
    for (std::string_view rest = text; widths.size() < 4;) {
      const std::size_t end = std::min(rest.find('x'), rest.size());
      const std::string_view one = rest.substr(0, end);
      const std::size_t colon = std::min(one.find(':'), one.size());
      try {
        const Index below = parse_number<Index>(description, one.substr(0, colon), 0);
        widths.push_back({below, below});
        if (colon < one.size()) widths.back()[1] = parse_number<Index>(description, one.substr(colon + 1), 0);
      } catch (const Error&) {
        bad_value(description, text);
      }
      if (end == rest.size()) break;
      rest = rest.substr(end + 1);
    }
    if (widths.size() > 3) bad_value(description, text);
    if (widths.size() == 1) widths.resize(3, widths.front());
    if (widths.size() == 2) widths.insert(widths.begin() + 1, {0, 0});
    for (std::size_t axis = 0; axis < 3; ++axis) {
      (o.*member).below[axis] = widths[axis][0];
      (o.*member).above[axis] = widths[axis][1];
    }
  };
  const auto get = [=](const Options& o) {
    const Ghosts& ghosts = o.*member;
    std::vector<std::string> widths;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Index below = ghosts.below[axis], above = ghosts.above[axis];
      widths.push_back(below == above ? std::to_string(below) : concat(below, ':', above));
    }
    if (widths[0] == widths[1] && widths[1] == widths[2]) return widths[0];
    return concat(widths[0], 'x', widths[1], 'x', widths[2]);
  };
  Entry entry{description, set, get};
  entry.has_variable = false;
  return entry;
}

std::vector<std::pair<std::string, Wire>> wire_names() {
  std::vector<std::pair<std::string, Wire>> names;
  for (const detail::WireFormat& format : detail::wire_formats()) names.emplace_back(format.name, format.wire);
  return names;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> table = [] {
    std::vector<Entry> all;
    const auto add = [&](std::vector<Operation> applies_to, Entry entry) {
      for (const Operation operation : applies_to) {
        std::string& text = entry.description.applies_to;
        text += concat(text.empty() ? "" : ", ", operation_name(operation));
      }
      entry.applies_to = std::move(applies_to);
      all.push_back(std::move(entry));
    };
    using enum Operation;
    add({transform},
        choice<Decomposition>(
            "decomposition", "how the inner stages are distributed", &Options::decomposition,
            {{"auto", Decomposition::automatic}, {"slab", Decomposition::slab}, {"pencil", Decomposition::pencil}}));
    add({transform}, grid_entry("grid", "process grid of the pencil decomposition", &Options::grid));
    add({sphere}, grid_entry("process_grid", "process grid of a sphere: planes of z by y", &Options::process_grid));
    add({transform}, flag("transposed", "leave the spectrum as the last stage has it", &Options::transposed));
    add({transform}, flag("in_place", "one array for input and output", &Options::in_place));
    add({transform}, ghosts_entry("input_ghosts", "ghosts around the boxes of forward's input, which arrays hold",
                                  &Options::input_ghosts));
    add({transform}, ghosts_entry("output_ghosts", "ghosts around the boxes of forward's output, which arrays hold",
                                  &Options::output_ghosts));
    Entry sums =
        flag("sum_ghosts", "of what is read, add ghosts to the points that they stand for", &Options::sum_ghosts);
    sums.has_variable = false;
    add({transform}, sums);
    const std::vector<Operation> everything{transform, redistribution, sphere};
    add(everything, strategy_entry());
    add(everything,
        number<int>("tile",
                    "tiles that each exchange of a field is cut into, as far as ranks have planes, 0: Weft chooses",
                    &Options::tile));
    add(everything,
        number<int>("fields", "fields of the batch that travel together, 0: Weft chooses", &Options::fields));
    add(everything,
        number<int>("window", "exchanges that may be on their way at once, 0: Weft chooses", &Options::window));
    add(everything,
        number<int>("tests",
                    "times that MPI is called to make progress while a tile is computed, 0 with strategy=auto: between "
                    "nodes Weft chooses",
                    &Options::tests));
    add(everything,
        choice<Progress>("progress", "who keeps messages moving while a rank computes: tests alone, or a thread",
                         &Options::progress, {{"none", Progress::none}, {"thread", Progress::thread}}));
    // A sphere's lines need all tiles before the first of them is transformed.
    add({transform, redistribution},
        choice<Consume>("consume", "when arrived tiles are consumed: as each arrives, or after all", &Options::consume,
                        {{"auto", Consume::automatic}, {"early", Consume::early}, {"late", Consume::late}}));
    add({transform, sphere},
        choice<Wire>("wire", "how numbers travel between ranks: as they are, or rounded to fewer bits", &Options::wire,
                     wire_names()));
    add({transform, sphere},
        choice<WireInside>("wire_inside", "what stays inside a node: rounded like the rest, or the same as it is",
                           &Options::wire_inside, {{"wire", WireInside::wire}, {"same", WireInside::same}}));
    add({transform, sphere},
        flag("measure_wire", "compare what is rounded with what it was, for the statistics", &Options::measure_wire));
    add({transform, sphere}, name_of("backend", "what transforms lines", &Options::backend, backends()));
    add({transform, sphere},
        choice<Effort>("effort", "how hard fast kernels are looked for", &Options::effort,
                       {{"estimate", Effort::estimate}, {"measure", Effort::measure}, {"patient", Effort::patient}}));
    add({transform, redistribution},
        number<Index>("cache", "bytes of cache that in-cache work may fill, 0: ask the machine", &Options::cache));
    add({transform, sphere},
        number<int>("groups", "groups of ranks that transform their share of the batch by themselves", &Options::groups,
                    1));
    add(everything,
        number<int>("threads", "OpenMP threads that compute in each rank, 0: OMP_NUM_THREADS if it is set, else 1",
                    &Options::threads));
    add(everything, number<int>("node_size", "pretend that so many consecutive ranks share a node, 0: ask MPI",
                                &Options::node_size));
    add(everything, number<int>("leaders", "ranks of a node that send for all of it", &Options::leaders, 1));
    add(everything, flag("check", "agree on the arguments of every execution", &Options::check));
    add({transform}, number<int>("check_every", "executions of a transform for each agreement on arguments",
                                 &Options::check_every, 1));
    add(everything, file("trace", "where a trace of all executions of all ranks is written", &Options::trace));
    add(everything,
        number<int>("watchdog",
                    "seconds without progress after which all ranks say where they are and the job ends, 0: never",
                    &Options::watchdog));
    return all;
  }();
  return table;
}

const Entry& find_entry(std::string_view name) {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (entry.description.name == name) return entry;
    names.push_back(entry.description.name);
  }
  throw Error(detail::unknown("option", name, names));
}

std::string environment_name(const std::string& option) {
  std::string name = "WEFT_";
  for (char c : option) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

/// Variables under the prefix that are not options of the library.
bool belongs_to_tools(std::string_view name) {
  for (std::string_view prefix : {"WEFT_TEST_", "WEFT_MPI", "WEFT_PYTHON", "WEFT_BUILD_", "WEFT_CLI_", "WEFT_LAB_",
                                  "WEFT_TUNING_", "WEFT_MACHINE_", "WEFT_FFTW_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

/// Variables that module files and package managers set for a library of this name, and CMake reads.
bool tells_where_weft_is(std::string_view name) {
  for (std::string_view word :
       {"ROOT", "DIR", "HOME", "VERSION", "PREFIX", "BASE", "LIB", "INC", "INCLUDE_DIR", "PATH"}) {
    if (name.substr(5) == word) return true;
  }
  return false;
}

/// Error if the variable was meant to be an option: a letter or two beside its name. Else a line, once: whoever set the
/// variable need not have thought of options.
void unknown_variable(std::string_view name) {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) names.push_back(environment_name(entry.description.name));
  const std::size_t slips = name.size() - 5 < 8 ? 1 : 2;
  for (const std::string& option : names) {
    if (detail::edit_distance(name, option) <= slips) throw Error(detail::unknown("environment variable", name, names));
  }
  int begun = 0, ended = 0, rank = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (begun != 0 && ended == 0) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  static std::mutex telling;
  static std::set<std::string, std::less<>> told;
  const std::lock_guard lock(telling);
  if (!told.emplace(name).second) return;
  const std::string meant = detail::nearest(name, names);
  const std::string line = concat("weft: the environment variable ", name, " is no option of Weft and is ignored",
                                  meant.empty() ? "" : concat("; did you mean ", meant, "?"), "\n");
  std::fputs(line.c_str(), stderr);
}

}  // namespace

void Options::set(std::string_view name, std::string_view value) { find_entry(name).set(*this, value); }

std::string Options::get(std::string_view name) const { return find_entry(name).get(*this); }

void Options::apply_environment(Operation operation) {
  Options ignored;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (!name.starts_with("WEFT_") || belongs_to_tools(name) || tells_where_weft_is(name)) continue;
    const auto entry = std::find_if(entries().begin(), entries().end(),
                                    [&](const Entry& e) { return environment_name(e.description.name) == name; });
    if (entry == entries().end()) {
      unknown_variable(name);
      continue;
    }
    if (!entry->has_variable) {
      throw Error(concat("environment variable ", name, ": it would change what the program's arrays hold; only the ",
                         "program itself can set ", entry->description.name));
    }
    try {
      entry->set(entry->applies(operation) ? *this : ignored, text.substr(equals + 1));
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

void detail::require_grid(const char* option, const std::array<int, 2>& grid, int ranks) {
  const auto [rows, columns] = grid;
  if (rows >= 1 && columns >= 1 && Index{rows} * columns == ranks) return;
  throw Error(concat(option, " is ", rows, "x", columns, "; the product must be the number of ranks, ", ranks));
}

void detail::check_options(const Options& options, Operation operation, int ranks) {
  const Options defaults;
  Options copy;
  const auto refuse = [&](const std::string& name, const std::string& value, const std::string& applies_to,
                          const std::string& allowed) {
    throw Error(concat(name, " is ", value, "; it applies to ", applies_to, ", a ", operation_name(operation),
                       " allows ", allowed));
  };
  for (const Entry& entry : entries()) {
    const auto& [name, values, help, applies_to] = entry.description;
    const std::string value = entry.get(options), other = entry.get(defaults);
    if (entry.applies(operation)) {
      // Members set directly are held to the same rules as text. (What a grid may be depends on more than itself.)
      if (name != "grid" && name != "process_grid") entry.set(copy, value);
    } else if (value != other) {
      refuse(name, value, applies_to, concat("only ", other));
    }
  }
  for (const auto& [name, layout] : {std::pair{"input", &options.input}, std::pair{"output", &options.output}}) {
    if (operation != Operation::transform && *layout) {
      refuse(name, (*layout)->describe(), operation_name(Operation::transform), "none");
    }
  }
  if (!options.nodes.empty() && options.nodes.size() != static_cast<std::size_t>(ranks)) {
    throw Error(
        concat("nodes has ", options.nodes.size(), " entries; one for each of the ", ranks, " ranks is needed"));
  }
}

Options detail::applicable(Options options, Operation operation) {
  const Options defaults;
  for (const Entry& entry : entries()) {
    if (!entry.applies(operation)) entry.set(options, entry.get(defaults));
  }
  if (operation != Operation::transform) {
    options.input.reset();
    options.output.reset();
  }
  return options;
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
