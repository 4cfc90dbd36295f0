// The tuner: the same answer on all ranks, options that work, files that are kept.
#include "weft/tuner.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "support.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 4});

using namespace weft;
using weft::test::common_error;
using weft::test::rank_of;
using weft::test::size_of;
namespace fs = std::filesystem;

/// A name that all ranks share, in a folder that is new.
class Tuner : public ::testing::Test {
 protected:
  void SetUp() override {
    int id = static_cast<int>(getpid());
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    folder_ = fs::temp_directory_path() / ("weft-tuner-" + std::to_string(id));
    if (rank_of() == 0) fs::remove_all(folder_);
    MPI_Barrier(MPI_COMM_WORLD);
    path_ = (folder_ / "tuning.json").string();
  }
  void TearDown() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_of() == 0) fs::remove_all(folder_);
  }
  Tuning quick(Effort effort = Effort::measure) const {
    Tuning tuning;
    tuning.effort = effort;
    tuning.budget = 0.3;
    tuning.file = path_;
    return tuning;
  }
  /// Few candidates, as long as it takes: what was timed only once is not kept.
  Tuning enough(Effort effort) const {
    Tuning tuning = quick(effort);
    tuning.budget = 30;
    tuning.keep = {"decomposition", "grid",     "strategy", "tile",  "fields", "window",
                   "tests",         "progress", "consume",  "cache", "groups"};
    return tuning;
  }
  fs::path folder_;
  std::string path_;
};

std::string options_text(const Options& options) {
  std::string text;
  for (const auto& description : Options::describe())
    text += description.name + "=" + options.get(description.name) + " ";
  return text;
}

/// Whether the text of all ranks is that of rank 0.
bool same_everywhere(const std::string& text) {
  const std::string first = common_error([&] { throw Error(text); });
  return first == text;
}

/// There and back with the options gives N x.
void expect_works(const Problem& problem, const Options& options) {
  Transform<double> fft(problem, MPI_COMM_WORLD, options);
  const auto in = static_cast<std::size_t>(fft.input_size()), out = static_cast<std::size_t>(fft.output_size());
  std::vector<std::complex<double>> x(std::max(in, out)), y(std::max(in, out));
  for (std::size_t i = 0; i < in; ++i) x[i] = {static_cast<double>(i % 7), static_cast<double>(i % 5)};
  const auto original = x;
  if (options.in_place) {
    fft.forward(x.data());
    fft.backward(x.data());
  } else {
    fft.forward(x.data(), y.data());
    fft.backward(y.data(), x.data());
  }
  double points = 1;
  for (const Index n : problem.shape) points *= static_cast<double>(n);
  for (std::size_t i = 0; i < in; ++i) ASSERT_NEAR(std::abs(x[i] / points - original[i]), 0, 1e-12);
}

TEST_F(Tuner, EveryEffortFindsOptionsThatWork) {
  const Problem problem{.shape = {12, 10, 9}, .batch = 2};
  for (const Effort effort : {Effort::estimate, Effort::measure, Effort::patient}) {
    const Tuned tuned = tune(problem, MPI_COMM_WORLD, {}, quick(effort));
    SCOPED_TRACE(tuned.text());
    EXPECT_TRUE(same_everywhere(options_text(tuned.options)));
    EXPECT_GT(tuned.seconds, 0);
    EXPECT_GT(tuned.default_seconds, 0) << "the default is always looked at";
    ASSERT_FALSE(tuned.tried.empty());
    EXPECT_EQ(tuned.tried.front().options, tuned.chosen);
    EXPECT_EQ(tuned.source, effort == Effort::estimate ? "model" : "timed");
    EXPECT_FALSE(tuned.options.transposed);
    expect_works(problem, tuned.options);
  }
}

TEST_F(Tuner, WhatIsGivenStays) {
  Options given;
  given.in_place = true;
  given.strategy = "pairwise";
  const Problem problem{.shape = {8, 8, 8}};
  Tuning tuning = quick();
  tuning.keep = {"tile", "backend"};
  const Tuned tuned = tune(problem, MPI_COMM_WORLD, given, tuning);
  EXPECT_TRUE(tuned.options.in_place);
  EXPECT_EQ(tuned.options.strategy, "pairwise");
  EXPECT_EQ(tuned.options.tile, 0);
  EXPECT_EQ(tuned.options.backend, Options{}.backend);
  for (const Tried& one : tuned.tried) {
    for (const auto& [name, value] : one.options) {
      EXPECT_TRUE(name != "tile" && name != "backend" && (name != "strategy" || value == "pairwise")) << name;
    }
  }
  expect_works(problem, tuned.options);
}

TEST_F(Tuner, TransposedWhereItIsAllowed) {
  Tuning tuning = quick(Effort::estimate);
  tuning.may_transpose = true;
  const Tuned tuned = tune({.shape = {32, 32, 32}}, MPI_COMM_WORLD, {}, tuning);
  EXPECT_EQ(tuned.options.transposed, size_of() > 1) << "it saves an exchange";
}

TEST_F(Tuner, FilesAreUsedAndKept) {
  const Problem problem{.shape = {6, 8, 10}, .kind = Kind::r2c};
  const Tuned first = tune(problem, MPI_COMM_WORLD, {}, enough(Effort::measure));
  EXPECT_TRUE(first.warnings.empty()) << first.text();
  const Tuned second = tune(problem, MPI_COMM_WORLD, {}, enough(Effort::estimate));
  EXPECT_EQ(second.source, "file");
  EXPECT_EQ(options_text(second.options), options_text(first.options));
  EXPECT_DOUBLE_EQ(second.seconds, first.seconds);
  EXPECT_FALSE(second.tried.empty());
  // Another problem, other options, or more effort: not in there.
  Options in_place;
  in_place.in_place = true;
  EXPECT_EQ(tune(problem, MPI_COMM_WORLD, in_place, enough(Effort::estimate)).source, "model");
  EXPECT_EQ(tune({.shape = {6, 8, 11}}, MPI_COMM_WORLD, {}, enough(Effort::estimate)).source, "model");
  EXPECT_EQ(tune(problem, MPI_COMM_WORLD, {}, enough(Effort::patient)).source, "timed");
  Tuning again = enough(Effort::measure);
  again.again = true;
  EXPECT_EQ(tune(problem, MPI_COMM_WORLD, {}, again).source, "timed");
  std::vector<std::string> warnings;
  EXPECT_NE(TuningFile(path_).entries(warnings).find("\"r2c\""), std::string::npos);
  EXPECT_TRUE(fs::exists(folder_ / "tuning.fftw-double")) << "wisdom lies beside it";
}

/// Whatever the machine: no time at all.
TEST_F(Tuner, WhatCouldHardlyBeComparedIsNotKept) {
  Tuning hurried = quick();
  hurried.budget = 1e-9;
  const Problem problem{.shape = {8, 8, 8}};
  const Tuned tuned = tune(problem, MPI_COMM_WORLD, {}, hurried);
  const auto timed = std::count_if(tuned.tried.begin(), tuned.tried.end(), [](const Tried& t) { return t.rounds > 0; });
  EXPECT_EQ(timed, 2) << "one alone is no comparison";
  EXPECT_EQ(tuned.source, "timed");
  if (size_of() > 1) {  // where there are more candidates than that
    ASSERT_EQ(tuned.warnings.size(), 1U) << tuned.text();
    EXPECT_NE(tuned.warnings[0].find("only 2 of "), std::string::npos) << tuned.warnings[0];
    EXPECT_NE(tuned.text().find("not compared: "), std::string::npos) << tuned.text();
    EXPECT_EQ(tune(problem, MPI_COMM_WORLD, {}, quick(Effort::estimate)).source, "model");
  }
}

/// Whatever the machine: the load is said.
TEST_F(Tuner, WhatWasTimedOnABusyMachineIsNotKept) {
  const Problem problem{.shape = {8, 8, 8}};
  const char* const before = std::getenv("WEFT_TEST_BUSY");
  const std::string restored = before != nullptr ? before : "0";
  setenv("WEFT_TEST_BUSY", "0.4", 1);
  const Tuned tuned = tune(problem, MPI_COMM_WORLD, {}, enough(Effort::measure));
  EXPECT_EQ(tuned.source, "timed");
  ASSERT_EQ(tuned.warnings.size(), 1U) << tuned.text();
  EXPECT_NE(tuned.warnings[0].find("too busy to compare them: meanwhile other processes used 40%"), std::string::npos);
  EXPECT_NE(tuned.warnings[0].find("it is not kept"), std::string::npos) << tuned.warnings[0];
  EXPECT_TRUE(same_everywhere(tuned.warnings[0]));
  expect_works(problem, tuned.options);
  EXPECT_EQ(tune(problem, MPI_COMM_WORLD, {}, enough(Effort::estimate)).source, "model");
  Tuning forced = enough(Effort::measure);
  forced.force = true;
  EXPECT_TRUE(tune(problem, MPI_COMM_WORLD, {}, forced).warnings.empty());
  EXPECT_EQ(tune(problem, MPI_COMM_WORLD, {}, enough(Effort::estimate)).source, "file");
  setenv("WEFT_TEST_BUSY", restored.c_str(), 1);
}

TEST_F(Tuner, DamagedAndImpossibleFilesAreWarnings) {
  const Problem problem{.shape = {4, 4, 4}};
  if (rank_of() == 0) {
    fs::create_directories(folder_);
    std::ofstream(path_) << "{ this is not JSON";
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const Tuned tuned = tune(problem, MPI_COMM_WORLD, {}, quick(Effort::estimate));
  ASSERT_EQ(tuned.warnings.size(), 1U);
  EXPECT_NE(tuned.warnings[0].find(path_), std::string::npos);
  EXPECT_TRUE(same_everywhere(tuned.warnings[0]));
  // A file where a folder should be.
  Tuning impossible = quick();
  impossible.file = path_ + ".damaged-1/tuning.json";
  EXPECT_FALSE(tune(problem, MPI_COMM_WORLD, {}, impossible).warnings.empty());
}

TEST_F(Tuner, FormatsForTheWireAreTriedWithinTheTolerance) {
  const Problem problem{.shape = {16, 12, 8}};
  const auto formats = [&](const Tuned& tuned, bool usable) {
    std::set<std::string> found;
    for (const Tried& one : tuned.tried) {
      for (const auto& [name, value] : one.options) {
        if (name == "wire" && (!usable || one.obstacle.empty())) found.insert(value);
      }
    }
    return found;
  };
  Tuning tuning = quick(Effort::estimate);
  EXPECT_TRUE(formats(tune(problem, MPI_COMM_WORLD, {}, tuning), false).empty());
  tuning.tolerance = 1e-5;
  const Tuned some = tune(problem, MPI_COMM_WORLD, {}, tuning);
  const std::set<std::string> rounded{"single", "block24"};
  EXPECT_EQ(formats(some, true), size_of() > 1 ? rounded : std::set<std::string>{});
  // One exchange may round by 2.7e-6, two may not.
  tuning.tolerance = 3e-6;
  tuning.may_transpose = true;
  for (const Tried& one : tune(problem, MPI_COMM_WORLD, {}, tuning).tried) {
    Options options;
    for (const auto& [name, value] : one.options) options.set(name, value);
    if (!one.obstacle.empty()) continue;
    const Plan plan(problem, options, size_of());
    EXPECT_LE(plan.wire_error(Direction::forward), tuning.tolerance) << options_text(options);
  }
  // A format that is given is nobody's to change.
  Options given;
  given.wire = Wire::block16;
  EXPECT_EQ(tune(problem, MPI_COMM_WORLD, given, tuning).options.wire, Wire::block16);
  // Each tolerance has entries of its own.
  Tuning timed = quick();
  timed.budget = 30;
  timed.keep = {"decomposition", "grid",     "strategy", "tile",  "fields", "window",
                "tests",         "progress", "consume",  "cache", "groups", "backend"};
  EXPECT_EQ(tune(problem, MPI_COMM_WORLD, {}, timed).source, "timed");
  EXPECT_EQ(tune(problem, MPI_COMM_WORLD, {}, timed).source, "file");
  timed.tolerance = 1e-6;
  EXPECT_EQ(tune(problem, MPI_COMM_WORLD, {}, timed).source, "timed");
  EXPECT_EQ(tune(problem, MPI_COMM_WORLD, {}, timed).source, "file");
  timed.tolerance = 1e-3;
  const Tuned last = tune(problem, MPI_COMM_WORLD, {}, timed);
  EXPECT_EQ(last.source, "timed");
  if (size_of() > 1) {
    EXPECT_EQ(formats(last, true), (std::set<std::string>{"single", "block24", "block20"}));
  }
  // What was chosen is worth its error.
  const auto rounds = [](const Tried& one) {
    return std::any_of(one.options.begin(), one.options.end(), [](const auto& text) { return text.first == "wire"; });
  };
  const auto exact = std::find_if(last.tried.begin(), last.tried.end(),
                                  [&](const Tried& one) { return one.decisive && !rounds(one); });
  ASSERT_TRUE(exact != last.tried.end());
  EXPECT_EQ(rounds(last.tried.front()), last.options.wire != Wire::same);
  if (last.options.wire != Wire::same) {
    EXPECT_GT(exact->seconds, 1.03 * last.seconds);
  }
}

TEST_F(Tuner, BadArgumentsAreTheSameErrorOnAllRanks) {
  const Problem problem{.shape = {4, 4, 4}};
  const auto error = [&](const Problem& p, const Options& options, const Tuning& tuning) {
    return common_error([&] { static_cast<void>(tune(p, MPI_COMM_WORLD, options, tuning)); });
  };
  Tuning tuning = quick();
  tuning.budget = -1;
  EXPECT_NE(error(problem, {}, tuning).find("budget is -1"), std::string::npos);
  tuning = quick();
  tuning.tolerance = -1e-6;
  EXPECT_NE(error(problem, {}, tuning).find("tolerance is -1e-06"), std::string::npos);
  tuning = quick();
  tuning.keep = {"strateggy"};
  EXPECT_NE(error(problem, {}, tuning).find("strateggy"), std::string::npos);
  tuning = quick();
  tuning.machine = (folder_ / "nowhere.toml").string();
  EXPECT_NE(error(problem, {}, tuning).find("nowhere.toml"), std::string::npos);
  EXPECT_NE(error({.shape = {4, 0, 4}}, {}, quick()).find("shape"), std::string::npos);
  if (size_of() > 1) {
    EXPECT_NE(error({.shape = {4, 4, rank_of() == 1 ? 5 : 4}}, {}, quick()).find("same on all ranks"),
              std::string::npos);
  }
}

TEST_F(Tuner, DirectionsOfASphereHaveTheirOwn) {
  const Cutoff cutoff{{{{6, 0, 0}, {0, 6, 0}, {0, 0, 6}}}, 6};
  for (const bool gamma : {false, true}) {
    const SphereProblem problem{.grid = sphere_grid(cutoff), .gamma = gamma, .howmany = 3};
    const auto mine = deal_columns(plane_waves(cutoff, gamma), size_of())[static_cast<std::size_t>(rank_of())];
    for (const Effort effort : {Effort::estimate, Effort::measure, Effort::patient}) {
      Tuning tuning = enough(effort);
      if (effort == Effort::patient) tuning.budget = 0.3;
      const TunedSphere tuned = tune(problem, mine, MPI_COMM_WORLD, {}, std::nullopt, std::nullopt, tuning);
      SCOPED_TRACE(tuned.backward.text() + tuned.forward.text());
      EXPECT_TRUE(same_everywhere(options_text(tuned.backward.options) + options_text(tuned.forward.options)));
      EXPECT_GT(tuned.backward.seconds, 0);
      EXPECT_GT(tuned.forward.seconds, 0);
      EXPECT_EQ(tuned.backward.options.groups, 1) << "they would change which bands a rank has";
      EXPECT_NO_THROW(
          SphereTransform<double>(problem, mine, MPI_COMM_WORLD, tuned.backward.options, tuned.forward.options));
    }
    EXPECT_EQ(
        tune(problem, mine, MPI_COMM_WORLD, {}, std::nullopt, std::nullopt, enough(Effort::estimate)).forward.source,
        "file");
  }
}

/// The operator with the options computes what it does without.
void expect_works(const Problem& problem, const PointFunction<double>& function, const Options& options) {
  Operator<double> tuned(problem, function, MPI_COMM_WORLD, options);
  Options plain;
  plain.input = tuned.plan().input();
  plain.output = tuned.plan().output();
  Operator<double> usual(problem, function, MPI_COMM_WORLD, plain);
  const auto compare = [&]<class Number>(Number) {
    std::vector<Number> in(static_cast<std::size_t>(tuned.plan().input_size()));
    std::vector<Number> out(static_cast<std::size_t>(tuned.plan().output_size())), wanted(out.size());
    // Spectra of real fields: of constant ones.
    const bool spectra = function.at == At::points;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const bool first = problem.kind == Kind::c2c || (tuned.plan().input_box().lo == Shape{} && i == 0);
      in[i] = !spectra || first ? static_cast<double>(i % 7) + 1 : 0;
    }
    tuned(in, out);
    usual(in, wanted);
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(std::abs(out[i] - wanted[i]), 0, 1e-10 * 700);
  };
  problem.kind == Kind::r2c&& function.at == At::wavenumbers ? compare(double()) : compare(std::complex<double>());
}

TEST_F(Tuner, Operators) {
  const auto tried = [&](Kind kind, const PointFunction<double>& function, Effort effort) {
    const Problem problem{.shape = {8, 9, 10}, .kind = kind, .batch = 2};
    const Tuned tuned =
        tune(problem, function.at, function.inputs, function.outputs, MPI_COMM_WORLD, {}, quick(effort));
    SCOPED_TRACE(tuned.text());
    EXPECT_TRUE(same_everywhere(options_text(tuned.options)));
    EXPECT_EQ(tuned.source, effort == Effort::estimate ? "model" : "timed");
    EXPECT_GT(tuned.seconds, 0);
    EXPECT_FALSE(tuned.options.transposed);
    for (const Tried& one : tuned.tried) EXPECT_EQ(one.obstacle, "");
    expect_works(problem, function, tuned.options);
  };
  tried(Kind::r2c, gradient<double>(), Effort::measure);
  tried(Kind::r2c, products<double>(2), Effort::measure);
  tried(Kind::c2c, gradient<double>(), Effort::estimate);
  tried(Kind::c2c, cross<double>(), Effort::patient);
}

TEST_F(Tuner, OperatorsHaveEntriesOfTheirOwn) {
  const Problem problem{.shape = {8, 9, 10}};
  const auto source = [&](At at, Index outputs, Effort effort) {
    return tune(problem, at, 1, outputs, MPI_COMM_WORLD, {}, enough(effort)).source;
  };
  EXPECT_EQ(source(At::wavenumbers, 3, Effort::measure), "timed");
  EXPECT_EQ(source(At::wavenumbers, 3, Effort::estimate), "file");
  EXPECT_EQ(source(At::wavenumbers, 1, Effort::estimate), "model");
  EXPECT_EQ(source(At::points, 3, Effort::estimate), "model");
  EXPECT_EQ(tune({.shape = {8, 9, 10}}, MPI_COMM_WORLD, {}, enough(Effort::estimate)).source, "model");
}

TEST_F(Tuner, OptionsOfOperators) {
  const Problem problem{.shape = {16, 16, 16}};
  Tuning tuning = quick(Effort::estimate);
  tuning.may_transpose = true;
  EXPECT_EQ(tune(problem, At::points, 1, 1, MPI_COMM_WORLD, {}, tuning).options.transposed, size_of() > 1);
  EXPECT_FALSE(tune(problem, At::wavenumbers, 1, 1, MPI_COMM_WORLD, {}, tuning).options.transposed);
  Options given;
  given.in_place = true;
  const Tuned tuned = tune(problem, At::wavenumbers, 3, 3, MPI_COMM_WORLD, given, quick());
  EXPECT_TRUE(tuned.options.in_place);
  EXPECT_EQ(tuned.source, "timed");
  const auto error = [&](Index outputs) {
    return common_error([&] { tune(problem, At::wavenumbers, 1, outputs, MPI_COMM_WORLD, given, quick()); });
  };
  EXPECT_NE(error(3).find("in_place is true with 1 inputs and 3 outputs"), std::string::npos) << error(3);
  EXPECT_NE(error(0).find("outputs is 0"), std::string::npos);
  if (size_of() > 1) {
    EXPECT_NE(error(rank_of() == 1 ? 2 : 1).find("same on all ranks"), std::string::npos);
  }
}

}  // namespace
