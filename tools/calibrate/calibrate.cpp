// weft-calibrate: what the model must know of a machine, measured in turns until the time is up. JSON with all samples'
// medians and quartiles; `weft calibrate` makes a machine file of it.
#include <algorithm>

#include "machine.hpp"
#include "probes.hpp"

namespace weft::tools {

namespace {

constexpr int most_rounds = 50;

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
    line.option("--seconds", seconds_, "Time to measure for (30)").range(0.0, 1e6).type("S");
    line.option("--rounds", fewest_rounds_, "Rounds that are made in any case (3)").range(1, most_rounds).type("N");
    line.option("--only", only_, "Of memory,lines,messages,transforms, those to measure (all)")
        .delimiter(',')
        .one_of({"memory", "lines", "messages", "transforms"})
        .type("");
    job.declare_outputs(line, false);
  }

  int run(Job& job) override {
    std::vector<Probe> probes;
    if (wanted("memory")) add_memory(probes, job);
    if (wanted("messages")) add_messages(probes, job);
    if (wanted("transforms")) add_transforms(probes, job);
    if (wanted("lines")) add_lines(probes, job);
    for (Probe& probe : probes) probe.once();  // pages, connections, caches
    // In turns, so that what disturbs the machine for a while disturbs a few samples of each, which the median drops.
    const double start = MPI_Wtime();
    int rounds = 0;
    while (rounds < fewest_rounds_ || (rounds < most_rounds && job.max(MPI_Wtime() - start) < seconds_)) {
      job.progress(text("round %d", ++rounds));
      for (Probe& probe : probes) probe.seconds.push_back(probe.once());
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
    Json json{{"ranks", job.ranks}, {"ranks_on_node", job.ranks_on_node}, {"rounds", rounds}};
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

  double seconds_ = 30;
  int fewest_rounds_ = 3;
  std::vector<std::string> only_;
};

}  // namespace

}  // namespace weft::tools

int main(int argc, char** argv) {
  weft::tools::Calibrate program;
  return weft::tools::run_program(program, argc, argv);
}
