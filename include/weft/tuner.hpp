// Weft chooses for you: options by the model, by timing, or from what was timed before.
//
//   #include <weft/tuner.hpp>
//
//   const weft::Problem problem{.shape = {128, 128, 128}};
//   const weft::Tuned tuned = weft::tune(problem, MPI_COMM_WORLD, {}, {.effort = weft::Effort::measure, .budget = 5});
//   weft::Transform<double> fft(problem, MPI_COMM_WORLD, tuned.options);
//
// Hoefler and Zerah find tile, window and the interval of tests "performance critical" and "not easily predictable"
// (section 4.3), and their tuner to suffer from jitter. Here candidates take turns, medians count, what has no chance
// left goes early (successive halving: Karnin, Koren and Somekh, ICML 2013), and timing ends when the leader is clear.
#pragma once

#include <mpi.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/model.hpp"
#include "weft/operator.hpp"
#include "weft/options.hpp"
#include "weft/poisson.hpp"
#include "weft/problem.hpp"
#include "weft/sphere.hpp"

namespace weft {

/// How to choose.
struct Tuning {
  /// estimate: what the tuning file knows, else what the model thinks; nothing is run. measure: the model's best few
  /// are timed. patient: a wide choice is timed, and then the neighbours of the best.
  Effort effort = Effort::measure;
  /// Seconds that timing may take, planning of the candidates included; 0: 10 for measure, 60 for patient. What runs
  /// when they are over is finished, and whatever it takes, the options as given and the model's favourite are timed:
  /// one alone is no comparison.
  double budget = 0;
  /// File of what was timed before. Empty: what WEFT_TUNING_FILE says, else weft/tuning.json in the user's cache
  /// folder. "none": no file.
  std::string file;
  /// Machine file for the model. Empty: what WEFT_MACHINE_FILE says, else machine.toml beside the tuning file, else an
  /// ordinary machine of today.
  std::string machine;
  /// Options that stay as they are, by name. Those that have another value than their default's, or are set by the
  /// environment, stay in any case.
  std::vector<std::string> keep;
  /// Whether the spectrum may be left transposed (see Options::transposed) where that is faster.
  bool may_transpose = false;
  /// Formats for the wire (see Options::wire) are candidates as well if the error that they may bring into a direction
  /// is at most this, relative and in the 2-norm: as Plan::wire_error bounds it. 0: numbers travel as they are. A
  /// format is chosen only if it is faster than the best with exact numbers by more than 3 %.
  double tolerance = 0;
  /// Time once more what the file knows.
  bool again = false;
  /// Keep what was timed on a machine that was too busy, too seldom, or with ratios that the model calls absurd.
  /// Without it such a choice is an answer with a warning, which the tuning file does not get.
  bool force = false;
  /// Called on rank 0 with what is being done, a line at a time.
  std::function<void(const std::string&)> progress;
};

/// Options by name and text, as Options::set takes them.
using OptionTexts = std::vector<std::pair<std::string, std::string>>;

/// One candidate. Seconds are of forward plus backward, of one direction of a sphere's transforms, or of one execution
/// of an operator.
struct Tried {
  OptionTexts options;   ///< what differs from the defaults
  double predicted = 0;  ///< by the model; 0: not priced
  /// Median of its rounds, each the slowest rank's, as it would have been in those of the contest's fastest. 0: not
  /// timed.
  double seconds = 0;
  double low = 0, high = 0;  ///< the middle half of its rounds
  int rounds = 0;
  /// `seconds` over those of the options as given in the same contest; 0: not timed. Contests are at different times,
  /// when the machine may be busier: seconds of different ones cannot be compared, these can.
  double relative = 0;
  bool decisive = false;  ///< timed in the contest that decided, as the choice
  bool left_out = false;  ///< it was to be timed, but the budget was over
  std::string obstacle;   ///< why it could not be used
};

/// What was chosen, and why.
struct Tuned {
  Options options;
  OptionTexts chosen;   ///< what differs from the defaults
  std::string source;   ///< "model", "timed" or "file"
  std::string machine;  ///< whose figures the model took; empty where the model was not asked
  Effort effort =
      Effort::measure;         ///< with which the choice was made, by whoever wrote the file if it comes from there
  double seconds = 0;          ///< that the choice takes
  double default_seconds = 0;  ///< that the options as given take; both are predicted where the source is the model
  /// How sure it is: the part of the rounds in which the choice was faster than the runner-up. 0: not timed, or alone.
  double sureness = 0;
  double spent = 0;                   ///< seconds that tuning took
  std::vector<Tried> tried;           ///< the choice first, then by time, then those that were only priced
  std::vector<std::string> warnings;  ///< of files that could not be used, and of a choice that is not kept

  /// What was tried, what was chosen, how sure it is and what the default would have cost: a table for people, and
  /// JSON.
  std::string text() const;
  std::string json() const;
};

/// Chooses options for a transform. Collective over `comm`; the same answer on all ranks. Timing allocates input and
/// output arrays, and the workspace of some candidates. Arguments must be the same on all ranks; throws the same Error
/// on all ranks otherwise, and for what no plan can be made for.
Tuned tune(const Problem& problem, MPI_Comm comm, const Options& options = {}, const Tuning& tuning = {});

/// The directions of a sphere's transforms, which have parameters of their own (Hoefler and Zerah's three sets: full
/// box, backward and forward). Each `seconds` is of one execution with the problem's bands.
struct TunedSphere {
  Tuned backward, forward;
};

/// Chooses options for the transforms of a sphere; arguments as for SphereTransform.
TunedSphere tune(const SphereProblem& problem, std::span<const GVector> waves, MPI_Comm comm,
                 const Options& backward = {}, const std::optional<Options>& forward = std::nullopt,
                 std::optional<Index> planes = std::nullopt, const Tuning& tuning = {});

/// Chooses options for an operator; arguments as for OperatorPlan. Functions are not called, as some are made for the
/// layout of one plan: what is timed has one in their place that reads all inputs, writes all outputs, and does little
/// else. `may_transpose` is for operators in space.
Tuned tune(const Problem& problem, At at, Index inputs, Index outputs, MPI_Comm comm, const Options& options = {},
           const Tuning& tuning = {});

/// Chooses options for a solver; arguments as for Poisson, whose problem has the precision. As for operators: nothing
/// is solved. Layouts of stored points count only where these are the unknown ones.
Tuned tune_poisson(const PoissonProblem& problem, MPI_Comm comm, const Options& options = {},
                   const Tuning& tuning = {});

/// What `tune` would look at on so many ranks, the given options first; none twice, and some may not fit the problem.
/// Of `tuning` count effort (patient: a wide choice), keep, may_transpose and tolerance, which here is that of each
/// exchange: what several of them add up to is known once there is a plan. Calls no MPI function.
std::vector<Options> candidates(const Problem& problem, int ranks, int ranks_on_node, const Options& options = {},
                                const Tuning& tuning = {});
std::vector<Options> candidates(const SphereProblem& problem, int ranks, int ranks_on_node, const Options& options = {},
                                const Tuning& tuning = {});
std::vector<Options> candidates(const Problem& problem, At at, int ranks, int ranks_on_node,
                                const Options& options = {}, const Tuning& tuning = {});

/// What differs from the defaults, of all options that have a text.
OptionTexts differences(const Options& options);

/// The machine that candidates are priced on.
struct PricedMachine {
  model::Machine machine;
  std::string source;  ///< where its figures come from
};
/// As Tuning::machine and Tuning::file say. Throws Error naming the file. `cores` is what a node has if there is no
/// file; 0: as many as this machine, and at least one for each of its ranks.
PricedMachine find_machine(const Tuning& tuning, int ranks, int ranks_on_node, int cores = 0);
/// Where machine files are looked for if none is named: beside the usual tuning file. Empty: nowhere.
std::string usual_machine_file();

/// A tuning file: JSON, one entry for each problem, ranks, node layout, MPI library, FFT libraries, machine and options
/// that were given. Jobs may use it at once: it is changed under a lock, by writing beside and renaming.
class TuningFile {
 public:
  /// `path` empty: as Tuning::file says. Nothing is read yet.
  explicit TuningFile(std::string path = {});
  const std::string& path() const { return path_; }

  /// All entries as JSON text: a list of objects with key, options, seconds, ... A file that is not there has none. A
  /// damaged one is set aside under another name, with a warning.
  std::string entries(std::vector<std::string>& warnings) const;
  /// Takes over the entries of another file: of those with the same key the one of higher effort, then the later one.
  /// Returns how many were taken. Error if `other` is missing or damaged.
  int merge(const std::string& other, std::vector<std::string>& warnings);
  /// Takes out the entries at these places of `entries`; Error naming a place that is not there.
  void forget(const std::vector<int>& places, std::vector<std::string>& warnings);

 private:
  std::string path_;
};

}  // namespace weft
