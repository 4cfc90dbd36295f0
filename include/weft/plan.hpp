// What to transform and how: problem, options and plan. No MPI: a plan can be made, printed and compared anywhere.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/layout.hpp"

namespace weft {

/// What the two ends of a transform hold.
/// * c2c: forward and backward take complex to complex.
/// * r2c: forward takes a real field to its half spectrum (axis 2 has n/2+1 points), backward takes it back.
/// * c2r: forward (exponent -1) takes a half spectrum with Hermitian symmetry to a real field, backward (+1) takes it
///   back: the pair that NumPy calls hfft and ihfft.
enum class Kind { c2c, r2c, c2r };
enum class Precision { single_, double_ };

/// Where the factor 1/N (N = product of the shape) is put; the names are NumPy's, `none` (FFTW's habit) is the default.
/// * none: backward(forward(x)) = N x
/// * forward / backward: 1/N on that direction
/// * ortho: 1/sqrt(N) on both
enum class Normalization { none, forward, backward, ortho };

/// The axes of an array in memory, from the slowest to the fastest: {0, 1, 2} is C order, {1, 0, 2} has planes of fixed
/// axis 1 one after the other. "012", "102" in text.
using MemoryOrder = std::array<int, 3>;

/// The sign of the exponent, as everywhere in the field.
enum class Direction : int { forward = -1, backward = +1 };

/// What to transform.
struct Problem {
  /// Global extents of the real-space grid; each at least 1.
  Shape shape{1, 1, 1};
  Kind kind = Kind::c2c;
  Precision precision = Precision::double_;
  /// Modes of each axis that spectra keep, those of the smallest |wave number|: spectra are those of a grid of so many
  /// points, in the order of its FFT. 0: all. Forward of c2c and r2c leaves the others out, backward takes them for
  /// zero; they are not stored or sent, and lines that have nothing else are not computed. An even number of modes that
  /// are not all has a last one, m/2, that stands for both m/2 and -m/2: their sum from space, half of it for each to
  /// space.
  Shape modes{0, 0, 0};
  /// Number of fields transformed by one call. Fields lie one after the other, each a whole local array, unless they
  /// are `interleaved`.
  Index howmany = 1;
  Normalization normalization = Normalization::none;
  /// The numbers that the fields have at a point lie side by side: the field's index is the fastest of all. (In FFTW's
  /// words: stride = howmany, dist = 1.)
  bool interleaved = false;
  /// How the axes of this rank's part of forward's input and output (backward's output and input) lie in memory. The
  /// layouts, and the meaning of the axes, are not changed by it.
  MemoryOrder input_order{0, 1, 2}, output_order{0, 1, 2};
  /// Rows of a real field whose rank holds whole rows are padded to 2*(n2/2+1) numbers out of place, too.
  bool padded_rows = false;
  /// Nothing of that: fields lie one after the other, in C order, and rows out of place without gaps.
  bool plain_arrays() const;

  /// `modes`, or `shape` where they are 0.
  Shape kept_modes() const;
  /// The shape of spectra: kept_modes(), for r2c and c2r with the half of axis 2.
  Shape spectrum_shape() const;
  /// Bytes of one real number.
  int real_bytes() const { return precision == Precision::double_ ? 8 : 4; }
  /// Bytes of one number of forward's input, and of its output: real_bytes() where it is real, twice that otherwise.
  int input_bytes() const;
  int output_bytes() const;
  bool real_input() const { return input_bytes() == real_bytes(); }
  bool real_output() const { return output_bytes() == real_bytes(); }
  /// Throws Error unless the parts are such as some transform can have. Whoever plans it checks that, too.
  void check() const;
  friend bool operator==(const Problem&, const Problem&) = default;
};

/// The grid on which the product of two fields of so many modes aliases none of them (but m/2 of an even m): three
/// halves as many points along each axis, rounded up; 1 stays 1. Error for numbers that no grid has.
Shape three_halves(const Shape& modes);
/// The modes of a grid that the product of two fields of them does not alias: two thirds of its points, rounded down.
/// Error for numbers that no grid has.
Shape two_thirds(const Shape& shape);

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
  std::string trace;
  /// Seconds without a step of an execution after which every rank says where it is and the job is ended; 0: never.
  int watchdog = 0;

  /// Ranks of a node: pretends that so many consecutive ranks share a node, for tests and dry plans; 0 asks MPI (or, in
  /// a plan without MPI, takes all ranks for one node). A plan without MPI has a transform's strategy, and its process
  /// grid of pencils, only if it is told the nodes.
  int node_size = 0;
  /// Ranks of a node that send for all of it, with strategies where some do: pairs of nodes are spread over them.
  int leaders = 1;

  /// Node of each rank; empty: as node_size says. Found by a transform itself. Not settable by text.
  std::vector<int> nodes;
  /// Distribution of forward's input; without it, as the first stage has it. Not settable by text.
  std::optional<Layout> input;
  /// Distribution of forward's output; without it, that of the input (or see `transposed`). Not settable by text.
  std::optional<Layout> output;

  /// Set one option by name and text, e.g. set("grid", "2x4"). Error for an unknown name or a bad value, listing the
  /// good ones.
  void set(std::string_view name, std::string_view value);
  /// The text that `set` would take to make the present value.
  std::string get(std::string_view name) const;
  /// Apply WEFT_* environment variables. They are meant for all that a program does: those that do not apply to the
  /// operation change nothing. Variables of the tools (WEFT_TEST_*, WEFT_MPIEXEC, ...) are left alone, and so are those
  /// by which module files and CMake tell where a library is (WEFT_ROOT, WEFT_DIR, WEFT_HOME, ...). Another name is an
  /// Error where it is an option's but for a slip of the pen; else rank 0 says once that it is ignored.
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

/// Text forms: "c2c", "double", "none", ...; the parsers throw an Error that names `argument` and lists what is
/// allowed.
std::string to_string(Kind kind);
std::string to_string(Precision precision);
std::string to_string(Normalization normalization);
std::string to_string(const MemoryOrder& order);
Kind parse_kind(std::string_view text, std::string_view argument = "kind");
Precision parse_precision(std::string_view text, std::string_view argument = "precision");
Normalization parse_normalization(std::string_view text, std::string_view argument = "normalization");
MemoryOrder parse_order(std::string_view text, std::string_view argument = "output_order");

namespace detail {
struct PlanData;
}

/// A plan: what one rank of a transform will do, as data. Making one neither communicates nor allocates field memory.
class Plan {
 public:
  /// Plan for rank `rank` of `ranks`. Throws Error for bad arguments.
  Plan(const Problem& problem, const Options& options, int ranks, int rank = 0);

  const Problem& problem() const;
  const Options& options() const;
  int ranks() const;
  int rank() const;

  /// Distribution of forward's input and output (backward's output and input). For r2c the input layout is that of
  /// the real grid, the output layout that of the half spectrum; for c2r the other way round.
  const Layout& input() const;
  const Layout& output() const;

  /// Elements (real or complex numbers) that this rank's forward input and output arrays must hold, the batch and
  /// in-place padding included. In place both are the length of the one array, each in its own kind of number.
  Index input_size() const;
  Index output_size() const;
  /// The same in bytes.
  Index input_bytes() const { return input_size() * problem().input_bytes(); }
  Index output_bytes() const { return output_size() * problem().output_bytes(); }
  /// Points from one row to the next: what lies along the fastest axis is a row. More than the box has only where rows
  /// of real fields are padded.
  Index input_row() const;
  Index output_row() const;
  /// Elements from one point to the next along each axis, and from one field to the next.
  struct Strides {
    Shape axis;
    Index field;
    friend bool operator==(const Strides&, const Strides&) = default;
  };
  Strides input_strides() const;
  Strides output_strides() const;
  /// Bytes of exchange buffers and intermediate arrays; with groups, also of the arrays of the group's fields.
  Index workspace_bytes() const;

  /// Traffic of one direction: of this rank, and summed over all ranks. Data that a rank keeps, or that others read
  /// from its memory, is not sent. Collectives count a message for each pair of their ranks, also an empty one;
  /// `data_messages` are those that are not.
  struct Traffic {
    Index messages = 0, data_messages = 0, bytes = 0;
    Index all_messages = 0, all_data_messages = 0, all_bytes = 0;
    Index network_messages = 0, network_data_messages = 0, network_bytes = 0;  ///< of all ranks, between nodes
  };
  Traffic traffic(Direction direction) const;
  /// Bound of the error that the wire format brings into a direction, in the 2-norm of a whole field and relative to
  /// it: that of a number times the exchanges that it takes part in. 0 where numbers travel as they are. The same on
  /// all ranks.
  double wire_error(Direction direction) const;

  /// What moves from one rank to another in one exchange of a direction, whichever strategy moves it and through whose
  /// memory: what decides which ranks should share a node.
  struct Flow {
    int exchange;  ///< 0 for the first of the direction
    int from, to;
    Index bytes;
  };
  /// The flows among all ranks, of all exchanges in order.
  std::vector<Flow> flows(Direction direction) const;

  /// The stages, layouts, strategy, tiles, messages, bytes and buffers in words, and as JSON.
  std::string explain() const;
  std::string json() const;

  const detail::PlanData& data() const { return *data_; }

 private:
  std::shared_ptr<const detail::PlanData> data_;
};

}  // namespace weft
