// Predicted times: a plan walked on a machine's figures. Nothing is run, and no MPI function is called.
//
//   const auto machine = weft::model::read("machine.toml");  // weft calibrate makes one
//   const auto found = weft::model::predict({.shape = {256, 256, 256}}, {.strategy = "pairwise"}, machine, 64, 16);
//   found.seconds();  // forward and backward
//
// It belongs to the target weft::model, which brings weft::weft. What is priced, and how good it is:
// docs/model.md.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/operator.hpp"
#include "weft/plan.hpp"
#include "weft/sphere.hpp"

namespace weft::model {

/// A row of a table: a size, what was measured there, and the middle half of the samples as a part of it.
struct Sample {
  double size = 0, value = 0, spread = 0;
  friend bool operator==(const Sample&, const Sample&) = default;
};
/// By ascending size. Between rows values are linear in the logarithms; beyond the ends they stay, but what grows with
/// size (seconds) goes on growing.
using Table = std::vector<Sample>;
double interpolated(const Table& table, double size);

/// What was measured, while all ranks of a node were busy. Empty tables and zeroes: not measured.
struct Calibration {
  int ranks = 0;           ///< of the node
  Table copy_all;          ///< size of an array; bytes read and written a second by each rank
  Table copy_one;          ///< the same of one rank alone
  Table neighbour;         ///< size; seconds of copying what a neighbour has just written
  Table exchange_node;     ///< bytes; seconds of an exchange of two ranks, both ways at once
  Table exchange_network;  ///< the same across nodes
  Table pieces_node;       ///< as exchange_node, of data in pieces of 512 bytes, described by an MPI datatype
  Table alltoall;          ///< of a node's ranks: bytes for each pair; seconds
  Table alltoall_network;  ///< the same of the ranks of all nodes
  double barrier = 0, allreduce = 0;
  std::map<std::string, Table> lines;  ///< "rows_double": length; operations a second, with `backend=auto`
  std::map<std::string, std::map<std::string, Table>> backends;  ///< the same by backend
  std::map<std::string, Table> transforms;  ///< "c2c_double": n of n^3; seconds of a round trip, each rank alone
  std::map<std::string, Table> strategies;  ///< n of n^3 on all ranks; seconds of a round trip
};

/// Nodes that are alike, with cores that are alike. Rates are per second, sizes in bytes, times in seconds. Without a
/// calibration rates do not depend on sizes. What a machine file does not say is as it is here, for all who read such
/// files.
struct Machine {
  std::string name, title, source;  ///< the latter two for people
  int year = 0;
  int nodes = 1, cores = 1;
  double flops = 0;             ///< of a core, in FFTs
  double memory_bandwidth = 0;  ///< of a node
  double core_bandwidth = 0;    ///< of a core alone; where a file does not say: the node's

  // The network: what a node's link does.
  double latency = 0, bandwidth = 0;
  bool shared = false;                                              ///< one wire for all nodes of a segment
  int nodes_per_segment = 0;                                        ///< 0: all
  double efficiency = 1;                                            ///< the part of the bandwidth that data has
  double gap = 0;                                                   ///< the link's time for a message
  double overhead = 0;                                              ///< the processor's
  double copy_bandwidth = std::numeric_limits<double>::infinity();  ///< at which it copies messages

  // Between ranks of a node.
  double node_latency = 0.5e-6, node_bandwidth = 5e9, node_gap = 0;

  // The MPI library.
  Index eager = 16384;         ///< up to this size messages do not wait for their receiver
  Index alltoall_short = 256;  ///< up to this size all-to-alls store and forward
  /// From this size on blocking all-to-alls go round by round, a pair of ranks in each; below, all is sent at once.
  Index alltoall_pairwise = 0;

  std::vector<std::string> assumed;  ///< fields that are no measurement
  Calibration calibration;

  // What `fitted` finds.
  double call = 0;                                ///< seconds of a call beyond its passes
  std::map<std::string, Table> pass_factors;      ///< "c2c_double": bytes gone through; passes take so much longer
  std::map<std::string, Table> strategy_factors;  ///< by strategy, the same of all that a node's ranks do together
};

/// The machine of a TOML file, fitted to its calibration. Throws Error naming file, field, value and what is allowed.
Machine read(const std::filesystem::path& path);
/// The same of a file's text, not fitted; `where` is its name in messages.
Machine parse(std::string_view text, const std::string& where);
/// With the seconds of a call and the factors by which whole transforms take longer than the formulas say, if the
/// machine is calibrated.
Machine fitted(Machine machine);
/// A machine of which nothing was measured: an ordinary current node, and a network of 25 Gbit/s by TCP.
Machine unmeasured(int cores_per_node, int nodes);

/// A field of machine files.
struct MachineField {
  enum class Limit { none, not_negative, positive };

  const char *table, *name;  ///< the table is empty for those at the top
  bool needed;               ///< its table must have it
  Limit limit;
  /// Where it is kept, which says of what type it is.
  std::variant<std::string Machine::*, int Machine::*, Index Machine::*, double Machine::*, bool Machine::*,
               std::vector<std::string> Machine::*>
      member;
};
/// The one list of them.
const std::vector<MachineField>& machine_fields();

/// Where time goes. What overlaps is counted once, where it is longer.
enum class Term { computation, memory, node, overhead, latency, rate, bandwidth, synchronisation };
constexpr std::size_t terms = 8;
std::string to_string(Term term);
/// "transforming lines"
std::string meaning(Term term);

/// Seconds by term.
struct Seconds {
  std::array<double, terms> by_term{};
  double& operator[](Term term) { return by_term[static_cast<std::size_t>(term)]; }
  double operator[](Term term) const { return by_term[static_cast<std::size_t>(term)]; }
  double sum() const;
  Seconds& operator+=(const Seconds& other);
};

/// A pass or an exchange: its time, and what of an exchange was hidden behind computation.
struct Stage {
  std::string name;
  Seconds terms;
  double hidden = 0;
  double seconds() const { return terms.sum(); }
};

/// One execution in one direction. The terms have the call's own time, too, which belongs to no stage.
struct Walk {
  std::vector<Stage> stages;
  Seconds terms;
  double hidden = 0;
  double wire_error = 0;  ///< bound of the error that wire formats bring into it, see Plan::wire_error
  double seconds() const { return terms.sum(); }
};

struct Prediction {
  Walk forward, backward;
  Index memory_bytes = 0;  ///< per rank: its arrays and what the transform allocates
  double seconds() const { return forward.seconds() + backward.seconds(); }
  double hidden() const { return forward.hidden + backward.hidden; }
  /// The larger error of the two directions.
  double wire_error() const { return std::max(forward.wire_error, backward.wire_error); }
  Seconds terms() const;
};

/// The time of a plan on the slowest rank, with all options that matter, `groups` as well. `ranks_on_node` consecutive
/// ranks share a node, unless `options.nodes` says otherwise. It makes a plan, and throws as Plan does. For a long
/// batch it makes the plans of two shorter ones instead, and continues the line between them.
Prediction predict(const Problem& problem, const Options& options, const Machine& machine, int ranks,
                   int ranks_on_node);
/// The time of a plan that exists, on its own rank, or on a rank in the middle if that one sends more between nodes and
/// takes longer. Nodes are those of the plan's options.
Prediction predict(const Plan& plan, const Machine& machine, int ranks_on_node);

/// The time of a sphere's transforms; `waves` are those of all ranks. Each direction depends on its own options only.
Prediction predict(const SphereProblem& problem, const std::vector<std::vector<GVector>>& waves,
                   const Options& backward, const Options& forward, const Machine& machine, int ranks_on_node);
/// The same for the sphere and the rank of a plan, with other options: to price many of them without a look at the
/// plane waves again. `groups` are allowed here.
Prediction predict(const SpherePlan& sphere, const Options& backward, const Options& forward, const Machine& machine,
                   int ranks_on_node);

/// One application of an operator, all that its plan has of them at once.
struct OperatorPrediction {
  Walk walk;
  Index memory_bytes = 0;  ///< per rank: its arrays and what the operator allocates
  double seconds() const { return walk.seconds(); }
};
/// The time of an operator's plan on its rank. The time of the function itself is not known, and left out.
OperatorPrediction predict(const OperatorPlan& plan, const Machine& machine, int ranks_on_node);

}  // namespace weft::model
