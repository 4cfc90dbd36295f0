// The round trip of a field of more than 2^31 points, and a message of more than 2^31 bytes. Where the memory is not
// there, it says so and does nothing.
//
//   large field      c2c in place in single precision, against the spectrum of a few plane waves
//   large message    all planes but one move from the first rank of two to the second, and back: by a collective call,
//                    and by messages whose counts go the way of counts beyond 2^31
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
  explicit Field(const Problem& problem) : problem_(problem) {
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

  /// Sets the numbers of a row.
  void row(Index i, Index j, std::complex<float>* numbers) const {
    std::array<std::complex<float>, 3> a;
    for (std::size_t w = 0; w < a.size(); ++w) a[w] = waves[w].amplitude * turn(w, 0, i) * turn(w, 1, j);
    for (std::size_t k = 0; k < static_cast<std::size_t>(problem_.shape[2]); ++k) {
      float re = 0, im = 0;
      for (std::size_t w = 0; w < a.size(); ++w) {
        re += a[w].real() * re_[w][2][k] - a[w].imag() * im_[w][2][k];
        im += a[w].real() * im_[w][2][k] + a[w].imag() * re_[w][2][k];
      }
      numbers[k] = {re, im};
    }
  }

  /// Of forward, which is not normalised, at an index of the spectrum.
  double spectrum(const Shape& at) const {
    double sum = 0;
    for (const Wave& wave : waves) sum += at == place(wave) ? wave.amplitude : 0;
    return sum * points();
  }

  /// Where the peak of a wave is.
  Shape place(const Wave& wave) const {
    Shape at = wave.number;
    for (std::size_t axis = 0; axis < 3; ++axis) at[axis] += at[axis] < 0 ? problem_.modes[axis] : 0;
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
  std::array<std::array<std::vector<float>, 3>, 3> re_, im_;
};

/// The larger of two errors; NaN is the largest.
double larger(double error, double other) { return other <= error ? error : other; }

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
    error = larger(error, std::abs(std::complex<double>(data[place]) - field.spectrum(at)) / field.points());
  };
  for (const Wave& wave : waves) look(field.place(wave));
  for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
      // Neighbouring rows have other samples.
      for (Index k = box.lo[2] + (i + 3 * j) % 61; k < box.hi[2]; k += 61) look({i, j, k});
    }
  }
  return error;
}

/// Whether the ranks, all of one node, can have so many bytes each, with one GiB to spare.
bool is_there(const char* what, Index bytes) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto needed = static_cast<double>(bytes);
  double together = 0;
  MPI_Allreduce(&needed, &together, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  auto available = static_cast<double>(detail::available_memory());
  MPI_Bcast(&available, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  constexpr double gib = 1 << 30;
  if (together + gib <= available) return true;
  if (rank == 0) {
    std::printf("skipped: the large %s needs %.1f GiB and one to spare; %.1f GiB are available\n", what, together / gib,
                available / gib);
  }
  return false;
}

int transform_field() {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // Somewhat more than 2^31 points. All modes would need as much memory again.
  Problem problem{.shape = {1296, 1280, 1296}, .precision = Precision::single_};
  problem.modes = {160, 160, 42};
  Options options;
  options.in_place = true;
  options.threads = std::max(1, detail::usable_processors() / ranks);
  const Plan plan(problem, options, ranks, rank);
  const Index bytes = std::max(plan.input_bytes(), plan.output_bytes());
  if (!is_there("field", bytes + plan.workspace_bytes())) return 0;

  const detail::Buffer memory(bytes);
  const Field field(problem);
  auto* const data = reinterpret_cast<std::complex<float>*>(memory.data());
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
  each_row([&](Index i, Index j, Index at) { field.row(i, j, data + at); });

  Transform<float> fft(problem, MPI_COMM_WORLD, options);
  double seconds[2] = {}, errors[2] = {};
  seconds[0] -= MPI_Wtime();
  fft.forward(data);
  seconds[0] += MPI_Wtime();
  errors[0] = spectrum_error(field, plan.output().box(rank), plan.output_strides(), data);
  seconds[1] -= MPI_Wtime();
  fft.backward(data);
  seconds[1] += MPI_Wtime();
  std::vector<std::complex<float>> row(static_cast<std::size_t>(problem.shape[2]));
  each_row([&](Index i, Index j, Index at) {
    if ((i + j) % 7 != 0) return;
    field.row(i, j, row.data());
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::complex<double> found(data[at + static_cast<Index>(k)]);
      errors[1] = larger(errors[1], std::abs(found / field.points() - std::complex<double>(row[k])));
    }
  });

  MPI_Allreduce(MPI_IN_PLACE, errors, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("%.0f points: forward %.1f s, error %.1e, backward %.1f s, error %.1e (of amplitude 1)\n",
                field.points(), seconds[0], errors[0], seconds[1], errors[1]);
  }
  return field.points() > 2147483648.0 && errors[0] < 1e-6 && errors[1] < 1e-5 ? 0 : 1;
}

/// Slabs along axis 0 of which one rank has one plane, the other the rest.
Layout uneven(const Shape& shape, bool first_has_one) {
  Box one, two;
  one.hi = two.hi = shape;
  one.hi[0] = two.lo[0] = first_has_one ? 1 : shape[0] - 1;
  return Layout::bricks(shape, {one, two});
}

int move_message() {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) {
    std::fputs("large message is for two ranks\n", stderr);
    return 2;
  }
  const Shape shape{1024, 1024, 260};
  const Layout before = uneven(shape, false), after = uneven(shape, true);
  const auto bytes_of = [&](const Layout& layout) { return layout.box(rank).count() * Index{sizeof(Index)}; };
  const Index all = shape[0] * shape[1] * shape[2] * Index{sizeof(Index)};
  // The arrays, and what is sent and received.
  if (!is_there("message", 2 * all)) return 0;

  Options options;
  options.tile = 1;
  Index wrong = 0, sent = 0;
  double seconds = -MPI_Wtime();
  const auto move = [&](const char* strategy, const Layout& from, const Layout& to) {
    const detail::Buffer in(bytes_of(from)), out(bytes_of(to));
    auto* const values = reinterpret_cast<Index*>(in.data());
    const auto* const moved = reinterpret_cast<const Index*>(out.data());
    // Each number is its place in the whole.
    const auto first = [&](const Layout& layout) { return layout.box(rank).lo[0] * shape[1] * shape[2]; };
    for (Index i = 0; i < from.box(rank).count(); ++i) values[i] = first(from) + i;
    options.strategy = strategy;
    Redistribution redistribution(from, to, sizeof(Index), MPI_COMM_WORLD, 1, options);
    sent = std::max(sent, redistribution(in.data(), out.data()).bytes_sent);
    for (Index i = 0; i < to.box(rank).count(); ++i) wrong += moved[i] != first(to) + i;
  };
  move("alltoallv", before, after);
  setenv("WEFT_TEST_COUNT_LIMIT", "1000000", 1);
  move("pairwise", after, before);
  seconds += MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("round trips of messages of %lld bytes in %.1f s: %lld numbers are wrong\n",
                static_cast<long long>(sent), seconds, static_cast<long long>(wrong));
  }
  return wrong == 0 && sent > Index{1} << 31 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string what = argc == 2 ? argv[1] : "";
  int code = 2;
  if (what == "field") {
    code = transform_field();
  } else if (what == "message") {
    code = move_message();
  } else {
    std::fputs("usage: large field|message\n", stderr);
  }
  MPI_Finalize();
  return code;
}
