// weft-verify: does Weft transform right on this machine, with this MPI?
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>

#include "accuracy.hpp"
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

/// How much kernels of one length round: of each signal the worst of all kinds of lines, in units of rounding.
struct Length {
  Precision precision;
  Index n;
  LineErrors errors;
  double of_limit;
  bool passed() const { return of_limit <= 1; }
};

/// Good lengths, primes, and products of primes that kernels have no steps for.
constexpr Index lengths[] = {16,  31,  47,  60,  100, 107, 121,  127,  128,  169,  243,  250,
                             257, 289, 437, 512, 961, 994, 1000, 1009, 1016, 1024, 2024, 2056};

struct Report {
  std::map<Key, Group> groups;
  std::vector<Length> lengths;
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
    Report report = run_all(cases, job);
    if (case_.empty() && strategy_.empty()) report.lengths = run_lengths(job);
    job.print(table(report) + length_table(report));
    job.write_json(json(report, job, site));
    return passed(report) ? 0 : 1;
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

  /// The lengths that kernels of all lines have. Ranks share them out.
  std::vector<Length> run_lengths(const Job& job) const {
    std::vector<Index> all(std::begin(lengths), std::end(lengths));
    for (Index n = 2; full_ && n <= 300; ++n) {
      if (std::find(all.begin(), all.end(), n) == all.end()) all.push_back(n);
    }
    std::sort(all.begin(), all.end());
    job.progress(text("the rounding of kernels of %zu lengths", all.size()));
    std::vector<Length> results;
    for (const Precision precision : {Precision::double_, Precision::single_}) {
      for (const Index n : all) {
        Length length{precision, n, {}, 0};
        if (static_cast<int>(results.size()) % job.ranks == job.rank) {
          for (const Lines lines : all_lines) {
            const LineAccuracy line(lines, n, precision);
            const LineErrors errors = line.errors(weft::detail::find_backend("lanes"));
            const LineErrors fftws = line.errors(weft::detail::find_backend("fftw"));
            length.of_limit = std::max(length.of_limit, worst_of_limit(precision, errors, fftws));
            for (std::size_t i = 0; i < errors.of.size(); ++i) {
              length.errors.of[i] = std::max(length.errors.of[i], errors.of[i] / unit_of_rounding(precision));
            }
          }
        }
        results.push_back(length);
      }
    }
    for (Length& length : results) {
      length.of_limit = job.max(length.of_limit);
      for (double& error : length.errors.of) error = job.max(error);
    }
    return results;
  }

  static bool passed(const Report& report) {
    return report.failures.empty() && std::all_of(report.lengths.begin(), report.lengths.end(),
                                                  [](const Length& length) { return length.passed(); });
  }

  /// One line for each length, and one for all of a precision.
  static std::string length_table(const Report& report) {
    if (report.lengths.empty()) return "";
    std::string out =
        text("\n How much kernels round, by length, in units of rounding:\n\n %-9s %6s", "precision", "n");
    for (const Signal signal : all_signals) out += text(" %9s", to_string(signal));
    out += text(" %9s\n", "of limit");
    std::size_t failed = 0;
    for (const Length& length : report.lengths) {
      out += text(" %-9s %6lld", to_string(length.precision).c_str(), static_cast<long long>(length.n));
      for (const double error : length.errors.of) out += text(" %9.2f", error);
      out += text(" %8.0f%%  %s\n", 100 * length.of_limit, length.passed() ? "PASS" : "FAIL");
      if (!length.passed()) ++failed;
    }
    out += text("\n %zu lengths, %zu failed: %s\n", report.lengths.size(), failed, failed == 0 ? "PASS" : "FAIL");
    out +=
        " Errors of columns, rows and real rows against long double, in the 2-norm, relative to the result. The limit\n"
        " is twice FFTW's error, or 2 units.\n";
    return out;
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
    Json out{{"ranks", job.ranks},        {"passed", passed(report)},
             {"cases", report.cases},     {"failed", report.failures.size()},
             {"seconds", report.seconds}, {"limit_factor", verify::kErrorFactor},
             {"groups", Json::list()},    {"failures", Json::list()},
             {"lengths", Json::list()}};
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
    for (const Length& length : report.lengths) {
      Json one{{"precision", to_string(length.precision)}, {"n", length.n}, {"of_limit", length.of_limit}};
      for (std::size_t i = 0; i < all_signals.size(); ++i) one[to_string(all_signals[i])] = length.errors.of[i];
      out["lengths"].push_back(one);
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
