// weft-verify: does Weft transform right on this machine, with this MPI?
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>

#include "machine.hpp"
#include "matrix.hpp"
#include "program.hpp"
#include "run.hpp"

namespace weft::tools {

namespace {

using verify::Case;

/// One line of the table.
struct Group {
  int cases = 0, failed = 0;
  double error = 0;  ///< the worst
  double ratio = 0;  ///< the worst error in units of its limit
};
using Key = std::tuple<std::string, std::string, std::string, std::string>;  // strategy, layout, kind, precision

struct Failure {
  std::string text, command;
  std::vector<std::string> reasons;
};

struct Report {
  std::map<Key, Group> groups;
  std::vector<Failure> failures;
  int cases = 0;
  double seconds = 0;
};

/// Overwrites one line on a terminal; elsewhere a line every five seconds.
class Progress {
 public:
  Progress(const Job& job, std::size_t total) : job_(job), terminal_(isatty(STDERR_FILENO) != 0), total_(total) {}
  void show(std::size_t done, std::size_t failed) {
    const double now = MPI_Wtime();
    const bool last = done == total_;
    if (now - shown_ < (terminal_ ? 0.1 : 5) && !last) return;
    shown_ = now;
    const std::string line = text("%zu of %zu cases, %zu failed", done, total_, failed);
    if (!terminal_) return job_.progress(line);
    if (job_.root()) std::fprintf(stderr, "\r%s%s", line.c_str(), last ? "\n" : "");
  }

 private:
  const Job& job_;
  bool terminal_;
  std::size_t total_;
  double shown_ = MPI_Wtime();
};

class Verify : public Program {
 public:
  std::string name() const override { return "weft-verify"; }
  std::string description() const override {
    return "Checks Weft's transforms against a serial reference, on this machine and this MPI.";
  }

  void declare(CommandLine& line, Job& job) override {
    const auto quick =
        line.flag("--quick", quick_, "All pairs of settings and random cases, small grids, within a minute (default)");
    line.flag("--full", full_, "More random cases, and larger grids, some minutes").excludes(quick);
    line.option("--strategy", strategy_, "Only this exchange strategy: auto, " + joined(strategies()));
    line.option("--case", case_, "Only this case, as a failure names it: shape=8x8x8,kind=r2c,tile=4");
    line.flag("--verbose", verbose_, "Name every case before it runs, to find one that hangs");
    line.option("--seed", seed_, "Of the random choices").shows_default();
    job.declare_outputs(line, false);
  }

  int run(Job& job) override {
    const std::vector<Case> cases = chosen(job.ranks);
    const Site site(job);
    job.print("Weft verify\n" + site.header() + "\n");
    const Report report = run_all(cases, job);
    job.print(table(report));
    job.write_json(json(report, job, site));
    return report.failures.empty() ? 0 : 1;
  }

 private:
  static std::string joined(const std::vector<std::string>& names) {
    std::string all;
    for (const auto& each : names) all += (all.empty() ? "" : ", ") + each;
    return all;
  }

  std::vector<Case> chosen(int ranks) const {
    try {
      if (!case_.empty()) return {verify::parse_case(case_)};
      if (!strategy_.empty()) Options().set("strategy", strategy_);
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
    verify::Factors f = verify::factors(ranks);
    if (!strategy_.empty()) f.strategy = {"strategy=" + strategy_};
    std::vector<Case> cases = verify::core_product(f);
    const auto add = [&cases](const std::vector<Case>& more) { cases.insert(cases.end(), more.begin(), more.end()); };
    add(verify::all_pairs(f, seed_));
    add(verify::random_cases(f, full_ ? 2000 : 300, seed_));
    if (!full_) return cases;
    // Larger grids: arrays beyond the caches, and enough planes for every way through the tile loop.
    f.shape = {"shape=64x64x64", "shape=100x90x70", "shape=128x64x96", "shape=61x67x71", "shape=48x36x128"};
    std::erase(f.backend, "backend=reference");  // it may take the time of the definition
    add(verify::all_pairs(f, seed_ + 1));
    return cases;
  }

  Report run_all(const std::vector<Case>& cases, const Job& job) const {
    Report report;
    verify::References references;
    Progress progress(job, cases.size());
    const double start = MPI_Wtime();
    for (const Case& test : cases) {
      if (verbose_) job.progress(to_string(test));
      const verify::Result result = verify::run_case(test, job.comm, references);
      Group& group = report.groups[{test.options.strategy, verify::layout_group(test), to_string(test.problem.kind),
                                    to_string(test.problem.precision)}];
      ++group.cases;
      group.error = std::max(group.error, result.worst());
      group.ratio = std::max(group.ratio, result.worst() / result.limit);
      if (!result.passed()) {
        ++group.failed;
        const std::string name = to_string(test);
        report.failures.push_back(
            {name, text("mpiexec -n %d weft-verify --case \"%s\"", job.ranks, name.c_str()), result.failures});
      }
      progress.show(static_cast<std::size_t>(++report.cases), report.failures.size());
    }
    report.seconds = job.max(MPI_Wtime() - start);
    return report;
  }

  static std::string table(const Report& report) {
    std::string out = text(" %-14s %-26s %-5s %-9s %6s %12s %9s\n", "strategy", "layout", "kind", "precision", "cases",
                           "worst error", "of limit");
    for (const auto& [key, group] : report.groups) {
      const auto& [strategy, layout, kind, precision] = key;
      out += text(" %-14s %-26s %-5s %-9s %6d %12.1e %8.0f%%  %s\n", strategy.c_str(), layout.c_str(), kind.c_str(),
                  precision.c_str(), group.cases, group.error, 100 * group.ratio, group.failed == 0 ? "PASS" : "FAIL");
    }
    constexpr std::size_t shown = 10;
    for (std::size_t i = 0; i < std::min(shown, report.failures.size()); ++i) {
      const Failure& failure = report.failures[i];
      out += "\n FAIL " + failure.text + "\n";
      for (const auto& reason : failure.reasons) out += "   " + reason + "\n";
      out += "   reproduce with: " + failure.command + "\n";
    }
    if (report.failures.size() > shown) out += text("\n ... and %zu more\n", report.failures.size() - shown);
    out += text("\n %d cases in %.1f s, %zu failed: %s\n", report.cases, report.seconds, report.failures.size(),
                report.failures.empty() ? "PASS" : "FAIL");
    out += text(" The limit is %g eps log2 N of the largest value.\n", verify::kErrorFactor);
    return out;
  }

  static Json json(const Report& report, const Job& job, const Site& site) {
    Json out{{"ranks", job.ranks},        {"passed", report.failures.empty()},
             {"cases", report.cases},     {"failed", report.failures.size()},
             {"seconds", report.seconds}, {"limit_factor", verify::kErrorFactor},
             {"groups", Json::list()},    {"failures", Json::list()}};
    for (const auto& [key, group] : report.groups) {
      const auto& [strategy, layout, kind, precision] = key;
      out["groups"].push_back({{"strategy", strategy},
                               {"layout", layout},
                               {"kind", kind},
                               {"precision", precision},
                               {"cases", group.cases},
                               {"failed", group.failed},
                               {"worst_error", group.error},
                               {"worst_error_of_limit", group.ratio}});
    }
    for (const auto& failure : report.failures) {
      out["failures"].push_back({{"case", failure.text}, {"command", failure.command}, {"reasons", failure.reasons}});
    }
    site.add_to(out);
    out["software"] = software_json();
    return out;
  }

  bool quick_ = false, full_ = false, verbose_ = false;
  std::string strategy_, case_;
  std::uint64_t seed_ = 1;
};

}  // namespace

}  // namespace weft::tools

int main(int argc, char** argv) {
  weft::tools::Verify program;
  return weft::tools::run_program(program, argc, argv);
}
