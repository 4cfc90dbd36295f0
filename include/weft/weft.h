// Weft in C: distributed FFTs for MPI that weave communication into computation.
//
//   #include <weft/weft.h>
//
//   int64_t shape[3] = {128, 128, 128}, size;
//   weft_problem problem;
//   weft_transform fft;
//   weft_problem_create(3, shape, &problem);
//   weft_problem_set(problem, "kind", "r2c");
//   if (weft_transform_create(problem, NULL, MPI_COMM_WORLD, &fft) != WEFT_SUCCESS) {
//     fprintf(stderr, "%s\n", weft_error_message());
//   }
//   weft_transform_input_size(fft, &size);  // doubles of this rank's part of the field
//   weft_transform_forward(fft, field, spectrum);
//   weft_transform_destroy(&fft);
//   weft_problem_destroy(&problem);
//
// Memory order is C order: axis 2 is the fastest. Forward has the exponent -1, backward +1, unnormalised by default.
// It is the interface of C++ (weft/weft.hpp and what it includes, sphere.hpp, operator.hpp, tuner.hpp) under C's rules:
//
// * Every function returns a code, 0 for success, but for `weft_version` and for `weft_error_message`, which has the
//   text of this thread's last failure. No function ends the program or lets a C++ exception out.
// * What a function makes or finds comes through its last arguments. After a failure a handle that it would have made
//   is NULL, and numbers and texts are left as they were.
// * Handles are freed with `weft_..._destroy(&handle)`, which sets them to NULL; destroying a NULL handle does nothing.
//   A handle that is given to make another one (a problem, options, a layout) may be changed or destroyed right after.
// * Where options are taken, NULL stands for the defaults.
// * Texts belong to Weft. One that is asked of a handle stays until the next text is asked of this handle, or its end;
//   one that is asked of no handle stays until this thread asks for the next such one.
// * Structures that may get more members are given with their size: `weft_transform_statistics(fft, sizeof s, &s)`. New
//   members come at the end, and a program that was compiled before they came goes on to work.
// * Collective functions are called by all ranks of the communicator, with the same arguments where nothing else is
//   said. If one fails on any rank it fails on all, with the same message; but a NULL handle in a call that takes no
//   communicator fails on its rank alone.
// * A function that takes an MPI_Comm has a twin with the suffix `_f` that takes Fortran's number of it.
//
// All sizes, counts and offsets are signed 64-bit and count elements (real or complex numbers) where nothing else is
// said.
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Codes and handles

enum weft_code {
  WEFT_SUCCESS = 0,
  WEFT_ERROR = 1,              // an argument that is not allowed, an MPI call or a file that failed: see the message
  WEFT_ERROR_MEMORY = 2,       // there was not enough memory
  WEFT_ERROR_MPI_LIBRARY = 3,  // the program was compiled, or runs, with another MPI library than Weft
  WEFT_ERROR_INTERNAL = 4      // what should not happen
};

// The sign of the exponent.
enum weft_direction { WEFT_FORWARD = -1, WEFT_BACKWARD = +1 };

// What an array holds.
enum weft_type { WEFT_FLOAT = 1, WEFT_DOUBLE = 2, WEFT_COMPLEX_FLOAT = 3, WEFT_COMPLEX_DOUBLE = 4 };

typedef struct weft_layout_impl* weft_layout;                    // who holds what: the box of each rank
typedef struct weft_problem_impl* weft_problem;                  // what to transform
typedef struct weft_options_impl* weft_options;                  // how
typedef struct weft_plan_impl* weft_plan;                        // what one rank of a transform does, as data
typedef struct weft_transform_impl* weft_transform;              // a plan with a communicator and memory: it runs
typedef struct weft_redistribution_impl* weft_redistribution;    // moves a field between two layouts
typedef struct weft_ghost_exchange_impl* weft_ghost_exchange;    // moves a field to parts that overlap, and back
typedef struct weft_sphere_problem_impl* weft_sphere_problem;    // wave functions: what to transform
typedef struct weft_sphere_plan_impl* weft_sphere_plan;          // what one rank does of it
typedef struct weft_sphere_impl* weft_sphere;                    // their transforms
typedef struct weft_function_impl* weft_function;                // which function
typedef struct weft_operator_plan_impl* weft_operator_plan;      // what one rank does of it
typedef struct weft_operator_impl* weft_operator;                // with a communicator and memory
typedef struct weft_poisson_problem_impl* weft_poisson_problem;  // Poisson's equation: on which box
typedef struct weft_poisson_impl* weft_poisson;                  // what solves it
typedef struct weft_tuning_impl* weft_tuning;                    // how the tuner chooses options
typedef struct weft_tuned_impl* weft_tuned;                      // what it has chosen, and why

// The text of the last failure of a Weft function in this thread, until the next one; "" before the first. It names the
// argument, its value and what is allowed.
const char* weft_error_message(void);

// Major, minor and patch number: "1.0.0".
const char* weft_version(void);

// ---- Memory for fields
//
// Any memory will do. What begins with a cache line, and lies in huge pages if it is large, is fastest: that of malloc
// takes up to 1.35 times as long.

// So many bytes, not initialised; at least 0. Not collective.
int weft_memory_create(int64_t bytes, void** memory);
// NULL is left as it is.
int weft_memory_destroy(void** memory);

// ---- Communicators
//
// An MPI_Comm means something to the MPI library of its mpi.h only. So the program tells which that is: it compiles
// the functions of this header that take one, and those call the function with the suffix `_on`. A library that was
// made with another MPI refuses the call (WEFT_ERROR_MPI_LIBRARY) instead of crashing.

#if defined(OPEN_MPI)
#define WEFT_MPI_LIBRARY "Open MPI"
#elif defined(MPICH_VERSION) || defined(MPICH_NAME) || defined(I_MPI_VERSION)
#define WEFT_MPI_LIBRARY "MPICH or one of its kind"
#elif defined(MPI_ABI_VERSION)
#define WEFT_MPI_LIBRARY "the standard ABI of MPI"
#else
#define WEFT_MPI_LIBRARY "an MPI library that Weft does not know by name"
#endif

// A communicator on its way into the library.
typedef struct weft_comm {
  const char* library;  // WEFT_MPI_LIBRARY
  size_t size;          // of an MPI_Comm
  const void* handle;   // where it lies
} weft_comm;

static inline weft_comm weft_comm_at(const MPI_Comm* comm) {
  weft_comm out;
  out.library = WEFT_MPI_LIBRARY;
  out.size = sizeof(MPI_Comm);
  out.handle = comm;
  return out;
}

// For wrappers that check arguments of their own before a collective call that takes a communicator: fails with the
// message of the lowest rank whose `message` is not empty, on all ranks. NULL is empty. Collective.
int weft_agree_on(const char* message, const weft_comm* comm);
static inline int weft_agree(const char* message, MPI_Comm comm) {
  const weft_comm on = weft_comm_at(&comm);
  return weft_agree_on(message, &on);
}
int weft_agree_f(const char* message, int comm);

// ---- Boxes and layouts

// A half-open box lo <= i < hi of the global grid.
typedef struct weft_box {
  int64_t lo[3], hi[3];
} weft_box;

// A regular grid of parts[0] x parts[1] x parts[2] boxes; rank = (i0 * parts[1] + i1) * parts[2] + i2. Of n points over
// p parts the first n mod p parts have one point more.
int weft_layout_create_grid(const int64_t shape[3], const int parts[3], weft_layout* layout);
// One axis split over all ranks.
int weft_layout_create_slab(const int64_t shape[3], int ranks, int axis, weft_layout* layout);
// The two axes other than `local_axis` split over rows x columns ranks; rank = row * columns + column.
int weft_layout_create_pencil(const int64_t shape[3], int rows, int columns, int local_axis, weft_layout* layout);
// Any boxes, one a rank. Error if they overlap, leave the grid or do not cover it.
int weft_layout_create_boxes(const int64_t shape[3], int ranks, const weft_box* boxes, weft_layout* layout);
// Any boxes, `owners[i]` being the rank that holds box i: codes with adaptive meshes have many a rank. A rank's array
// holds its boxes one after the other, in the order in which they are given. For ghost exchanges and for both ends of
// transforms, operators and solvers.
int weft_layout_create_patches(const int64_t shape[3], int ranks, int64_t count, const weft_box* boxes,
                               const int* owners, weft_layout* layout);
// The layout made of every rank's own box. Collective; `mine` is each rank's own.
int weft_layout_gather_on(const int64_t shape[3], const weft_box* mine, const weft_comm* comm, weft_layout* layout);
static inline int weft_layout_gather(const int64_t shape[3], const weft_box* mine, MPI_Comm comm, weft_layout* layout) {
  const weft_comm on = weft_comm_at(&comm);
  return weft_layout_gather_on(shape, mine, &on, layout);
}
int weft_layout_gather_f(const int64_t shape[3], const weft_box* mine, int comm, weft_layout* layout);
int weft_layout_destroy(weft_layout* layout);

int weft_layout_ranks(weft_layout layout, int* ranks);
int weft_layout_shape(weft_layout layout, int64_t shape[3]);
int weft_layout_box(weft_layout layout, int rank, weft_box* box);
// All boxes of a rank, in the order of its array: how many there are, and the first `capacity` of them. It is one,
// which may be empty, unless ranks hold patches.
int weft_layout_boxes(weft_layout layout, int rank, int64_t capacity, weft_box* boxes, int64_t* count);
// The parts of `box` by ascending rank, those of a rank in the order of its boxes: how many there are, and the first
// `capacity` of them. `ranks` and `boxes` hold so many; NULL for what is not wanted.
int weft_layout_overlaps(weft_layout layout, const weft_box* box, int64_t capacity, int* ranks, weft_box* boxes,
                         int64_t* count);
// "slab along axis 0", "pencil 2 x 4, axis 2 local", "grid 2 x 2 x 2", "bricks", "one rank".
int weft_layout_describe(weft_layout layout, const char** text);

// ---- Problems

// A problem of 3 axes with these extents of the real-space grid, each at least 1; of 2 axes: the grid n0 x 1 x n1,
// which boxes and layouts have three axes of; of 4 to 8: boxes and layouts have the first three, and those after them
// are whole at every point of these, in memory as well. Of 1 axis: one long line of n points over all ranks, as the
// grid n0 x 1 x n1 with one_line, n0 being the largest divisor of n not above its root; 1 if n is above 4096 and that
// were below a sixteenth of the root: then each rank has neighbouring numbers at both ends. Setting its kind, c2c, r2c
// or c2r, sets the orders in which a rank's points, and its modes, lie one after the other. What is not set:
//
//   kind           c2c; or r2c: forward takes a real field to its half spectrum, the last axis of n/2+1; or c2r:
//                  forward takes a half spectrum with Hermitian symmetry to a real field. Backward takes it back.
//                  Or a line for each axis, "dct2-dst1-r2c", of a plane for both, "dct2-dst1": none, dft, r2c or c2r
//                  (the last axis only), dct1 to dct4, dst1 to dst4, r2hc, hc2r, dht. See the Line of weft/problem.hpp.
//                  Fields in space are complex where there is a dft and no r2c or c2r. "dct2": all axes.
//   precision      double; or single
//   batch          1, fields transformed by one call, one after the other, each a whole local array
//   normalization  none; or forward, backward, ortho: where the factor 1/N is put, N the product of the shape
//   interleaved    false; true: the numbers that the fields have at a point lie side by side
//   input_order    012; the axes of forward's input in memory, from the slowest to the fastest: 102 has planes of fixed
//                  axis 1 one after the other. Layouts and boxes are not changed by it.
//   output_order   012; the same of forward's output
//   padded_rows    false; true: rows of a real field have 2*(n/2+1) numbers out of place, too, where the rank holds
//                  whole rows
//   one_line       false; true: a grid n0 x 1 x n1 is one line. Of c2c its point (j0, 0, j1) has the number j0 n1 + j1,
//                  its mode (k0, 0, k1) the number k0 + n0 k1. Spectra are dealt along axis 2, or, transposed, along
//                  axis 0. Of r2c and c2r point (j0, 0, j1) has the number j0 + n0 j1. Spectra are the modes 0 to n/2
//                  in order, dealt evenly, with a layout of 1 x 1 x (n/2+1); or, transposed, of n0 x 1 x (n1/2+1),
//                  whose (k0, 0, k1) is mode k0 n1 + k1, dealt along axis 2
//   modes          those that spectra keep of each axis, "64x64x64" (or "64x64"): the ones whose wave
//                  numbers are smallest, in the order of the FFT of a grid of so many points, which is the shape of
//                  spectra (r2c: with the half of axis 2). 0: all. The others are left out on the way to the spectrum
//                  and taken for zero on the way back, neither stored nor sent. Of an even number m of modes that are
//                  not all, m/2 stands for m/2 and -m/2: it gets their sum and gives half to each.
//   points         the first points of each axis that fields in space hold, of lines other than none. 0: all.
//                  The others are zero on the way to the spectrum and left out on the way to space, neither stored nor
//                  sent. Of an axis modes or points are left out, not both. Of more than three axes those of the
//                  first three are said, of the third all.
//   lengths        of the box along each axis, "1x2x0.5", 2 pi each: of operators, whose wave numbers are 2 pi i /
//                  length
int weft_problem_create(int axes, const int64_t* shape, weft_problem* problem);
int weft_problem_destroy(weft_problem* problem);
// An unknown name or a bad value is an error that names the good ones, and leaves the problem as it was.
int weft_problem_set(weft_problem problem, const char* name, const char* value);
int weft_problem_set_int(weft_problem problem, const char* name, int64_t value);
int weft_problem_set_lengths(weft_problem problem, const double* lengths);
// The text that `set` would take to make the present value.
int weft_problem_get(weft_problem problem, const char* name, const char** value);

// The grid on which the product of two fields of so many modes aliases none of them (but m/2 of an even m): three
// halves as many points along each axis, rounded up; 1 stays 1. And the modes of a grid of which that is so: two thirds
// of its points, rounded down. Numbers that no grid has are an error.
int weft_three_halves(const int64_t modes[3], int64_t shape[3]);
int weft_two_thirds(const int64_t shape[3], int64_t modes[3]);

// ---- Options

// Every option that there is has a name, which is also that of the environment variable (WEFT_<NAME IN CAPITALS>) that
// overrides it, of Python's argument and of C++'s member: strategy, tile, window, in_place, transposed, grid ...
// `weft_option_at` lists them.
int weft_options_create(weft_options* options);
int weft_options_copy(weft_options options, weft_options* copy);
int weft_options_destroy(weft_options* options);
// Set one option by name and text: weft_options_set(o, "grid", "2x4"). An unknown name is an error that says which one
// is nearest, a bad value one that lists the good ones.
int weft_options_set(weft_options options, const char* name, const char* value);
int weft_options_set_int(weft_options options, const char* name, int64_t value);
int weft_options_get(weft_options options, const char* name, const char** value);
// What has no text. `end` is "input" or "output": the distribution of forward's input, or output; a NULL layout leaves
// it to Weft.
int weft_options_set_layout(weft_options options, const char* end, weft_layout layout);
// The node of each rank, for plans that are made without MPI; count 0: as the option node_size says. The strategy, and
// the process grid of pencils, that Weft takes by itself depend on the nodes.
int weft_options_set_nodes(weft_options options, int count, const int* nodes);
// Apply the environment's WEFT_*, as every transform does by itself, for `operation` "transform", "redistribution" or
// "sphere". A variable whose name is an option's but for a slip of the pen is an error; of others that are unknown rank
// 0 says once that they are ignored. WEFT_ROOT, WEFT_DIR and what else module files set is left alone.
int weft_options_apply_environment(weft_options options, const char* operation);

// All options: name, allowed values, meaning, default, and to which operations they apply. Any pointer may be NULL.
int weft_option_count(int* count);
int weft_option_at(int index, const char** name, const char** values, const char** help, const char** usual,
                   const char** applies_to);
// All exchange strategies, and why one cannot be used in this build; "" if it can.
int weft_strategy_count(int* count);
int weft_strategy_at(int index, const char** name, const char** summary, const char** obstacle);
// What keeps a strategy from being used among the ranks of a communicator; "" if nothing does.
int weft_strategy_obstacle_on(const char* name, const weft_comm* comm, const char** obstacle);
static inline int weft_strategy_obstacle(const char* name, MPI_Comm comm, const char** obstacle) {
  const weft_comm on = weft_comm_at(&comm);
  return weft_strategy_obstacle_on(name, &on, obstacle);
}
int weft_strategy_obstacle_f(const char* name, int comm, const char** obstacle);
// The serial FFT libraries of this build.
int weft_backend_count(int* count);
int weft_backend_at(int index, const char** name);

// ---- Plans

// One end of a transform as a rank holds it.
typedef struct weft_array {
  weft_box box;       // this rank's part of the grid, or of the spectrum, as weft_transform_input_box
  int64_t size;       // elements that the array must hold, the batch and in-place padding included
  int64_t bytes;      // the same in bytes
  int64_t row;        // points from one row to the next: a row lies along the fastest axis
  int64_t field;      // elements from one field of the batch to the next
  int32_t type;       // of an element: enum weft_type
  int32_t reserved;   // 0
  int64_t stride[3];  // elements from one point to the next along each axis that boxes have
} weft_array;

// Messages and bytes of one direction: of this rank, of all ranks, and of all ranks between nodes. Data that a rank
// keeps, or that others read from its memory, is not sent. Collectives count a message for each pair of their ranks,
// also an empty one; data_messages are those that are not.
typedef struct weft_traffic {
  int64_t messages, data_messages, bytes;
  int64_t all_messages, all_data_messages, all_bytes;
  int64_t network_messages, network_data_messages, network_bytes;
} weft_traffic;

// What moves from one rank to another in one exchange of a direction, however it travels.
typedef struct weft_flow {
  int32_t exchange, from, to, reserved;
  int64_t bytes;
} weft_flow;

// The plan of rank `rank` of `ranks`, without MPI: it neither communicates nor allocates field memory. The environment
// counts where weft_options_apply_environment was called.
int weft_plan_create(weft_problem problem, weft_options options, int ranks, int rank, weft_plan* plan);
int weft_plan_destroy(weft_plan* plan);

int weft_plan_rank(weft_plan plan, int* rank, int* ranks);
// Forward's input, and its output (backward's output and input).
int weft_plan_input(weft_plan plan, size_t size, weft_array* array);
int weft_plan_output(weft_plan plan, size_t size, weft_array* array);
// Their distributions over the ranks: a layout of the caller's own, to be destroyed.
int weft_plan_input_layout(weft_plan plan, weft_layout* layout);
int weft_plan_output_layout(weft_plan plan, weft_layout* layout);
// Bytes of exchange buffers and intermediate arrays.
int weft_plan_workspace_bytes(weft_plan plan, int64_t* bytes);
int weft_plan_traffic(weft_plan plan, int direction, size_t size, weft_traffic* traffic);
// The flows among all ranks, of all exchanges in order: how many there are, and the first `capacity` of them.
int weft_plan_flows(weft_plan plan, int direction, int64_t capacity, weft_flow* flows, int64_t* count);
// The text of an option, or of a property of the problem (kind, precision, ...), as planned.
int weft_plan_option(weft_plan plan, const char* name, const char** value);
// The stages, layouts, strategy, tiles, messages, bytes and buffers in words, and as JSON.
int weft_plan_explain(weft_plan plan, const char** text);
int weft_plan_json(weft_plan plan, const char** text);

// ---- Transforms

// What executions have cost so far on this rank. Seconds are wall clock; compute, start, test, wait and check together
// are all of `total` but what it takes to look at the clock.
typedef struct weft_statistics {
  int64_t executions;
  double total;                       // from beginning to end of the executions
  double compute;                     // local FFTs with their gathers and scatters
  double start;                       // handing tiles to MPI (all of the exchange where the strategy blocks)
  double test;                        // progressing MPI from inside the computation
  double wait;                        // waiting for tiles
  double check;                       // agreeing on arguments: the synchronisation of all ranks
  int64_t bytes_read, bytes_written;  // of user arrays, intermediate arrays and exchange buffers, by Weft itself
  int64_t messages, bytes_sent;       // to other ranks
  int64_t exchanges;                  // how many `weft_transform_exchange` knows
  double wire_error;                  // largest relative error of a number rounded for the wire, with measure_wire
  double core_round_trip;             // of a cache line to the core of another rank of the node, or thread, and back
  int64_t core_moves;                 // how often passes have been run otherwise since that time had changed
} weft_statistics;

// The same of one exchange. Its time is exposed (start, test, wait) where the rank did nothing else, hidden where it
// computed.
typedef struct weft_exchange_statistics {
  int32_t direction, number;  // enum weft_direction; as the plan's explanation counts
  double start, test, wait;
  double in_flight;  // from the start of a tile to the end of the wait for it, where several overlap counted once
  double hidden;     // of this, while the rank computed
  int64_t messages, bytes_sent;
} weft_exchange_statistics;

// Ready to run forward and backward. Collective over the communicator, which is duplicated; environment variables
// WEFT_* override the options.
int weft_transform_create_on(weft_problem problem, weft_options options, const weft_comm* comm,
                             weft_transform* transform);
static inline int weft_transform_create(weft_problem problem, weft_options options, MPI_Comm comm,
                                        weft_transform* transform) {
  const weft_comm on = weft_comm_at(&comm);
  return weft_transform_create_on(problem, options, &on, transform);
}
int weft_transform_create_f(weft_problem problem, weft_options options, int comm, weft_transform* transform);
// Collective.
int weft_transform_destroy(weft_transform* transform);

// The transform's own plan, which is not destroyed, and ends with it.
int weft_transform_get_plan(weft_transform transform, weft_plan* plan);
// This rank's parts as arrays hold them, with ghosts if there are any (where ranks have several boxes, a row of as many
// points), and the elements (batch and padding included) its arrays must hold; `weft_plan_input` tells more.
int weft_transform_input_box(weft_transform transform, weft_box* box);
int weft_transform_output_box(weft_transform transform, weft_box* box);
int weft_transform_input_size(weft_transform transform, int64_t* size);
int weft_transform_output_size(weft_transform transform, int64_t* size);

// Exponent -1, input layout to output layout; and +1, output layout to input layout. Elements are of the types that the
// plan tells: float or double by the problem's precision, real or complex by its kind. The input is left unchanged, and
// the arrays must not overlap; a transform with the option in_place takes the same pointer twice. Collective.
int weft_transform_forward(weft_transform transform, const void* in, void* out);
int weft_transform_backward(weft_transform transform, const void* in, void* out);
// The same in either direction, with what the arrays hold checked: types (enum weft_type) and elements; a negative
// number of elements is not known, and not checked. Collective.
int weft_transform_execute(weft_transform transform, int direction, const void* in, int in_type, int64_t in_size,
                           void* out, int out_type, int64_t out_size);
// For wrappers that check arguments of their own before an execution: fails with `message` on this rank and, if the
// option check is on, on all others, which may be in an execution in that direction. Collective with these. With
// check_every it may succeed, having taken part in that execution; the next agreement fails with the message.
int weft_transform_raise(weft_transform transform, int direction, const char* message);

int weft_transform_statistics(weft_transform transform, size_t size, weft_statistics* statistics);
// Of exchange 0 <= index < statistics.exchanges, forward's first.
int weft_transform_exchange(weft_transform transform, int64_t index, size_t size, weft_exchange_statistics* statistics);
// Starts counting anew, and forgets what has been traced.
int weft_transform_reset_statistics(weft_transform transform);
// Writes what has been traced so far to the file that the option trace names, and forgets it. Collective.
int weft_transform_write_trace(weft_transform transform);
// Ends the trace without writing it; the end of the transform then waits for no other rank.
int weft_transform_drop_trace(weft_transform transform);

// ---- Redistributions

// Bytes that one execution has moved.
typedef struct weft_moved {
  int64_t bytes_sent;      // by this rank to others
  int64_t bytes_kept;      // from this rank to itself
  int64_t bytes_sent_all;  // by all ranks to others
} weft_moved;

// Moves `batch` fields between two layouts of the same shape, elements of 4, 8 or 16 bytes. Collective.
int weft_redistribution_create_on(weft_layout from, weft_layout to, int element_bytes, int64_t batch,
                                  weft_options options, const weft_comm* comm, weft_redistribution* redistribution);
static inline int weft_redistribution_create(weft_layout from, weft_layout to, int element_bytes, int64_t batch,
                                             weft_options options, MPI_Comm comm, weft_redistribution* redistribution) {
  const weft_comm on = weft_comm_at(&comm);
  return weft_redistribution_create_on(from, to, element_bytes, batch, options, &on, redistribution);
}
int weft_redistribution_create_f(weft_layout from, weft_layout to, int element_bytes, int64_t batch,
                                 weft_options options, int comm, weft_redistribution* redistribution);
// Collective.
int weft_redistribution_destroy(weft_redistribution* redistribution);
// Arrays are the ranks' boxes in C order, one field after the other; they must not overlap. `moved` may be NULL, with
// size 0. Collective.
int weft_redistribution_execute(weft_redistribution redistribution, const void* in, void* out, size_t size,
                                weft_moved* moved);
// As weft_transform_raise.
int weft_redistribution_raise(weft_redistribution redistribution, const char* message);
int weft_redistribution_drop_trace(weft_redistribution redistribution);

// ---- Ghost layers: parts of a field that overlap
//
//   field, in any layout  --scatter-->     parts with ghosts around them: copies of what other ranks hold
//                         <--accumulate--  sums of all copies of a point
//                         <--gather------  the parts without their ghosts

// Points that a rank's part has besides its box, below and above it along each axis, at most as many as the axis has;
// and whether the grid begins again where it ends. Where it does not, numbers beyond it are neither written nor read.
typedef struct weft_ghosts {
  int64_t below[3], above[3];
  int periodic[3];
} weft_ghosts;

// `field` and `parts` are layouts of one grid; the parts get the ghosts. `type` is a weft_type. A call moves `batch`
// fields, one after the other, with so many `numbers` side by side at every point. With `check` 0 the ranks do not
// agree on the arguments of calls. Collective.
int weft_ghost_exchange_create_on(weft_layout field, weft_layout parts, const weft_ghosts* ghosts, int type,
                                  int64_t batch, int64_t numbers, int check, const weft_comm* comm,
                                  weft_ghost_exchange* exchange);
static inline int weft_ghost_exchange_create(weft_layout field, weft_layout parts, const weft_ghosts* ghosts, int type,
                                             int64_t batch, int64_t numbers, int check, MPI_Comm comm,
                                             weft_ghost_exchange* exchange) {
  const weft_comm on = weft_comm_at(&comm);
  return weft_ghost_exchange_create_on(field, parts, ghosts, type, batch, numbers, check, &on, exchange);
}
int weft_ghost_exchange_create_f(weft_layout field, weft_layout parts, const weft_ghosts* ghosts, int type,
                                 int64_t batch, int64_t numbers, int check, int comm, weft_ghost_exchange* exchange);
// Collective.
int weft_ghost_exchange_destroy(weft_ghost_exchange* exchange);
// This rank's part with its ghosts; its indices may lie outside of the grid. An error where ranks have several.
int weft_ghost_exchange_part_box(weft_ghost_exchange exchange, weft_box* box);
// All of them: how many there are, and the first `capacity` of them.
int weft_ghost_exchange_part_boxes(weft_ghost_exchange exchange, int64_t capacity, weft_box* boxes, int64_t* count);
// Arrays are the ranks' boxes, one after the other, each in C order, those of parts with their ghosts; they must not
// overlap. `moved` may be NULL, with size 0. All are collective.
int weft_ghost_exchange_scatter(weft_ghost_exchange exchange, const void* field, void* parts, size_t size,
                                weft_moved* moved);
int weft_ghost_exchange_gather(weft_ghost_exchange exchange, const void* parts, void* field, size_t size,
                               weft_moved* moved);
// Sums are always made in the same order.
int weft_ghost_exchange_accumulate(weft_ghost_exchange exchange, const void* parts, void* field, size_t size,
                                   weft_moved* moved);
// Fills the ghosts from the parts that they are copies of.
int weft_ghost_exchange_update(weft_ghost_exchange exchange, void* parts, size_t size, weft_moved* moved);
// Adds the ghosts to the points that they are copies of; they stay as they are.
int weft_ghost_exchange_fold(weft_ghost_exchange exchange, void* parts, size_t size, weft_moved* moved);
// As weft_transform_raise.
int weft_ghost_exchange_raise(weft_ghost_exchange exchange, const char* message);

// ---- Spheres: wave functions between plane waves and space
//
// With G = (x, y, z) and the point r = (i, j, k) of the grid of n_x x n_y x n_z,
//
//   backward:  psi(r) = sum over G of c(G) exp(+2 pi i (x i / n_x + y j / n_y + z k / n_z))
//   forward:   c(G)   = sum over r of psi(r) exp(-2 pi i (...)),    for the G of the sphere only
//
// The grid is named in the order x, y, z, and arrays in space are [z][y][x], x fastest. A plane wave is three numbers,
// its indices along x, y and z, each from -n/2 to n-1: negative ones and those from n/2 on mean the same. In space each
// rank holds some planes of z; with the option process_grid, and by itself on more ranks than planes, some rows (y) of
// some planes.

// A sphere of plane waves, |k + G|^2 / 2 <= energy.
typedef struct weft_cutoff {
  double lattice[3][3];  // a1, a2, a3 in bohr
  double energy;         // hartree
  double k[3];           // in units of the reciprocal lattice vectors
} weft_cutoff;

// The plane waves of a sphere, by columns: how many there are, and the first `capacity` of them, three numbers each.
// With `gamma` not 0 only one of each pair G, -G, and G = 0.
int weft_plane_waves(const weft_cutoff* cutoff, int gamma, int64_t capacity, int64_t* waves, int64_t* count);
// The smallest grid that is `box_cut` times as large as the sphere, prime factors 2, 3, 5 and 7 only. 1 holds the
// sphere, 2 all products of two of its functions.
int weft_sphere_grid(const weft_cutoff* cutoff, double box_cut, int64_t grid[3]);
// Spreads plane waves over ranks by whole columns, the longest first, each to the rank that has least; `owners` gets
// the rank of each wave. `sharing`: how many ranks will share planes, Q of a process grid P x Q (else 1): columns are
// then dealt by x first, so that the first exchange is among P ranks and not among all.
int weft_deal_columns(int64_t count, const int64_t* waves, int ranks, int sharing, int* owners);

// What is not set:
//
//   gamma          false; true: real in space, c(-G) is the conjugate of c(G), and one of each pair is given
//   precision      double; or single
//   howmany        1, bands that stream through one execution; a call may have any number
//   normalization  none; or forward, backward, ortho
//   padded         0x0; or "AxB", which arrays in space have in memory: A points a row and B rows a plane, at least
//                  those that there are (0: these), as ABINIT's n4 and n5; the rest is neither read nor written
//   spinors        false; true (not with gamma): bands 2s and 2s + 1 are the components of spinor s; apply and density
//                  then have four fields, see there, and an odd `howmany` is taken as the next even number
int weft_sphere_problem_create(const int64_t grid[3], weft_sphere_problem* problem);
int weft_sphere_problem_destroy(weft_sphere_problem* problem);
int weft_sphere_problem_set(weft_sphere_problem problem, const char* name, const char* value);
int weft_sphere_problem_set_int(weft_sphere_problem problem, const char* name, int64_t value);
int weft_sphere_problem_get(weft_sphere_problem problem, const char* name, const char** value);
// Other plane waves that forward and apply give than backward, apply and density take: of another cutoff, k-point or
// order (ABINIT's kg_kin and kg_kout). For weft_sphere_create* those of this rank, `ranks` 1 and one count; for
// weft_sphere_plan_create those of all, as there. A column of both must be whole on one rank. All ranks set them, or
// none; they play no part in tuning. `ranks` 0: the same as are given.
int weft_sphere_problem_set_results(weft_sphere_problem problem, int ranks, const int64_t* counts,
                                    const int64_t* results);

// What one rank has of a sphere.
typedef struct weft_sphere_sizes {
  int64_t waves, columns, all_columns;  // plane waves and columns of this rank; columns of all
  weft_box space_box;                   // its part of the arrays in space, axes z, y, x
  int64_t space_size;                   // numbers of such an array, of one band: with `padded` more than points
  int64_t workspace_bytes;              // of exchange buffers, of backward and forward
  int32_t rank, ranks;
  int32_t waves_type, space_type;  // of elements: enum weft_type
  // Lines that are transformed in one direction by all ranks for one band, and those of the full box: along z, then
  // across the planes (y with gamma, else x), then the last axis; 0 is x.
  int64_t line_axis[3], lines[3], full_lines[3];
  int64_t space_extents[3];  // of its arrays in space in memory: planes, rows, points of a row
  int64_t results;           // plane waves that forward and apply give
} weft_sphere_sizes;

// The plan of rank `rank`, without MPI. `counts` are the numbers of plane waves of all ranks, `waves` those of rank 0,
// then those of rank 1 ... Options of forward NULL: as backward's.
int weft_sphere_plan_create(weft_sphere_problem problem, int ranks, const int64_t* counts, const int64_t* waves,
                            weft_options backward, weft_options forward, int rank, weft_sphere_plan* plan);
int weft_sphere_plan_destroy(weft_sphere_plan* plan);
int weft_sphere_plan_sizes(weft_sphere_plan plan, size_t size, weft_sphere_sizes* sizes);
// Of one execution with the problem's bands.
int weft_sphere_plan_traffic(weft_sphere_plan plan, int direction, size_t size, weft_traffic* traffic);
int weft_sphere_plan_option(weft_sphere_plan plan, int direction, const char* name, const char** value);
int weft_sphere_plan_explain(weft_sphere_plan plan, const char** text);
int weft_sphere_plan_json(weft_sphere_plan plan, const char** text);

// How many bands a call has, and how far apart they are in numbers, at least the numbers of a band; 0: one directly
// after the other.
typedef struct weft_bands {
  int64_t count;  // -1: the problem's howmany
  int64_t waves_apart, points_apart;
  int32_t accumulate;     // not 0, of forward and apply: plane waves are added to what is there, as in hpsi += v psi
  int64_t results_apart;  // of what forward and apply give; 0: as waves_apart says
} weft_bands;

// `waves`: the `count` of this rank, in any order; a column (all waves with the same x and y) must be whole on one
// rank. `planes`: how many whole planes of z this rank has in space, in the order of ranks; -1 on all ranks deals them
// evenly. Options of forward may differ in tile, fields, window, tests, consume and strategy; NULL: as backward's.
// Collective.
int weft_sphere_create_on(weft_sphere_problem problem, int64_t count, const int64_t* waves, int64_t planes,
                          weft_options backward, weft_options forward, const weft_comm* comm, weft_sphere* sphere);
static inline int weft_sphere_create(weft_sphere_problem problem, int64_t count, const int64_t* waves, int64_t planes,
                                     weft_options backward, weft_options forward, MPI_Comm comm, weft_sphere* sphere) {
  const weft_comm on = weft_comm_at(&comm);
  return weft_sphere_create_on(problem, count, waves, planes, backward, forward, &on, sphere);
}
int weft_sphere_create_f(weft_sphere_problem problem, int64_t count, const int64_t* waves, int64_t planes,
                         weft_options backward, weft_options forward, int comm, weft_sphere* sphere);
// The same over the communicator of `share`, whose exchange buffers and scratch the two then have in common, with all
// that either shares already: for many spheres, one for each k-point, of which never two are executed at the same time
// (by threads). Buffers are as large as the largest of them needs, and end with the last. The option node_size must be
// that of `share`.
int weft_sphere_create_sharing(weft_sphere_problem problem, int64_t count, const int64_t* waves, int64_t planes,
                               weft_options backward, weft_options forward, weft_sphere share, weft_sphere* sphere);
// Collective.
int weft_sphere_destroy(weft_sphere* sphere);

// The sphere's own plan, which is not destroyed, and ends with it. With the option groups: of this rank's group.
int weft_sphere_get_plan(weft_sphere sphere, weft_sphere_plan* plan);
// Which bands first <= b < end of a call with `count` this rank has in space: all of them, but with the option groups.
int weft_sphere_bands_here(weft_sphere sphere, int64_t count, int64_t* first, int64_t* end);

// To space, and to the plane waves of the sphere. `waves` are complex, `space` real with gamma and complex otherwise,
// both of the problem's precision. Input is left unchanged. `bands` NULL: the problem's, one after the other.
// Collective.
int weft_sphere_backward(weft_sphere sphere, const void* waves, void* space, const weft_bands* bands);
int weft_sphere_forward(weft_sphere sphere, const void* space, void* waves, const weft_bands* bands);
// A local potential: out = forward(v * backward(waves)), v one value for each of this rank's points, real, or complex
// (not with gamma); with `accumulate`, out += that. No array in space is made. `out` may be `waves`, if bands of
// both are equally far apart. With `spinors` v is four real fields one after the other: V11, V22, Re V12 and Im V12 of
// the Hermitian matrix by which the two components are multiplied at a point. Collective.
int weft_sphere_apply(weft_sphere sphere, const void* v, const void* waves, void* out, const weft_bands* bands);
int weft_sphere_apply_complex(weft_sphere sphere, const void* v, const void* waves, void* out, const weft_bands* bands);
// Adds weights[b] * |backward(waves of b)|^2 of each band to rho, one real value for each of this rank's points.
// `weights` NULL: 1. With `spinors` rho is four fields of the density matrix psi_a conj(psi_b): n11, n22, Re n12 and
// Im n12; of the weights of a spinor's two bands the first one counts. Collective.
int weft_sphere_density(weft_sphere sphere, const void* waves, const double* weights, void* rho,
                        const weft_bands* bands);
// Adds weights[b] * re^2 + imaginary_weights[b] * im^2, re + i im being backward(waves of b): of two real functions
// that one band holds. Not with gamma. `imaginary_weights` NULL: `weights`. Collective.
int weft_sphere_density_by_parts(weft_sphere sphere, const void* waves, const double* weights,
                                 const double* imaginary_weights, void* rho, const weft_bands* bands);
// As weft_transform_raise, whatever the others execute.
int weft_sphere_raise(weft_sphere sphere, const char* message);

// Of all executions on this rank; exchanges as with transforms.
int weft_sphere_statistics(weft_sphere sphere, size_t size, weft_statistics* statistics);
int weft_sphere_exchange(weft_sphere sphere, int64_t index, size_t size, weft_exchange_statistics* statistics);
int weft_sphere_reset_statistics(weft_sphere sphere);
int weft_sphere_drop_trace(weft_sphere sphere);

// ---- Operators: fields to the spectrum, a function of the wave number, and back
//
//   weft_problem_create(3, shape, &problem);
//   weft_problem_set(problem, "kind", "r2c");
//   weft_function_named(problem, "inverse_laplacian", 0, NULL, &function);
//   weft_operator_create(problem, function, NULL, MPI_COMM_WORLD, &poisson);
//   weft_operator_apply(poisson, density, potential);
//
// Or, with a function at points, from the spectrum to space, through the function, and back. No array holds what is
// between the two transforms.

// What an operator transforms is a weft_problem of three axes. It may be between walls, for functions of wave numbers;
// `batch` are applications in one call, each with its own fields; `normalization` is that of the spectrum which the
// function, or the user, sees, and none the same as backward: the function that changes nothing gives the fields back
// as they were. Of `lengths` are wave numbers made. Plain arrays only: no `interleaved`, memory orders and
// `padded_rows`.

// Where an operator's function is applied.
enum weft_at { WEFT_AT_WAVENUMBERS = 0, WEFT_AT_POINTS = 1 };

// Points of a box in cache, of all fields of one application. Number f of point (i, j, k), global indices, is
// ((T*)in[f])[(i - lo[0]) * strides[0] + (j - lo[1]) * strides[1] + k - lo[2]], where T is what `type` says.
typedef struct weft_tile {
  int64_t lo[3], hi[3];                // global indices of the points, half open
  int64_t middle_lo[3], middle_hi[3];  // this rank's part of the middle layout, of which the box is a part
  int64_t strides[3];                  // numbers from point to point along each axis, of all fields; 1 along axis 2
  int64_t inputs, outputs;             // fields
  const void* const* in;               // the first point of each field
  void* const* out;
  const double* at[3];   // by global index along each axis: the wave number, or the coordinate of the point
  const double* odd[3];  // the wave number for derivatives of odd order, 0 at the Nyquist frequency; in space NULL
  int32_t type;          // weft_type of the numbers
  // Of more than three axes, axis 2 of boxes stands for all from the third on, the last the fastest, and at[2], odd[2]
  // and these, of axes 3 and so on, have an entry for each point of them all.
  int32_t axes;
  int64_t shape[8];  // of all that the function sees along each axis
  const double *more_at[5], *more_odd[5];
} weft_tile;

// A function of one's own: writes all numbers of all outputs. It returns 0, and anything else if it failed, which is
// then an error of the execution, on all ranks. It is called for tiles, by several threads at once where an operator
// has them, with the `context` that it was given with. Structures may get more members at their end.
typedef int (*weft_tile_function)(const weft_tile* tile, void* context);

// A function that the library has, by name, with `count` values for its parameters; those at the end that are not given
// have the value in brackets. k is the wave number, u the spectra; derivatives of odd order have no Nyquist frequency.
//
//   laplacian          stencil [0]               -k^2 u; stencil 2, 4, 6, 8, -4, -6 (compact): as differences have it
//   inverse_laplacian  stencil [0]               the field of mean 0 whose Laplacian is u less its mean;
//                                               stencil as above, and -14, -16: Mehrstellen
//   derivative         order, axis               (i k)^order u along an axis
//   gradient                                     one field to one for each axis
//   divergence                                   one field for each axis to one
//   curl                                         three fields to three, of three axes
//   projection                                   one field for each axis to as many: u - k (k . u) / k^2
//   gaussian           sigma                     exp(-sigma^2 k^2 / 2) u
//   heat               dt, diffusivity [1]       exp(-diffusivity k^2 dt) u
//   shift              a distance for each axis  exp(-i k . distance) u
//   truncate           fraction [2/3]            0 where |index of k| >= fraction n / 2 along any axis
//   cross                                        in space, six fields to three: a x b
//   products           fields [3]                in space, n fields u to n (n + 1) / 2: u0 u0, u0 u1, ..., u1 u1, ...
//
// Functions are for operators of a problem of the same shape, lengths, kind and precision.
int weft_function_named(weft_problem problem, const char* name, int count, const double* values,
                        weft_function* function);
// The same for arrays whose first axis is the fastest, as Fortran's, on problems with shape and lengths in C's order:
// axes are counted from 1, the fastest first; distances and components of vectors are in this order.
int weft_function_named_f(weft_problem problem, const char* name, int count, const double* values,
                          weft_function* function);
// One of one's own, of `inputs` to `outputs` fields.
int weft_function_of_tiles(weft_problem problem, int at, int64_t inputs, int64_t outputs, weft_tile_function call,
                           void* context, weft_function* function);
// table u: a number for each point of this rank's part of the middle layout, `count` in all, in C order; of the
// problem's precision, real numbers or complex ones. The table is copied.
int weft_function_multiply(weft_problem problem, int at, const void* table, int real, int64_t count,
                           weft_function* function);
// factors[0][i] factors[1][j] factors[2][k] ... u, one for each axis of the problem: complex numbers by global index,
// as many as the spectrum has points along that axis. They are copied.
int weft_function_multiply_separable(weft_problem problem, const void* const* factors, const int64_t* counts,
                                     weft_function* function);
// The periodic convolution sum_y kernel(x - y) u(y), or (`correlate` is not 0) sum_y conj(kernel(y)) u(x + y). The
// kernel is one field, as the operator's input; `count` are this rank's numbers of it. Collective: it is transformed.
int weft_function_convolution_on(weft_problem problem, const void* kernel, int64_t count, int correlate,
                                 weft_options options, const weft_comm* comm, weft_function* function);
static inline int weft_function_convolution(weft_problem problem, const void* kernel, int64_t count, int correlate,
                                            weft_options options, MPI_Comm comm, weft_function* function) {
  const weft_comm on = weft_comm_at(&comm);
  return weft_function_convolution_on(problem, kernel, count, correlate, options, &on, function);
}
int weft_function_convolution_f(weft_problem problem, const void* kernel, int64_t count, int correlate,
                                weft_options options, int comm, weft_function* function);
int weft_function_destroy(weft_function* function);

// A rank's part of an operator.
typedef struct weft_operator_sizes {
  weft_box input_box, output_box;   // this rank's parts of the fields at both ends, as weft_transform_input_box
  weft_box middle_box;              // and of what the function sees
  int64_t input_size, output_size;  // numbers that the arrays must hold: of all fields of all applications, each a
                                    // whole local array in C order, fields of an application one after the other
  int64_t inputs, outputs, batch;   // fields of an application, and applications
  int64_t workspace_bytes;          // of exchange buffers and intermediate arrays
  int32_t rank, ranks;
  int32_t type, middle_type;  // weft_type of the numbers at both ends, and of those that the function sees
  int32_t at, reserved;       // enum weft_at; 0
} weft_operator_sizes;

// The plan of rank `rank` of `ranks`, without MPI. Options as for transforms; input and output are the layouts of the
// two ends, transposed is for spectra. In place needs as many outputs as inputs.
int weft_operator_plan_create(weft_problem problem, weft_function function, weft_options options, int ranks, int rank,
                              weft_operator_plan* plan);
int weft_operator_plan_destroy(weft_operator_plan* plan);
int weft_operator_plan_sizes(weft_operator_plan plan, size_t size, weft_operator_sizes* sizes);
// The distribution of the "input", the "output" or the "middle": a layout of the caller's own, to be destroyed.
int weft_operator_plan_layout(weft_operator_plan plan, const char* which, weft_layout* layout);
// By global index along an axis of the middle layout: the wave number, or the coordinate of the point; `odd` is not 0:
// the wave number for derivatives of odd order, none in space. The numbers are the plan's.
int weft_operator_plan_places(weft_operator_plan plan, int axis, int odd, const double** values, int64_t* count);
int weft_operator_plan_traffic(weft_operator_plan plan, size_t size, weft_traffic* traffic);
int weft_operator_plan_option(weft_operator_plan plan, const char* name, const char** value);
int weft_operator_plan_explain(weft_operator_plan plan, const char** text);
int weft_operator_plan_json(weft_operator_plan plan, const char** text);

// Collective over the communicator, which is duplicated; environment variables WEFT_* override the options.
int weft_operator_create_on(weft_problem problem, weft_function function, weft_options options, const weft_comm* comm,
                            weft_operator* op);
static inline int weft_operator_create(weft_problem problem, weft_function function, weft_options options,
                                       MPI_Comm comm, weft_operator* op) {
  const weft_comm on = weft_comm_at(&comm);
  return weft_operator_create_on(problem, function, options, &on, op);
}
int weft_operator_create_f(weft_problem problem, weft_function function, weft_options options, int comm,
                           weft_operator* op);
// Collective.
int weft_operator_destroy(weft_operator* op);
// The operator's own plan, which is not destroyed, and ends with it.
int weft_operator_get_plan(weft_operator op, weft_operator_plan* plan);
// Another function of as many fields at the same place: for a new time step. An operator of one of the library's
// functions at wave numbers takes none of one's own, because its outputs lie where its inputs are. Not collective, but
// all ranks should.
int weft_operator_set_function(weft_operator op, weft_function function);

// Numbers are of the type that the plan's sizes tell. The input is left unchanged, and the arrays must not overlap;
// with the option in_place it takes the same pointer twice. If the function fails on any rank, the call fails on all.
// Collective.
int weft_operator_apply(weft_operator op, const void* in, void* out);
// The same with types (enum weft_type) and numbers of elements checked; a negative number is not known, and not
// checked.
int weft_operator_execute(weft_operator op, const void* in, int in_type, int64_t in_size, void* out, int out_type,
                          int64_t out_size);
// As weft_transform_raise.
int weft_operator_raise(weft_operator op, const char* message);
int weft_operator_statistics(weft_operator op, size_t size, weft_statistics* statistics);
int weft_operator_exchange(weft_operator op, int64_t index, size_t size, weft_exchange_statistics* statistics);
int weft_operator_reset_statistics(weft_operator op);
int weft_operator_drop_trace(weft_operator op);

// ---- Poisson's and Helmholtz's equation: laplacian u - shift u = f on a box with any sides
//
//   weft_poisson_problem_create(3, shape, &problem);
//   weft_poisson_problem_set(problem, "sides", "periodic,odd-even,open");
//   weft_poisson_create(problem, NULL, MPI_COMM_WORLD, &solver);
//   weft_poisson_solve(solver, f, u);
//
// Fields are real. Sides, points and what is solved are as docs/poisson.md says.

// On a box of `axes` axes, 2 or 3: `shape` are the points that are stored, those on walls as well. What is not set:
//
//   lengths    1x1x1, from side to side
//   sides      periodic; even (a wall without flux), odd (a wall at which u is 0) or open: a word for all, or for each
//              axis, with commas, a word or two with - between them, of the low side and of the high one
//   points     cells: in the middles of n cells; nodes: from one side to the other, both included; a word for all, or
//              one for each axis, with commas
//   precision  double; single
//   batch      1, fields that one call solves for
//   stencil    spectral; second_order, fourth_order, sixth_order, eighth_order: differences; compact_fourth_order,
//              compact_sixth_order: compact ones; mehrstellen_fourth_order, mehrstellen_sixth_order: along all axes
//              together
//   green      automatic; of open sides: regularized, the kernel of a Gaussian source, with the stencil spectral;
//              integrated: its mean over cells
//   green_order  2; 4, 6, 8, 10: of a regularized one, by which smooth fields change by a multiple of width^order
//   green_width  0, the Gaussian's standard deviation; 0: twice the largest distance of neighbours along open axes
//   shift      0; with open sides, and with spacings, at least 0
//   mean       remove: that of f, where all sides are periodic or even and the shift is 0; refuse: it is an error
//   result     solution; gradient: its derivatives along the axes, as many fields as axes; solution_and_gradient;
//              velocity: of a vector field f, the flow u whose vorticity it is (laplacian u = -curl f). Sides are then
//              periodic or open on both
//   reversed_components  false; true: components of vectors from that along the last axis to that along the first, for
//              arrays whose first axis is the fastest
int weft_poisson_problem_create(int axes, const int64_t* shape, weft_poisson_problem* problem);
int weft_poisson_problem_destroy(weft_poisson_problem* problem);
int weft_poisson_problem_set(weft_poisson_problem problem, const char* name, const char* value);
int weft_poisson_problem_get(weft_poisson_problem problem, const char* name, const char** value);
// Along one axis (0, 1, 2) points may lie unevenly: the widths of its n cells, or the n - 1 distances of its nodes. Set
// its sides, even or odd, and points first. No values: equal ones again. The length of the axis is then their sum, its
// differences are those of finite volumes, no side of the others is open, and the shift is at least 0.
int weft_poisson_problem_set_spacings(weft_poisson_problem problem, int axis, const double* values, int64_t count);

// The caller's own kernel, which makes `green` own: along an axis with an open side `at` has a distance, else the wave
// number, at least 0, as the stencil has it (of a plane at[1] is 0). In an open box u(x) is the sum over points y of
// kernel(|x - y|) f(y) times the volume of a cell; between closed sides the kernel is what f's waves are multiplied by.
// It must be finite from 0 on. Ranks call it for different points while they create the solver. NULL: green is
// automatic again.
int weft_poisson_problem_set_kernel(weft_poisson_problem problem, double (*kernel)(const double at[3], void* data),
                                    void* data);

// Collective over the communicator, which is duplicated; environment variables WEFT_* override the options, of which
// input and output are layouts of the stored points.
int weft_poisson_create_on(weft_poisson_problem problem, weft_options options, const weft_comm* comm,
                           weft_poisson* solver);
static inline int weft_poisson_create(weft_poisson_problem problem, weft_options options, MPI_Comm comm,
                                      weft_poisson* solver) {
  const weft_comm on = weft_comm_at(&comm);
  return weft_poisson_create_on(problem, options, &on, solver);
}
int weft_poisson_create_f(weft_poisson_problem problem, weft_options options, int comm, weft_poisson* solver);
// Collective.
int weft_poisson_destroy(weft_poisson* solver);

// A rank's part.
typedef struct weft_poisson_sizes {
  weft_box input_box, output_box;   // this rank's points of f and of u, as weft_transform_input_box
  int64_t input_size, output_size;  // numbers that the arrays must hold, of all fields, each in C order
  int64_t batch, workspace_bytes;   // fields; bytes of exchange buffers and intermediate arrays
  int32_t rank, ranks;
  int32_t type;             // weft_type of the numbers
  int32_t singular;         // not 0: f must have the mean 0
  int64_t inputs, outputs;  // fields of f and of what is given, for each of the batch
} weft_poisson_sizes;
int weft_poisson_get_sizes(weft_poisson solver, size_t size, weft_poisson_sizes* sizes);
// The distribution of the "input" or the "output": a layout of the caller's own, to be destroyed.
int weft_poisson_layout(weft_poisson solver, const char* which, weft_layout* layout);
// Coordinates of the points along an axis by global index, from the low side. The numbers are the solver's.
int weft_poisson_coordinates(weft_poisson solver, int axis, const double** values, int64_t* count);
// The plan of the operator that solves, which is not destroyed, and ends with the solver.
int weft_poisson_get_plan(weft_poisson solver, weft_operator_plan* plan);
int weft_poisson_explain(weft_poisson solver, const char** text);

// f is left unchanged, and the arrays must not overlap; with the option in_place they are the same. What f has on odd
// walls of nodes is not read, and u has the wall's value there. Collective.
int weft_poisson_solve(weft_poisson solver, const void* f, void* u);
// As weft_operator_execute. Collective.
int weft_poisson_execute(weft_poisson solver, const void* f, int f_type, int64_t f_size, void* u, int u_type,
                         int64_t u_size);
// Another shift from now on, with the same plan. Collective.
int weft_poisson_set_shift(weft_poisson solver, double shift);
// Values of a wall from now on: of u at an odd one, of its derivative along the axis at an even one, of all fields,
// each in C order over this rank's input box without that axis; `count` is what wall_size tells, or 0: zero again.
// `end` is 0 for the low side, 1 for the high one. With every stencil but Mehrstellen; opposite to an open
// side second_order. Each rank by itself.
int weft_poisson_set_wall(weft_poisson solver, int axis, int end, const void* values, int64_t count);
int weft_poisson_wall_size(weft_poisson solver, int axis, int end, int64_t* size);
// What solving takes from each field of f, `batch` numbers: 0 unless the problem is singular, else its mean, with what
// the walls add to it. Collective.
int weft_poisson_mean(weft_poisson solver, const void* f, double* means);
// As weft_transform_raise.
int weft_poisson_raise(weft_poisson solver, const char* message);
int weft_poisson_statistics(weft_poisson solver, size_t size, weft_statistics* statistics);
int weft_poisson_exchange(weft_poisson solver, int64_t index, size_t size, weft_exchange_statistics* statistics);
int weft_poisson_reset_statistics(weft_poisson solver);
int weft_poisson_drop_trace(weft_poisson solver);

// ---- Tuning: Weft chooses options

// How to choose. What is not set:
//
//   effort         measure: the model's best few are timed; or estimate: nothing is run; or patient: a wide choice
//   budget         0, seconds that timing may take; 0: 10 for measure, 60 for patient
//   file           empty: what WEFT_TUNING_FILE says, else weft/tuning.json in the user's cache folder; none: no file
//   machine        empty: what WEFT_MACHINE_FILE says, else machine.toml beside the tuning file, else what is usual
//   keep           options that stay as they are, names with commas between them
//   may_transpose  false; true: the spectrum may be left transposed
//   tolerance      0; formats for the wire may be chosen whose error in a direction is at most this, relative: 1e-6
//   again          false; true: time once more what the file knows
//   force          false; true: keep also what was timed too seldom, or while others used the processors
int weft_tuning_create(weft_tuning* tuning);
int weft_tuning_destroy(weft_tuning* tuning);
int weft_tuning_set(weft_tuning tuning, const char* name, const char* value);
int weft_tuning_get(weft_tuning tuning, const char* name, const char** value);
// Called on rank 0 with what is being done, a line at a time; NULL: not.
int weft_tuning_set_progress(weft_tuning tuning, void (*progress)(const char* line, void* data), void* data);

typedef struct weft_tuned_summary {
  double seconds;          // of the choice: forward plus backward, one direction of a sphere, or an operator
  double default_seconds;  // of the options as they were given; both predicted where the source is the model
  double sureness;         // the part of the rounds in which the choice was faster than the runner-up; 0: not timed
  double spent;            // seconds that tuning took
  int64_t tried;           // candidates that were looked at
} weft_tuned_summary;

// Chooses options for a transform; `tuning` may be NULL. Collective, the same answer on all ranks.
int weft_tune_on(weft_problem problem, weft_options options, weft_tuning tuning, const weft_comm* comm,
                 weft_tuned* tuned);
static inline int weft_tune(weft_problem problem, weft_options options, weft_tuning tuning, MPI_Comm comm,
                            weft_tuned* tuned) {
  const weft_comm on = weft_comm_at(&comm);
  return weft_tune_on(problem, options, tuning, &on, tuned);
}
int weft_tune_f(weft_problem problem, weft_options options, weft_tuning tuning, int comm, weft_tuned* tuned);
// Chooses options for the transforms of a sphere, for each direction; arguments as for weft_sphere_create. Collective.
int weft_tune_sphere_on(weft_sphere_problem problem, int64_t count, const int64_t* waves, int64_t planes,
                        weft_options backward, weft_options forward, weft_tuning tuning, const weft_comm* comm,
                        weft_tuned* tuned_backward, weft_tuned* tuned_forward);
static inline int weft_tune_sphere(weft_sphere_problem problem, int64_t count, const int64_t* waves, int64_t planes,
                                   weft_options backward, weft_options forward, weft_tuning tuning, MPI_Comm comm,
                                   weft_tuned* tuned_backward, weft_tuned* tuned_forward) {
  const weft_comm on = weft_comm_at(&comm);
  return weft_tune_sphere_on(problem, count, waves, planes, backward, forward, tuning, &on, tuned_backward,
                             tuned_forward);
}
int weft_tune_sphere_f(weft_sphere_problem problem, int64_t count, const int64_t* waves, int64_t planes,
                       weft_options backward, weft_options forward, weft_tuning tuning, int comm,
                       weft_tuned* tuned_backward, weft_tuned* tuned_forward);
// Chooses options for an operator; of the function count its place and its fields. It is not called: one that does
// little but read and write is timed in its place. Collective.
int weft_tune_operator_on(weft_problem problem, weft_function function, weft_options options, weft_tuning tuning,
                          const weft_comm* comm, weft_tuned* tuned);
static inline int weft_tune_operator(weft_problem problem, weft_function function, weft_options options,
                                     weft_tuning tuning, MPI_Comm comm, weft_tuned* tuned) {
  const weft_comm on = weft_comm_at(&comm);
  return weft_tune_operator_on(problem, function, options, tuning, &on, tuned);
}
int weft_tune_operator_f(weft_problem problem, weft_function function, weft_options options, weft_tuning tuning,
                         int comm, weft_tuned* tuned);
// Chooses options for a solver. Nothing is solved. Collective.
int weft_tune_poisson_on(weft_poisson_problem problem, weft_options options, weft_tuning tuning, const weft_comm* comm,
                         weft_tuned* tuned);
static inline int weft_tune_poisson(weft_poisson_problem problem, weft_options options, weft_tuning tuning,
                                    MPI_Comm comm, weft_tuned* tuned) {
  const weft_comm on = weft_comm_at(&comm);
  return weft_tune_poisson_on(problem, options, tuning, &on, tuned);
}
int weft_tune_poisson_f(weft_poisson_problem problem, weft_options options, weft_tuning tuning, int comm,
                        weft_tuned* tuned);
int weft_tuned_destroy(weft_tuned* tuned);

// The options that were chosen, of the caller's own, to be destroyed.
int weft_tuned_options(weft_tuned tuned, weft_options* options);
int weft_tuned_get_summary(weft_tuned tuned, size_t size, weft_tuned_summary* summary);
// "model", "timed" or "file"
int weft_tuned_source(weft_tuned tuned, const char** source);
// What was tried, what was chosen, how sure it is and what the default would have cost: for people, and as JSON.
int weft_tuned_text(weft_tuned tuned, const char** text);
int weft_tuned_json(weft_tuned tuned, const char** text);

// A tuning file; `path` empty or NULL: the usual one. All entries as JSON; of those of `other` the ones that are better
// taken over, and how many; those at some places of the entries taken out.
int weft_tuning_file_entries(const char* path, const char** json);
int weft_tuning_file_merge(const char* path, const char* other, int* taken);
int weft_tuning_file_forget(const char* path, int count, const int* places);

// ---- Predictions: nothing is run, and no MPI function is called

typedef struct weft_prediction {
  double forward, backward;                // seconds of one execution on the slowest rank
  double forward_hidden, backward_hidden;  // of their exchanges, what is hidden behind computation
  int64_t memory_bytes;                    // per rank: its arrays and what the transform allocates
} weft_prediction;

// The time of a transform on `ranks` ranks, `ranks_on_node` of them on a node each, by the model; `machine` is a
// machine file, as `weft calibrate` makes one, NULL or empty: as for tuning.
int weft_predict(weft_problem problem, weft_options options, const char* machine, int ranks, int ranks_on_node,
                 size_t size, weft_prediction* prediction);
// The same of a sphere's plan. Forward and backward depend on their own options each.
int weft_sphere_predict(weft_sphere_plan plan, const char* machine, int ranks_on_node, size_t size,
                        weft_prediction* prediction);
// The same of an operator's plan: `forward` is one execution, what the function computes left out; `backward` is 0.
int weft_operator_predict(weft_operator_plan plan, const char* machine, int ranks_on_node, size_t size,
                          weft_prediction* prediction);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif
