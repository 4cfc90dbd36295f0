// The power spectrum of a real field, a constant and three plane waves. How much power each
// shell of wave numbers has is known beforehand, and the program ends with 1 if it finds something else.
//
//   mpiexec -n 2 weft-spectrum-c
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft/weft.h>

enum { SHELLS = 20 };  // the last wave number is (12, 10, 9)
static const int64_t shape[3] = {24, 20, 18};
static const double pi = 3.14159265358979323846;

// amplitude * cos(2 pi (k . i / n))
static const struct {
  double amplitude;
  int64_t k[3];
} waves[] = {{0.5, {0, 0, 0}}, {1.0, {3, 0, 0}}, {0.75, {2, -4, 4}}, {0.25, {0, 5, 9}}};
enum { WAVES = sizeof waves / sizeof waves[0] };

// Ends the program with the message of what has failed.
static void check(int code) {
  if (code == WEFT_SUCCESS) return;
  fprintf(stderr, "%s\n", weft_error_message());
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static double field_at(int64_t i, int64_t j, int64_t k) {
  double value = 0;
  for (int w = 0; w < WAVES; ++w) {
    const double turns = (double)(waves[w].k[0] * i) / (double)shape[0] +
                         (double)(waves[w].k[1] * j) / (double)shape[1] +
                         (double)(waves[w].k[2] * k) / (double)shape[2];
    value += waves[w].amplitude * cos(2 * pi * turns);
  }
  return value;
}

// The wave number of an index: those beyond half the extent are negative.
static double wave_number(int64_t index, int64_t extent) {
  return (double)(2 * index > extent ? index - extent : index);
}

static int shell_of(double a, double b, double c) { return (int)floor(sqrt(a * a + b * b + c * c) + 0.5); }

// The power of this rank's part of the half spectrum, by shells.
static void add_power(const double* spectrum, const weft_box* box, double* power) {
  int64_t at = 0;
  for (int64_t i = box->lo[0]; i < box->hi[0]; ++i) {
    for (int64_t j = box->lo[1]; j < box->hi[1]; ++j) {
      for (int64_t k = box->lo[2]; k < box->hi[2]; ++k, at += 2) {
        // The other half holds the conjugates; the planes 0 and n/2 are their own.
        const double times = k == 0 || 2 * k == shape[2] ? 1 : 2;
        const int shell = shell_of(wave_number(i, shape[0]), wave_number(j, shape[1]), (double)k);
        power[shell] += times * (spectrum[at] * spectrum[at] + spectrum[at + 1] * spectrum[at + 1]);
      }
    }
  }
}

// What `add_power` must find: a cosine has a quarter of its amplitude's square at each of its two wave numbers, which
// are one where both mean the same.
static void add_expected(double* power) {
  for (int w = 0; w < WAVES; ++w) {
    const int64_t* k = waves[w].k;
    int alone = 1;
    for (int axis = 0; axis < 3; ++axis) alone = alone && (2 * k[axis]) % shape[axis] == 0;
    const double square = waves[w].amplitude * waves[w].amplitude;
    power[shell_of((double)k[0], (double)k[1], (double)k[2])] += alone ? square : square / 2;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  weft_problem problem;
  weft_options options;
  weft_transform fft;
  check(weft_problem_create(3, shape, &problem));
  check(weft_problem_set(problem, "kind", "r2c"));
  check(weft_problem_set(problem, "normalization", "forward"));
  check(weft_options_create(&options));
  check(weft_options_set(options, "transposed", "true"));  // the sums do not care where a wave number lies
  check(weft_transform_create(problem, options, MPI_COMM_WORLD, &fft));
  check(weft_problem_destroy(&problem));
  check(weft_options_destroy(&options));

  weft_box here, there;
  int64_t reals, complexes;
  check(weft_transform_input_box(fft, &here));
  check(weft_transform_output_box(fft, &there));
  check(weft_transform_input_size(fft, &reals));
  check(weft_transform_output_size(fft, &complexes));
  double* field = malloc((size_t)(reals + 1) * sizeof *field);
  double* again = malloc((size_t)(reals + 1) * sizeof *again);
  double* spectrum = malloc((size_t)(complexes + 1) * 2 * sizeof *spectrum);
  if (field == NULL || again == NULL || spectrum == NULL) MPI_Abort(MPI_COMM_WORLD, 2);

  int64_t at = 0;
  double local[2] = {0, 0};  // the sum of squares, and the largest difference of the round trip
  for (int64_t i = here.lo[0]; i < here.hi[0]; ++i) {
    for (int64_t j = here.lo[1]; j < here.hi[1]; ++j) {
      for (int64_t k = here.lo[2]; k < here.hi[2]; ++k, ++at) {
        field[at] = field_at(i, j, k);
        local[0] += field[at] * field[at];
      }
    }
  }

  check(weft_transform_forward(fft, field, spectrum));
  check(weft_transform_backward(fft, spectrum, again));
  for (int64_t n = 0; n < reals; ++n) local[1] = fmax(local[1], fabs(again[n] - field[n]));

  double power[SHELLS] = {0}, total[SHELLS], expected[SHELLS] = {0}, square, difference;
  add_power(spectrum, &there, power);
  MPI_Allreduce(power, total, SHELLS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&local[0], &square, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&local[1], &difference, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  add_expected(expected);

  double worst = difference, sum = 0;
  for (int shell = 0; shell < SHELLS; ++shell) {
    worst = fmax(worst, fabs(total[shell] - expected[shell]));
    sum += total[shell];
    if (rank == 0 && total[shell] > 1e-12) printf("shell %2d: power %.6f\n", shell, total[shell]);
  }
  // Parseval: all shells together have the mean square of the field.
  worst = fmax(worst, fabs(sum - square / (double)(shape[0] * shape[1] * shape[2])));
  const int right = worst < 1e-13;
  if (rank == 0) {
    printf("weft %s, C, %d ranks: worst difference %.1e: %s\n", weft_version(), ranks, worst,
           right ? "right" : "WRONG");
  }

  check(weft_transform_destroy(&fft));
  free(field);
  free(again);
  free(spectrum);
  MPI_Finalize();
  return right ? 0 : 1;
}
