// How to transform: options, and the strategies and backends that they name. No MPI.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/error.hpp"
#include "weft/index.hpp"
#include "weft/layout.hpp"

namespace weft {

enum class Decomposition { automatic, slab, pencil };
enum class Consume { automatic, early, late };
/// Who keeps messages moving while a rank computes: nobody but `tests`, or a thread of its own.
enum class Progress { none, thread };
enum class Effort { estimate, measure, patient };
/// How numbers travel from rank to rank: as they are, rounded to single precision, or, of complex numbers, as two whole
/// numbers of 20, 16 or 12 bits that share an exponent of 8 bits: 24, 20 or 16 bits a real number.
enum class Wire { same, single, block24, block20, block16 };
enum class WireInside { wire, same };
/// What options are given to.
enum class Operation { transform, redistribution, sphere };

/// How to transform. Every option has a name (the member's), can be set by text with `set`, and is overridden by the
/// environment variable WEFT_<NAME IN CAPITALS>. An option that does not apply to an operation must have its default's
/// value there: see `describe`.
struct Options {
  /// How the inner stages are distributed: slab, pencil, or auto: slab while no rank would be left without a plane.
  Decomposition decomposition = Decomposition::automatic;
  /// Process grid of the pencil decomposition, "PxQ" in text: rank r is in row r / Q and column r % Q. 0 x 0 lets Weft
  /// choose: with consecutive ranks on nodes that have equally many, as transforms know, a grid whose rows lie inside
  /// the nodes, so that of its two exchanges one stays there, if its largest box is at most an eighth larger than with
  /// the most even grid and the nodes have enough for each other; otherwise the most even grid.
  std::array<int, 2> grid{0, 0};
  /// Of a sphere: process grid "PxQ", of whose rows each has some planes of z, and of whose columns each has some y in
  /// space. 0 x 0: whole planes as far as there is one for each rank (P x 1), and beyond that the grid whose busiest
  /// rank has least to transform. With groups, of the ranks of each.
  std::array<int, 2> process_grid{0, 0};
  /// Ghosts around the boxes of forward's input and output, which arrays hold with them: transforms, operators and
  /// solvers fill those of what they write. In text "2", "1x2x0" or "0:1x2x1:0": below and above, for all axes or each;
  /// of two dimensions "1x2". Axes of one point have none. Along axes whose lines are not Fourier's nothing is beyond
  /// the grid, whatever `periodic` says. Not in place. No environment variable changes what arrays hold.
  Ghosts input_ghosts{}, output_ghosts{};
  /// Of what is read, each point is the sum of all that stand for it, in boxes and in ghosts. Else ghosts are not read.
  bool sum_ghosts = false;
  /// Leave the spectrum distributed as the last stage of the transform from space has it (slab along axis 1, or pencils
  /// along axis 0; of a grid of two dimensions slab along its second): saves an exchange in each direction.
  bool transposed = false;
  /// One array for input and output. With r2c and c2r the rows of the real field are padded to 2*(n2/2+1) numbers.
  bool in_place = false;
  /// Exchange strategy: see `strategies()`; or auto, where it is known which ranks share a node, as transforms know: on
  /// one node `shared`. Across nodes with several ranks each the exchanges between nodes decide. If a rank sends
  /// another less than 4 KiB of a field (16 KiB where not all ranks exchange with each other, as with pencils), it is
  /// `node-shm` if ranks of a node exchange with the same others, else `alltoallv`; with longer messages it is
  /// `shared`. If each rank has a node of its own, it is `ialltoallv` where a rank sends each other one at least 64 KiB
  /// of the batch. In all other cases, and for redistributions on several nodes, it is `alltoallv`. A plan's options
  /// name the one that it has.
  std::string strategy = "auto";
  /// Tiles that each exchange of a field is cut into, or as many as some rank has planes for; 0 lets Weft choose.
  int tile = 0;
  /// Fields of the batch that travel together; 0 lets Weft choose. (Interleaved ones all do.)
  int fields = 0;
  /// Exchanges that may be on their way at once; 0 lets Weft choose.
  int window = 0;
  /// Times that the MPI library is called to make progress while one tile is computed. If strategy=auto takes one that
  /// has messages on their way to other nodes meanwhile, 0 lets Weft choose.
  int tests = 0;
  /// `thread`: a thread of each rank keeps messages moving while it computes; for where a core is free. Needs an MPI
  /// initialised with MPI_THREAD_MULTIPLE.
  Progress progress = Progress::none;
  /// When arrived tiles are consumed: early (each as it arrives), late (after all), or auto.
  Consume consume = Consume::automatic;
  /// What transforms lines: see `backends()`. `auto` times Weft's own code against FFTW for every kind and length of
  /// lines, once in a process; with the effort `estimate` it takes its own for columns and FFTW for rows (of lengths
  /// with prime factors above 13 its own, too).
  std::string backend = "auto";
  /// How numbers travel between ranks. Fewer bytes on the wire make exchanges that bandwidth bounds so much faster, and
  /// round each number that a rank gets from another one: `single` by at most 6.0e-8 of its magnitude,
  /// `block24` 2.7e-6, `block20` 4.4e-5, `block16` 7.0e-4, in each exchange. (Where no rounding is possible, numbers
  /// travel as they are: those of a single transform for `single`, real ones for blocks.) Magnitudes beyond those of
  /// single precision are lost: large ones become infinite or not a number, small ones zero. Not with the strategy
  /// zerocopy.
  Wire wire = Wire::same;
  /// What of it stays inside a node: `wire`, nothing; or `same`, numbers as they are, which no wire has to carry. Then
  /// an exchange rounds nothing if all ranks that have data for each other are on one node; and with strategies that
  /// leave blocks in the node's shared memory (`shared`, `node-shm`) only what goes to another node is rounded.
  WireInside wire_inside = WireInside::wire;
  /// Every number that is rounded is compared with what it becomes, for Statistics::wire_error. That takes about as
  /// long as a pass.
  bool measure_wire = false;
  /// How hard the serial FFT library looks for fast kernels.
  Effort effort = Effort::measure;
  /// Bytes of cache that a rank's in-cache work may fill; 0 asks the machine.
  Index cache = 0;
  /// Groups of consecutive ranks, each of which transforms its share of the batch by itself; fields are redistributed
  /// to the groups and back. For networks with segments, and for small fields on many ranks. Not in place.
  int groups = 1;
  /// OpenMP threads that compute in each rank; 0: OMP_NUM_THREADS if it is set, else 1. Results do not depend on it.
  int threads = 0;
  /// Agree on the arguments of every execution, and on which call it is, so that a bad one is the same error on all
  /// ranks (one small all-reduce a call). Without it a bad argument on one rank leaves the others waiting.
  bool check = true;
  /// Agree at the first execution only, and then at every so many; of transforms. In between a bad argument costs
  /// nobody a message: the rank takes part with zeros, leaves its arrays alone, and the next agreement is the error on
  /// all ranks. If none comes any more, the end of the transform says so and ends the job.
  int check_every = 1;
  /// File that gets a trace of all executions of all ranks, in Chrome's trace event format, at the end of the
  /// transform; empty: no trace.
  std::string trace{};
  /// Seconds without a step of an execution after which every rank says where it is and the job is ended; 0: never.
  int watchdog = 0;

  /// Ranks of a node: pretends that so many consecutive ranks share a node, for tests and dry plans; 0 asks MPI (or, in
  /// a plan without MPI, takes all ranks for one node). A plan without MPI has a transform's strategy, and its process
  /// grid of pencils, only if it is told the nodes.
  int node_size = 0;
  /// Ranks of a node that send for all of it, with strategies where some do: pairs of nodes are spread over them.
  int leaders = 1;

  /// Node of each rank; empty: as node_size says. Found by a transform itself. Not settable by text.
  std::vector<int> nodes{};
  /// Distribution of forward's input; without it, as the first stage has it. Not settable by text. Ranks may have
  /// several boxes (Layout::patches), with one exchange more between these and the first stage.
  std::optional<Layout> input{};
  /// Distribution of forward's output; without it, that of the input, if that has one box a rank (or see `transposed`).
  /// Not settable by text. Ranks may have several boxes.
  std::optional<Layout> output{};

  /// Set one option by name and text, e.g. set("grid", "2x4"). Error for an unknown name or a bad value, listing the
  /// good ones.
  void set(std::string_view name, std::string_view value);
  /// The text that `set` would take to make the present value.
  std::string get(std::string_view name) const;
  /// Apply WEFT_* environment variables, which all options have but those about ghosts. They are meant for all that a
  /// program does: those that do not apply to the operation change nothing. Variables of the tools (WEFT_TEST_*,
  /// WEFT_MPIEXEC, ...) are left alone, and so are those by which module files and CMake tell where a library is
  /// (WEFT_ROOT, WEFT_DIR, WEFT_HOME, ...). Another name is an Error where it is an option's but for a slip of the pen;
  /// else rank 0 says once that it is ignored.
  void apply_environment(Operation operation = Operation::transform);

  struct Description {
    std::string name, values, help;
    std::string applies_to;  ///< "transform, redistribution, sphere", or some of them
  };
  /// Name, allowed values and meaning of every option that `set` takes, and what it applies to.
  static std::vector<Description> describe();
};

/// Names of the exchange strategies and serial FFT backends that can be used in this build.
std::vector<std::string> strategies();
std::vector<std::string> backends();

/// All exchange strategies, also those that cannot be used here.
struct StrategyDescription {
  std::string name, summary;
  std::string obstacle;  ///< why not, e.g. "needs MPI 4; this is MPI 3.1"; empty if it can be used
};
std::vector<StrategyDescription> describe_strategies();

}  // namespace weft
