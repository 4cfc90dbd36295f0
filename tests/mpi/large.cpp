// A field of more than 2^31 points, or messages of more than 2^31 bytes, there and back: in place, in single precision,
// against the spectrum of a few plane waves. Where the memory is not there, it says so and does nothing.
//
//   large field      c2c, more than 2^31 points, of whose spectrum some modes are kept: all of it would need as much
//                    memory again
//   large message    r2c on two ranks, of whom the first has all planes but one before, and the second after, so that
//                    more than 2^31 bytes go from one to the other at once: on the way there by a collective call, back
//                    by messages whose counts go the way of counts beyond 2^31
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "base/host.hpp"
#include "weft/weft.hpp"

namespace {

using namespace weft;

struct Wave {
  float amplitude;
  Shape number;  ///< turns along each axis
};

const std::array<Wave, 3> waves{{{1.0f, {3, -5, 7}}, {0.5f, {-70, 1, 0}}, {0.75f, {-1, -1, 20}}}};

/// The sum of the waves, whose spectrum is known.
class Field {
 public:
  explicit Field(const Problem& problem) : problem_(problem), spectrum_(problem.spectrum_shape()) {
    for (std::size_t w = 0; w < waves.size(); ++w) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const Index n = problem.shape[axis];
        for (Index i = 0; i < n; ++i) {
          const auto turns = static_cast<double>(waves[w].number[axis] * i % n) / static_cast<double>(n);
          const std::complex<double> value = std::polar(1.0, 2 * std::numbers::pi * turns);
          re_[w][axis].push_back(static_cast<float>(value.real()));
          im_[w][axis].push_back(static_cast<float>(value.imag()));
        }
      }
    }
  }

  /// Sets the numbers of a row: of a real field the real parts.
  void row(Index i, Index j, std::complex<float>* complex, float* real) const {
    const auto n = static_cast<std::size_t>(problem_.shape[2]);
    std::array<std::complex<float>, 3> a;
    for (std::size_t w = 0; w < a.size(); ++w) a[w] = waves[w].amplitude * turn(w, 0, i) * turn(w, 1, j);
    for (std::size_t k = 0; k < n; ++k) {
      float re = 0, im = 0;
      for (std::size_t w = 0; w < a.size(); ++w) {
        re += a[w].real() * re_[w][2][k] - a[w].imag() * im_[w][2][k];
        im += a[w].real() * im_[w][2][k] + a[w].imag() * re_[w][2][k];
      }
      if (complex != nullptr) {
        complex[k] = {re, im};
      } else {
        real[k] = re;
      }
    }
  }

  /// Of forward, which is not normalised, at an index of the spectrum.
  std::complex<double> spectrum(const Shape& at) const {
    double sum = 0;
    for (const Wave& wave : waves) {
      const bool real = problem_.kind == Kind::r2c;
      for (const Index sign : {1, -1}) {
        if (at == place(wave, sign) && (sign > 0 || real)) sum += real ? wave.amplitude / 2 : wave.amplitude;
      }
    }
    return sum * points();
  }

  /// Where the peak of a wave, or of its conjugate, is.
  Shape place(const Wave& wave, Index sign) const {
    Shape at;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Index k = sign * wave.number[axis];
      at[axis] = k < 0 ? k + spectrum_[axis] : k;
      // The other half is not there.
      if (problem_.kind == Kind::r2c && axis == 2 && k < 0) at[axis] = -1;
    }
    return at;
  }

  double points() const {
    double points = 1;
    for (const Index n : problem_.shape) points *= static_cast<double>(n);
    return points;
  }

 private:
  std::complex<float> turn(std::size_t w, std::size_t axis, Index i) const {
    return {re_[w][axis][static_cast<std::size_t>(i)], im_[w][axis][static_cast<std::size_t>(i)]};
  }
  Problem problem_;
  Shape spectrum_;
  std::array<std::array<std::vector<float>, 3>, 3> re_, im_;
};

/// The largest error of the spectrum at a sample of points and at all peaks, relative to a peak of amplitude 1.
double spectrum_error(const Field& field, const Box& box, const Plan::Strides& strides,
                      const std::complex<float>* data) {
  double error = 0;
  const auto look = [&](const Shape& at) {
    Index place = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (at[axis] < box.lo[axis] || at[axis] >= box.hi[axis]) return;
      place += (at[axis] - box.lo[axis]) * strides.axis[axis];
    }
    const std::complex<double> found(data[place]);
    // So that NaN is an error, too.
    const double here = std::abs(found - field.spectrum(at)) / field.points();
    error = here <= error ? error : here;
  };
  for (const Wave& wave : waves) {
    for (const Index sign : {1, -1}) look(field.place(wave, sign));
  }
  for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
      // Neighbouring rows have other samples.
      for (Index k = box.lo[2] + (i + 3 * j) % 61; k < box.hi[2]; k += 61) look({i, j, k});
    }
  }
  return error;
}

/// Slabs of which one rank has one plane, the other the rest.
Layout uneven(const Shape& shape, std::size_t axis, bool first_has_one) {
  Box one, two;
  one.hi = two.hi = shape;
  one.hi[axis] = two.lo[axis] = first_has_one ? 1 : shape[axis] - 1;
  return Layout::bricks(shape, {one, two});
}

Options options_for(const Problem& problem, Direction direction, int ranks) {
  Options options;
  options.in_place = true;
  options.threads = std::max(1, detail::usable_processors() / ranks);
  if (problem.kind == Kind::c2c) return options;
  options.input = uneven(problem.shape, 0, false);
  options.output = uneven(problem.spectrum_shape(), 1, true);
  options.tile = 1;
  options.strategy = direction == Direction::forward ? "alltoallv" : "pairwise";
  return options;
}

int run(const std::string& what) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool is_field = what == "field";
  // Somewhat more than 2^31 points, or bytes of a half spectrum.
  Problem problem{.shape = {1024, 1024, 520}, .kind = Kind::r2c, .precision = Precision::single_};
  if (is_field) {
    problem.shape = {1296, 1280, 1296};
    problem.modes = {160, 160, 42};  // all of them would need as much memory again
    problem.kind = Kind::c2c;
  } else if (ranks != 2) {
    std::fputs("large message is for two ranks\n", stderr);
    return 2;
  }
  const Plan plan(problem, options_for(problem, Direction::forward, ranks), ranks, rank);
  const Index bytes = std::max(plan.input_bytes(), plan.output_bytes());
  const auto needed = static_cast<double>(plan.workspace_bytes() + bytes);
  double together = 0;
  MPI_Allreduce(&needed, &together, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  auto available = static_cast<double>(detail::available_memory());
  MPI_Bcast(&available, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  constexpr double gib = 1 << 30;
  if (together + gib > available) {
    if (rank == 0) {
      std::printf("skipped: the large %s needs %.1f GiB and one to spare; %.1f GiB are available\n", what.c_str(),
                  together / gib, available / gib);
    }
    return 0;
  }

  const detail::Buffer memory(bytes);
  const Field field(problem);
  auto* const complex = reinterpret_cast<std::complex<float>*>(memory.data());
  auto* const real = reinterpret_cast<float*>(memory.data());
  const Box box = plan.input().box(rank);
  const Plan::Strides strides = plan.input_strides();
  if (box.extent(2) != problem.shape[2] || strides.axis[2] != 1) {
    std::fputs("the rows are not whole\n", stderr);
    return 1;
  }
  const auto each_row = [&](const auto& visit) {
    for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
      for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        visit(i, j, (i - box.lo[0]) * strides.axis[0] + (j - box.lo[1]) * strides.axis[1]);
      }
    }
  };
  each_row([&](Index i, Index j, Index at) {
    field.row(i, j, is_field ? complex + at : nullptr, is_field ? nullptr : real + at);
  });

  double seconds[2] = {}, errors[2] = {};
  const auto execute = [&](Direction direction) {
    Transform<float> fft(problem, MPI_COMM_WORLD, options_for(problem, direction, ranks));
    double& time = seconds[direction == Direction::forward ? 0 : 1];
    MPI_Barrier(MPI_COMM_WORLD);
    time -= MPI_Wtime();
    direction == Direction::forward ? fft.forward(complex) : fft.backward(complex);
    time += MPI_Wtime();
  };
  execute(Direction::forward);
  errors[0] = spectrum_error(field, plan.output().box(rank), plan.output_strides(), complex);
  setenv("WEFT_TEST_COUNT_LIMIT", "1000000", 1);
  execute(Direction::backward);
  std::vector<std::complex<float>> complex_row(static_cast<std::size_t>(problem.shape[2]));
  std::vector<float> real_row(complex_row.size());
  each_row([&](Index i, Index j, Index at) {
    if ((i + j) % 7 != 0) return;
    field.row(i, j, is_field ? complex_row.data() : nullptr, real_row.data());
    for (std::size_t k = 0; k < real_row.size(); ++k) {
      const Index place = at + static_cast<Index>(k);
      const std::complex<double> found = is_field ? std::complex<double>(complex[place]) : real[place];
      const std::complex<double> wanted = is_field ? std::complex<double>(complex_row[k]) : real_row[k];
      const double here = std::abs(found / field.points() - wanted);
      errors[1] = here <= errors[1] ? errors[1] : here;
    }
  });

  Index largest = 0;  // message: tiles are whole
  for (const Plan::Flow& flow : plan.flows(Direction::forward)) {
    if (flow.from != flow.to) largest = std::max(largest, flow.bytes);
  }
  MPI_Allreduce(MPI_IN_PLACE, errors, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("%s: %.0f points, %.1f GiB together, messages of up to %lld bytes; forward %.1f s, error %.1e, ",
                what.c_str(), field.points(), together / gib, static_cast<long long>(largest), seconds[0], errors[0]);
    std::printf("backward %.1f s, error %.1e (of amplitude 1)\n", seconds[1], errors[1]);
  }
  const bool large = is_field ? field.points() > 2147483648.0 : largest > Index{1} << 31;
  if (rank == 0 && !large) std::printf("it is not as large as it should be\n");
  return large && errors[0] < 1e-6 && errors[1] < 1e-5 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string what = argc == 2 ? argv[1] : "";
  int code = 2;
  if (what == "field" || what == "message") {
    code = run(what);
  } else {
    std::fputs("usage: large field|message\n", stderr);
  }
  MPI_Finalize();
  return code;
}
