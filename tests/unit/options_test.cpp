#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "plan/options.hpp"
#include "support.hpp"
#include "weft/plan.hpp"

namespace {

using namespace weft;
using weft::test::expect_error;
using weft::test::join;

/// "a, b, c" in parts.
std::vector<std::string> words(std::string text) {
  std::vector<std::string> all;
  for (std::size_t comma = 0; (comma = text.find(", ")) != std::string::npos; text.erase(0, comma + 2)) {
    all.push_back(text.substr(0, comma));
  }
  all.push_back(text);
  return all;
}

/// Good values of every option, from its own description, so that a new one is tested too.
std::map<std::string, std::vector<std::string>> values() {
  std::map<std::string, std::vector<std::string>> all;
  for (const auto& option : Options::describe()) {
    if (option.values.starts_with("whole numbers from 0")) {
      all[option.name] = {"1", "7", "1000000", "0"};
    } else if (option.values.starts_with("whole numbers from 1")) {
      all[option.name] = {"1", "7", "1000000"};
    } else if (option.values.starts_with("file names")) {
      all[option.name] = {"trace.json", "/some folder/x=1", ""};
    } else if (option.values.starts_with("PxQ")) {
      all[option.name] = {"2x4", "1x1", "0x0", "12x345"};
    } else if (option.values.starts_with("a width")) {
      all[option.name] = {"1", "1x2x0", "0:1x2x1:0", "3:0x3:0x3", "0"};
    } else {
      all[option.name] = words(option.values);
    }
  }
  return all;
}

class EnvironmentVariable {
 public:
  EnvironmentVariable(const std::string& name, const std::string& value) : name_(name) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  ~EnvironmentVariable() { unsetenv(name_.c_str()); }

 private:
  std::string name_;
};

std::string environment_name(std::string option) {
  std::transform(option.begin(), option.end(), option.begin(), [](unsigned char c) { return std::toupper(c); });
  return "WEFT_" + option;
}

/// No variable changes what a program's arrays hold.
bool of_arrays(const std::string& option) { return option.ends_with("_ghosts"); }

TEST(Options, EveryOptionIsDescribed) {
  std::set<std::string> names;
  for (const auto& option : Options::describe()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name << " is described twice";
    EXPECT_FALSE(option.help.empty()) << option.name;
    EXPECT_FALSE(option.values.empty()) << option.name;
    const std::vector<std::string> operations = words(option.applies_to);
    EXPECT_EQ(operations.front(), option.name == "process_grid" ? "sphere" : "transform") << option.name;
    for (const auto& operation : operations) {
      EXPECT_TRUE(std::set<std::string>({"transform", "redistribution", "sphere"}).contains(operation)) << operation;
    }
  }
  for (const char* name :
       {"decomposition", "grid", "transposed", "in_place", "strategy", "tile", "fields", "window", "tests", "consume",
        "backend", "effort", "cache", "node_size", "leaders", "check", "trace", "watchdog"}) {
    EXPECT_TRUE(names.contains(name)) << name << " is gone";
  }
}

TEST(Options, SetAndGetAreInverse) {
  for (const auto& [name, texts] : values()) {
    Options options;
    for (const auto& text : texts) {
      options.set(name, text);
      EXPECT_EQ(options.get(name), text) << name;
    }
    // Nothing else was touched.
    options.set(name, Options().get(name));
    for (const auto& other : Options::describe()) EXPECT_EQ(options.get(other.name), Options().get(other.name)) << name;
  }
}

TEST(Options, SetReachesTheMember) {
  Options options;
  options.set("decomposition", "pencil");
  options.set("grid", "3x5");
  options.set("transposed", "true");
  options.set("in_place", "yes");
  options.set("tile", "7");
  options.set("fields", "2");
  options.set("window", "3");
  options.set("tests", "4");
  options.set("consume", "late");
  options.set("backend", "reference");
  options.set("effort", "patient");
  options.set("cache", "99999999999");
  options.set("node_size", "8");
  options.set("leaders", "3");
  options.set("check", "off");
  options.set("strategy", "ialltoallv");
  options.set("trace", "out/a b.json");
  options.set("watchdog", "30");
  EXPECT_EQ(options.decomposition, Decomposition::pencil);
  EXPECT_EQ(options.grid, (std::array<int, 2>{3, 5}));
  EXPECT_TRUE(options.transposed);
  EXPECT_TRUE(options.in_place);
  EXPECT_EQ(options.tile, 7);
  EXPECT_EQ(options.fields, 2);
  EXPECT_EQ(options.window, 3);
  EXPECT_EQ(options.tests, 4);
  EXPECT_EQ(options.consume, Consume::late);
  EXPECT_EQ(options.backend, "reference");
  EXPECT_EQ(options.effort, Effort::patient);
  EXPECT_EQ(options.cache, 99999999999);
  EXPECT_EQ(options.node_size, 8);
  EXPECT_EQ(options.leaders, 3);
  EXPECT_FALSE(options.check);
  EXPECT_EQ(options.strategy, "ialltoallv");
  EXPECT_EQ(options.trace, "out/a b.json");
  EXPECT_EQ(options.watchdog, 30);
}

TEST(Options, EnvironmentOverrides) {
  for (const auto& [name, texts] : values()) {
    for (const auto& text : texts) {
      if (of_arrays(name)) continue;
      const EnvironmentVariable variable(environment_name(name), text);
      Options options;
      options.apply_environment(name == "process_grid" ? Operation::sphere : Operation::transform);
      EXPECT_EQ(options.get(name), text) << name;
    }
  }
  Options options;
  options.tile = 5;
  options.apply_environment();
  EXPECT_EQ(options.tile, 5) << "without a variable nothing changes";
}

// The environment is meant for all that a program does.
TEST(Options, EnvironmentChangesOnlyWhatApplies) {
  const std::map<std::string, Operation> operations{{"transform", Operation::transform},
                                                    {"redistribution", Operation::redistribution},
                                                    {"sphere", Operation::sphere}};
  const auto all = values();
  int ignored = 0;
  for (const auto& option : Options::describe()) {
    if (of_arrays(option.name)) continue;
    for (const auto& text : all.at(option.name)) {
      const EnvironmentVariable variable(environment_name(option.name), text);
      for (const auto& [name, operation] : operations) {
        SCOPED_TRACE(option.name + "=" + text + " for a " + name);
        const std::vector<std::string> some = words(option.applies_to);
        const bool applies = std::find(some.begin(), some.end(), name) != some.end();
        Options options;
        options.apply_environment(operation);
        EXPECT_EQ(options.get(option.name), applies ? text : Options().get(option.name));
        EXPECT_NO_THROW(detail::check_options(options, operation, 1));
        ignored += applies ? 0 : 1;
      }
    }
  }
  EXPECT_GT(ignored, 20);
  const EnvironmentVariable wrong("WEFT_TRANSPOSED", "maybe");
  expect_error([] { Options().apply_environment(Operation::sphere); }, {"WEFT_TRANSPOSED", "maybe", "true, false"});
}

TEST(Options, TheEnvironmentHasNoGhosts) {
  for (const char* name : {"WEFT_INPUT_GHOSTS", "WEFT_OUTPUT_GHOSTS", "WEFT_SUM_GHOSTS"}) {
    const EnvironmentVariable variable(name, "1");
    expect_error([] { Options().apply_environment(); }, {name, "what the program's arrays hold"});
  }
}

TEST(Options, WidthsOfGhosts) {
  Options options;
  options.set("input_ghosts", "2");
  EXPECT_EQ(options.input_ghosts, (Ghosts{{2, 2, 2}, {2, 2, 2}}));
  options.set("input_ghosts", "0:1x2x3:0");
  EXPECT_EQ(options.input_ghosts, (Ghosts{{0, 2, 3}, {1, 2, 0}}));
  options.set("input_ghosts", "1x0:2");  // of a plane
  EXPECT_EQ(options.input_ghosts, (Ghosts{{1, 0, 0}, {1, 0, 2}}));
  for (const char* bad : {"", "x", "1x", "-1", "1:", ":1", "1x2x3x4", "1:2:3", "one"}) {
    expect_error([&] { options.set("output_ghosts", bad); },
                 {"output_ghosts is '" + std::string(bad) + "'", "a width"});
  }
}

// Given by the program, they are errors.
TEST(OptionErrors, WhatDoesNotApplyIsNamed) {
  using enum Operation;
  const auto all = values();
  const auto check = [&](Operation operation, const std::string& operation_name) {
    for (const auto& option : Options::describe()) {
      const std::vector<std::string> some = words(option.applies_to);
      const bool applies = std::find(some.begin(), some.end(), operation_name) != some.end();
      for (const auto& text : all.at(option.name)) {
        SCOPED_TRACE(option.name + "=" + text + " for a " + operation_name);
        Options options;
        options.set(option.name, text);
        const Options left = detail::applicable(options, operation);
        EXPECT_EQ(left.get(option.name), applies ? text : Options().get(option.name));
        EXPECT_NO_THROW(detail::check_options(left, operation, 1));
        if (applies || text == Options().get(option.name)) {
          EXPECT_NO_THROW(detail::check_options(options, operation, 1));
        } else {
          expect_error([&] { detail::check_options(options, operation, 1); },
                       {option.name + " is " + text, "applies to " + option.applies_to, "a " + operation_name,
                        "only " + Options().get(option.name)});
        }
      }
    }
  };
  check(transform, "transform");
  check(redistribution, "redistribution");
  check(sphere, "sphere");
  for (const auto member : {&Options::input, &Options::output}) {
    Options options;
    options.*member = Layout::slab({4, 4, 4}, 1, 0);
    EXPECT_NO_THROW(detail::check_options(options, transform, 1));
    for (const Operation operation : {redistribution, sphere}) {
      expect_error([&] { detail::check_options(options, operation, 1); },
                   {member == &Options::input ? "input is one rank" : "output is one rank", "transform"});
      EXPECT_NO_THROW(detail::check_options(detail::applicable(options, operation), operation, 1));
    }
  }
}

// Members are held to the rules of texts, whatever they are given to.
TEST(OptionErrors, MembersOutOfRange) {
  const auto bad = [](const auto& change, const std::vector<std::string>& parts) {
    Options options;
    change(options);
    for (const Operation operation : {Operation::transform, Operation::redistribution, Operation::sphere}) {
      expect_error([&] { detail::check_options(options, operation, 2); }, parts);
    }
  };
  bad([](Options& o) { o.leaders = 0; }, {"leaders", "'0'", "whole numbers from 1"});
  bad([](Options& o) { o.tile = -1; }, {"tile", "'-1'", "whole numbers from 0"});
  bad([](Options& o) { o.window = -2; }, {"window", "'-2'", "whole numbers from 0"});
  bad([](Options& o) { o.fields = -3; }, {"fields", "'-3'", "whole numbers from 0"});
  bad([](Options& o) { o.node_size = -4; }, {"node_size", "'-4'", "whole numbers from 0"});
  bad([](Options& o) { o.threads = -1; }, {"threads", "'-1'", "whole numbers from 0"});
  bad([](Options& o) { o.strategy = "telepathy"; }, {"strategy", "telepathy", join(strategies())});
  bad([](Options& o) { o.nodes = {0, 0, 0}; }, {"nodes", "3", "2 ranks"});
}

TEST(Options, EnvironmentOfTheToolsIsLeftAlone) {
  const EnvironmentVariable a("WEFT_TEST_SOMETHING", "x"), b("WEFT_MPIEXEC", "srun"), c("WEFTLESS", "y");
  EXPECT_NO_THROW(Options().apply_environment());
}

// Module files and package managers set these; nobody means an option.
TEST(Options, VariablesThatTellWhereWeftIsAreLeftAlone) {
  testing::internal::CaptureStderr();
  for (const char* word : {"ROOT", "DIR", "HOME", "VERSION", "PREFIX", "BASE", "LIB", "INC", "INCLUDE_DIR", "PATH"}) {
    const EnvironmentVariable variable("WEFT_" + std::string(word), "/opt/weft");
    EXPECT_NO_THROW(Options().apply_environment()) << word;
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Options, OtherVariablesAreToldOnce) {
  const EnvironmentVariable a("WEFT_LICENCE", "x"), b("WEFT_CACHE_DIR", "/tmp");
  testing::internal::CaptureStderr();
  for (int round = 0; round < 2; ++round) {
    EXPECT_NO_THROW(Options().apply_environment());
    EXPECT_NO_THROW(Options().apply_environment(Operation::sphere));
  }
  const std::string told = testing::internal::GetCapturedStderr();
  for (const std::string name : {"WEFT_LICENCE", "WEFT_CACHE_DIR"}) {
    const std::string line = "weft: the environment variable " + name + " is no option of Weft and is ignored";
    EXPECT_NE(told.find(line), told.npos) << told;
    EXPECT_EQ(told.find(line), told.rfind(line)) << told;
  }
}

TEST(OptionErrors, UnknownName) {
  std::vector<std::string> names;
  for (const auto& option : Options::describe()) names.push_back(option.name);
  expect_error([] { Options().set("colour", "red"); }, {"colour", "unknown", join(names)});
  expect_error([] { Options().get("colour"); }, {"colour", "unknown", join(names)});
  expect_error([] { Options().set("", "red"); }, {"unknown"});
  expect_error([] { Options().set("Tile", "1"); }, {"Tile", "unknown"});
}

TEST(OptionErrors, TheNearestNameIsSaid) {
  for (const auto& one : std::map<std::string, std::string>{{"stratgy", "strategy"},
                                                            {"Strategies", "strategy"},
                                                            {"decomp", "decomposition"},
                                                            {"in-place", "in_place"},
                                                            {"tiel", "tile"},
                                                            {"TILE", "tile"}}) {
    const std::string &written = one.first, &meant = one.second;  // lambdas cannot capture structured bindings
    expect_error([&] { Options().set(written, "1"); }, {"option '" + written + "'", "did you mean '" + meant + "'?"});
  }
  for (const std::string far : {"colour", "nonsense", "x", ""}) {
    expect_error([&] { Options().set(far, "1"); }, {"option '" + far + "' is unknown; allowed are "});
  }
}

TEST(OptionErrors, BadValuesListTheGoodOnes) {
  const auto bad = [](const std::string& name, const std::string& value, const std::vector<std::string>& parts) {
    SCOPED_TRACE(name + "=" + value);
    Options options;
    std::vector<std::string> all{name, "'" + value + "'", "allowed are"};
    all.insert(all.end(), parts.begin(), parts.end());
    expect_error([&] { options.set(name, value); }, all);
    EXPECT_EQ(options.get(name), Options().get(name)) << "a bad value changed the option";
    const EnvironmentVariable variable(environment_name(name), value);
    all.push_back(environment_name(name));
    expect_error([&] { options.apply_environment(); }, all);
  };
  bad("decomposition", "cube", {"auto, slab, pencil"});
  bad("consume", "never", {"auto, early, late"});
  bad("trace", "True", {"file names"});
  bad("trace", "1", {"file names"});
  bad("effort", "lazy", {"estimate, measure, patient"});
  bad("strategy", "telepathy", {join(strategies())});
  bad("backend", "abacus", {join(backends())});
  for (const char* name : {"transposed", "in_place", "check"}) bad(name, "maybe", {"true, false"});
  for (const char* name : {"tile", "fields", "window", "tests", "cache", "node_size", "watchdog"}) {
    for (const char* value : {"-1", "many", "", "1.5", "7 ", "99999999999999999999"})
      bad(name, value, {"whole numbers from 0"});
  }
  bad("leaders", "0", {"whole numbers from 1"});
  for (const char* value : {"4", "2x", "x2", "2x-1", "axb", "2x3x4", "2 x 3", ""}) bad("grid", value, {"PxQ"});
}

TEST(OptionErrors, UnknownVariable) {
  // A slip of the pen is not left out of account.
  for (const auto& [name, meant] : std::map<std::string, std::string>{
           {"WEFT_STRATEGIE", "WEFT_STRATEGY"}, {"WEFT_TIEL", "WEFT_TILE"}, {"WEFT_TRACES", "WEFT_TRACE"}}) {
    const EnvironmentVariable variable(name, "1");
    expect_error([] { Options().apply_environment(); }, {name, "did you mean '" + meant + "'?", "WEFT_TILE"});
  }
}

TEST(Names, StrategiesAndBackends) {
  for (const auto& names : {strategies(), backends()}) {
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size()) << join(names);
  }
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const int node_size : {0, 1, 2}) {
    Options options;
    options.node_size = node_size;
    EXPECT_TRUE(has(strategies(), Plan({.shape = {4, 4, 4}}, options, 2).options().strategy)) << "the default is there";
  }
  EXPECT_TRUE(has(strategies(), "ialltoallv"));
  EXPECT_TRUE(has(backends(), Options().backend)) << "the default is there";
  EXPECT_TRUE(has(backends(), "reference"));
}

TEST(Names, StrategiesThatCannotBeUsed) {
  std::vector<std::string> usable;
  for (const auto& strategy : describe_strategies()) {
    SCOPED_TRACE(strategy.name);
    EXPECT_FALSE(strategy.summary.empty());
    if (strategy.obstacle.empty()) {
      usable.push_back(strategy.name);
    } else {
      expect_error([&] { Options().set("strategy", strategy.name); },
                   {strategy.name, "which " + strategy.obstacle, join(strategies())});
    }
  }
  EXPECT_EQ(usable, strategies());
}

TEST(Names, TextForms) {
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) EXPECT_EQ(parse_kind(to_string(kind)), kind);
  for (const Precision p : {Precision::single_, Precision::double_}) EXPECT_EQ(parse_precision(to_string(p)), p);
  for (const Normalization n :
       {Normalization::none, Normalization::forward, Normalization::backward, Normalization::ortho}) {
    EXPECT_EQ(parse_normalization(to_string(n)), n);
  }
  expect_error([] { parse_kind("r2r"); }, {"kind", "r2r", "c2c, r2c, c2r"});
  expect_error([] { parse_kind("r2r", "--kind"); }, {"--kind", "r2r"});
  expect_error([] { parse_precision("half"); }, {"precision", "half", "single, double"});
  expect_error([] { parse_normalization("unit"); }, {"normalization", "unit", "none, forward, backward, ortho"});
}

}  // namespace
