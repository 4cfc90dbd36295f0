/* A program as people write it for FFTW-MPI: every kind of plan, held to serial FFTW.

   It says at the end how many cases were right, and for how many there was no plan. Those may be only the ones that it
   calls special: real fields in transposed order. */
#include <fftw3-mpi.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SINGLE
typedef float real;
#define F(name) fftwf_##name
#define TOLERANCE 2e-5
#else
typedef double real;
#define F(name) fftw_##name
#define TOLERANCE 1e-13
#endif
typedef F(complex) number;

static int rank, ranks, right = 0, without = 0;
/* Whether to ask for more than FFTW itself can do: axes of one point, which it drops with all that was said of them,
   and plans of it given to the functions of serial FFTW, as PETSc does. */
static int more = 0;

static void fail(const char* what, const char* why) {
  fprintf(stderr, "rank %d of %d: %s: %s\n", rank, ranks, what, why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Some number in -1..1 for every place. */
static double noise(ptrdiff_t i) {
  unsigned long long x = (unsigned long long)i * 6364136223846793005ull + 1442695040888963407ull;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 32;
  return (double)(x % 20001) / 10000.0 - 1.0;
}

#define MOST 5 /* dimensions */

/* One side of a transform: the whole of it, unpadded and in order, and how a rank's part of it lies. */
typedef struct {
  int dims, transposed;
  ptrdiff_t n[MOST], pad[MOST]; /* numbers along each axis, and what they take in memory */
  ptrdiff_t numbers;            /* reals at a point, those of all fields */
  ptrdiff_t count, start;       /* of the axis that is dealt */
  real* whole;
} side;

static ptrdiff_t points(const side* s) {
  ptrdiff_t all = 1;
  int a;
  for (a = 0; a < MOST; ++a) all *= s->n[a];
  return all;
}

static void axes(side* s, int dims, const ptrdiff_t* n, ptrdiff_t numbers) {
  int a;
  s->dims = dims;
  for (a = 0; a < MOST; ++a) s->n[a] = s->pad[a] = a < dims ? n[a] : 1;
  s->numbers = numbers;
  s->whole = (real*)F(malloc)(sizeof(real) * (size_t)(points(s) * numbers));
}

/* Where the point lies in this rank's array, or -1. */
static ptrdiff_t place(const side* s, const ptrdiff_t* i) {
  const ptrdiff_t along = i[s->transposed ? 1 : 0] - s->start;
  ptrdiff_t at;
  int a;
  if (along < 0 || along >= s->count) return -1;
  at = s->transposed ? along * s->n[0] + i[0] : along * s->pad[1] + i[1];
  for (a = 2; a < MOST; ++a) at = at * s->pad[a] + i[a];
  return at;
}

/* The next point in order, the last axis the fastest; 0 after the last one. */
static int step(const side* s, ptrdiff_t* i) {
  int a;
  for (a = MOST - 1; a >= 0; --a) {
    if (++i[a] < s->n[a]) return 1;
    i[a] = 0;
  }
  return 0;
}

/* Copies this rank's part of the whole to its array, or compares them and gives the largest difference. */
static double visit(const side* s, real* local, int compare, double scale) {
  ptrdiff_t i[MOST] = {0}, k, at = 0;
  double worst = 0;
  if (points(s) == 0) return 0;
  do {
    const ptrdiff_t here = place(s, i);
    for (k = 0; here >= 0 && k < s->numbers; ++k) {
      const real expected = s->whole[at * s->numbers + k];
      real* mine = local + here * s->numbers + k;
      if (!compare) {
        *mine = expected;
      } else {
        const double difference = fabs((double)*mine - scale * (double)expected);
        if (!(difference <= worst)) worst = difference;
      }
    }
    ++at;
  } while (step(s, i));
  return worst;
}

enum { C2C, R2C, C2R, R2R };

typedef struct {
  int kind, dims, sign, in_place, special, refused; /* what has no plan: nowhere, or not with these blocks */
  ptrdiff_t n[MOST], howmany, block, tblock;
  unsigned flags;
  int how; /* of three ways to make and execute plans */
  F(r2r_kind) kinds[MOST];
} transform;

static const char* name_of(const transform* t) {
  static char text[200];
  sprintf(text, "%s %dd %tdx%tdx%tdx%tdx%td x%td sign %d%s%s%s blocks %td %td flags %x way %d",
          t->kind == C2C   ? "c2c"
          : t->kind == R2C ? "r2c"
          : t->kind == C2R ? "c2r"
                           : "r2r",
          t->dims, t->n[0], t->n[1], t->dims > 2 ? t->n[2] : 1, t->dims > 3 ? t->n[3] : 1, t->dims > 4 ? t->n[4] : 1,
          t->howmany, t->sign, t->in_place ? " in place" : "", t->flags & FFTW_MPI_TRANSPOSED_IN ? " [" : "",
          t->flags & FFTW_MPI_TRANSPOSED_OUT ? " ]" : "", t->block, t->tblock, t->flags, t->how);
  return text;
}

/* Fills both sides with what serial FFTW makes of it. */
static void reference(const transform* t, side* in, side* out) {
  int n[MOST], a;
  const int howmany = (int)t->howmany;
  ptrdiff_t i;
  F(plan) p;
  side *first = t->kind == C2R ? out : in, *last = t->kind == C2R ? in : out;
  for (a = 0; a < t->dims; ++a) n[a] = (int)t->n[a];
  if (t->kind == C2C) {
    p = F(plan_many_dft)(t->dims, n, howmany, (number*)in->whole, NULL, howmany, 1, (number*)out->whole, NULL, howmany,
                         1, t->sign, FFTW_ESTIMATE);
  } else if (t->kind == R2R) {
    p = F(plan_many_r2r)(t->dims, n, howmany, in->whole, NULL, howmany, 1, out->whole, NULL, howmany, 1, t->kinds,
                         FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
  } else {
    p = F(plan_many_dft_r2c)(t->dims, n, howmany, first->whole, NULL, howmany, 1, (number*)last->whole, NULL, howmany,
                             1, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
  }
  for (i = 0; i < points(first) * first->numbers; ++i) first->whole[i] = (real)noise(i);
  F(execute)(p);
  F(destroy_plan)(p);
}

#define GUARD 8
static real* room(ptrdiff_t reals) {
  ptrdiff_t i;
  real* a = (real*)F(malloc)(sizeof(real) * (size_t)(reals + GUARD));
  for (i = 0; i < reals; ++i) a[i] = (real)77;
  for (; i < reals + GUARD; ++i) a[i] = (real)1234;
  return a;
}

static void check_guard(const transform* t, const real* a, ptrdiff_t reals) {
  ptrdiff_t i;
  for (i = reals; i < reals + GUARD; ++i)
    if (a[i] != (real)1234) fail(name_of(t), "something was written behind the array");
}

static F(plan) plan(const transform* t, real* in, real* out) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const ptrdiff_t* n = t->n;
  const int simple = t->howmany == 1 && t->block == 0 && t->tblock == 0;
  number *cin = (number*)in, *cout = (number*)out;
  switch (t->kind) {
    case C2C:
      if (simple && t->dims == 2) return F(mpi_plan_dft_2d)(n[0], n[1], cin, cout, world, t->sign, t->flags);
      if (simple && t->dims == 3 && t->how == 0)
        return F(mpi_plan_dft_3d)(n[0], n[1], n[2], cin, cout, world, t->sign, t->flags);
      if (simple) return F(mpi_plan_dft)(t->dims, n, cin, cout, world, t->sign, t->flags);
      return F(mpi_plan_many_dft)(t->dims, n, t->howmany, t->block, t->tblock, cin, cout, world, t->sign, t->flags);
    case R2C:
      if (simple && t->dims == 2) return F(mpi_plan_dft_r2c_2d)(n[0], n[1], in, cout, world, t->flags);
      if (simple && t->dims == 3 && t->how == 0)
        return F(mpi_plan_dft_r2c_3d)(n[0], n[1], n[2], in, cout, world, t->flags);
      if (simple) return F(mpi_plan_dft_r2c)(t->dims, n, in, cout, world, t->flags);
      return F(mpi_plan_many_dft_r2c)(t->dims, n, t->howmany, t->block, t->tblock, in, cout, world, t->flags);
    case R2R:
      if (simple && t->dims == 2)
        return F(mpi_plan_r2r_2d)(n[0], n[1], in, out, world, t->kinds[0], t->kinds[1], t->flags);
      if (simple && t->dims == 3 && t->how == 0)
        return F(mpi_plan_r2r_3d)(n[0], n[1], n[2], in, out, world, t->kinds[0], t->kinds[1], t->kinds[2], t->flags);
      if (simple) return F(mpi_plan_r2r)(t->dims, n, in, out, world, t->kinds, t->flags);
      return F(mpi_plan_many_r2r)(t->dims, n, t->howmany, t->block, t->tblock, in, out, world, t->kinds, t->flags);
    default:
      if (simple && t->dims == 2) return F(mpi_plan_dft_c2r_2d)(n[0], n[1], cin, out, world, t->flags);
      if (simple && t->dims == 3 && t->how == 0)
        return F(mpi_plan_dft_c2r_3d)(n[0], n[1], n[2], cin, out, world, t->flags);
      if (simple) return F(mpi_plan_dft_c2r)(t->dims, n, cin, out, world, t->flags);
      return F(mpi_plan_many_dft_c2r)(t->dims, n, t->howmany, t->block, t->tblock, cin, out, world, t->flags);
  }
}

static void execute(const transform* t, F(plan) p, real* in, real* out, int others) {
  number *cin = (number*)in, *cout = (number*)out;
  if (!others) {
    F(execute)(p);
  } else if (more) {
    if (t->kind == C2C) F(execute_dft)(p, cin, cout);
    if (t->kind == R2C) F(execute_dft_r2c)(p, in, cout);
    if (t->kind == C2R) F(execute_dft_c2r)(p, cin, out);
    if (t->kind == R2R) F(execute_r2r)(p, in, out);
  } else {
    if (t->kind == C2C) F(mpi_execute_dft)(p, cin, cout);
    if (t->kind == R2C) F(mpi_execute_dft_r2c)(p, in, cout);
    if (t->kind == C2R) F(mpi_execute_dft_c2r)(p, cin, out);
    if (t->kind == R2R) F(mpi_execute_r2r)(p, in, out);
  }
}

static void run(const transform* t) {
  side in, out;
  ptrdiff_t half[MOST], local_n0, start0, local_n1, start1, numbers, reals;
  real *a, *b, *a2, *b2;
  double size = 1, scale = 1;
  F(plan) p;
  int d;

  memcpy(half, t->n, sizeof half);
  if (t->kind == R2C || t->kind == C2R) half[t->dims - 1] = half[t->dims - 1] / 2 + 1;
  for (d = 0; d < t->dims; ++d) size *= (double)t->n[d];
  if (t->kind == C2R) scale = size;
  if (t->kind == R2R) size *= 1 << t->dims;
  in.transposed = (t->flags & FFTW_MPI_TRANSPOSED_IN) != 0;
  out.transposed = (t->flags & FFTW_MPI_TRANSPOSED_OUT) != 0;
  numbers = F(mpi_local_size_many_transposed)(t->dims, half, t->howmany, in.transposed ? t->tblock : t->block,
                                              in.transposed ? t->block : t->tblock, MPI_COMM_WORLD, &local_n0, &start0,
                                              &local_n1, &start1);
  if (t->block == 0 && local_n0 > 0 && !in.transposed && start0 != rank * ((half[0] + ranks - 1) / ranks))
    fail(name_of(t), "the first axis is dealt in another way");
  in.count = in.transposed ? local_n1 : local_n0;
  in.start = in.transposed ? start1 : start0;
  out.count = out.transposed ? local_n1 : local_n0;
  out.start = out.transposed ? start1 : start0;
  if (in.transposed == out.transposed) {
    /* Both ends are dealt along one axis, each by its own block; the larger size holds both. */
    const ptrdiff_t other =
        F(mpi_local_size_many_transposed)(t->dims, half, t->howmany, out.transposed ? t->block : t->tblock, t->tblock,
                                          MPI_COMM_WORLD, &local_n0, &start0, &local_n1, &start1);
    out.count = out.transposed ? local_n1 : local_n0;
    out.start = out.transposed ? start1 : start0;
    if (other > numbers) numbers = other;
  }
  reals = (t->kind == R2R ? 1 : 2) * numbers;

  axes(&in, t->dims, t->kind == C2R ? half : t->n, (t->kind == R2C || t->kind == R2R ? 1 : 2) * t->howmany);
  axes(&out, t->dims, t->kind == R2C ? half : t->n, (t->kind == C2R || t->kind == R2R ? 1 : 2) * t->howmany);
  if (t->kind == R2C) in.pad[t->dims - 1] = 2 * half[t->dims - 1];
  if (t->kind == C2R) out.pad[t->dims - 1] = 2 * half[t->dims - 1];
  reference(t, &in, &out);

  a = room(reals);
  b = t->in_place ? a : room(reals);
  a2 = room(reals);
  b2 = t->in_place ? a2 : room(reals);
  p = plan(t, a, b);
  if (t->refused) {
    if (p != NULL) fail(name_of(t), "there is a plan for more blocks than ranks");
    ++right;
  } else if (p == NULL) {
    if (!t->special) fail(name_of(t), "there is no plan");
    ++without;
  } else {
    int round;
    char* words = F(sprint_plan)(p);
    double add, mul, fma;
    if (words == NULL || words[0] == '\0') fail(name_of(t), "the plan cannot be printed");
    free(words);
    F(flops)(p, &add, &mul, &fma);
    if (!(add >= 0) || !(F(cost)(p) >= 0) || !(F(estimate_cost)(p) >= 0)) fail(name_of(t), "the plan has no cost");
    /* Twice with its own arrays, then with others. */
    for (round = 0; round < 3; ++round) {
      real *from = round < 2 ? a : a2, *to = round < 2 ? b : b2;
      if (round == 2 && t->how == 0) break;
      visit(&in, from, 0, 1);
      execute(t, p, from, to, round == 2);
      if (!(visit(&out, to, 1, scale) <= TOLERANCE * size)) fail(name_of(t), "the result is wrong");
      if (!t->in_place && t->kind != C2R && !(visit(&in, from, 1, 1) == 0)) fail(name_of(t), "the input has changed");
      check_guard(t, from, reals);
      check_guard(t, to, reals);
    }
    F(destroy_plan)(p);
    ++right;
  }
  if (b != a) F(free)(b);
  if (b2 != a2) F(free)(b2);
  F(free)(a);
  F(free)(a2);
  F(free)(in.whole);
  F(free)(out.whole);
}

/* Of kinds first to last. */
static void transforms(int first, int last) {
  static const ptrdiff_t shapes[][MOST] = {
      {8, 6, 10, 2, 3}, {7, 5, 9, 3, 2}, {4, 13, 2, 5, 4}, {12, 1, 6, 4, 1}, {1, 4, 3, 1, 5}};
  const unsigned transposed[] = {0, FFTW_MPI_TRANSPOSED_IN, FFTW_MPI_TRANSPOSED_OUT,
                                 FFTW_MPI_TRANSPOSED_IN | FFTW_MPI_TRANSPOSED_OUT};
  const unsigned efforts[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_ESTIMATE | FFTW_UNALIGNED,
                              FFTW_ESTIMATE | FFTW_DESTROY_INPUT};
  static const F(r2r_kind)
      kinds[] = {FFTW_R2HC,    FFTW_HC2R,    FFTW_DHT,     FFTW_REDFT00, FFTW_REDFT01, FFTW_REDFT10,
                 FFTW_REDFT11, FFTW_RODFT00, FFTW_RODFT01, FFTW_RODFT10, FFTW_RODFT11};
  int count = 0;
  size_t s;
  for (s = 0; s < sizeof shapes / sizeof shapes[0]; ++s) {
    int dims, kind, order, in_place, batch, a;
    if (!more && (shapes[s][0] == 1 || shapes[s][1] == 1)) continue;
    /* (FFTW writes outside of its arrays in some of those of more than three.) */
    for (dims = 2; dims <= (more ? MOST : 3); ++dims)
      for (kind = first; kind <= last; ++kind)
        for (order = 0; order < 4; ++order)
          for (in_place = 0; in_place < 2; ++in_place)
            for (batch = 0; batch < 2; ++batch) {
              transform t;
              memset(&t, 0, sizeof t);
              memcpy(t.n, shapes[s], sizeof shapes[s]);
              t.kind = kind;
              t.dims = dims;
              t.in_place = in_place;
              t.howmany = batch ? 3 : 1;
              t.flags = transposed[order];
              /* FFTW transposes spectra, no real fields. */
              for (a = 0; a < MOST; ++a) {
                t.kinds[a] = kinds[(count + 3 * a) % 11];
                if (t.n[a] == 1 && t.kinds[a] == FFTW_REDFT00) t.kinds[a] = FFTW_DHT;
              }
              t.special = (kind == R2C && (t.flags & FFTW_MPI_TRANSPOSED_IN)) ||
                          (kind == C2R && (t.flags & FFTW_MPI_TRANSPOSED_OUT));
              if (t.special && dims == 2) continue; /* rows of real numbers are whole */
              /* The rest takes turns. */
              t.sign = count % 2 ? FFTW_BACKWARD : FFTW_FORWARD;
              t.how = count % 3;
              t.flags |= efforts[count % 4 == 3 && !in_place && kind != C2R ? 0 : count % 4];
              /* (FFTW writes behind arrays of such blocks.) */
              if ((more || last < R2R) && batch && order < 3 && t.n[0] > 1 && t.n[1] > 1 && count % 5 == 0) {
                /* One rank must have all; of several, two have some. */
                const int parts = ranks == 1 ? 1 : 2;
                t.block = (t.n[order & 1 ? 1 : 0] + parts - 1) / parts;
                t.tblock = (t.n[order & 2 ? 1 : 0] + parts - 1) / parts;
              }
              ++count;
              run(&t);
            }
  }
}

/* Blocks of any size, from one plane to more than there are, those of both ends apart. */
static void blocks(void) {
  static const ptrdiff_t shapes[][4] = {{8, 6, 10, 3}, {7, 5, 9, 2}, {4, 13, 2, 5}, {6, 5, 4, 4}};
  int count;
  for (count = 0; count < 48; ++count) {
    transform t;
    ptrdiff_t dealt[2];
    ptrdiff_t* given[2];
    int end;
    memset(&t, 0, sizeof t);
    memcpy(t.n, shapes[count % 4], sizeof shapes[0]);
    t.kind = count % 3;
    t.dims = 2 + count / 3 % 3;
    t.in_place = count % 5 == 0;
    t.howmany = count % 7 == 0 ? 3 : 1;
    t.sign = count % 2 ? FFTW_BACKWARD : FFTW_FORWARD;
    t.how = 1;
    t.flags =
        FFTW_ESTIMATE | (count / 2 % 2 ? FFTW_MPI_TRANSPOSED_IN : 0) | (count / 4 % 2 ? FFTW_MPI_TRANSPOSED_OUT : 0);
    t.special =
        (t.kind == R2C && (t.flags & FFTW_MPI_TRANSPOSED_IN)) || (t.kind == C2R && (t.flags & FFTW_MPI_TRANSPOSED_OUT));
    if (t.special && t.dims == 2) continue; /* rows of real numbers are whole */
    given[0] = &t.block;
    given[1] = &t.tblock;
    for (end = 0; end < 2; ++end) {
      const int axis = (t.flags & (end ? FFTW_MPI_TRANSPOSED_OUT : FFTW_MPI_TRANSPOSED_IN)) != 0;
      dealt[end] = t.kind != C2C && axis == t.dims - 1 ? t.n[axis] / 2 + 1 : t.n[axis];
      /* 0, which means evenly, to three more than there are; one in three is beyond all bounds. */
      *given[end] = (ptrdiff_t)((noise(2 * count + end) + 1) / 2 * (double)(dealt[end] + 3));
      if (count % 3 == end) *given[end] = dealt[end] + 1000;
      if (count % 11 == end) *given[end] = PTRDIFF_MAX;
      if (*given[end] > 0 && (dealt[end] - 1) / *given[end] >= ranks) t.refused = 1;
    }
    run(&t);
  }
}

/* One dimension, held to serial FFTW in natural order; a scrambled end only has to come back. */
static void line(ptrdiff_t n, ptrdiff_t howmany, int sign, unsigned scrambled, int in_place) {
  const unsigned flags = FFTW_ESTIMATE | scrambled;
  const int length = (int)n, many = (int)howmany;
  ptrdiff_t ni, starti, no, starto, i, k;
  const ptrdiff_t numbers =
      F(mpi_local_size_many_1d)(n, howmany, MPI_COMM_WORLD, sign, flags, &ni, &starti, &no, &starto);
  const size_t bytes = sizeof(number) * (size_t)(n * howmany);
  number *whole = (number*)F(malloc)(bytes), *wanted = (number*)F(malloc)(bytes);
  number* a = (number*)F(malloc)(sizeof(number) * (size_t)(numbers + 1));
  number* b = in_place ? a : (number*)F(malloc)(sizeof(number) * (size_t)(numbers + 1));
  F(plan) p = F(plan_many_dft)(1, &length, many, whole, NULL, many, 1, wanted, NULL, many, 1, sign, FFTW_ESTIMATE);
  for (i = 0; i < 2 * n * howmany; ++i) ((real*)whole)[i] = (real)noise(i);
  F(execute)(p);
  F(destroy_plan)(p);
  p = howmany == 1 ? F(mpi_plan_dft_1d)(n, a, b, MPI_COMM_WORLD, sign, flags)
                   : F(mpi_plan_many_dft)(1, &n, howmany, 0, 0, a, b, MPI_COMM_WORLD, sign, flags);
  if (p == NULL) {
    ++without;
  } else {
    for (i = 0; i < ni * howmany; ++i)
      for (k = 0; k < 2; ++k) a[i][k] = whole[starti * howmany + i][k];
    F(execute)(p);
    F(destroy_plan)(p);
    if (scrambled) {
      p = F(mpi_plan_many_dft)(1, &n, howmany, 0, 0, b, a, MPI_COMM_WORLD, -sign,
                               FFTW_ESTIMATE | FFTW_MPI_SCRAMBLED_IN);
      if (p == NULL) fail("a line", "there is no way back");
      F(execute)(p);
      F(destroy_plan)(p);
    }
    for (i = 0; i < (scrambled ? ni : no) * howmany; ++i)
      for (k = 0; k < 2; ++k) {
        const double found = scrambled ? a[i][k] / (double)n : b[i][k];
        const double right_one = scrambled ? whole[starti * howmany + i][k] : wanted[starto * howmany + i][k];
        if (!(fabs(found - right_one) <= TOLERANCE * (double)n)) fail("a line", "the result is wrong");
      }
    ++right;
  }
  if (b != a) F(free)(b);
  F(free)(a);
  F(free)(whole);
  F(free)(wanted);
}

static void lines(void) {
  static const ptrdiff_t lengths[] = {64, 60, 49, 13, 1, 1000, 5003, 2 * 2503};
  int count;
  for (count = 0; count < 64; ++count) {
    const int scrambled = count / 8 % 2;
    /* (FFTW has no plans of some, and writes outside of its arrays in others.) */
    if (!more && (scrambled || count / 32 == 1 || count % 8 > 0)) continue;
    line(lengths[count % 8], count / 32 ? 3 : 1, count / 16 % 2 ? FFTW_BACKWARD : FFTW_FORWARD,
         scrambled ? FFTW_MPI_SCRAMBLED_OUT : 0, count % 5 < 2);
  }
}

/* Both directions of a problem, planned for several arrays, and destroyed in another order on each rank. */
static void pairs(void) {
  const ptrdiff_t n[] = {6, 5, 4};
  ptrdiff_t here, first, i, turn;
  int k;
  const ptrdiff_t numbers = F(mpi_local_size)(3, n, MPI_COMM_WORLD, &here, &first);
  number* a = (number*)F(malloc)(sizeof(number) * (size_t)(numbers + 1));
  number* b = (number*)F(malloc)(sizeof(number) * (size_t)(numbers + 1));
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  for (turn = 0; turn < 6; ++turn) {
    const MPI_Comm comm = turn % 2 ? other : MPI_COMM_WORLD;
    F(plan) plans[4];
    plans[0] = F(mpi_plan_dft)(3, n, a, b, comm, FFTW_FORWARD, FFTW_ESTIMATE);
    plans[1] = F(mpi_plan_dft)(3, n, b, a, comm, FFTW_BACKWARD, FFTW_ESTIMATE);
    plans[2] = F(mpi_plan_dft)(3, n, a, a, comm, FFTW_FORWARD, FFTW_ESTIMATE);
    if (plans[0] == NULL || plans[1] == NULL || plans[2] == NULL) fail("a pair", "there is no plan");
    /* One of the two goes, another one comes. */
    F(destroy_plan)(plans[(rank + turn) % 2 ? 2 : 0]);
    if ((rank + turn) % 2) {
      F(destroy_plan)(plans[0]);
    } else {
      F(destroy_plan)(plans[2]);
    }
    plans[3] = F(mpi_plan_dft)(3, n, a, b, comm, FFTW_FORWARD, FFTW_ESTIMATE);
    for (i = 0; i < here * 20; ++i)
      for (k = 0; k < 2; ++k) a[i][k] = (real)noise(first * 40 + 2 * i + k);
    F(execute)(plans[3]);
    F(execute)(plans[1]);
    for (i = 0; i < here * 20; ++i)
      for (k = 0; k < 2; ++k)
        if (!(fabs(a[i][k] / 120 - noise(first * 40 + 2 * i + k)) <= TOLERANCE * 120))
          fail("a pair", "the way back is wrong");
    F(destroy_plan)(plans[turn % 4 < 2 ? 1 : 3]);
    F(destroy_plan)(plans[turn % 4 < 2 ? 3 : 1]);
    ++right;
  }
  MPI_Comm_free(&other);
  F(free)(a);
  F(free)(b);
}

static void transpositions(void) {
  static const ptrdiff_t shapes[][3] = {{6, 4, 1}, {5, 7, 3}, {9, 2, 2}, {1, 8, 1}, {3, 1, 2}};
  size_t s;
  int order, in_place;
  for (s = 0; s < sizeof shapes / sizeof shapes[0]; ++s)
    for (order = 0; order < 4; ++order)
      for (in_place = 0; in_place < 2; ++in_place) {
        const ptrdiff_t n0 = shapes[s][0], n1 = shapes[s][1], howmany = shapes[s][2];
        const unsigned flags =
            FFTW_ESTIMATE | (order & 1 ? FFTW_MPI_TRANSPOSED_IN : 0) | (order & 2 ? FFTW_MPI_TRANSPOSED_OUT : 0);
        ptrdiff_t l0, s0, l1, s1, i, j, k, numbers;
        int wrong = 0, round;
        real *a, *b;
        F(plan) p;
        numbers = howmany * F(mpi_local_size_2d_transposed)(n0, n1, MPI_COMM_WORLD, &l0, &s0, &l1, &s1);
        a = room(numbers);
        b = in_place ? a : room(numbers);
        p = howmany == 1 ? F(mpi_plan_transpose)(n0, n1, a, b, MPI_COMM_WORLD, flags)
                         : F(mpi_plan_many_transpose)(n0, n1, howmany, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK,
                                                      a, b, MPI_COMM_WORLD, flags);
        if (p == NULL) fail("a transposition", "there is no plan");
        for (round = 0; round < 2; ++round) {
          for (i = 0; i < l0; ++i)
            for (j = 0; j < n1; ++j)
              for (k = 0; k < howmany; ++k)
                a[(order & 1 ? j * l0 + i : i * n1 + j) * howmany + k] = (real)(((s0 + i) * n1 + j) * howmany + k);
          round == 0 ? F(execute)(p) : F(mpi_execute_r2r)(p, a, b);
          for (i = 0; i < n0; ++i)
            for (j = 0; j < l1; ++j)
              for (k = 0; k < howmany; ++k)
                wrong +=
                    b[(order & 2 ? i * l1 + j : j * n0 + i) * howmany + k] != (real)((i * n1 + s1 + j) * howmany + k);
          if (wrong) fail("a transposition", "the result is wrong");
        }
        F(destroy_plan)(p);
        if (b != a) F(free)(b);
        F(free)(a);
        ++right;
      }
}

/* What programs do around a plan: it is made without arrays, on a communicator with the ranks in another order that is
   then freed, and executed with arrays of any alignment; plans are destroyed in another order on each rank; and
   everything is cleaned up before there are others. */
static void around(void) {
  const ptrdiff_t n0 = 6, n1 = 5, n2 = 4;
  ptrdiff_t i, j, k, planes, start, numbers;
  MPI_Comm reversed;
  int me, round, wrong = 0;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Comm_rank(reversed, &me);
  for (round = 0; round < 2; ++round) {
    F(plan) plans[3];
    real* memory;
    number* a;
    numbers = F(mpi_local_size_3d)(n0, n1, n2, reversed, &planes, &start);
    if (planes > 0 && start != me * ((n0 + ranks - 1) / ranks))
      fail("ranks in another order", "planes are dealt in another way");
    memory = (real*)F(malloc)(sizeof(number) * (size_t)numbers + sizeof(real));
    a = (number*)(memory + (more ? (rank + round) % 2 : 0)); /* FFTW-MPI does not keep to FFTW_UNALIGNED */
    for (i = 0; i < 3; ++i)
      plans[i] = F(mpi_plan_dft_3d)(n0, n1, n2, NULL, NULL, reversed, FFTW_FORWARD, FFTW_ESTIMATE | FFTW_UNALIGNED);
    if (round == 1) MPI_Comm_free(&reversed);
    for (i = 0; i < planes; ++i)
      for (j = 0; j < n1; ++j)
        for (k = 0; k < n2; ++k) {
          const double turns =
              (double)(start + i) / (double)n0 + 2.0 * (double)j / (double)n1 + 3.0 * (double)k / (double)n2;
          a[(i * n1 + j) * n2 + k][0] = (real)cos(2 * 3.14159265358979323846 * turns);
          a[(i * n1 + j) * n2 + k][1] = (real)sin(2 * 3.14159265358979323846 * turns);
        }
    F(mpi_execute_dft)(plans[1], a, a);
    for (i = 0; i < planes; ++i)
      for (j = 0; j < n1; ++j)
        for (k = 0; k < n2; ++k) {
          const double expected = start + i == 1 && j == 2 && k == 3 ? (double)(n0 * n1 * n2) : 0;
          const real* mine = a[(i * n1 + j) * n2 + k];
          wrong += !(fabs(mine[0] - expected) + fabs(mine[1]) <= TOLERANCE * (double)(n0 * n1 * n2));
        }
    if (wrong) fail("another order of ranks", "the result is wrong");
    for (i = 0; i < 3; ++i) F(destroy_plan)(plans[(i + rank) % 3]);
    F(free)(memory);
    F(mpi_cleanup)();
    F(mpi_init)();
    ++right;
  }
}

/* What has no plan in any FFTW. */
static void nonsense(void) {
  const ptrdiff_t n[3] = {4, 4, 4}, none[3] = {4, 0, 4};
  const ptrdiff_t fresh[3] = {6, 10, 14};
  number* a = (number*)F(malloc)(sizeof(number) * 6 * 10 * 14);
  if (F(mpi_plan_many_dft)(3, n, -1, 0, 0, a, a, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE) != NULL)
    fail("howmany = -1", "there is a plan");
  if (F(mpi_plan_dft)(3, none, a, a, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE) != NULL)
    fail("n[1] = 0", "there is a plan");
  if (ranks < 4 && F(mpi_plan_many_dft)(3, n, 1, 1, 1, a, a, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE) != NULL)
    fail("more blocks than ranks", "there is a plan");
  if (F(mpi_plan_dft)(3, fresh, a, a, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE | FFTW_WISDOM_ONLY) != NULL)
    fail("wisdom only", "there is a plan");
  if (more) { /* FFTW divides by them */
    const ptrdiff_t flat[3] = {0, 5, 4};
    ptrdiff_t count, first;
    if (F(mpi_local_size_many)(3, n, 0, 0, MPI_COMM_WORLD, &count, &first) != 0)
      fail("howmany = 0", "there are numbers");
    if (F(mpi_local_size)(3, flat, MPI_COMM_WORLD, &count, &first) < 0 || count != 0)
      fail("n[0] = 0", "there are planes");
  }
  F(destroy_plan)(NULL);
  F(free)(a);
}

/* Whether this rank has wisdom of a length, whose transform lies in `a`. */
static int knows(int n, number* a) {
  const F(plan) p = F(plan_dft_1d)(n, a, a, FFTW_FORWARD, FFTW_MEASURE | FFTW_WISDOM_ONLY);
  F(destroy_plan)(p);
  return p != NULL;
}

/* What the last rank has learnt goes to rank 0, and from there to all. */
static void wisdom(void) {
  const int n = 90, last = rank == ranks - 1;
  number* a = (number*)F(malloc)(sizeof(number) * n);
  F(forget_wisdom)();
  if (last) F(destroy_plan)(F(plan_dft_1d)(n, a, a, FFTW_FORWARD, FFTW_MEASURE));
  if (knows(n, a) != last) fail("wisdom", "forgotten, or not learnt");
  F(mpi_gather_wisdom)(MPI_COMM_WORLD);
  if (rank == 0 && !knows(n, a)) fail("gather_wisdom", "rank 0 has not got it");
  F(mpi_broadcast_wisdom)(MPI_COMM_WORLD);
  if (!knows(n, a)) fail("broadcast_wisdom", "a rank has not got it");
  F(free)(a);
  ++right;
}

int main(int argc, char** argv) {
  int same, mine;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  more = argc > 1 && strcmp(argv[1], "more") == 0;
  F(mpi_init)();
  F(set_timelimit)(5);
  transforms(C2C, C2R);
  transforms(R2R, R2R);
  transpositions();
  if (more) blocks(); /* FFTW says too small a size where a block is the whole second axis */
  lines();
  pairs();
  around();
  nonsense();
  wisdom();
  mine = right;
  MPI_Allreduce(&mine, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) printf("%d cases right, %d without a plan\n", same, without);
  F(mpi_cleanup)();
  MPI_Finalize();
  return 0;
}
