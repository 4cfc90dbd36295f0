// weft-rival-fftw: times one forward plus one backward transform by FFTW-MPI on a simulated machine, as weft-bench does
// by Weft, and checks that the data come back.
#include <fftw3-mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <type_traits>
#include <vector>

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
    line.option("--kind", kind_, "c2c, r2c, or dst2: sines between walls along all axes (c2c)")
        .one_of({"c2c", "r2c", "dst2"})
        .type("");
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
    const Local local = local_part(job);
    const auto array = [&] { return Owned<fftw_complex>(fftw_alloc_complex(static_cast<std::size_t>(local.all))); };
    const Owned<fftw_complex> space = array(), given = array();
    const Owned<fftw_complex> other = in_place_ ? nullptr : array(), after = in_place_ ? nullptr : array();
    fftw_complex* const spectrum = in_place_ ? space.get() : other.get();
    fftw_complex* const back = in_place_ ? space.get() : after.get();

    MPI_Barrier(job.comm);
    const double began = MPI_Wtime();
    const OwnedPlan forward = plan(job, space.get(), spectrum, FFTW_FORWARD);
    const OwnedPlan backward = plan(job, spectrum, back, FFTW_BACKWARD);
    const double planning = job.max(MPI_Wtime() - began);

    std::vector<double> seconds;
    double error = 0;
    for (Index repeat = 0; repeat < repeats_; ++repeat) {
      for_each_number(local, [&](std::size_t i) {
        const auto x = static_cast<double>(i) + 1000.0 * job.rank;
        reals(space.get())[i] = reals(given.get())[i] = std::sin(12.9898 * x);
      });
      MPI_Barrier(job.comm);
      const double start = MPI_Wtime();
      for (std::ptrdiff_t at = 0; at < local.all; at += local.of_plan) {
        execute(forward.get(), FFTW_FORWARD, space.get() + at, spectrum + at);
      }
      for (std::ptrdiff_t at = 0; at < local.all; at += local.of_plan) {
        execute(backward.get(), FFTW_BACKWARD, spectrum + at, back + at);
      }
      seconds.push_back(job.max(MPI_Wtime() - start));
      const double scale =
          1 / (static_cast<double>(shape_[0]) * static_cast<double>(shape_[1] * shape_[2]) * (of_walls() ? 8 : 1));
      for_each_number(local, [&](std::size_t i) {
        error = std::max(error, std::abs(reals(back)[i] * scale - reals(given.get())[i]));
      });
    }
    error = job.max(error);
    report(job, seconds, error, planning, job.sum(static_cast<Index>(local.rows > 0)), forward.get());
    if (!detail::sizes_only() && error > 1e-13) {
      throw Error(text("the round trip is wrong: error %.3g, allowed is 1e-13", error));
    }
    return 0;
  }

 private:
  static constexpr Index most = Index{1} << 30;

  /// What a rank has of the fields, in FFTW's slabs.
  struct Local {
    std::ptrdiff_t rows = 0;  ///< along axis 2, of the fields of a plan
    std::ptrdiff_t row =
        0;  ///< real numbers in the memory of one; a row of a real field has some at its end that mean nothing
    std::ptrdiff_t meant = 0;    ///< real numbers of a row
    std::ptrdiff_t of_plan = 0;  ///< numbers of fftw_complex in the memory of the fields of a plan
    std::ptrdiff_t all = 0;      ///< those of all plans
  };

  bool real() const { return kind_ == "r2c"; }
  /// Real numbers at both ends.
  bool of_walls() const { return kind_ == "dst2"; }
  /// Fields of a plan.
  Index together() const { return one_by_one_ ? 1 : batch_; }
  static double* reals(fftw_complex* numbers) { return reinterpret_cast<double*>(numbers); }
  std::array<std::ptrdiff_t, 3> extents() const { return {shape_[0], shape_[1], shape_[2]}; }

  Local local_part(const Job& job) const {
    std::array<std::ptrdiff_t, 3> modes = extents();
    if (real()) modes[2] = modes[2] / 2 + 1;
    std::ptrdiff_t planes = 0, first = 0, lines = 0, first_line = 0;
    Local local;
    local.of_plan =
        fftw_mpi_local_size_many_transposed(3, modes.data(), together(), FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK,
                                            job.comm, &planes, &first, &lines, &first_line);
    if (of_walls()) local.of_plan = (local.of_plan + 1) / 2;
    local.all = local.of_plan * (batch_ / together());
    local.rows = planes * shape_[1];
    local.row = (of_walls() ? 1 : 2) * modes[2] * together();
    local.meant = real() ? shape_[2] * together() : local.row;
    return local;
  }

  /// Calls `work` with the place of every real number that means something.
  template <class F>
  static void for_each_number(const Local& local, F&& work) {
    for (std::ptrdiff_t field = 0; field < local.all; field += local.of_plan) {
      for (std::ptrdiff_t row = 0; row < local.rows; ++row) {
        for (std::ptrdiff_t i = 0; i < local.meant; ++i) {
          work(static_cast<std::size_t>(2 * field + row * local.row + i));
        }
      }
    }
  }

  OwnedPlan plan(const Job& job, fftw_complex* in, fftw_complex* out, int sign) const {
    const bool forward = sign == FFTW_FORWARD;
    const unsigned order = forward ? FFTW_MPI_TRANSPOSED_OUT : FFTW_MPI_TRANSPOSED_IN;
    const unsigned flags = FFTW_ESTIMATE | (destroy_ ? FFTW_DESTROY_INPUT : 0U) | (transposed_ ? order : 0U);
    const auto n = extents();
    constexpr std::ptrdiff_t any = FFTW_MPI_DEFAULT_BLOCK;
    const fftw_r2r_kind sines = forward ? FFTW_RODFT10 : FFTW_RODFT01;
    const std::array<fftw_r2r_kind, 3> walls{sines, sines, sines};
    OwnedPlan made(
        of_walls() ? fftw_mpi_plan_many_r2r(3, n.data(), together(), any, any, reals(in), reals(out), job.comm,
                                            walls.data(), flags)
        : !real()  ? fftw_mpi_plan_many_dft(3, n.data(), together(), any, any, in, out, job.comm, sign, flags)
        : forward  ? fftw_mpi_plan_many_dft_r2c(3, n.data(), together(), any, any, reals(in), out, job.comm, flags)
                   : fftw_mpi_plan_many_dft_c2r(3, n.data(), together(), any, any, in, reals(out), job.comm, flags));
    // FFTW-MPI's planner decides the same on all ranks.
    if (made == nullptr) {
      throw UsageError("FFTW-MPI has no plan for this with --transposition " + transposition_ +
                       (in_place_ ? " --in-place" : "") + (destroy_ ? " --destroy" : ""));
    }
    return made;
  }

  void execute(fftw_plan plan, int sign, fftw_complex* in, fftw_complex* out) const {
    if (of_walls()) {
      fftw_mpi_execute_r2r(plan, reals(in), reals(out));
    } else if (!real()) {
      fftw_mpi_execute_dft(plan, in, out);
    } else if (sign == FFTW_FORWARD) {
      fftw_mpi_execute_dft_r2c(plan, reals(in), out);
    } else {
      fftw_mpi_execute_dft_c2r(plan, in, reals(out));
    }
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
