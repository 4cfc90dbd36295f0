// weft-kernels: what each kernel takes for a point, by length, beside FFTW's: where a processor is fast, and where
// weak.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>

#include "accuracy.hpp"
#include "base/buffer.hpp"
#include "fft/serial.hpp"
#include "limits.hpp"
#include "machine.hpp"
#include "program.hpp"

namespace weft::tools {

namespace {

using detail::Buffer;
using detail::LineBatch;
using detail::LineType;

/// Of real rows only the way ahead.
constexpr Lines kinds[] = {Lines::columns, Lines::rows, Lines::real_rows};

/// Who computes, and with which of the processor's instructions (WEFT_TEST_LANES; empty: any).
struct Maker {
  std::string name, backend, instructions;
};

std::vector<Maker> makers() {
  std::vector<Maker> all;
  for (const std::string name : detail::lanes_here()) {
    all.push_back({"lanes " + (name == "baseline" ? "any" : name), "lanes", name});
  }
  for (const std::string& name : detail::backend_names()) {
    if (name != "lanes" && name != "auto" && name != "reference") all.push_back({name, name, ""});
  }
  return all;
}

class Kernels final : public Program {
 public:
  std::string name() const override { return "weft-kernels"; }
  std::string description() const override {
    return "Times the one-dimensional transforms that passes are made of, on data in cache, for each kind and length "
           "of "
           "lines and each set of instructions, beside FFTW's; or says how much they round. All ranks compute the same "
           "at the same time.";
  }

  void declare(CommandLine& line, Job& job) override {
    line.option("--lengths", lengths_, "Points of a line (32 48 64 ... 1024)").range(2, 1 << 16).type("N ...");
    line.option("--kinds", kinds_, "Which lines: columns,rows,real_rows (all)")
        .delimiter(',')
        .one_of({"columns", "rows", "real_rows"});
    line.option("--precision", precision_, "single or double (double)").one_of({"single", "double"});
    line.option("--milliseconds", milliseconds_, "For each kernel (20)").range(1, 10000).type("N");
    line.flag("--errors", errors_,
              "Instead of times: errors against long double, for constants, waves, points and noise");
    job.declare_outputs(line, true);
  }

  int run(Job& job) override {
    if (errors_) return run_errors(job);
    const detail::BusyWatch watch(job.comm);
    const std::vector<Maker> all = makers();
    Json list = Json::list();
    std::string tables, csv = "kind,n,kernel,ns_per_point,gflops\n";
    for (const Lines kind : chosen_kinds()) {
      const char* const name = to_string(kind);
      job.progress(text("timing %s of %zu lengths", name, lengths_.size()));
      tables +=
          text("\n %s, %s: ns a point of one rank, the fastest in brackets\n\n %8s", name, precision_.c_str(), "n");
      for (const Maker& maker : all) tables += text(" %14s", maker.name.c_str());
      tables += text(" %10s %10s\n", "GFlop/s", "of FFTW's");
      for (const Index n : lengths_) {
        std::vector<double> times;
        for (const Maker& maker : all) times.push_back(nanoseconds(kind, n, maker, job));
        const auto fastest = std::min_element(times.begin(), times.end());
        tables += text(" %8lld", static_cast<long long>(n));
        double fftw = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
          const bool best = times.begin() + static_cast<std::ptrdiff_t>(i) == fastest;
          const std::string number = times[i] < none ? text(best ? "[%.2f]" : "%.2f", times[i]) : "-";
          tables += text(" %14s", number.c_str());
          if (all[i].name == "fftw") fftw = times[i];
          if (times[i] == none) continue;
          const double rate = flops(kind, n) / times[i];
          list.push_back(
              {{"kind", name}, {"n", n}, {"kernel", all[i].name}, {"ns_per_point", times[i]}, {"gflops", rate}});
          csv += text("%s,%lld,%s,%.6g,%.6g\n", name, static_cast<long long>(n), all[i].name.c_str(), times[i], rate);
        }
        tables += text(" %10.1f %10.2f\n", flops(kind, n) / *fastest, *fastest / fftw);
      }
    }
    const Site site(job);
    job.print(
        text("\n%s%s\n 5 n log2 n operations a complex line, half of that a real one. `backend=auto` takes the fastest "
             "of what this "
             "processor runs.\n",
             site.header().c_str(), tables.c_str()));
    Json json{{"precision", precision_}, {"ranks", job.ranks}, {"results", list}};
    site.add_to(json);
    job.tell_of_others(watch, json);
    job.write_json(json);
    job.write_csv(csv);
    return 0;
  }

 private:
  /// Limits are for Weft's own; others are there to compare with.
  int run_errors(const Job& job) const {
    Json list = Json::list();
    std::string csv = "kind,n,kernel", tables;
    for (const Signal signal : all_signals) csv += text(",%s", to_string(signal));
    csv += "\n";
    for (const Lines kind : chosen_kinds()) {
      job.progress(text("the errors of %s of %zu lengths", to_string(kind), lengths_.size()));
      tables += text("\n %s, %s: errors in units of rounding\n\n %8s %14s", to_string(kind), precision_.c_str(), "n",
                     "kernel");
      for (const Signal signal : all_signals) tables += text(" %9s", to_string(signal));
      tables += text(" %9s\n", "of limit");
      for (const Index n : lengths_) {
        const LineAccuracy line(kind, n, precision());
        const LineErrors fftws = line.errors(detail::find_backend("fftw"));
        for (const Maker& maker : makers()) {
          choose(maker);
          const LineErrors errors = line.errors(detail::find_backend(maker.backend));
          unsetenv("WEFT_TEST_LANES");
          const double of_limit = worst_of_limit(precision(), errors, fftws);
          tables += text(" %8lld %14s", static_cast<long long>(n), maker.name.c_str());
          csv += text("%s,%lld,%s", to_string(kind), static_cast<long long>(n), maker.name.c_str());
          Json one{{"kind", to_string(kind)}, {"n", n}, {"kernel", maker.name}, {"of_limit", of_limit}};
          for (std::size_t i = 0; i < all_signals.size(); ++i) {
            const double error = errors.of[i] / unit_of_rounding(precision());
            tables += text(" %9.2f", error);
            csv += text(",%.6g", error);
            one[to_string(all_signals[i])] = error;
          }
          tables += text(" %8.0f%%\n", 100 * of_limit);
          csv += "\n";
          list.push_back(one);
        }
      }
    }
    const Site site(job);
    job.print(
        text("\n%s%s\n In the 2-norm, relative to the result, against long double. The limit is twice FFTW's error, "
             "or 2 units. Lanes have no code for some long lengths: there, FFTW's kernels do their work.\n",
             site.header().c_str(), tables.c_str()));
    Json json{{"precision", precision_}, {"ranks", job.ranks}, {"errors", list}};
    site.add_to(json);
    job.write_json(json);
    job.write_csv(csv);
    return 0;
  }

  std::vector<Lines> chosen_kinds() const {
    std::vector<Lines> chosen;
    for (const Lines kind : kinds) {
      if (std::find(kinds_.begin(), kinds_.end(), to_string(kind)) != kinds_.end()) chosen.push_back(kind);
    }
    return chosen;
  }

  Precision precision() const { return precision_ == "double" ? Precision::double_ : Precision::single_; }

  static void choose(const Maker& maker) {
    if (maker.instructions.empty()) {
      unsetenv("WEFT_TEST_LANES");
    } else {
      setenv("WEFT_TEST_LANES", maker.instructions.c_str(), 1);
    }
  }

  static constexpr double none = std::numeric_limits<double>::infinity();

  static double flops(Lines lines, Index n) { return operations(1, n) / (lines == Lines::real_rows ? 2 : 1); }

  /// Of a point, on the slowest rank, the best of several turns; `none` where there is no such kernel.
  double nanoseconds(Lines lines, Index n, const Maker& maker, const Job& job) const {
    choose(maker);
    const detail::Backend& backend = detail::find_backend(maker.backend);
    const Index bytes = precision() == Precision::double_ ? 16 : 8;
    const double seconds = lines == Lines::columns ? columns(backend, maker, n, precision(), bytes, job)
                                                   : rows(backend, maker, n, lines, precision(), bytes, job);
    unsetenv("WEFT_TEST_LANES");
    return seconds * 1e9;
  }

  double columns(const detail::Backend& backend, const Maker& maker, Index n, Precision precision, Index bytes,
                 const Job& job) const {
    const auto own =
        backend.make_columns != nullptr ? backend.make_columns(n, -1, precision, Effort::measure) : nullptr;
    if (!own && !maker.instructions.empty()) return none;
    const auto kernel = detail::make_column_kernel(backend, n, -1, precision, Effort::measure);
    constexpr Index columns = 32;
    // Rows do not lie a power of two apart, as blocks do not.
    const Index distance = columns * bytes + 64;
    const Buffer in = Buffer::zeroed(n * distance), out = Buffer::zeroed(n * distance),
                 scratch(std::max<Index>(1, kernel->scratch_bytes()));
    std::vector<const void*> from;
    std::vector<void*> to;
    for (Index row = 0; row < n; ++row) {
      from.push_back(in.data() + row * distance);
      to.push_back(out.data() + row * distance);
    }
    const detail::ColumnRun run{.in = from.data(), .out = to.data(), .columns = columns};
    return best([&] { kernel->run(run, scratch.data()); }, job) / static_cast<double>(n * columns);
  }

  double rows(const detail::Backend& backend, const Maker& maker, Index n, Lines lines, Precision precision,
              Index bytes, const Job& job) const {
    const bool real = lines == Lines::real_rows;
    const Index half = n / 2 + 1, count = std::max<Index>(1, 512 / n) * 16;
    LineBatch batch{.type = real ? LineType::r2c : LineType::c2c,
                    .n = n,
                    .count = count,
                    .in_distance = n,
                    .out_distance = real ? half : n};
    if (!maker.instructions.empty()) {
      // Where lanes have no code, the backend would let FFTW do it.
      const LineBatch own{.n = real && n % 2 == 0 ? n / 2 : n, .count = count, .in_distance = n, .out_distance = n};
      if (!detail::make_lanes(own, precision)) return none;
    }
    const auto kernel = backend.make(batch, precision, Effort::measure);
    const Buffer in = Buffer::zeroed(count * n * (real ? bytes / 2 : bytes)),
                 out = Buffer::zeroed(count * (real ? half : n) * bytes);
    return best([&] { kernel->run(in.data(), out.data()); }, job) / static_cast<double>(n * count);
  }

  template <class Work>
  double best(const Work& work, const Job& job) const {
    constexpr int turns = 5;
    const double enough = 1e-3 * milliseconds_ / turns;
    double shortest = none;
    for (int turn = 0; turn < turns; ++turn) {
      MPI_Barrier(job.comm);
      int runs = 0;
      const double begin = MPI_Wtime();
      double end = begin;
      for (; end - begin < enough; end = MPI_Wtime(), ++runs) work();
      shortest = std::min(shortest, job.max((end - begin) / runs));
    }
    return shortest;
  }

  std::vector<Index> lengths_{32, 48, 64, 96, 100, 120, 128, 144, 192, 200, 243, 256, 384, 512, 1024};
  std::vector<std::string> kinds_{"columns", "rows", "real_rows"};
  std::string precision_ = "double";
  int milliseconds_ = 20;
  bool errors_ = false;
};

}  // namespace

}  // namespace weft::tools

int main(int argc, char** argv) {
  weft::tools::Kernels program;
  return weft::tools::run_program(program, argc, argv);
}
