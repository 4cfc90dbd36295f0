// weft-rival-spfft: times transforms of a sphere of plane waves by SpFFT on a simulated machine, as weft-waves does by
// Weft: the same waves, columns and planes. Checks that the waves come back.
#include <mpi.h>
#include <spfft/spfft.h>
#include <spfft/spfft.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <tuple>
#include <vector>

#include "base/simulation.hpp"
#include "program.hpp"
#include "rival_spfft.hpp"
#include "weft/sphere.hpp"

namespace weft::tools {

namespace {

using Complex = std::complex<double>;

double* reals(Complex* numbers) { return reinterpret_cast<double*>(numbers); }

class Rival final : public Program {
 public:
  std::string name() const override { return "weft-rival-spfft"; }
  std::string description() const override {
    return "Times the transforms of a sphere of plane waves to space and back by SpFFT (double, complex, one thread) "
           "on a "
           "simulated machine, and checks them.";
  }

  void declare(CommandLine& line, Job& job) override {
    constexpr Index most = Index{1} << 20;
    line.option("--shape", grid_, "Grid: n_x n_y n_z").required().values(3).range(Index{1}, most).type("");
    line.option("--radius", radius_, "Radius of the sphere in grid units of G").required().type("R");
    line.option("--bands", bands_, "Bands (1)").range(Index{1}, most).type("N");
    line.flag("--one-by-one", one_by_one_,
              "A transform of one band, executed for each; without, its multi-transform of all");
    line.option("--exchange", exchange_,
                "buffered (MPI_Alltoall), compact (MPI_Alltoallv) or unbuffered (MPI_Alltoallw) "
                "(compact, SpFFT's default)")
        .one_of({"buffered", "compact", "unbuffered"})
        .type("");
    line.flag("--beside-weft", beside_weft_, "Also compare what arrives in space with what Weft brings there");
    job.declare_outputs(line, false);
  }

  int run(Job& job) override {
    Cutoff cutoff{.energy = radius_ * radius_ / 2};
    for (std::size_t axis = 0; axis < 3; ++axis) cutoff.lattice[axis][axis] = 2 * std::numbers::pi;
    const auto all = plane_waves(cutoff);
    const auto dealt = deal_columns(all, job.ranks);
    const auto& waves = dealt[static_cast<std::size_t>(job.rank)];
    const SphereProblem problem{.grid = {grid_[0], grid_[1], grid_[2]}, .howmany = bands_};
    const SpherePlan weft(problem, dealt, planes(job), {}, job.rank);
    charge_for({static_cast<double>(weft.all_columns()), static_cast<double>(all.size()), exchange_ != "unbuffered"});

    const auto makes = static_cast<std::size_t>(one_by_one_ ? 1 : bands_);
    std::vector<spfft::Transform> made;
    for (std::size_t i = 0; i < makes; ++i) made.push_back(make(job, waves, weft.space_box().extent(0)));

    const auto bands = static_cast<std::size_t>(bands_), points = static_cast<std::size_t>(weft.space_size());
    std::vector<Complex> given(bands * waves.size()), back(given.size()), space(bands * points);
    for (std::size_t i = 0; i < given.size(); ++i)
      given[i] = {std::sin(static_cast<double>(i + 1)), 1.0 / (1 + job.rank)};
    std::vector<const double*> from(bands);
    std::vector<double*> middle(bands), to(bands);
    for (std::size_t band = 0; band < bands; ++band) {
      from[band] = reals(given.data() + band * waves.size());
      middle[band] = reals(space.data() + band * points);
      to[band] = reals(back.data() + band * waves.size());
    }
    const auto timed = [&](auto&& work) {
      MPI_Barrier(job.comm);
      const double start = MPI_Wtime();
      work();
      return job.max(MPI_Wtime() - start);
    };
    const double backward = timed([&] { to_space(made, from, middle); });
    const double difference = beside_weft_ ? beside(job, problem, waves, given, space) : 0;
    const double forward = timed([&] { to_waves(made, middle, to); });
    made.clear();

    const auto numbers = static_cast<double>(grid_[0] * grid_[1] * grid_[2]);
    double error = 0;
    for (std::size_t i = 0; i < given.size(); ++i) error = std::max(error, std::abs(back[i] / numbers - given[i]));
    error = job.max(error);
    report(job, weft, backward, forward, error, difference);
    if (!detail::sizes_only() && !(std::max(error, difference) <= 1e-12)) {
      throw Error(text("SpFFT is wrong: error of the round trip %.3g, in space beside Weft %.3g, allowed is 1e-12",
                       error, difference));
    }
    return 0;
  }

 private:
  /// SpFFT divides space by planes.
  static Options planes(const Job& job) {
    Options options;
    options.process_grid = {job.ranks, 1};
    return options;
  }

  /// By the interface for C, since that for C++ has Open MPI's types in the names of its functions. What it makes is an
  /// object of the other, and only that one can transform several at once (its interface for C says that a host has no
  /// GPU).
  spfft::Transform make(const Job& job, const std::vector<GVector>& waves, Index planes) const {
    std::vector<int> indices;
    for (const GVector& wave : waves) {
      for (const Index index : wave) indices.push_back(static_cast<int>(index));
    }
    const SpfftExchangeType type = exchange_ == "buffered"  ? SPFFT_EXCH_BUFFERED
                                   : exchange_ == "compact" ? SPFFT_EXCH_COMPACT_BUFFERED
                                                            : SPFFT_EXCH_UNBUFFERED;
    SpfftTransform handle = nullptr;
    const SpfftError code = spfft_transform_create_independent_distributed(
        &handle, 1, job.comm, type, SPFFT_PU_HOST, SPFFT_TRANS_C2C, static_cast<int>(grid_[0]),
        static_cast<int>(grid_[1]), static_cast<int>(grid_[2]), static_cast<int>(planes),
        static_cast<int>(waves.size()), SPFFT_INDEX_TRIPLETS, indices.data());
    if (code != SPFFT_SUCCESS) throw Error(text("SpFFT makes no transform: code %d", static_cast<int>(code)));
    spfft::Transform made = *static_cast<spfft::Transform*>(handle);
    spfft_transform_destroy(handle);
    return made;
  }

  void to_space(std::vector<spfft::Transform>& made, const std::vector<const double*>& from,
                const std::vector<double*>& space) const {
    if (!one_by_one_) {
      spfft::multi_transform_backward(static_cast<int>(made.size()), made.data(), from.data(), space.data());
      return;
    }
    for (std::size_t band = 0; band < from.size(); ++band) made[0].backward(from[band], space[band]);
  }

  void to_waves(std::vector<spfft::Transform>& made, const std::vector<double*>& space,
                const std::vector<double*>& to) const {
    if (!one_by_one_) {
      const std::vector<SpfftScalingType> scalings(made.size(), SPFFT_NO_SCALING);
      spfft::multi_transform_forward(static_cast<int>(made.size()), made.data(), space.data(), to.data(),
                                     scalings.data());
      return;
    }
    for (std::size_t band = 0; band < to.size(); ++band) made[0].forward(space[band], to[band], SPFFT_NO_SCALING);
  }

  /// The largest difference in space, relative to the largest number there.
  double beside(const Job& job, const SphereProblem& problem, const std::vector<GVector>& waves,
                const std::vector<Complex>& given, const std::vector<Complex>& space) const {
    SphereTransform<double> sphere(problem, waves, job.comm, planes(job));
    std::vector<Complex> wanted(space.size());
    sphere.backward(given.data(), wanted.data());
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < space.size(); ++i) {
      largest = std::max(largest, std::abs(wanted[i]));
      difference = std::max(difference, std::abs(wanted[i] - space[i]));
    }
    return job.max(difference) / job.max(largest);
  }

  void report(const Job& job, const SpherePlan& weft, double backward, double forward, double error,
              double difference) const {
    Json json{{"grid", grid_},
              {"radius", radius_},
              {"bands", bands_},
              {"ranks", job.ranks},
              {"columns", weft.all_columns()},
              {"strategy", "spfft " + exchange_ + (one_by_one_ ? " one by one" : "")},
              {"error", error},
              {"backward", {{"seconds", backward}}},
              {"forward", {{"seconds", forward}}}};
    if (beside_weft_) json["difference"] = difference;
    job.print(text("SpFFT, %s: backward %.6f ms, forward %.6f ms, error %.1e\n", exchange_.c_str(), 1e3 * backward,
                   1e3 * forward, error));
    job.write_json(json);
  }

  std::vector<Index> grid_;
  double radius_ = 0;
  Index bands_ = 1;
  std::string exchange_ = "compact";
  bool one_by_one_ = false, beside_weft_ = false;
};

}  // namespace

}  // namespace weft::tools

int main(int argc, char** argv) {
  weft::tools::Rival program;
  return weft::tools::run_program(program, argc, argv);
}
