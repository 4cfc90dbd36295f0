// weft-calibrate: what the model must know of a machine, measured in turns until the time is up. JSON with all samples'
// medians and quartiles; `weft calibrate` makes a machine file of it.
#include <algorithm>
#include <utility>

#include "machine.hpp"
#include "probes.hpp"

namespace weft::tools {

namespace {

constexpr int most_rounds = 50;
constexpr double seconds_between_words = 5;

using Add = void (*)(std::vector<Probe>& probes, const Job& job);
constexpr std::pair<const char*, Add> groups[] = {
    {"memory", add_memory}, {"messages", add_messages}, {"transforms", add_transforms}, {"lines", add_lines}};

double quantile(const std::vector<double>& sorted, double part) {
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1) + 0.5)];
}

class Calibrate final : public Program {
 public:
  std::string name() const override { return "weft-calibrate"; }
  std::string description() const override {
    return "Measures memory, transforms of lines and messages of this machine.";
  }

  void declare(CommandLine& line, Job& job) override {
    line.option("--seconds", seconds_, "Time that it may take, preparing included (30)").range(0.0, 1e6).type("S");
    line.option("--rounds", fewest_rounds_, "Rounds that are made in any case, however long they take (0)")
        .range(0, most_rounds)
        .type("N");
    line.option("--only", only_, "Of memory,lines,messages,transforms, those to measure (all)")
        .delimiter(',')
        .one_of({"memory", "lines", "messages", "transforms"})
        .type("");
    job.declare_outputs(line, false);
  }

  int run(Job& job) override {
    start_ = MPI_Wtime();
    std::vector<Probe> probes;
    for (const auto& [group, add] : groups) {
      if (!wanted(group)) continue;
      job.progress(text("preparing %s, %.1f s", group, require_time(job, "it was preparing")));
      add(probes, job);
    }
    // Pages, connections, caches. What that takes is told as it goes on: on a busy machine it is most of the time.
    const double prepared = spent(job);
    double told = prepared;
    job.progress(text("%zu quantities once, %.1f s", probes.size(), told));
    for (std::size_t i = 0; i < probes.size(); ++i) {
      const double now = require_time(job, text("%zu of %zu quantities had been looked at", i, probes.size()));
      if (now - told > seconds_between_words) {
        job.progress(text("%zu of %zu quantities once, %.1f s", i, probes.size(), told = now));
      }
      probes[i].once();
    }
    // In turns, so that what disturbs the machine for a while disturbs a few samples of each, which the median drops.
    int rounds = 0;
    double longest = spent(job) - prepared;
    while (rounds < most_rounds) {
      const double begin = spent(job);
      if (rounds >= std::max(1, fewest_rounds_) && begin + longest > seconds_) break;
      job.progress(text("round %d, %.1f of %g s", ++rounds, begin, seconds_));
      for (std::size_t i = 0; i < probes.size(); ++i) {
        if (rounds == 1) require_time(job, text("%zu of %zu quantities had been measured", i, probes.size()));
        probes[i].seconds.push_back(probes[i].once());
      }
      longest = rounds == 1 ? spent(job) - begin : std::max(longest, spent(job) - begin);
    }
    Json measured = Json::list();
    for (Probe& probe : probes) {
      std::sort(probe.seconds.begin(), probe.seconds.end());
      probe.what["seconds"] = quantile(probe.seconds, 0.5);
      probe.what["low"] = quantile(probe.seconds, 0.25);
      probe.what["high"] = quantile(probe.seconds, 0.75);
      measured.push_back(probe.what);
    }
    const Site site(job);
    job.print(text("\n%s %zu quantities measured, %d times each\n", site.header().c_str(), probes.size(), rounds));
    Json json{{"ranks", job.ranks}, {"ranks_on_node", job.ranks_on_node}, {"rounds", rounds}, {"seconds", spent(job)}};
    site.add_to(json);
    json["software"] = software_json();
    json["probes"] = measured;
    job.write_json(json);
    return 0;
  }

 private:
  bool wanted(const std::string& group) const {
    return only_.empty() || std::find(only_.begin(), only_.end(), group) != only_.end();
  }

  /// Since the beginning, the same on all ranks. Collective.
  double spent(const Job& job) const { return job.max(MPI_Wtime() - start_); }

  /// The seconds spent; Error if they are over, unless a number of rounds was asked for. Collective.
  double require_time(const Job& job, const std::string& what) const {
    const double now = spent(job);
    if (fewest_rounds_ == 0 && now > seconds_) {
      throw Error(
          text("%g s were over when %s: the machine is too busy, or needs more --seconds", seconds_, what.c_str()));
    }
    return now;
  }

  double start_ = 0;
  double seconds_ = 30;
  int fewest_rounds_ = 0;
  std::vector<std::string> only_;
};

}  // namespace

}  // namespace weft::tools

int main(int argc, char** argv) {
  weft::tools::Calibrate program;
  return weft::tools::run_program(program, argc, argv);
}
