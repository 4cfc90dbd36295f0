// weft-doors: what it costs to come in through another language than C++: the same transforms, in turns.
#include "doors.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "array.hpp"
#include "machine.hpp"
#include "program.hpp"

namespace weft::tools {

namespace {

using Complex = std::complex<double>;

/// Forward by the first and backward by the last: the same one, or one of its own as programs for FFTW have it.
std::vector<Transform<double>> transforms;

int make_transforms(std::size_t count, const std::int64_t* shape, int comm) {
  Options options;
  options.effort = Effort::estimate;
  const Problem problem{.shape = {shape[0], shape[1], shape[2]}};
  while (transforms.size() < count) transforms.emplace_back(problem, detail::communicator_of(comm), options);
  return 0;
}
int cxx_make(const std::int64_t* shape, int comm) { return make_transforms(1, shape, comm); }
int cxx_make_two(const std::int64_t* shape, int comm) { return make_transforms(2, shape, comm); }
int cxx_run(double* in, double* out, double* again, int pairs) {
  for (int i = 0; i < pairs; ++i) {
    transforms.front().forward(reinterpret_cast<Complex*>(in), reinterpret_cast<Complex*>(out));
    transforms.back().backward(reinterpret_cast<Complex*>(out), reinterpret_cast<Complex*>(again));
  }
  return 0;
}
int cxx_end() {
  transforms.clear();
  return 0;
}

/// What each language has; doors.h says what it does.
struct Door {
  std::string name;
  int (*make)(const std::int64_t* shape, int comm);
  int (*run)(double* in, double* out, double* again, int pairs);
  int (*end)();
};

const std::vector<Door>& all_doors() {
  static const std::vector<Door> doors{
      {"C++", cxx_make, cxx_run, cxx_end},
      {"C", weft_doors_c_make, weft_doors_c_run, weft_doors_c_end},
      {"C, types and sizes checked", weft_doors_c_make, weft_doors_c_checked_run, weft_doors_c_end},
#ifdef WEFT_DOORS_FORTRAN
      {"Fortran", weft_doors_fortran_make, weft_doors_fortran_run, weft_doors_fortran_end},
#endif
#ifdef WEFT_DOORS_FFTW
      {"C++, two transforms", cxx_make_two, cxx_run, cxx_end},
      {"FFTW-MPI, the drop-in", weft_doors_fftw_make, weft_doors_fftw_run, weft_doors_fftw_end},
#endif
  };
  return doors;
}

void expect(int code, const Door& door, const char* what) {
  if (code != 0) throw Error(text("weft-doors cannot %s a transform through %s", what, door.name.c_str()));
}

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
    line.option("--turns", turns_, "Turns of each door, each with a transform made anew (200)")
        .range(1, 100000000)
        .type("N");
    line.option("--pairs", pairs_, "Forward and backward transforms a turn (20)").range(1, 1000000).type("N");
    job.declare_outputs(line, false);
  }

  int run(Job& job) override {
    const std::vector<Door>& doors = all_doors();
    const Shape shape{points_, points_, points_};
    // All ranks have room for the whole: it is small.
    Array<double> in(2 * shape[0] * shape[1] * shape[2]), out(in.size()), again(in.size());
    std::map<std::string, std::vector<double>> seconds;
    for (int turn = 0; turn < turns_; ++turn) {
      std::vector<double> first;
      for (std::size_t i = 0; i < doors.size(); ++i) {
        // Each in its turn comes after another one. The memory that a transform gets makes more of a difference.
        const Door& door = doors[(i + static_cast<std::size_t>(turn)) % doors.size()];
        expect(door.make(shape.data(), detail::number_of(job.comm)), door, "make");
        require_same(run_once(door, in, out, again, job), first, door, job);
        MPI_Barrier(job.comm);
        const double start = MPI_Wtime();
        expect(door.run(in.data(), out.data(), again.data(), pairs_), door, "run");
        seconds[door.name].push_back(job.max(MPI_Wtime() - start) / pairs_);
        expect(door.end(), door, "end");
      }
    }
    report(doors, seconds, job);
    return 0;
  }

 private:
  /// What a door makes of the same numbers: both arrays.
  static std::vector<double> run_once(const Door& door, Array<double>& in, Array<double>& out, Array<double>& again,
                                      const Job& job) {
    for (Index i = 0; i < in.size(); ++i) in.data()[i] = static_cast<double>((i * 7919 + job.rank) % 1000) / 1000 - 0.5;
    std::fill(out.begin(), out.end(), 0.0);
    std::fill(again.begin(), again.end(), 0.0);
    expect(door.run(in.data(), out.data(), again.data(), 1), door, "run");
    std::vector<double> results(again.begin(), again.end());
    results.insert(results.end(), out.begin(), out.end());
    return results;
  }

  /// All doors compute the same numbers, to the last bit.
  static void require_same(const std::vector<double>& results, std::vector<double>& first, const Door& door,
                           const Job& job) {
    if (first.empty()) first = results;
    const bool same = std::memcmp(first.data(), results.data(), results.size() * sizeof(double)) == 0;
    if (job.max(Index{same ? 0 : 1}) != 0) throw Error(door.name + " computes other numbers than another door");
  }

  void report(const std::vector<Door>& doors, const std::map<std::string, std::vector<double>>& seconds,
              const Job& job) const {
    const std::vector<double>& cxx = seconds.at(doors[0].name);
    std::string table =
        text("%d x %d x %d, %d rank%s, median of %d turns\n\n%-28s %16s %16s\n", points_, points_, points_, job.ranks,
             job.ranks == 1 ? "" : "s", turns_, "door", "round trip", "more than C++");
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

  int points_ = 32, turns_ = 200, pairs_ = 20;
};

}  // namespace

}  // namespace weft::tools

int main(int argc, char** argv) {
  weft::tools::Doors program;
  return weft::tools::run_program(program, argc, argv);
}
