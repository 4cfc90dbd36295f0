// A time step of examples/turbulence, with the products of each stage taken by Weft's operator, by Weft's transforms
// apart, and by FFTW-MPI's, interleaved:
//
//   mpiexec -n 2 weft-race-turbulence [n=128] [rounds=11]
//
// The rest of a step is the same code for all. A turn is a step that is not timed and one that is, after a barrier, on
// the slowest rank; ratios are of the same round.
#include <fftw3-mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "../examples/turbulence/flow.hpp"

namespace {

using namespace turbulence;

/// a x b for rows of n numbers, of which a has the first three, into three rows: the same row of six fields.
void cross_rows(const std::array<const double*, 6>& u, const std::array<double*, 3>& out, Index n) {
  for (Index k = 0; k < n; ++k) {
    const double x = u[1][k] * u[5][k] - u[2][k] * u[4][k], y = u[2][k] * u[3][k] - u[0][k] * u[5][k],
                 z = u[0][k] * u[4][k] - u[1][k] * u[3][k];
    out[0][k] = x;
    out[1][k] = y;
    out[2][k] = z;
  }
}

void cross_fields(const double* in, Index in_field, double* out, Index out_field, Index rows, Index row, Index n) {
  for (Index r = 0; r < rows; ++r) {
    std::array<const double*, 6> u{};
    std::array<double*, 3> to{};
    for (Index c = 0; c < 6; ++c) u[static_cast<std::size_t>(c)] = in + c * in_field + r * row;
    for (Index c = 0; c < 3; ++c) to[static_cast<std::size_t>(c)] = out + c * out_field + r * row;
    cross_rows(u, to, n);
  }
}

/// Weft's transforms, with all fields in one call, and the fields in space in memory.
Product apart_product(const weft::Shape& shape, MPI_Comm comm) {
  const auto transform = [&](Index fields) {
    weft::Options options;
    options.transposed = true;
    return std::make_shared<weft::Transform<double>>(weft::Problem{.shape = shape,
                                                                   .kind = weft::Kind::r2c,
                                                                   .modes = kept_modes(shape),
                                                                   .batch = fields,
                                                                   .normalization = weft::Normalization::forward},
                                                     comm, options);
  };
  const auto six = transform(6), three = transform(3);
  const auto space = std::make_shared<std::vector<double>>(static_cast<std::size_t>(six->input_size()));
  const weft::Box box = six->output_box();
  return {.modes = kept_modes(shape),
          .box = box,
          .strides = {box.extent(1) * box.extent(2), box.extent(2), 1},
          .points = box.count(),
          .run = [=, row = shape[2]](Complex* in, Complex* out) {
            six->backward(in, space->data());
            const Index points = six->input_box().count();
            cross_fields(space->data(), points, space->data(), points, points / row, row, row);
            three->forward(space->data(), out);
          }};
}

/// FFTW-MPI's, transposed, field by field. Its spectra have all modes, of which Flow leaves those of the 2/3 rule at 0.
/// It destroys the spectra that it takes to space, so that these must be set to 0 again.
class Fftw {
 public:
  Fftw(const weft::Shape& shape, MPI_Comm comm, bool in_place) : shape_(shape), in_place_(in_place) {
    const ptrdiff_t n0 = shape[0], n1 = shape[1], n2 = shape[2], half = n2 / 2 + 1;
    const ptrdiff_t most =
        fftw_mpi_local_size_3d_transposed(n0, n1, half, comm, &planes_, &first_plane_, &columns_, &first_column_);
    points_ = most;
    a_ = fftw_alloc_complex(static_cast<std::size_t>(most));
    b_ = in_place ? a_ : fftw_alloc_complex(static_cast<std::size_t>(most));
    if (!in_place) space_ = fftw_alloc_real(static_cast<std::size_t>(6 * 2 * most));
    to_ = fftw_mpi_plan_dft_c2r_3d(n0, n1, n2, a_, reinterpret_cast<double*>(b_), comm,
                                   FFTW_MEASURE | FFTW_DESTROY_INPUT | FFTW_MPI_TRANSPOSED_IN);
    from_ = fftw_mpi_plan_dft_r2c_3d(n0, n1, n2, reinterpret_cast<double*>(b_), a_, comm,
                                     FFTW_MEASURE | FFTW_DESTROY_INPUT | FFTW_MPI_TRANSPOSED_OUT);
  }

  weft::Box box() const {
    weft::Box box;
    box.lo = {0, first_column_, 0};
    box.hi = {shape_[0], first_column_ + columns_, shape_[2] / 2 + 1};
    return box;
  }
  Index points() const { return points_; }

  void run(Complex* in, Complex* out) {
    const auto fftw = [](Complex* x) { return reinterpret_cast<fftw_complex*>(x); };
    double* const space = in_place_ ? reinterpret_cast<double*>(in) : space_;
    for (Index c = 0; c < 6; ++c) fftw_mpi_execute_dft_c2r(to_, fftw(in + c * points_), space + c * 2 * points_);
    const Index row = 2 * (shape_[2] / 2 + 1);
    double* const product = in_place_ ? reinterpret_cast<double*>(out) : space_;
    cross_fields(space, 2 * points_, product, 2 * points_, planes_ * shape_[1], row, shape_[2]);
    const double scale = 1 / static_cast<double>(shape_[0] * shape_[1] * shape_[2]);
    for (Index c = 0; c < 3; ++c) {
      // Scaled here, where the plane that was written last may still be in cache.
      double* const field = product + c * 2 * points_;
      for (Index i = 0; i < planes_ * shape_[1] * row; ++i) field[i] *= scale;
      fftw_mpi_execute_dft_r2c(from_, field, fftw(out + c * points_));
    }
    clear(in);
  }

 private:
  void clear(Complex* in) const {
    const Index half = shape_[2] / 2 + 1;
    const auto kept = [](Index i, Index n) { return 3 * std::min(i, n - i) < n; };
    const Index along = (shape_[2] + 2) / 3;  // those that are kept
    for (Index c = 0; c < 6; ++c) {
      for (Index j = 0; j < columns_; ++j) {
        for (Index i = 0; i < shape_[0]; ++i) {
          Complex* const row = in + c * points_ + (j * shape_[0] + i) * half;
          const bool some = kept(i, shape_[0]) && kept(first_column_ + j, shape_[1]);
          std::fill(row + (some ? along : 0), row + half, Complex(0));
        }
      }
    }
  }

  weft::Shape shape_;
  bool in_place_;
  ptrdiff_t planes_ = 0, first_plane_ = 0, columns_ = 0, first_column_ = 0;
  Index points_ = 0;
  fftw_complex *a_ = nullptr, *b_ = nullptr;
  double* space_ = nullptr;
  fftw_plan to_ = nullptr, from_ = nullptr;
};

Product fftw_product(const weft::Shape& shape, MPI_Comm comm, bool in_place) {
  const auto fftw = std::make_shared<Fftw>(shape, comm, in_place);
  const Index half = shape[2] / 2 + 1;
  return {.modes = shape,
          .box = fftw->box(),
          .strides = {half, shape[0] * half, 1},
          .points = fftw->points(),
          .run = [fftw](Complex* in, Complex* out) { fftw->run(in, out); }};
}

struct Contestant {
  std::string name;
  Flow flow;
  std::vector<double> seconds;
};

double median(std::vector<double> values, double part = 0.5) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
}

void print_load(const char* when) {
  std::string one;
  std::ifstream("/proc/loadavg") >> one;
  std::printf("load average %s: %s\n", when, one.c_str());
}

int race(Index n, int rounds) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const weft::Shape shape{n, n, n};
  // All waves begin with the same phase, which makes the flow fast near the origin: a longer step is not stable there,
  // and rounding grows until nobody agrees with anybody.
  const double viscosity = 1.0 / 1600, dt = 0.05 / static_cast<double>(n);
  std::vector<Contestant> all;
  const auto enter = [&](const char* name, Product product) {
    all.push_back({name, Flow(shape, viscosity, std::move(product), MPI_COMM_WORLD), {}});
  };
  enter("Weft, operator", woven_product(shape, MPI_COMM_WORLD));
  enter("Weft, transforms apart", apart_product(shape, MPI_COMM_WORLD));
  enter("FFTW-MPI, in place", fftw_product(shape, MPI_COMM_WORLD, true));
  enter("FFTW-MPI, out of place", fftw_product(shape, MPI_COMM_WORLD, false));
  for (Contestant& one : all) {
    // Of any flow: all wave vectors have something, and steps differ if anything is wrong.
    one.flow.change([](const Vector&, const Wave& k) {
      const double size = 0.1 * std::exp(-dot(k, k) / 8);
      return projected({Complex(0, size * (k[0] + k[1])), Complex(0, size * (k[1] - k[2])), Complex(0, size * k[0])},
                       k);
    });
  }
  if (rank == 0) print_load("before");
  for (int round = 0; round < rounds; ++round) {
    for (Contestant& one : all) {
      one.flow.step(dt);
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      one.flow.step(dt);
      double taken = MPI_Wtime() - begin;
      MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      one.seconds.push_back(taken);
    }
  }
  if (rank == 0) print_load("after");

  bool right = true;
  const Flow::Sample wanted = all[0].flow.sample();
  const std::vector<double> shells = all[0].flow.spectrum();
  if (rank == 0)
    std::printf("a step at %td^3, %d ranks, %d rounds: median of seconds, of ratios (quartiles)\n", n, ranks, rounds);
  for (Contestant& one : all) {
    const Flow::Sample sample = one.flow.sample();
    double off =
        std::max(std::abs(sample.energy / wanted.energy - 1), std::abs(sample.enstrophy / wanted.enstrophy - 1));
    const std::vector<double> its = one.flow.spectrum();
    for (std::size_t k = 0; k < its.size(); ++k) off = std::max(off, std::abs(its[k] - shells[k]) / wanted.energy);
    right = right && off < 1e-12;
    std::vector<double> ratios;
    for (std::size_t r = 0; r < one.seconds.size(); ++r) ratios.push_back(one.seconds[r] / all[0].seconds[r]);
    if (rank == 0) {
      std::printf("%-24s %9.4f s  %6.2f (%.2f to %.2f)  %s\n", one.name.c_str(), median(one.seconds), median(ratios),
                  median(ratios, 0.25), median(ratios, 0.75), off < 1e-12 ? "right" : "WRONG");
    }
  }
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  const auto number = [&](const std::string& name, int otherwise) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word.rfind(name + "=", 0) == 0) return std::max(1, std::atoi(word.c_str() + name.size() + 1));
    }
    return otherwise;
  };
  const int status = race(number("n", 128), number("rounds", 11));
  MPI_Finalize();
  return status;
}
