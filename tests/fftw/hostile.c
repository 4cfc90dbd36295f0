/* Arguments that no program should give, to every function of fftw3-mpi.h: a planner function gives NULL on all ranks,
   and says why, once; nothing crashes or waits for ever. "hostile CASE" runs one of those that end the job. */
#include <fftw3-mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORLD MPI_COMM_WORLD
#define MANY (ptrdiff_t)(PTRDIFF_MAX / 2)

static int rank, ranks, right = 0, terminal;
static FILE* said;

static void fail(const char* what, const char* why) {
  dup2(terminal, 2);
  fprintf(stderr, "rank %d of %d: %s: %s\n", rank, ranks, what, why);
  MPI_Abort(WORLD, 1);
}

/* What this rank has said on stderr since the last call. */
static const char* heard(void) {
  static char text[20000];
  size_t length;
  fflush(stderr);
  fseek(said, 0, SEEK_SET);
  length = fread(text, 1, sizeof text - 1, said);
  text[length] = '\0';
  if (ftruncate(fileno(said), 0) != 0) fail("stderr", "cannot be truncated");
  lseek(2, 0, SEEK_SET);
  return text;
}

/* That there is no plan on any rank, and that rank 0 has said so in one line with `why` in it. */
static void refused(const char* what, fftw_plan p, const char* why) {
  const char* text = heard();
  if (p != NULL) fail(what, "there is a plan");
  if (rank == 0) {
    if (strncmp(text, "weft: ", 6) != 0 || strstr(text, why) == NULL || strchr(text, '\n') != strrchr(text, '\n')) {
      char words[20100];
      snprintf(words, sizeof words, "'%s' is not the one line that was said: %s", why, text);
      fail(what, words);
    }
    printf("%s: %s", what, text);
  } else if (*text != '\0') {
    fail(what, text);
  }
  ++right;
}
#define REFUSED(CALL, WHY) refused(#CALL, CALL, WHY)

/* That the sizes are what they should be, and nothing was said. */
static void sized(const char* what, ptrdiff_t size, ptrdiff_t least, ptrdiff_t most) {
  const char* text = heard();
  if (size < least || size > most) fail(what, "the size is out of bounds");
  if (*text != '\0') fail(what, text);
  ++right;
}
#define SIZED(CALL, LEAST, MOST) sized(#CALL, CALL, LEAST, MOST)

static void shapes(void) {
  const ptrdiff_t n[3] = {6, 5, 4}, none[3] = {6, 0, 4}, below[3] = {6, 5, -4}, huge[3] = {MANY, MANY, MANY};
  const ptrdiff_t mine[3] = {6, 5 + (rank == 1), 4}, wrong[3] = {6, 5, rank == 1 ? -4 : 4};
  const fftw_r2r_kind good[3] = {FFTW_DHT, FFTW_DHT, FFTW_DHT}, bad[3] = {FFTW_DHT, (fftw_r2r_kind)99, FFTW_DHT};
  const fftw_r2r_kind other[3] = {FFTW_DHT, rank == 1 ? FFTW_R2HC : FFTW_DHT, FFTW_DHT};
  const unsigned e = FFTW_ESTIMATE;
  fftw_complex* a = fftw_alloc_complex(1000);
  double* r = (double*)a;

  REFUSED(fftw_mpi_plan_dft(3, none, a, a, WORLD, FFTW_FORWARD, e), "n[1] is 0; it must be at least 1");
  REFUSED(fftw_mpi_plan_dft(3, below, a, a, WORLD, FFTW_FORWARD, e), "n[2] is -4");
  REFUSED(fftw_mpi_plan_dft(3, wrong, a, a, WORLD, FFTW_FORWARD, e), "n[2] is -4");
  REFUSED(fftw_mpi_plan_dft(3, huge, a, a, WORLD, FFTW_FORWARD, e), "overflow");
  REFUSED(fftw_mpi_plan_dft(3, NULL, a, a, WORLD, FFTW_FORWARD, e), "n is null");
  REFUSED(fftw_mpi_plan_dft(0, n, a, a, WORLD, FFTW_FORWARD, e), "0 dimensions");
  REFUSED(fftw_mpi_plan_dft(-3, n, a, a, WORLD, FFTW_FORWARD, e), "0 dimensions");
  REFUSED(fftw_mpi_plan_dft(1 << 30, n, a, a, WORLD, FFTW_FORWARD, e), "allowed are 1 to 64");
  REFUSED(fftw_mpi_plan_dft(3, n, a, a, WORLD, 0, e), "the sign is 0; allowed are FFTW_FORWARD (-1)");
  REFUSED(fftw_mpi_plan_dft_1d(-1, a, a, WORLD, FFTW_FORWARD, e), "n[0] is -1");
  REFUSED(fftw_mpi_plan_dft_2d(0, 4, a, a, WORLD, FFTW_FORWARD, e), "n[0] is 0");
  REFUSED(fftw_mpi_plan_dft_3d(4, 4, 0, a, a, WORLD, FFTW_FORWARD, e), "n[2] is 0");
  REFUSED(fftw_mpi_plan_dft_r2c_2d(4, -4, r, a, WORLD, e), "n[1] is -4");
  REFUSED(fftw_mpi_plan_dft_r2c_3d(4, 0, 4, r, a, WORLD, e), "n[1] is 0");
  REFUSED(fftw_mpi_plan_dft_r2c(1, n, r, a, WORLD, e), "1 dimensions; allowed are 2");
  REFUSED(fftw_mpi_plan_dft_c2r_2d(MANY, MANY, a, r, WORLD, e), "overflow");
  REFUSED(fftw_mpi_plan_dft_c2r_3d(-1, 4, 4, a, r, WORLD, e), "n[0] is -1");
  REFUSED(fftw_mpi_plan_dft_c2r(0, n, a, r, WORLD, e), "0 dimensions");
  REFUSED(fftw_mpi_plan_r2r(3, n, r, r, WORLD, NULL, e), "kind is null");
  REFUSED(fftw_mpi_plan_r2r(3, n, r, r, WORLD, bad, e), "a kind is 99");
  REFUSED(fftw_mpi_plan_r2r(3, n, r, r, WORLD, other, e), "must be the same on all ranks");
  REFUSED(fftw_mpi_plan_r2r_2d(0, 4, r, r, WORLD, FFTW_DHT, FFTW_DHT, e), "n[0] is 0");
  REFUSED(fftw_mpi_plan_r2r_3d(4, 4, 0, r, r, WORLD, FFTW_DHT, FFTW_DHT, FFTW_DHT, e), "n[2] is 0");
  REFUSED(fftw_mpi_plan_many_r2r(3, n, -1, 0, 0, r, r, WORLD, good, e), "howmany is -1");
  REFUSED(fftw_mpi_plan_transpose(0, 4, r, r, WORLD, e), "n[0] is 0");
  REFUSED(fftw_mpi_plan_transpose(MANY, MANY, r, r, WORLD, e), "");

  /* What differs between ranks. */
  REFUSED(fftw_mpi_plan_dft(3, mine, a, a, WORLD, FFTW_FORWARD, e), "rank 1 has fftw 6 x 6 x 4");
  REFUSED(fftw_mpi_plan_dft(rank == 1 ? 2 : 3, n, a, a, WORLD, FFTW_FORWARD, e), "rank 1 has fftw 6 x 5 c2c");
  REFUSED(fftw_mpi_plan_dft(3, n, a, a, WORLD, rank == 1 ? 1 : -1, e), "rank 1 has fftw 6 x 5 x 4 c2c backward");
  REFUSED(fftw_mpi_plan_dft_3d(6, 5, 4, a, a, WORLD, -1, rank == 1 ? e | FFTW_MPI_TRANSPOSED_OUT : e),
          "must be the same on all ranks");
  REFUSED(fftw_mpi_plan_dft_1d(rank == 1 ? 64 : 32, a, a, WORLD, FFTW_FORWARD, e), "must be the same on all ranks");
  REFUSED(fftw_mpi_plan_dft_1d(64, a, a, WORLD, FFTW_FORWARD, rank == 1 ? e : FFTW_MEASURE),
          "must be the same on all ranks");
  REFUSED(rank == 1 ? fftw_mpi_plan_dft_r2c(3, n, r, a, WORLD, e) : fftw_mpi_plan_dft_c2r(3, n, a, r, WORLD, e),
          "must be the same on all ranks");
  REFUSED(fftw_mpi_plan_dft_3d(6, 5, 4, a, rank == 0 ? a : a + 500, WORLD, FFTW_FORWARD, e),
          "in and out are the same array on some ranks");
  REFUSED(fftw_mpi_plan_transpose(6, rank == 1 ? 5 : 4, r, r, WORLD, e), "must be the same on all ranks");

  /* No communicator has no rank 0: each process says it. */
  if (fftw_mpi_plan_dft(3, n, a, a, MPI_COMM_NULL, FFTW_FORWARD, e) != NULL) fail("MPI_COMM_NULL", "there is a plan");
  if (strstr(heard(), "no plan: the communicator is MPI_COMM_NULL\n") == NULL)
    fail("MPI_COMM_NULL", "nothing was said");
  fftw_free(a);
}

static void batches_and_blocks(void) {
  const ptrdiff_t n[3] = {10, 9, 8};
  const unsigned e = FFTW_ESTIMATE, out = e | FFTW_MPI_TRANSPOSED_OUT;
  fftw_complex* a = fftw_alloc_complex(3000);
  double* r = (double*)a;
  fftw_plan p;

  REFUSED(fftw_mpi_plan_many_dft(3, n, -1, 0, 0, a, a, WORLD, FFTW_FORWARD, e), "howmany is -1");
  REFUSED(fftw_mpi_plan_many_dft(3, n, MANY, 0, 0, a, a, WORLD, FFTW_FORWARD, e), "overflow");
  REFUSED(fftw_mpi_plan_many_dft(3, n, 1 + rank, 0, 0, a, a, WORLD, FFTW_FORWARD, e), "must be the same on all ranks");
  REFUSED(fftw_mpi_plan_many_dft(3, n, 1, -2, 0, a, a, WORLD, FFTW_FORWARD, e), "the block of the input is -2");
  REFUSED(fftw_mpi_plan_many_dft(3, n, 1, 0, -2, a, a, WORLD, FFTW_FORWARD, e), "the block of the output is -2");
  REFUSED(fftw_mpi_plan_many_dft(3, n, 1, 4 + (rank == 1), 0, a, a, WORLD, FFTW_FORWARD, e), "blocks of 5 and 0");
  REFUSED(fftw_mpi_plan_many_dft(3, n, 1, 3, 0, a, a, WORLD, FFTW_FORWARD, e),
          "the block of the input is 3, which cuts the 10 planes of axis 0 into 4 blocks for 3 ranks; at least 4");
  REFUSED(fftw_mpi_plan_many_dft(3, n, 1, 4, 2, a, a, WORLD, FFTW_FORWARD, out),
          "the 9 planes of axis 1 into 5 blocks");
  REFUSED(fftw_mpi_plan_many_dft_r2c(2, n, 1, 4, 1, r, a, WORLD, out), "the 5 planes of axis 1 into 5 blocks");
  REFUSED(fftw_mpi_plan_many_dft_c2r(2, n, 1, 1, 4, a, r, WORLD, e | FFTW_MPI_TRANSPOSED_IN), "the 5 planes of axis 1");
  REFUSED(fftw_mpi_plan_many_transpose(10, 9, 1, 4, 2, r, r, WORLD, e), "the 9 planes of axis 1 into 5 blocks");
  REFUSED(fftw_mpi_plan_many_transpose(10, 9, -1, 0, 0, r, r, WORLD, e), "howmany is -1");
  /* Blocks beyond all bounds are one block of all. */
  p = fftw_mpi_plan_many_dft(3, n, 1, PTRDIFF_MAX, MANY, a, a, WORLD, FFTW_FORWARD, out);
  if (p == NULL || *heard() != '\0') fail("huge blocks", "there is no plan");
  fftw_destroy_plan(p);
  /* Nothing to do: FFTW's own, where it is there. */
  p = fftw_mpi_plan_many_dft(3, n, 0, 0, 0, a, a, WORLD, FFTW_FORWARD, e);
  if (p == NULL && rank == 0 && strstr(heard(), "nothing to transform") == NULL)
    fail("howmany = 0", "NULL without a word");
  if (p != NULL) fftw_execute(p);
  fftw_destroy_plan(p);
  p = fftw_mpi_plan_r2r_2d(1, 1, r, r, WORLD, FFTW_REDFT00, FFTW_REDFT00, e);
  if (p == NULL && rank == 0 && strstr(heard(), ": no plan: ") == NULL) fail("REDFT00 of 1", "NULL without a word");
  fftw_destroy_plan(p);
  heard();
  right += 3;
  fftw_free(a);
}

static void sizes(void) {
  const ptrdiff_t n[3] = {6, 5, 4}, none[3] = {0, 5, 4}, below[3] = {6, -5, 4}, huge[3] = {MANY, MANY, MANY};
  ptrdiff_t i, s, o, t;
  SIZED(fftw_mpi_local_size(3, none, WORLD, &i, &s), 0, 1);
  SIZED(fftw_mpi_local_size(3, below, WORLD, &i, &s), 0, 1);
  SIZED(fftw_mpi_local_size(3, NULL, WORLD, &i, &s), 0, 0);
  SIZED(fftw_mpi_local_size(0, n, WORLD, &i, &s), 1, 1);
  SIZED(fftw_mpi_local_size(-1, n, WORLD, &i, &s), 1, 1);
  SIZED(fftw_mpi_local_size(1, n, WORLD, &i, &s), 1, 6);
  SIZED(fftw_mpi_local_size(1 << 30, n, WORLD, &i, &s), 0, 0);
  SIZED(fftw_mpi_local_size(3, n, WORLD, NULL, NULL), 1, 120);
  SIZED(fftw_mpi_local_size(3, huge, WORLD, &i, &s), MANY / 100, MANY);
  SIZED(fftw_mpi_local_size_2d(-1, -1, WORLD, &i, &s), 0, 1);
  SIZED(fftw_mpi_local_size_3d(4, 0, 4, WORLD, &i, &s), 0, 1);
  SIZED(fftw_mpi_local_size_2d_transposed(MANY, 0, WORLD, &i, &s, &o, &t), 0, 1);
  SIZED(fftw_mpi_local_size_3d_transposed(MANY, MANY, 3, WORLD, &i, &s, &o, &t), MANY / 100, MANY);
  SIZED(fftw_mpi_local_size_transposed(3, n, WORLD, NULL, NULL, NULL, NULL), 1, 120);
  SIZED(fftw_mpi_local_size_many(3, n, -7, 0, WORLD, &i, &s), 0, 0);
  SIZED(fftw_mpi_local_size_many(3, n, 0, 0, WORLD, &i, &s), 0, 0);
  SIZED(fftw_mpi_local_size_many(3, n, MANY, 0, WORLD, &i, &s), MANY / 100, MANY);
  SIZED(fftw_mpi_local_size_many(3, n, 1, -1, WORLD, &i, &s), 1, 120);
  SIZED(fftw_mpi_local_size_many_transposed(3, n, 1, PTRDIFF_MAX, PTRDIFF_MAX, WORLD, &i, &s, &o, &t), 1, 120);
  if (i != (rank == 0 ? 6 : 0) || o != (rank == 0 ? 5 : 0) || s != 0 || t != 0) fail("huge blocks", "dealt otherwise");
  /* A block of the whole second axis is one block (github.com/FFTW/fftw3/issues/174). */
  SIZED(fftw_mpi_local_size_many_transposed(3, n, 1, 5, 5, WORLD, &i, &s, &o, &t), rank == 0 ? 120 : 1, 120);
  if (i != (rank == 0 ? 5 : rank == 1) || o != (rank == 0 ? 5 : 0))
    fail("a block of the second axis", "dealt otherwise");
  SIZED(fftw_mpi_local_size_1d(0, WORLD, FFTW_FORWARD, FFTW_ESTIMATE, &i, &s, &o, &t), 0, 1);
  SIZED(fftw_mpi_local_size_1d(-3, WORLD, FFTW_FORWARD, FFTW_ESTIMATE, &i, &s, &o, &t), 0, 1);
  SIZED(fftw_mpi_local_size_1d(64, WORLD, 0, FFTW_ESTIMATE, &i, &s, &o, &t), 1, 64);
  SIZED(fftw_mpi_local_size_1d(PTRDIFF_MAX, WORLD, FFTW_FORWARD, FFTW_ESTIMATE, &i, &s, &o, &t), 1, PTRDIFF_MAX);
  SIZED(fftw_mpi_local_size_many_1d(64, 0, WORLD, FFTW_FORWARD, FFTW_ESTIMATE, &i, &s, &o, &t), 0, 0);
  SIZED(fftw_mpi_local_size_many_1d(64, -1, WORLD, FFTW_FORWARD, FFTW_ESTIMATE, &i, &s, &o, &t), 0, 0);
  SIZED(fftw_mpi_local_size_many_1d(64, 2, WORLD, FFTW_FORWARD, FFTW_ESTIMATE, NULL, NULL, NULL, NULL), 1, 128);
}

/* What ends the job, with a line that says why. */
static void ending(const char* which) {
  fftw_complex* a = fftw_alloc_complex(1000);
  ptrdiff_t i, s;
  fftw_plan p = fftw_mpi_plan_dft_3d(6, 5, 4, a, a + 500, WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  if (strcmp(which, "null_plan") == 0) fftw_execute(NULL);
  if (strcmp(which, "null_array") == 0) fftw_mpi_execute_dft(p, a, NULL);
  if (strcmp(which, "null_transposition") == 0)
    fftw_execute(fftw_mpi_plan_transpose(6, 4, NULL, (double*)a, WORLD, FFTW_ESTIMATE));
  if (strcmp(which, "destroyed") == 0) {
    fftw_destroy_plan(p);
    fftw_execute(p);
  }
  if (strcmp(which, "no_ranks") == 0) fftw_mpi_local_size_3d(6, 5, 4, MPI_COMM_NULL, &i, &s);
}

int main(int argc, char** argv) {
  int same, mine;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &ranks);
  if (argc > 1 && strcmp(argv[1], "no_plan") == 0) return MPI_Finalize();
  fftw_mpi_init();
  if (argc > 1) {
    ending(argv[1]);
    printf("the job goes on\n");
    MPI_Finalize();
    return 0;
  }
  terminal = dup(2);
  said = tmpfile();
  if (said == NULL || dup2(fileno(said), 2) < 0) fail("stderr", "cannot be read");
  setvbuf(stderr, NULL, _IONBF, 0);
  shapes();
  batches_and_blocks();
  sizes();
  mine = right;
  MPI_Allreduce(&mine, &same, 1, MPI_INT, MPI_MIN, WORLD);
  if (rank == 0) printf("%d of %d calls are answered\n", same, mine);
  MPI_Finalize();
  return 0;
}
