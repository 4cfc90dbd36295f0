// weft-bench: times one forward plus one backward transform, or an operator, for one exchange strategy or several side
// by side.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "bench_measure.hpp"
#include "bench_report.hpp"
#include "machine.hpp"
#include "program.hpp"

namespace weft::tools {

namespace {

class Bench final : public Program {
 public:
  std::string name() const override { return "weft-bench"; }
  std::string description() const override {
    return "Times one forward plus one backward 3-D FFT of random data, and checks that the data come back; or an "
           "operator, beside the same in steps (forward, the function, backward), and checks that they agree.";
  }

  void declare(CommandLine& line, Job& job) override {
    Problem& problem = settings_.problem;
    const auto word = [&](const char* flag, const char* help, auto& value, auto parse) {
      auto set = [flag, &value, parse](const std::string& given) { value = parse(given, flag); };
      line.option(flag, set, help).type("");
    };
    line.option("--shape", shape_, "Grid, axis 2 the fastest: 128 128 128, or 128x128x128")
        .required()
        .values(1, 3)
        .type("");
    line.option("--modes", modes_, "Modes that spectra keep along each axis, as --shape (all)").values(1, 3).type("");
    word("--kind", "c2c, r2c or c2r (c2c)", problem.kind, parse_kind);
    word("--precision", "single or double (double)", problem.precision, parse_precision);
    word("--normalization", "none, forward, backward or ortho (none)", problem.normalization, parse_normalization);
    line.option("--batch", problem.batch, "Fields transformed by one call (1)")
        .range(Index{1}, Index{1} << 40)
        .type("N");
    line.option(
            "--operator", operator_.name,
            "Time an operator with this function: inverse_laplacian, gradient, curl, ..., or in space cross, products")
        .type("NAME");
    line.option("--values", operator_.values, "Numbers that the function needs: the sigma of gaussian, ...")
        .delimiter(',')
        .type("X");
    line.option("--lengths", lengths_,
                "Lengths of the operator's box along each axis (2 pi: wave numbers are integers)")
        .values(3)
        .type("L");
    line.option("--strategies", settings_.strategies, "Exchange strategies to time in turns: a,b,c")
        .delimiter(',')
        .type("");
    line.option("--repeats", settings_.repeats, "Timed repetitions (10)").range(1, 100000000).type("N");
    line.option("--warmup", settings_.warmup, "Repetitions before the timed ones (2)").range(0, 100000000).type("N");
    line.option("--seconds", settings_.seconds, "Begin no repetition after this time; 0: no such limit (0)")
        .range(0.0, 1e9)
        .type("S");
    line.flag("--no-limits", no_limits_, "Do not measure what the machine allows at most");
    job.declare_outputs(line, true);
    declare_options(line, settings_.options);
  }

  int run(Job& job) override {
    Planned planned;
    try {
      settings_.problem.shape = parse_three(shape_, "--shape");
      if (!modes_.empty()) settings_.problem.modes = parse_three(modes_, "--modes");
      if (!operator_.name.empty()) {
        if (!modes_.empty()) throw Error("--modes is given; it is for transforms, not for --operator");
        if (!lengths_.empty()) std::copy_n(lengths_.begin(), 3, operator_.lengths.begin());
        settings_.applied = operator_;
      } else {
        for (const auto& [flag, given] : {std::pair{"--values", operator_.values}, std::pair{"--lengths", lengths_}}) {
          if (!given.empty()) throw Error(std::string(flag) + " is given; it is for --operator");
        }
      }
      settings_.options.apply_environment();
      const std::string asked = settings_.options.strategy;
      if (settings_.strategies.empty()) settings_.strategies = {asked};
      if (settings_.strategies.size() > 1 && std::getenv("WEFT_STRATEGY") != nullptr) {
        throw Error("WEFT_STRATEGY is set to '" + asked + "', which would override each of --strategies; unset it");
      }
      planned = plan_all(settings_, job);
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
    require_memory(job, planned.memory_bytes, "weft-bench of " + to_string(settings_.problem.shape));

    const Site site(job);
    const detail::BusyWatch watch(job.comm);
    const std::vector<Result> results = measure(settings_, planned, job);
    const Machine limits = !no_limits_ ? measure_machine(settings_, planned, job) : Machine{};
    const Report report(settings_, planned, results, limits, job.ranks);
    job.print(text("\n%s%s", site.header().c_str(), report.table().c_str()));
    Json json = report.json();
    site.add_to(json);
    job.tell_of_others(watch, json);
    json["software"] = software_json();
    job.write_json(json);
    job.write_csv(report.csv());
    // A simulation of sizes only (see src/base/simulation.hpp) has no data that could come back.
    const char* data = std::getenv("WEFT_LAB_DATA");
    if (data != nullptr && std::string(data) == "none") return 0;
    for (const Result& result : results) require_accuracy(result);
    return 0;
  }

 private:
  /// Three numbers, apart or joined by x.
  static Shape parse_three(const std::vector<std::string>& parts, const char* flag) {
    std::string all;
    for (const std::string& part : parts) all += (all.empty() ? "" : "x") + part;
    Shape shape{};
    std::size_t at = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t end = std::min(all.find('x', at), all.size());
      const std::string number = all.substr(at, end - at);
      const bool fits = !number.empty() && number.size() < 19;
      const bool digits = fits && number.find_first_not_of("0123456789") == std::string::npos;
      const bool last = end == all.size();
      if (!digits || last != (axis == 2)) {
        throw Error(std::string(flag) + " is '" + all +
                    "'; allowed are three numbers, like 128 128 128 or 128x128x128");
      }
      shape[axis] = std::stoll(number);
      at = end + 1;
    }
    return shape;
  }

  void require_accuracy(const Result& result) const {
    const Problem& problem = settings_.problem;
    const double epsilon = problem.precision == Precision::double_ ? std::numeric_limits<double>::epsilon()
                                                                   : std::numeric_limits<float>::epsilon();
    double levels = 1;
    for (const Index n : problem.shape) levels += std::log2(static_cast<double>(n));
    const double allowed = 32 * epsilon * levels + 4 * result.wire_error;  // the largest of many numbers
    if (result.error <= allowed) return;
    throw Error(text("the %s of strategy %s is wrong: error %.3g, allowed is %.3g",
                     settings_.applied ? "operator" : "round trip", result.strategy.c_str(), result.error, allowed));
  }

  Settings settings_;
  AppliedFunction operator_;
  std::vector<double> lengths_;
  std::vector<std::string> shape_, modes_;
  bool no_limits_ = false;
};

}  // namespace

}  // namespace weft::tools

int main(int argc, char** argv) {
  weft::tools::Bench program;
  return weft::tools::run_program(program, argc, argv);
}
