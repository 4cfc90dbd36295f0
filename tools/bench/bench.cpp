// weft-bench: times one forward plus one backward transform, or an operator, for one exchange strategy or several side
// by side.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

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
    line.option("--shape", shape_, "Grid of one to eight axes, the last the fastest: 128 128 128, or 128x128x128")
        .required()
        .values(1, Extents::most_axes)
        .type("");
    line.option("--modes", modes_, "Modes that spectra keep along each axis, as --shape (all)").values(1, 3).type("");
    line.option("--points", points_, "Points that fields hold along each axis, the first; zero beyond (all)")
        .values(1, 3)
        .type("");
    word("--kind", "c2c, r2c, c2r, or a line for each axis: dst2-dft-r2c (c2c)", problem.kind, parse_kind);
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
        .values(1, Extents::most_axes)
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
      const std::vector<Index> shape = parse_numbers(shape_, "--shape");
      if (shape.size() == 1) {
        settings_.problem = line_problem(shape[0], settings_.problem);
      } else {
        settings_.problem.shape = Extents(shape.data(), shape.size());
      }
      const auto of_axes = [&](const char* flag, const std::vector<std::string>& given, auto& numbers) {
        if (given.empty()) return;
        const std::vector<Index> all = parse_numbers(given, flag);
        if (all.size() != shape.size() || shape.size() == 1 || shape.size() > 3) {
          throw Error(std::string(flag) + " has " + std::to_string(all.size()) +
                      " numbers; allowed are as many as --shape has, two or three");
        }
        numbers = Extents(all.data(), all.size());
      };
      of_axes("--modes", modes_, settings_.problem.modes);
      of_axes("--points", points_, settings_.problem.points);
      if (!operator_.name.empty()) {
        if (!modes_.empty()) throw Error("--modes is given; it is for transforms, not for --operator");
        if (shape.size() == 1 || shape.size() > 3) {
          throw Error("--operator is given; its steps are timed on grids of two or three axes");
        }
        if (!lengths_.empty() && lengths_.size() != settings_.problem.shape.size()) {
          throw Error(text("--lengths has %zu numbers; %zu are needed, one for each axis", lengths_.size(),
                           settings_.problem.shape.size()));
        }
        std::copy(lengths_.begin(), lengths_.end(), operator_.lengths.begin());
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
  /// One to eight numbers, apart or joined by x.
  static std::vector<Index> parse_numbers(const std::vector<std::string>& parts, const char* flag) {
    std::string all;
    for (const std::string& part : parts) all += (all.empty() ? "" : "x") + part;
    std::vector<Index> numbers;
    std::istringstream words(all + 'x');
    for (std::string number; std::getline(words, number, 'x');) {
      const bool fits = !number.empty() && number.size() < 19;
      if (!fits || number.find_first_not_of("0123456789") != std::string::npos ||
          numbers.size() == Extents::most_axes) {
        throw Error(std::string(flag) + " is '" + all +
                    "'; allowed are one to eight numbers, like 128 128 128 or 128x128x128");
      }
      numbers.push_back(std::stoll(number));
    }
    return numbers;
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
  std::vector<std::string> shape_, modes_, points_;
  bool no_limits_ = false;
};

}  // namespace

}  // namespace weft::tools

int main(int argc, char** argv) {
  weft::tools::Bench program;
  return weft::tools::run_program(program, argc, argv);
}
