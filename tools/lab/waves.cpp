// weft-waves: times transforms of a sphere of plane waves, as the codes of Bethune and of Hoefler & Zerah do them, and
// checks that the waves come back.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "program.hpp"
#include "weft/sphere.hpp"

namespace weft::tools {

namespace {

using Complex = std::complex<double>;

class WavesProgram final : public Program {
 public:
  std::string name() const override { return "weft-waves"; }
  std::string description() const override {
    return "Times the transforms of a sphere of plane waves to space and back (double, one potential), and checks "
           "them.";
  }

  void declare(CommandLine& line, Job& job) override {
    constexpr Index most = Index{1} << 30;
    line.option("--shape", grid_, "Grid: n_x n_y n_z").required().values(3).range(Index{1}, most).type("");
    line.option("--radius", radius_, "Radius of the sphere in grid units of G").required().type("R");
    line.option("--bands", bands_, "Bands transformed by one call (1)").range(Index{1}, most).type("N");
    line.option("--repeats", repeats_, "Timed repetitions (1)").range(Index{1}, most).type("N");
    job.declare_outputs(line, false);
    declare_options(line, options_);
  }

  int run(Job& job) override {
    options_.apply_environment(Operation::sphere);
    // A lattice of 2 pi has unit vectors of G of length 1.
    Cutoff cutoff{.energy = radius_ * radius_ / 2};
    for (std::size_t axis = 0; axis < 3; ++axis) cutoff.lattice[axis][axis] = 2 * std::numbers::pi;
    const auto waves = deal_columns(plane_waves(cutoff), job.ranks)[static_cast<std::size_t>(job.rank)];
    const SphereProblem problem{.grid = {grid_[0], grid_[1], grid_[2]}, .howmany = bands_};
    SphereTransform<double> sphere(problem, waves, job.comm, options_);

    const auto numbers = static_cast<std::size_t>(bands_) * waves.size();
    std::vector<Complex> given(numbers), back(numbers);
    std::vector<Complex> space(static_cast<std::size_t>(bands_ * sphere.plan().space_size()));
    for (std::size_t i = 0; i < numbers; ++i) given[i] = {std::sin(static_cast<double>(i + 1)), 1.0 / (1 + job.rank)};
    std::vector<double> to_space, to_waves;
    const auto timed = [&](std::vector<double>& seconds, auto&& work) {
      MPI_Barrier(job.comm);
      const double start = MPI_Wtime();
      work();
      seconds.push_back(job.max(MPI_Wtime() - start));
    };
    for (Index i = 0; i < repeats_; ++i) {
      timed(to_space, [&] { sphere.backward(given.data(), space.data()); });
      timed(to_waves, [&] { sphere.forward(space.data(), back.data()); });
    }
    const auto points = static_cast<double>(grid_[0] * grid_[1] * grid_[2]);
    double error = 0;
    for (std::size_t i = 0; i < numbers; ++i) error = std::max(error, std::abs(back[i] / points - given[i]));
    error = job.max(error);
    report(job, sphere.plan(), to_space, to_waves, error);
    if (error > 1e-12) throw Error(text("the round trip is wrong: error %.3g, allowed is 1e-12", error));
    return 0;
  }

 private:
  void report(const Job& job, const SpherePlan& plan, const std::vector<double>& to_space,
              const std::vector<double>& to_waves, double error) const {
    Json json{{"grid", grid_}, {"radius", radius_}, {"bands", bands_}, {"ranks", job.ranks}, {"error", error}};
    json["columns"] = plan.all_columns();
    json["options"] = options_json(options_);
    for (const auto& [name, seconds, direction] : {std::tuple{"backward", &to_space, Direction::backward},
                                                   std::tuple{"forward", &to_waves, Direction::forward}}) {
      const double least = *std::min_element(seconds->begin(), seconds->end());
      job.print(text("%-10s %12.6f ms a band (best of %d)\n", name, 1e3 * least / static_cast<double>(bands_),
                     static_cast<int>(seconds->size())));
      json[name] = {{"seconds", least}, {"all_seconds", *seconds}};
      if (!job.root() || !job.wants_json()) continue;
      const Plan::Traffic traffic = plan.traffic(direction);
      json[name]["messages"] = traffic.all_messages;
      json[name]["bytes"] = traffic.all_bytes;
      json[name]["network_messages"] = traffic.network_messages;
    }
    job.write_json(json);
  }

  std::vector<Index> grid_;
  double radius_ = 0;
  Index bands_ = 1, repeats_ = 1;
  Options options_;
};

}  // namespace

}  // namespace weft::tools

int main(int argc, char** argv) {
  weft::tools::WavesProgram program;
  return weft::tools::run_program(program, argc, argv);
}
