// Messages on their way, and the loop that lets tasks run until none can go on without one that has not come.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace weft::sort {

/// Places for requests. A place is busy while its message is on its way.
class Requests {
 public:
  explicit Requests(MPI_Comm comm) : comm_(comm) {}
  MPI_Comm comm() const { return comm_; }
  /// So many places in a row; the first one.
  std::size_t add(std::size_t count);
  bool busy(std::size_t place) const { return requests_[place] != MPI_REQUEST_NULL; }
  void send(std::size_t place, const void* data, std::size_t bytes, int to, int tag);
  void receive(std::size_t place, void* data, std::size_t bytes, int source, int tag);
  /// Looks which messages have come or gone; waits for one if asked to and there is any.
  void look(bool wait);
  bool idle() const { return on_their_way_ == 0; }

 private:
  MPI_Comm comm_;
  std::vector<MPI_Request> requests_;
  std::vector<int> done_;
  std::size_t on_their_way_ = 0;
};

/// Something that goes on step by step.
class Task {
 public:
  virtual ~Task() = default;
  /// Does what can be done now; whether that was anything.
  virtual bool step() = 0;
  /// Nothing is left to do, and nothing of it is on its way.
  virtual bool done() const = 0;
};

/// Runs all tasks to their ends.
void run_tasks(Requests& requests, const std::vector<std::unique_ptr<Task>>& tasks);

}  // namespace weft::sort
