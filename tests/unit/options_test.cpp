#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

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

TEST(Options, EveryOptionIsDescribed) {
  std::set<std::string> names;
  for (const auto& option : Options::describe()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name << " is described twice";
    EXPECT_FALSE(option.help.empty()) << option.name;
    EXPECT_FALSE(option.values.empty()) << option.name;
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
      const EnvironmentVariable variable(environment_name(name), text);
      Options options;
      options.apply_environment();
      EXPECT_EQ(options.get(name), text) << name;
    }
  }
  Options options;
  options.tile = 5;
  options.apply_environment();
  EXPECT_EQ(options.tile, 5) << "without a variable nothing changes";
}

TEST(Options, EnvironmentOfTheToolsIsLeftAlone) {
  const EnvironmentVariable a("WEFT_TEST_SOMETHING", "x"), b("WEFT_MPIEXEC", "srun"), c("WEFTLESS", "y");
  EXPECT_NO_THROW(Options().apply_environment());
}

TEST(OptionErrors, UnknownName) {
  std::vector<std::string> names;
  for (const auto& option : Options::describe()) names.push_back(option.name);
  expect_error([] { Options().set("colour", "red"); }, {"colour", "unknown", join(names)});
  expect_error([] { Options().get("colour"); }, {"colour", "unknown", join(names)});
  expect_error([] { Options().set("", "red"); }, {"unknown"});
  expect_error([] { Options().set("Tile", "1"); }, {"Tile", "unknown"});
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
  const EnvironmentVariable variable("WEFT_STRATEGIE", "alltoallv");
  expect_error([] { Options().apply_environment(); }, {"WEFT_STRATEGIE", "WEFT_STRATEGY", "WEFT_TILE"});
}

TEST(Names, StrategiesAndBackends) {
  for (const auto& names : {strategies(), backends()}) {
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size()) << join(names);
  }
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  EXPECT_TRUE(has(strategies(), Options().strategy)) << "the default is there";
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
