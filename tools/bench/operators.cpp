// weft-operators: an operator beside the same in steps, by Weft's transforms and by FFTW-MPI's, in turns.
#include <dlfcn.h>
#include <fftw3.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "array.hpp"
#include "machine.hpp"
#include "operator_steps.hpp"
#include "program.hpp"
#include "weft/operator.hpp"

namespace weft::tools {

namespace {

using Complex = std::complex<double>;

/// One of those who are timed.
class Contestant {
 public:
  virtual ~Contestant() = default;
  virtual std::string name() const = 0;
  /// Its arrays: this rank's part of the field in rows of n2 numbers, so far apart.
  virtual double* input() = 0;
  virtual const double* output() = 0;
  virtual Index row() const = 0;
  virtual Box box() const = 0;
  /// From one field of the output to the next.
  virtual Index field() const = 0;
  virtual void run() = 0;
  /// The field is overwritten by every run.
  virtual bool destroys() const { return false; }
  /// By which its output is to be multiplied.
  virtual double scale() const { return 1; }
};

/// Of Weft: `Work` is the operator itself, or its steps.
template <class Work>
class ByWeft final : public Contestant {
 public:
  ByWeft(const char* name, const Problem& problem, const PointFunction<double>& function, const Options& options,
         MPI_Comm comm)
      : name_(name),
        work_(problem, {problem.precision, [&](auto) { return function; }}, comm, options),
        in_(work_.plan().input_size()),
        out_(work_.plan().output_size()) {}
  std::string name() const override { return name_; }
  double* input() override { return in_.data(); }
  const double* output() override { return out_.data(); }
  Index row() const override { return work_.plan().problem().shape[2]; }
  Box box() const override { return work_.plan().input_box(); }
  Index field() const override { return work_.plan().output_size() / work_.plan().outputs(); }
  void run() override { work_.execute(in_.data(), out_.data()); }

 private:
  const char* name_;
  Work work_;
  Array<double> in_, out_;
};

/// FFTW-MPI, where it is installed for the MPI library that this program has.
struct FftwMpi {
  static const FftwMpi* find() {
#ifdef OPEN_MPI
    static const FftwMpi library;
    return library.ready ? &library : nullptr;
#else
    return nullptr;  // Debian's is Open MPI's
#endif
  }
  static constexpr unsigned transposed_in = 1U << 29, transposed_out = 1U << 30;
  std::ptrdiff_t (*local_size)(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, MPI_Comm, std::ptrdiff_t*,
                               std::ptrdiff_t*, std::ptrdiff_t*, std::ptrdiff_t*) = nullptr;
  fftw_plan (*r2c)(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, double*, fftw_complex*, MPI_Comm,
                   unsigned) = nullptr;
  fftw_plan (*c2r)(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, fftw_complex*, double*, MPI_Comm,
                   unsigned) = nullptr;
  bool ready = false;

 private:
  FftwMpi() {
    void* const library = dlopen("libfftw3_mpi.so.3", RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) return;
    const auto get = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    void (*init)() = nullptr;
    ready = get(init, "fftw_mpi_init") && get(local_size, "fftw_mpi_local_size_3d_transposed") &&
            get(r2c, "fftw_mpi_plan_dft_r2c_3d") && get(c2r, "fftw_mpi_plan_dft_c2r_3d");
    if (ready) init();
  }
};

class ByFftw final : public Contestant {
 public:
  ByFftw(const Problem& problem, const PointFunction<double>& function, bool in_place, unsigned effort, MPI_Comm comm)
      : library_(*FftwMpi::find()),
        plan_(problem, function.at, function.inputs, function.outputs, {}, 1),
        function_(function),
        in_place_(in_place),
        fields_(function.outputs) {
    const auto [n0, n1, n2] = Shape(problem.shape);
    half_ = n2 / 2 + 1;
    std::ptrdiff_t planes = 0, first = 0;
    size_ = library_.local_size(n0, n1, half_, comm, &planes, &first, &rows_, &first_row_);
    box_ = {{first, 0, 0}, {first + planes, n1, n2}};
    in_.emplace(2 * size_);
    if (!in_place) spectrum_.emplace(size_);
    if (fields_ > 1) spectra_.emplace(fields_ * size_);
    if (!in_place || fields_ > 1) out_.emplace(2 * size_ * fields_);
    ahead_ = library_.r2c(n0, n1, n2, in_->data(), raw(spectrum()), comm, effort | FftwMpi::transposed_out);
    for (Index field = 0; field < fields_; ++field) {
      Complex* const from = spectra_ ? spectra_->data() + field * size_ : spectrum();
      double* const to = in_place_ ? reinterpret_cast<double*>(from) : out_->data() + 2 * field * size_;
      back_.push_back(library_.c2r(n0, n1, n2, raw(from), to, comm, effort | FftwMpi::transposed_in));
    }
  }
  ByFftw(const ByFftw&) = delete;
  ByFftw& operator=(const ByFftw&) = delete;
  ~ByFftw() override {
    fftw_destroy_plan(ahead_);
    for (const fftw_plan plan : back_) fftw_destroy_plan(plan);
  }
  std::string name() const override { return in_place_ ? "FFTW-MPI, in place" : "FFTW-MPI"; }
  double* input() override { return in_->data(); }
  const double* output() override {
    if (!in_place_) return out_->data();
    return spectra_ ? reinterpret_cast<const double*>(spectra_->data()) : in_->data();
  }
  Index row() const override { return 2 * half_; }
  Box box() const override { return box_; }
  Index field() const override { return 2 * size_; }
  bool destroys() const override { return true; }
  /// What programs make part of their function.
  double scale() const override {
    double scale = 1;
    for (const Index n : plan_.problem().shape) scale /= static_cast<double>(n);
    return scale;
  }
  void run() override {
    fftw_execute(ahead_);
    const Index n0 = plan_.problem().shape[0];
    const Box here{{0, first_row_, 0}, {n0, first_row_ + rows_, half_}};
    std::vector<Complex*> to;
    for (Index field = 0; field < fields_; ++field) {
      to.push_back(spectra_ ? spectra_->data() + field * size_ : spectrum());
    }
    // [axis 1][axis 0][axis 2]
    if (rows_ > 0) {
      apply_to_arrays<double, Complex>(function_, plan_, here, {half_, n0 * half_, 1}, {spectrum()}, to);
    }
    for (const fftw_plan plan : back_) fftw_execute(plan);
  }

 private:
  static fftw_complex* raw(Complex* numbers) { return reinterpret_cast<fftw_complex*>(numbers); }
  Complex* spectrum() { return spectrum_ ? spectrum_->data() : reinterpret_cast<Complex*>(in_->data()); }

  const FftwMpi& library_;
  OperatorPlan plan_;  ///< for the wave numbers
  PointFunction<double> function_;
  bool in_place_;
  Index fields_;
  Index half_ = 0, size_ = 0;
  std::ptrdiff_t rows_ = 0, first_row_ = 0;
  Box box_;
  std::optional<Array<double>> in_, out_;
  std::optional<Array<Complex>> spectrum_, spectra_;
  fftw_plan ahead_ = nullptr;
  std::vector<fftw_plan> back_;
};

/// `function`, which counts its calls. (Not inlined: what the compiler knows of the result is that it can be called.)
[[gnu::noinline]] PointFunction<double> counted(PointFunction<double> function, std::atomic<Index>& calls) {
  function.of_complex = [of_tile = std::move(function.of_complex), &calls](const PointTile<Complex>& tile) {
    ++calls;
    of_tile(tile);
  };
  return function;
}

/// Seconds of a call that does nothing, the tile that it gets included.
double seconds_of_call() {
  constexpr int most = 1 << 20;
  std::atomic<Index> calls = 0;
  const PointFunction<double> nothing =
      counted(PointFunction<double>::at_wavenumbers(1, 1, [](const PointTile<Complex>&) {}), calls);
  const double start = MPI_Wtime();
  for (int i = 0; i < most; ++i) {
    PointTile<Complex> tile;
    tile.box = {{i, 0, 0}, {i + 1, 1, 1}};
    nothing.of_complex(tile);
  }
  return (MPI_Wtime() - start) / most;
}

double quantile(std::vector<double> values, double part) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

class Operators final : public Program {
 public:
  std::string name() const override { return "weft-operators"; }
  std::string description() const override {
    return "Times an operator (a real field to its potential, or to its gradient) and the same in steps: forward, a "
           "function of the wave number, backward, by Weft and by FFTW-MPI where it is installed. All take turns, and "
           "must give the same field.";
  }

  void declare(CommandLine& line, Job& job) override {
    line.option("--shape", shape_, "Points along each axis (128 128 128)").values(3).range(1, 1 << 20).type("N");
    line.option("--operator", operator_, "What is computed (poisson)").one_of({"poisson", "gradient"});
    line.option("--rounds", rounds_, "Turns of each (31)").range(1, 1000000).type("N");
    line.option("--fftw-effort", effort_, "How FFTW-MPI plans (measure)").one_of({"estimate", "measure", "patient"});
    declare_options(line, options_);
    job.declare_outputs(line, false);
  }

  int run(Job& job) override {
    const Shape shape{shape_[0], shape_[1], shape_[2]};
    const Problem problem{.shape = shape, .kind = Kind::r2c};
    const auto function = operator_ == "poisson" ? inverse_laplacian<double>(problem) : gradient<double>();
    const Index fields = function.outputs;
    require_memory(job, 16 * (12 + 10 * fields) / 2 * shape[0] * shape[1] * (shape[2] / 2 + 1) / job.ranks,
                   "The fields");
    std::vector<std::unique_ptr<Contestant>> all;
    all.push_back(
        std::make_unique<ByWeft<bindings::UntypedOperator>>("Weft, operator", problem, function, options_, job.comm));
    all.push_back(std::make_unique<ByWeft<OperatorSteps>>("Weft, in steps", problem, function, options_, job.comm));
    if (FftwMpi::find() != nullptr) {
      const unsigned effort = effort_ == "estimate"  ? FFTW_ESTIMATE
                              : effort_ == "measure" ? FFTW_MEASURE
                                                     : FFTW_PATIENT;
      for (const bool in_place : {false, true}) {
        all.push_back(std::make_unique<ByFftw>(problem, function, in_place, effort, job.comm));
      }
    } else {
      job.progress("FFTW-MPI was not found, and is left out (apt install libfftw3-mpi3; for Open MPI)");
    }
    std::vector<double> first;
    for (auto& one : all) require_same(*one, fields, shape, first, job);
    std::vector<std::vector<double>> seconds(all.size());
    for (int round = 0; round < rounds_; ++round) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::size_t turn = (i + static_cast<std::size_t>(round)) % all.size();
        if (all[turn]->destroys()) fill(*all[turn], shape);
        MPI_Barrier(job.comm);
        const double start = MPI_Wtime();
        all[turn]->run();
        seconds[turn].push_back(job.max(MPI_Wtime() - start));
      }
    }
    std::atomic<Index> calls = 0;
    bindings::UntypedOperator once(problem, {problem.precision, [&](auto) { return counted(function, calls); }},
                                   job.comm, options_);
    Array<double> in(once.plan().input_size()), out(once.plan().output_size());
    std::fill(in.begin(), in.end(), 0.0);
    once.execute(in.data(), out.data());
    report(all, seconds, shape, job.max(Index{calls}), job);
    return 0;
  }

 private:
  /// A field of mean 0, smooth enough to compare.
  static void fill(Contestant& one, const Shape& shape) {
    const Box box = one.box();
    double* row = one.input();
    const auto phase = [&](Index i, std::size_t axis) {
      return 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(shape[axis]);
    };
    for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
      for (Index j = 0; j < shape[1]; ++j, row += one.row()) {
        const double a = std::sin(phase(i, 0)), b = std::cos(2 * phase(j, 1));
        for (Index k = 0; k < shape[2]; ++k) row[k] = a + b * static_cast<double>(k % 7 - 3) / 3;
      }
    }
  }

  static void require_same(Contestant& one, Index fields, const Shape& shape, std::vector<double>& first,
                           const Job& job) {
    fill(one, shape);
    one.run();
    // FFTW may deal other planes than Weft: sums over planes that both have, all ranks together.
    std::vector<double> sums(static_cast<std::size_t>(fields * shape[0]));
    const Box box = one.box();
    for (Index field = 0; field < fields; ++field) {
      const double* row = one.output() + field * one.field();
      for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
        double& sum = sums[static_cast<std::size_t>(field * shape[0] + i)];
        for (Index j = 0; j < shape[1]; ++j, row += one.row()) {
          for (Index k = 0; k < shape[2]; ++k) sum += row[k] * (1 + static_cast<double>((j + 2 * k) % 5));
        }
      }
    }
    for (double& sum : sums) sum = job.sum(sum) * one.scale();
    if (first.empty()) first = sums;
    double largest = 0, worst = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      largest = std::max(largest, std::abs(first[i]));
      worst = std::max(worst, std::abs(first[i] - sums[i]));
    }
    if (worst > 1e-9 * largest) throw Error(text("%s computes another field than the operator", one.name().c_str()));
  }

  void report(const std::vector<std::unique_ptr<Contestant>>& all, const std::vector<std::vector<double>>& seconds,
              const Shape& shape, Index calls, const Job& job) const {
    std::string table = text("%s of a real field, %s, %d rank%s, median of %d turns\n\n%-20s %12s %12s %22s\n",
                             operator_.c_str(), to_string(shape).c_str(), job.ranks, job.ranks == 1 ? "" : "s", rounds_,
                             "by", "ms", "the best 10th", "times the operator's");
    Json list = Json::list();
    for (std::size_t i = 0; i < all.size(); ++i) {
      // Of the ratios of each round, which load disturbs less than the times themselves.
      std::vector<double> ratios;
      for (std::size_t r = 0; r < seconds[i].size(); ++r) ratios.push_back(seconds[i][r] / seconds[0][r]);
      table += text("%-20s %12.3f %12.3f %22.2f\n", all[i]->name().c_str(), 1e3 * quantile(seconds[i], 0.5),
                    1e3 * quantile(seconds[i], 0.1), quantile(ratios, 0.5));
      list.push_back({{"by", all[i]->name()},
                      {"seconds", quantile(seconds[i], 0.5)},
                      {"seconds_best_tenth", quantile(seconds[i], 0.1)},
                      {"ratio", quantile(ratios, 0.5)}});
    }
    const double call = job.max(seconds_of_call()),
                 part = static_cast<double>(calls) * call / quantile(seconds[0], 0.5);
    table += text("\nThe function is called for %lld tiles on a rank, %.0f ns each: %.3f %% of the operator's time.\n",
                  static_cast<long long>(calls), 1e9 * call, 100 * part);
    const Site site(job);
    job.print(text("\n%s%s", site.header().c_str(), table.c_str()));
    Json json{{"operator", operator_}, {"shape", shape}, {"ranks", job.ranks}, {"results", list}};
    json["tiles"] = {{"calls", calls}, {"seconds_of_call", call}, {"part", part}};
    site.add_to(json);
    job.write_json(json);
  }

  std::vector<Index> shape_{128, 128, 128};
  std::string operator_ = "poisson", effort_ = "measure";
  int rounds_ = 31;
  Options options_;
};

}  // namespace

}  // namespace weft::tools

int main(int argc, char** argv) {
  weft::tools::Operators program;
  return weft::tools::run_program(program, argc, argv);
}
