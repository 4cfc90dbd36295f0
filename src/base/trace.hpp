// What happened when: events in memory while a transform runs, and the file that they end up in.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::detail {

/// A piece of one rank's time.
struct Event {
  enum class What : unsigned char { execution, agree, add_up, parts, acquire, compute, start, test, finish };
  What what;
  int route;           ///< which of a transform's routes; of an execution of several at once, the first
  int stage;           ///< pass for compute, link for the others
  std::int64_t index;  ///< unit or tile; -1 for test, which is of all tiles
  double begin, end;   ///< of now()
};

/// One rank's events, in the order of their ends. Room is made between executions, so that nothing is allocated while
/// one runs, and executions are recorded whole or not at all.
class Recorder {
 public:
  /// Events that are kept at most, 40 MiB of them: the first ones.
  static constexpr std::size_t limit = std::size_t{1} << 20;

  /// Makes room for `events` more. False, from then on always, if there would be too many.
  bool make_room(std::size_t events);
  void add(const Event& event) { events_.push_back(event); }
  /// Counts an execution that there was no room for.
  void leave_out() { ++left_out_; }
  /// Forgets everything.
  void clear();

  const std::vector<Event>& events() const { return events_; }
  std::int64_t left_out() const { return left_out_; }

 private:
  std::vector<Event> events_;
  std::int64_t left_out_ = 0;
  bool full_ = false;
};

/// What is to be added to this rank's now() to have that of rank 0. `nodes` names the node of each rank by its lowest
/// rank, `node` are the ranks of this one, which have the same clock. Collective over `all`.
double clock_offset(MPI_Comm all, MPI_Comm node, const std::vector<int>& nodes);

/// Writes everybody's trace events, JSON objects separated by commas, to the file `path` of rank 0. What this process
/// has written there before stays, so that the transforms of a program come together in one file; any other file is
/// replaced, by renaming. The same Error on all ranks if it cannot be written. Collective.
void write_trace(MPI_Comm comm, const std::string& path, const std::string& events);
/// The same Error on all ranks if rank 0 cannot write such a file. Collective.
void require_trace_file(MPI_Comm comm, const std::string& path);

}  // namespace weft::detail
