// Wave functions as plane-wave codes have them: random coefficients of the plane waves of a sphere, their density in
// space, and a local potential applied to them. What comes out is known without a transform, and the program ends with
// 1 if it finds something else.
//
//   mpiexec -n 2 weft-sphere-c
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft/weft.h>

enum { BANDS = 3 };
static const weft_cutoff cutoff = {{{9, 0, 0}, {0, 10, 0}, {0, 0, 11}}, 6.0, {0, 0, 0}};
static const double pi = 3.14159265358979323846;

// Ends the program with the message of what has failed.
static void check(int code) {
  if (code == WEFT_SUCCESS) return;
  fprintf(stderr, "%s\n", weft_error_message());
  MPI_Abort(MPI_COMM_WORLD, 2);
}

// Whether |G|^2 / 2 is within the cutoff. (The edges of this cell are at right angles.)
static int inside(const int64_t* g) {
  double square = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double component = 2 * pi * (double)g[axis] / cutoff.lattice[axis][axis];
    square += component * component;
  }
  return square / 2 <= cutoff.energy;
}

// The coefficient of a plane wave, any numbers; 0 outside of the sphere.
static void coefficient(const int64_t* g, int band, double* c) {
  const double seed = (double)(g[0] + 17 * g[1] + 289 * g[2]) + 0.3 * band;
  const int in = inside(g);
  c[0] = in ? sin(12.9898 * seed) : 0;
  c[1] = in ? cos(78.233 * seed) : 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  // All plane waves, and which of them are this rank's.
  int64_t all = 0, mine = 0, grid[3];
  check(weft_plane_waves(&cutoff, 0, 0, NULL, &all));
  int64_t* waves = malloc((size_t)all * 3 * sizeof *waves);
  int* owners = malloc((size_t)all * sizeof *owners);
  if (waves == NULL || owners == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  check(weft_plane_waves(&cutoff, 0, all, waves, &all));
  check(weft_deal_columns(all, waves, ranks, 1, owners));
  check(weft_sphere_grid(&cutoff, 2, grid));
  for (int64_t w = 0; w < all; ++w) {
    if (owners[w] != rank) continue;
    for (int axis = 0; axis < 3; ++axis) waves[3 * mine + axis] = waves[3 * w + axis];
    ++mine;
  }

  weft_sphere_problem problem;
  weft_sphere sphere;
  weft_sphere_plan plan;
  weft_sphere_sizes sizes;
  check(weft_sphere_problem_create(grid, &problem));
  check(weft_sphere_problem_set_int(problem, "howmany", BANDS));
  check(weft_sphere_problem_set(problem, "normalization", "forward"));
  check(weft_sphere_create(problem, mine, waves, -1, NULL, NULL, MPI_COMM_WORLD, &sphere));
  check(weft_sphere_problem_destroy(&problem));
  check(weft_sphere_get_plan(sphere, &plan));
  check(weft_sphere_plan_sizes(plan, sizeof sizes, &sizes));

  const size_t points = (size_t)sizes.space_size, coefficients = (size_t)(BANDS * mine);
  double* c = malloc((coefficients + 1) * 2 * sizeof *c);
  double* out = malloc((coefficients + 1) * 2 * sizeof *out);
  double* v = malloc((points + 1) * sizeof *v);
  double* rho = calloc(points + 1, sizeof *rho);
  if (c == NULL || out == NULL || v == NULL || rho == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  const double weights[BANDS] = {2, 2, 1};
  double sums[2] = {0, 0}, total[2];  // of the charge, from the coefficients and from the density
  for (int band = 0; band < BANDS; ++band) {
    for (int64_t w = 0; w < mine; ++w) {
      double* here = c + 2 * (band * mine + w);
      coefficient(waves + 3 * w, band, here);
      sums[0] += weights[band] * (here[0] * here[0] + here[1] * here[1]);
    }
  }

  // The density: its mean over the cell is the charge of all coefficients.
  check(weft_sphere_density(sphere, c, weights, rho, NULL));
  const double grid_points = (double)(grid[0] * grid[1] * grid[2]);
  for (size_t p = 0; p < points; ++p) sums[1] += rho[p] / grid_points;
  MPI_Allreduce(sums, total, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  double worst = fabs(total[1] - total[0]) / total[0];

  // The potential 2 cos(2 pi (x / n_x)) joins each plane wave to its two neighbours along x.
  size_t at = 0;
  const weft_box* box = &sizes.space_box;
  for (int64_t z = box->lo[0]; z < box->hi[0]; ++z) {
    for (int64_t y = box->lo[1]; y < box->hi[1]; ++y) {
      for (int64_t x = box->lo[2]; x < box->hi[2]; ++x) v[at++] = 2 * cos(2 * pi * (double)x / (double)grid[0]);
    }
  }
  check(weft_sphere_apply(sphere, v, c, out, NULL));
  for (int band = 0; band < BANDS; ++band) {
    for (int64_t w = 0; w < mine; ++w) {
      int64_t left[3] = {waves[3 * w] - 1, waves[3 * w + 1], waves[3 * w + 2]};
      int64_t right[3] = {waves[3 * w] + 1, waves[3 * w + 1], waves[3 * w + 2]};
      double a[2], b[2];
      coefficient(left, band, a);
      coefficient(right, band, b);
      const double* found = out + 2 * (band * mine + w);
      worst = fmax(worst, hypot(found[0] - a[0] - b[0], found[1] - a[1] - b[1]));
    }
  }
  double difference;
  MPI_Allreduce(&worst, &difference, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const int good = difference < 1e-13;
  if (rank == 0) {
    printf("%lld plane waves on %lld x %lld x %lld points, charge %.6f\n", (long long)all, (long long)grid[0],
           (long long)grid[1], (long long)grid[2], total[1]);
    printf("weft %s, C, %d ranks: worst difference %.1e: %s\n", weft_version(), ranks, difference,
           good ? "right" : "WRONG");
  }

  check(weft_sphere_destroy(&sphere));
  free(waves);
  free(owners);
  free(c);
  free(out);
  free(v);
  free(rho);
  MPI_Finalize();
  return good ? 0 : 1;
}
