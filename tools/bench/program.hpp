// What the benchmark programs share: one main, the library's options as flags, reports for people and as JSON.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "base/busy.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "command_line.hpp"
#include "weft/weft.hpp"

namespace weft::tools {

/// A bad command line. Like every Error thrown here, the same on all ranks.
class UsageError : public Error {
 public:
  using Error::Error;
};

using detail::Json;
using detail::text;
/// "3.1 MiB"
std::string bytes_text(double bytes);
inline std::string bytes_text(Index bytes) { return bytes_text(static_cast<double>(bytes)); }

/// The ranks of a program, and where it writes.
class Job {
 public:
  explicit Job(MPI_Comm comm);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job();

  MPI_Comm comm;
  MPI_Comm node;   ///< the ranks that share memory with this one
  MPI_Comm alarm;  ///< for ranks that fail: nothing else happens on it
  int rank = 0, ranks = 1, ranks_on_node = 1;
  bool root() const { return rank == 0; }
  /// The options with what transforms find out: who shares a node, on which the default strategy depends. Collective.
  Options with_nodes(Options options) const;

  /// Over all ranks. Collective.
  double max(double value) const;
  double sum(double value) const;
  Index max(Index value) const;
  Index sum(Index value) const;

  /// The report for people: rank 0's standard output, or standard error when JSON goes to standard output.
  void print(const std::string& report) const;
  /// What others have used of the processors since the watch began: into the report, and as a line for people if it is
  /// too much for what was timed. Collective.
  void tell_of_others(const detail::BusyWatch& watch, Json& report) const;
  /// How a long run is getting on: rank 0's standard error.
  void progress(const std::string& line) const;

  /// Where --json and --csv shall go; "-" is standard output.
  void declare_outputs(CommandLine& line, bool csv);
  /// Collective, to be called before work begins: UsageError if a file cannot be written.
  void require_writable_outputs() const;
  bool wants_json() const { return !json_.empty(); }
  bool wants_csv() const { return !csv_.empty(); }
  /// Rank 0 writes beside and renames.
  void write_json(const Json& report) const;
  void write_csv(const std::string& table) const;

 private:
  std::string json_, csv_;
};

/// A benchmark program. Every rank calls both functions.
class Program {
 public:
  virtual ~Program() = default;
  virtual std::string name() const = 0;
  virtual std::string description() const = 0;
  virtual void declare(CommandLine& line, Job& job) = 0;
  /// Returns the exit code.
  virtual int run(Job& job) = 0;
};

/// The body of main. Exit codes: what `run` returns, 2 for a bad command line, 1 for any other error. An error that
/// all ranks have is said once; one that some have alone is said by them and ends the whole job.
int run_program(Program& program, int argc, char** argv);

/// Every option of the library as a flag --name (and --na-me); those that are true or false need no value.
void declare_options(CommandLine& line, Options& options);
/// The options by name, as text.
Json options_json(const Options& options);
/// Bytes and messages, as planned; of a transform, for both directions.
Json traffic_json(const Plan::Traffic& traffic);
Json traffic_json(const Plan& plan);

/// Collective, before anything large is allocated: Error on all ranks unless `bytes` of every rank fit the memory of
/// their nodes. `what` names the work in the message.
void require_memory(const Job& job, Index bytes, const std::string& what);

}  // namespace weft::tools
