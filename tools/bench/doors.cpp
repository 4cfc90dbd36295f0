// weft-doors: what it costs to come in through another language than C++: the same transforms, in turns.
#include "doors.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <optional>

#include "array.hpp"
#include "machine.hpp"
#include "program.hpp"

namespace weft::tools {

namespace {

using Complex = std::complex<double>;

/// What each language has; doors.h says what it does.
struct Door {
  std::string name;
  std::function<int(double*, double*, int pairs)> run;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class Doors final : public Program {
 public:
  std::string name() const override { return "weft-doors"; }
  std::string description() const override {
    return "Times pairs of forward and backward transforms through each language's interface, in turns.";
  }

  void declare(CommandLine& line, Job& job) override {
    line.option("--points", points_, "Points along each axis (32)").range(1, 4096).type("N");
    line.option("--rounds", rounds_, "Turns of each door (400)").range(1, 100000000).type("N");
    line.option("--pairs", pairs_, "Forward and backward transforms a turn (10)").range(1, 1000000).type("N");
    job.declare_outputs(line, false);
  }

  int run(Job& job) override {
    const Shape shape{points_, points_, points_};
    std::optional<Transform<double>> fft;
    fft.emplace(Problem{.shape = shape, .normalization = Normalization::backward}, job.comm);
    if (weft_doors_c_make(shape.data(), MPI_Comm_c2f(job.comm)) != 0) throw Error("no transform through C");
    const std::vector<Door> doors{
        {"C++",
         [&](double* in, double* out, int pairs) {
           for (int i = 0; i < pairs; ++i) {
             fft->forward(reinterpret_cast<Complex*>(in), reinterpret_cast<Complex*>(out));
             fft->backward(reinterpret_cast<Complex*>(out), reinterpret_cast<Complex*>(in));
           }
           return 0;
         }},
        {"C", weft_doors_c_run},
        {"C, types and sizes checked", weft_doors_c_checked_run},
    };

    Array<double> in(2 * fft->input_size()), out(2 * fft->output_size());
    require_same_results(doors, in, out, job);
    std::map<std::string, std::vector<double>> seconds;
    for (int round = 0; round < rounds_; ++round) {
      for (std::size_t i = 0; i < doors.size(); ++i) {
        // Each in its turn comes after another one.
        const Door& door = doors[(i + static_cast<std::size_t>(round)) % doors.size()];
        MPI_Barrier(job.comm);
        const double start = MPI_Wtime();
        if (door.run(in.data(), out.data(), pairs_) != 0) throw Error("a transform through " + door.name + " failed");
        seconds[door.name].push_back(job.max(MPI_Wtime() - start) / pairs_);
      }
    }
    fft.reset();
    weft_doors_c_end();
    report(doors, seconds, job);
    return 0;
  }

 private:
  /// All doors compute the same numbers, to the last bit.
  static void require_same_results(const std::vector<Door>& doors, Array<double>& in, Array<double>& out,
                                   const Job& job) {
    std::vector<double> first;
    for (const Door& door : doors) {
      for (Index i = 0; i < in.size(); ++i)
        in.data()[i] = static_cast<double>((i * 7919 + job.rank) % 1000) / 1000 - 0.5;
      if (door.run(in.data(), out.data(), 1) != 0) throw Error("a transform through " + door.name + " failed");
      std::vector<double> results(in.begin(), in.end());
      results.insert(results.end(), out.begin(), out.end());
      if (first.empty()) first = results;
      const bool same = std::memcmp(first.data(), results.data(), results.size() * sizeof(double)) == 0;
      if (job.max(Index{same ? 0 : 1}) != 0) throw Error(door.name + " computes other numbers than " + doors[0].name);
    }
  }

  void report(const std::vector<Door>& doors, const std::map<std::string, std::vector<double>>& seconds,
              const Job& job) const {
    const std::vector<double>& cxx = seconds.at(doors[0].name);
    std::string table =
        text("%d x %d x %d, %d rank%s, median of %d turns\n\n%-28s %16s %16s\n", points_, points_, points_, job.ranks,
             job.ranks == 1 ? "" : "s", rounds_, "door", "there and back", "more than C++");
    Json list;
    for (const Door& door : doors) {
      const std::vector<double>& mine = seconds.at(door.name);
      std::vector<double> more;
      for (std::size_t i = 0; i < mine.size(); ++i) more.push_back(mine[i] - cxx[i]);
      table += text("%-28s %13.2f us %13.2f us\n", door.name.c_str(), 1e6 * median(mine), 1e6 * median(more));
      Json entry;
      entry["door"] = door.name;
      entry["seconds"] = median(mine);
      entry["more"] = median(more);
      list.push_back(entry);
    }
    const Site site(job);
    job.print(text("\n%s%s", site.header().c_str(), table.c_str()));
    Json json;
    json["points"] = points_;
    json["ranks"] = job.ranks;
    json["doors"] = list;
    site.add_to(json);
    job.write_json(json);
  }

  int points_ = 32, rounds_ = 400, pairs_ = 10;
};

}  // namespace

}  // namespace weft::tools

int main(int argc, char** argv) {
  weft::tools::Doors program;
  return weft::tools::run_program(program, argc, argv);
}
