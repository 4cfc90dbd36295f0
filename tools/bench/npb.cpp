// weft-npb: the NAS Parallel Benchmarks' kernel FT on Weft, with the breakdown of its time.
#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "base/simulation.hpp"
#include "machine.hpp"
#include "npb_kernel.hpp"
#include "npb_run.hpp"
#include "program.hpp"

namespace weft::tools {

namespace {

class Npb final : public Program {
 public:
  std::string name() const override { return "weft-npb"; }
  std::string description() const override {
    return "Kernel FT of the NAS Parallel Benchmarks on Weft: a 3-D diffusion equation solved by one forward and many "
           "inverse FFTs, verified by checksums.";
  }

  void declare(CommandLine& line, Job& job) override {
    // Every transform is one exchange: the spectrum is left as the first stages have it.
    options_.transposed = true;
    line.option("--class", class_, "Problem class: S, W, A, B, C, D, E, F, or U with --size").required().type("CLASS");
    line.option("--size", size_, "Of class U, which has no reference: n_x n_y n_z")
        .values(3)
        .range(Index{1}, Index{1} << 30)
        .type("");
    line.option("--iterations", iterations_, "Of class U (6)").range(1, 1000000).type("N");
    line.option("--repeat", repeats_, "Timed runs, of which the one with the median time is reported (1)")
        .range(1, 1000000)
        .type("N");
    job.declare_outputs(line, false);
    declare_options(line, options_);
  }

  int run(Job& job) override {
    const std::optional<npb::Class> grid = chosen_class();
    if (!grid) {
      throw UsageError("--class is '" + class_ +
                       "'; allowed are S, W, A, B, C, D, E, F without --size, and U with --size");
    }
    const bool known = grid->name != 'U' && !detail::sizes_only();
    const Plan plan = make_plan(*grid, job);
    const Index arrays = npb::Kernel::array_bytes(plan), workspace = plan.workspace_bytes();
    require_memory(job, arrays + workspace, text("NPB FT class %c", grid->name));

    const Site site(job);
    job.print(
        text("\n\n NAS Parallel Benchmarks -- FT Benchmark (on Weft %s)\n\n"
             " Size                :%5lldx%5lldx%5lld  (class %c)\n"
             " Iterations          :%13d\n"
             " Number of processes :%13d\n\n%s\n",
             version().c_str(), as_long(grid->nx), as_long(grid->ny), as_long(grid->nz), grid->name, grid->iterations,
             job.ranks, site.header().c_str()));

    const detail::BusyWatch watch(job.comm);
    std::vector<npb::Run> runs;
    {
      npb::Kernel kernel(*grid, plan, job, groups_);
      kernel.warm_up();
      for (int i = 0; i < repeats_; ++i) runs.push_back(kernel.timed());
    }
    std::vector<double> seconds;
    for (const npb::Run& run : runs) seconds.push_back(run.seconds);
    std::sort(runs.begin(), runs.end(), [](const npb::Run& a, const npb::Run& b) { return a.seconds < b.seconds; });
    const npb::Run& run = runs[(runs.size() - 1) / 2];
    bool verified = true;
    for (const npb::Run& each : runs) verified = verified && each.verified();

    const Index memory[] = {job.max(arrays), job.max(workspace), job.max(peak_memory())};
    const char* const word = !known ? "not performed" : verified ? "successful" : "failed";
    print_report(job, *grid, run, seconds, word, memory);
    Json json{{"class", std::string(1, grid->name)}, {"ranks", job.ranks}, {"groups", groups_}};
    json["verified"] = known ? Json(verified) : Json();
    json["checksums"] = checksums_json(run);
    json["mops"] = npb::mega_operations(*grid) / run.seconds;
    json["seconds"] = run.seconds;
    for (const npb::Breakdown::Part& part : npb::Breakdown::parts) {
      Json& group = json[part.whole ? "breakdown" : "calculation_parts"];
      group[part.key] = part_json(run, part);
    }
    json["shape"] = grid->shape();
    json["iterations"] = grid->iterations;
    json["all_seconds"] = seconds;
    json["options"] = options_json(plan.options());
    if (job.root() && job.wants_json()) json["traffic"] = traffic_json(plan);
    json["volume"] = {{"formula_bytes", npb::exchange_volume(*grid, job.ranks, groups_)},
                      {"bytes_sent", run.bytes_sent},
                      {"messages", run.messages}};
    json["memory_per_rank"] = {{"arrays", memory[0]}, {"workspace", memory[1]}, {"peak", memory[2]}};
    site.add_to(json);
    job.tell_of_others(watch, json);
    json["software"] = software_json();
    job.write_json(json);
    return verified || !known ? 0 : 1;
  }

 private:
  static long long as_long(Index value) { return value; }

  std::optional<npb::Class> chosen_class() const {
    const char letter = class_.size() == 1 ? static_cast<char>(std::toupper(class_[0])) : '?';
    if ((letter == 'U') == size_.empty()) return std::nullopt;
    if (letter != 'U') return npb::find_class(letter);
    return npb::Class{'U', size_[0], size_[1], size_[2], iterations_};
  }

  /// A group's. The iterations are what the library's option `groups` shares out here.
  Plan make_plan(const npb::Class& grid, const Job& job) {
    try {
      options_.apply_environment();
      groups_ = std::exchange(options_.groups, 1);
      if (groups_ < 1 || job.ranks % groups_ != 0) {
        throw Error(text("groups is %d; it must divide the number of ranks, %d", groups_, job.ranks));
      }
      const int each = job.ranks / groups_;
      Options options = job.with_nodes(options_);
      const auto first = options.nodes.begin() + (job.rank - job.rank % each);
      options.nodes = std::vector<int>(first, first + each);
      return Plan(Problem{.shape = grid.shape()}, options, each, job.rank % each);
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
  }

  static Json checksums_json(const npb::Run& run) {
    Json list = Json::list();
    for (std::size_t i = 0; i < run.sums.size(); ++i) {
      list.push_back({{"iteration", i + 1},
                      {"real", run.sums[i].real()},
                      {"imaginary", run.sums[i].imag()},
                      {"error", run.errors[i]}});
    }
    return list;
  }

  static Json part_json(const npb::Run& run, const npb::Breakdown::Part& part) {
    const double mean = run.mean.*part.seconds;
    return {{"seconds", mean}, {"max_seconds", run.max.*part.seconds}, {"percent", 100 * mean / run.seconds}};
  }

  void print_report(const Job& job, const npb::Class& grid, const npb::Run& run, const std::vector<double>& seconds,
                    const std::string& verification, const Index (&memory)[3]) const {
    std::string report;
    for (int t = 1; t <= grid.iterations; ++t) {
      const npb::Complex sum = run.sums[static_cast<std::size_t>(t - 1)];
      report += text(" T = %4d     Checksum = %21.12E %21.12E\n", t, sum.real(), sum.imag());
    }
    const double mops = npb::mega_operations(grid) / run.seconds;
    report += text(" Result verification %s\n class = %c\n\n", verification.c_str(), grid.name);
    report += " FT Benchmark Completed.\n";
    report += text(" Class           = %24c\n", grid.name);
    report += text(" Size            = %14lldx%4lldx%4lld\n", as_long(grid.nx), as_long(grid.ny), as_long(grid.nz));
    report += text(" Iterations      = %24d\n", grid.iterations);
    report += text(" Time in seconds = %24.4f\n", run.seconds);
    if (seconds.size() > 1) {
      const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
      report += text(" Runs            = %24zu   (the median; from %.4f to %.4f s)\n", seconds.size(), *least, *most);
    }
    report += text(" Total processes = %24d\n", job.ranks);
    report += text(" Mop/s total     = %24.2f\n", mops);
    report += text(" Mop/s/process   = %24.2f\n", mops / job.ranks);
    report += text(" Operation type  = %24s\n", "floating point");
    std::string loud = verification == "failed" ? "unsuccessful" : verification;
    for (char& letter : loud) letter = static_cast<char>(std::toupper(letter));
    report += text(" Verification    = %24s\n", loud.c_str());
    report += text(" Version         = %24s\n\n", ("Weft " + version()).c_str());

    report += text(" %-24s %12s %12s %9s\n", "Breakdown of the run", "mean s", "max s", "share");
    for (const npb::Breakdown::Part& part : npb::Breakdown::parts) {
      const double mean = run.mean.*part.seconds;
      const std::string label = (part.whole ? "" : "  ") + std::string(part.label);
      report +=
          text(" %-24s %12.4f %12.4f %7.1f %%\n", label.c_str(), mean, run.max.*part.seconds, 100 * mean / run.seconds);
    }
    report += text(" %-24s %12.4f %12s %7.1f %%\n\n", "All", run.seconds, "", 100.0);
    report += text(" Exchanged: %lld bytes in %lld messages; (iterations + 1) * 16 * N * (P - 1) / P%s = %.0f bytes\n",
                   as_long(run.bytes_sent), as_long(run.messages), groups_ > 1 ? ", with groups" : "",
                   npb::exchange_volume(grid, job.ranks, groups_));
    report += text(" Memory of the largest rank: arrays %s, workspace %s; at most %s in all\n\n",
                   bytes_text(memory[0]).c_str(), bytes_text(memory[1]).c_str(), bytes_text(memory[2]).c_str());
    job.print(report);
  }

  std::string class_;
  std::vector<Index> size_;  ///< of class U
  int iterations_ = 6;       ///< of class U
  int repeats_ = 1, groups_ = 1;
  Options options_;
};

}  // namespace

}  // namespace weft::tools

int main(int argc, char** argv) {
  weft::tools::Npb program;
  return weft::tools::run_program(program, argc, argv);
}
