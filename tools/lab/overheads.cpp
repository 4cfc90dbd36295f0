// weft-overheads: what making one transform asks of MPI and of memory, and what a call does: collective calls,
// communicators, windows, messages, bytes of the heap that a rank holds beyond its fields and workspaces.
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <optional>

#include "counts.hpp"
#include "program.hpp"
#include "weft/sphere.hpp"

namespace weft::tools {

namespace {

using Complex = std::complex<double>;

/// What some work has taken.
struct Spent {
  Counts counts;
  double seconds = 0;
};

/// Of each, the most of any rank. Collective.
Spent measured(const Job& job, const std::function<void()>& work) {
  start_counting();
  const double begin = MPI_Wtime();
  work();
  Spent spent;
  spent.seconds = MPI_Wtime() - begin;
  spent.counts = stop_counting();
  MPI_Barrier(job.comm);
  // In one reduction: each takes a simulation of thousands of ranks seconds.
  Counts& counts = spent.counts;
  std::vector<double> all{spent.seconds, static_cast<double>(counts.held), static_cast<double>(counts.most)};
  for (const auto& [kind, counted] : counts.calls) {
    all.insert(all.end(), {static_cast<double>(counted.calls), static_cast<double>(counted.bytes)});
  }
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_MAX, job.comm);
  const auto whole = [&](std::size_t i) { return static_cast<std::int64_t>(all[i]); };
  spent.seconds = all[0];
  counts.held = whole(1);
  counts.most = whole(2);
  std::size_t next = 3;
  for (auto& [kind, counted] : counts.calls) {
    counted = {whole(next), whole(next + 1)};
    next += 2;
  }
  return spent;
}

Json json_of(const Spent& spent) {
  Json calls = Json::object();
  for (const auto& [kind, counted] : spent.counts.calls) {
    calls[kind] = {{"calls", counted.calls}, {"bytes", counted.bytes}};
  }
  return {{"seconds", spent.seconds}, {"held", spent.counts.held}, {"most", spent.counts.most}, {"calls", calls}};
}

void print(const Job& job, const char* what, const Spent& spent) {
  job.print(text("%s: %.3f ms, %s of the heap\n", what, 1e3 * spent.seconds, bytes_text(spent.counts.most).c_str()));
  for (const auto& [kind, counted] : spent.counts.calls) {
    if (counted.calls == 0) continue;
    job.print(
        text("%8lld %s, %s\n", static_cast<long long>(counted.calls), kind.c_str(), bytes_text(counted.bytes).c_str()));
  }
}

class Overheads final : public Program {
 public:
  std::string name() const override { return "weft-overheads"; }
  std::string description() const override {
    return "Counts what making one transform asks of MPI and of the C++ heap of a rank, and what executions do "
           "(double, forward; of a sphere backward).";
  }

  void declare(CommandLine& line, Job& job) override {
    constexpr Index largest = Index{1} << 30;
    line.option("--shape", shape_, "Grid: n_x n_y n_z").required().values(3).range(Index{1}, largest).type("");
    line.option(
            "--kind", [this](const std::string& word) { problem_.kind = parse_kind(word, "--kind"); },
            "c2c or r2c (r2c)")
        .type("");
    line.option("--batch", problem_.batch, "Fields transformed by one call (1)").range(Index{1}, largest).type("N");
    line.option("--sphere", radius_, "A sphere of this radius in grid units of G instead").type("R");
    line.option("--calls", calls_, "Executions that are counted, after a first one (4)").range(0, 1 << 20).type("N");
    job.declare_outputs(line, false);
    declare_options(line, options_);
  }

  int run(Job& job) override {
    if (problem_.kind == Kind::c2r) throw UsageError("--kind is c2r; allowed are c2c and r2c");
    problem_.shape = {shape_[0], shape_[1], shape_[2]};
    Json json{{"ranks", job.ranks}, {"shape", shape_}, {"batch", problem_.batch}, {"executions", calls_}};
    radius_ > 0 ? sphere(job, json) : transform(job, json);
    job.write_json(json);
    return 0;
  }

 private:
  void transform(const Job& job, Json& json) {
    std::optional<Transform<double>> fft;
    const Spent made = measured(job, [&] { fft.emplace(problem_, job.comm, options_); });
    std::vector<double> real(problem_.kind == Kind::r2c ? static_cast<std::size_t>(fft->input_size()) : 0, 1.0);
    std::vector<Complex> complex(real.empty() ? static_cast<std::size_t>(fft->input_size()) : 0, 1.0);
    std::vector<Complex> spectrum(static_cast<std::size_t>(fft->output_size()));
    const auto agree = [&] { fft->raise_any(Direction::forward, {}); };
    executions(job, json, made, fft->plan(), agree, [&] {
      if (problem_.kind == Kind::r2c) {
        fft->forward(real.data(), spectrum.data());
      } else {
        fft->forward(complex.data(), spectrum.data());
      }
    });
  }

  void sphere(const Job& job, Json& json) {
    // A lattice of 2 pi has unit vectors of G of length 1.
    Cutoff cutoff{.energy = radius_ * radius_ / 2};
    for (std::size_t axis = 0; axis < 3; ++axis) cutoff.lattice[axis][axis] = 2 * std::numbers::pi;
    const auto waves = deal_columns(plane_waves(cutoff), job.ranks)[static_cast<std::size_t>(job.rank)];
    const SphereProblem problem{.grid = problem_.shape, .howmany = problem_.batch};
    std::optional<SphereTransform<double>> made_of;
    const Spent made = measured(job, [&] { made_of.emplace(problem, waves, job.comm, options_); });
    std::vector<Complex> given(static_cast<std::size_t>(problem.howmany) * waves.size(), 1.0);
    std::vector<Complex> space(static_cast<std::size_t>(problem.howmany * made_of->plan().space_size()));
    const auto agree = [&] { made_of->raise_any({}); };
    executions(job, json, made, made_of->plan(), agree, [&] { made_of->backward(given.data(), space.data()); });
    json["columns"] = made_of->plan().all_columns();
  }

  template <class AnyPlan>
  void executions(const Job& job, Json& json, const Spent& made, const AnyPlan& plan,
                  const std::function<void()>& agree, const std::function<void()>& execute) const {
    // What `check` is, alone: where all-to-alls of thousands of ranks take too long to simulate.
    const Spent agreement = measured(job, agree);
    json["made"] = json_of(made);
    json["agreement"] = json_of(agreement);
    print(job, "made", made);
    print(job, "agreement", agreement);
    if (calls_ > 0) {
      execute();
      Spent all = measured(job, [&] {
        for (int i = 0; i < calls_; ++i) execute();
      });
      all.seconds /= calls_;
      json["call"] = json_of(all);  // calls and bytes of all executions: of one there may be less than one
      print(job, text("%d executions, seconds of each", calls_).c_str(), all);
    }
    json["workspace"] = job.max(plan.workspace_bytes());
  }

  Problem problem_{.kind = Kind::r2c};
  std::vector<Index> shape_;
  double radius_ = 0;
  int calls_ = 4;
  Options options_;
};

}  // namespace

}  // namespace weft::tools

int main(int argc, char** argv) {
  weft::tools::Overheads program;
  return weft::tools::run_program(program, argc, argv);
}
