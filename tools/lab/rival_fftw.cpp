// weft-rival-fftw: times one forward plus one backward transform by FFTW-MPI on a simulated machine, as weft-bench does
// by Weft, and checks that the data come back.
#include <fftw3-mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>
#include <span>

#include "base/simulation.hpp"
#include "program.hpp"
#include "rival_plans.hpp"

namespace weft::tools {

namespace {

template <class T>
struct Freed {
  void operator()(T* array) const { fftw_free(array); }
};
template <class T>
using Owned = std::unique_ptr<T[], Freed<T>>;

struct DestroyPlan {
  void operator()(fftw_plan plan) const { fftw_destroy_plan(plan); }
};
using OwnedPlan = std::unique_ptr<std::remove_pointer_t<fftw_plan>, DestroyPlan>;

class Rival final : public Program {
 public:
  std::string name() const override { return "weft-rival-fftw"; }
  std::string description() const override {
    return "Times one forward plus one backward 3-D FFT by FFTW-MPI (double, plans by FFTW_ESTIMATE) on a simulated "
           "machine, and checks that the data come back.";
  }

  void declare(CommandLine& line, Job& job) override {
    line.option("--shape", shape_, "Grid, axis 2 the fastest").required().values(3).range(Index{1}, most).type("");
    line.option("--kind", kind_, "c2c or r2c (c2c)").one_of({"c2c", "r2c"}).type("");
    line.option("--batch", batch_, "Fields (1)").range(Index{1}, most).type("N");
    line.flag("--one-by-one", one_by_one_,
              "A plan of one field, executed for each; without, one plan of all, interleaved");
    line.flag("--transposed", transposed_, "The spectrum stays transposed");
    line.flag("--in-place", in_place_, "In one array");
    line.flag("--destroy", destroy_, "The plans may destroy their inputs");
    line.option("--transposition", transposition_, "any (as FFTW estimates), alltoall, pairwise or recurse (any)")
        .one_of({"any", "alltoall", "pairwise", "recurse"})
        .type("");
    line.option("--repeats", repeats_, "Timed repetitions (1)").range(Index{1}, most).type("N");
    job.declare_outputs(line, false);
  }

  int run(Job& job) override {
    allow_transposition(transposition_);
    fftw_mpi_init();
    const bool real = kind_ == "r2c";
    std::array<std::ptrdiff_t, 3> n{}, modes{};
    std::copy(shape_.begin(), shape_.end(), n.begin());
    modes = n;
    if (real) modes[2] = n[2] / 2 + 1;
    const Index together = one_by_one_ ? 1 : batch_, times = one_by_one_ ? batch_ : 1;
    std::ptrdiff_t planes = 0, first = 0, lines = 0, first_line = 0;
    const std::ptrdiff_t numbers =
        fftw_mpi_local_size_many_transposed(3, modes.data(), together, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK,
                                            job.comm, &planes, &first, &lines, &first_line);
    const auto array = [&] {
      return Owned<fftw_complex>(fftw_alloc_complex(static_cast<std::size_t>(numbers * times)));
    };
    const Owned<fftw_complex> space = array(), given = array();
    const Owned<fftw_complex> other = in_place_ ? nullptr : array(), after = in_place_ ? nullptr : array();
    fftw_complex *const spectrum = in_place_ ? space.get() : other.get(), *const back =
                                                                              in_place_ ? space.get() : after.get();
    const auto reals = [](fftw_complex* array_of) { return reinterpret_cast<double*>(array_of); };

    MPI_Barrier(job.comm);
    const double began = MPI_Wtime();
    const unsigned flags = FFTW_ESTIMATE | (destroy_ ? FFTW_DESTROY_INPUT : 0U);
    const unsigned there = flags | (transposed_ ? FFTW_MPI_TRANSPOSED_OUT : 0U);
    const unsigned home = flags | (transposed_ ? FFTW_MPI_TRANSPOSED_IN : 0U);
    constexpr std::ptrdiff_t any = FFTW_MPI_DEFAULT_BLOCK;
    const OwnedPlan forward(real ? fftw_mpi_plan_many_dft_r2c(3, n.data(), together, any, any, reals(space.get()),
                                                              spectrum, job.comm, there)
                                 : fftw_mpi_plan_many_dft(3, n.data(), together, any, any, space.get(), spectrum,
                                                          job.comm, FFTW_FORWARD, there));
    const OwnedPlan backward(
        real ? fftw_mpi_plan_many_dft_c2r(3, n.data(), together, any, any, spectrum, reals(back), job.comm, home)
             : fftw_mpi_plan_many_dft(3, n.data(), together, any, any, spectrum, back, job.comm, FFTW_BACKWARD, home));
    // FFTW-MPI's planner is the same on all ranks.
    if (forward == nullptr || backward == nullptr) {
      throw UsageError("FFTW-MPI has no plan for this with --transposition " + transposition_ +
                       (in_place_ ? " --in-place" : "") + (destroy_ ? " --destroy" : ""));
    }
    const double planning = job.max(MPI_Wtime() - began);

    // Rows of a real field have numbers more at their end, which mean nothing.
    const auto local = static_cast<std::size_t>(planes * n[1]), row = static_cast<std::size_t>(modes[2] * 2 * together);
    const std::size_t meant = real ? static_cast<std::size_t>(n[2] * together) : row;
    const auto each = [&](auto&& work) {
      for (Index field = 0; field < times; ++field) {
        for (std::size_t line = 0; line < local; ++line) {
          const std::size_t at = static_cast<std::size_t>(2 * field * numbers) + line * row;
          for (std::size_t i = 0; i < meant; ++i) work(at + i);
        }
      }
    };
    std::vector<double> seconds;
    double error = 0;
    for (Index repeat = 0; repeat < repeats_; ++repeat) {
      each([&](std::size_t i) {
        const auto x = static_cast<double>(i) + 1000.0 * job.rank;
        reals(space.get())[i] = reals(given.get())[i] = std::sin(12.9898 * x);
      });
      MPI_Barrier(job.comm);
      const double start = MPI_Wtime();
      for (Index field = 0; field < times; ++field) {
        const std::ptrdiff_t at = field * numbers;
        execute(forward.get(), real ? 1 : 0, space.get() + at, spectrum + at);
      }
      for (Index field = 0; field < times; ++field) {
        const std::ptrdiff_t at = field * numbers;
        execute(backward.get(), real ? -1 : 0, spectrum + at, back + at);
      }
      seconds.push_back(job.max(MPI_Wtime() - start));
      const double scale = 1 / (static_cast<double>(n[0]) * static_cast<double>(n[1]) * static_cast<double>(n[2]));
      each([&](std::size_t i) { error = std::max(error, std::abs(reals(back)[i] * scale - reals(given.get())[i])); });
    }
    error = job.max(error);
    report(job, seconds, error, planning, job.sum(static_cast<Index>(planes > 0)), forward.get());
    if (!detail::sizes_only() && error > 1e-13) {
      throw Error(text("the round trip is wrong: error %.3g, allowed is 1e-13", error));
    }
    return 0;
  }

 private:
  static constexpr Index most = Index{1} << 30;

  /// `real`: 1 to the spectrum of a real field, -1 back, 0 complex.
  static void execute(fftw_plan plan, int real, fftw_complex* in, fftw_complex* out) {
    if (real > 0) fftw_mpi_execute_dft_r2c(plan, reinterpret_cast<double*>(in), out);
    if (real < 0) fftw_mpi_execute_dft_c2r(plan, in, reinterpret_cast<double*>(out));
    if (real == 0) fftw_mpi_execute_dft(plan, in, out);
  }

  void report(const Job& job, std::vector<double> seconds, double error, double planning, Index working,
              fftw_plan forward) const {
    const std::unique_ptr<char, void (*)(char*)> plan(fftw_sprint_plan(forward), [](char* words) { fftw_free(words); });
    Json json{{"shape", shape_},          {"kind", kind_},
              {"precision", "double"},    {"batch", batch_},
              {"ranks", job.ranks},       {"strategy", "fftw-mpi " + transposition_},
              {"error", error},           {"planning_seconds", planning},
              {"repeats", repeats_},      {"all_seconds", seconds},
              {"working_ranks", working}, {"plan", std::string(plan.get())}};
    std::sort(seconds.begin(), seconds.end());
    const double median = (seconds[(seconds.size() - 1) / 2] + seconds[seconds.size() / 2]) / 2;
    json["seconds"] = {{"min", seconds.front()}, {"median", median}, {"max", seconds.back()}};
    job.print(text("FFTW-MPI, %s: %.6f ms, %lld of %d ranks have planes, error %.1e\n", transposition_.c_str(),
                   1e3 * median, static_cast<long long>(working), job.ranks, error));
    job.write_json(json);
  }

  std::vector<Index> shape_;
  std::string kind_ = "c2c", transposition_ = "any";
  Index batch_ = 1, repeats_ = 1;
  bool one_by_one_ = false, transposed_ = false, in_place_ = false, destroy_ = false;
};

}  // namespace

}  // namespace weft::tools

int main(int argc, char** argv) {
  weft::tools::Rival program;
  return weft::tools::run_program(program, argc, argv);
}
