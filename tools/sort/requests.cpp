#include "requests.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/mpi.hpp"

namespace weft::sort {

using detail::narrow;

std::size_t Requests::add(std::size_t count) {
  const std::size_t first = requests_.size();
  requests_.resize(first + count, MPI_REQUEST_NULL);
  done_.resize(requests_.size());
  return first;
}

void Requests::send(std::size_t place, const void* data, std::size_t bytes, int to, int tag) {
  WEFT_MPI(comm_,
           MPI_Isend(data, narrow<int>(bytes, "bytes of a message"), MPI_BYTE, to, tag, comm_, &requests_[place]));
  ++on_their_way_;
}

void Requests::receive(std::size_t place, void* data, std::size_t bytes, int source, int tag) {
  WEFT_MPI(comm_,
           MPI_Irecv(data, narrow<int>(bytes, "bytes of a message"), MPI_BYTE, source, tag, comm_, &requests_[place]));
  ++on_their_way_;
}

void Requests::look(bool wait) {
  if (on_their_way_ == 0) return;
  int count = 0;
  const int size = narrow<int>(requests_.size(), "number of requests");
  if (wait) {
    WEFT_MPI(comm_, MPI_Waitsome(size, requests_.data(), &count, done_.data(), MPI_STATUSES_IGNORE));
  } else {
    WEFT_MPI(comm_, MPI_Testsome(size, requests_.data(), &count, done_.data(), MPI_STATUSES_IGNORE));
  }
  if (count != MPI_UNDEFINED) on_their_way_ -= static_cast<std::size_t>(count);
}

void run_tasks(Requests& requests, const std::vector<std::unique_ptr<Task>>& tasks) {
  std::vector<Task*> left;
  for (const auto& task : tasks) left.push_back(task.get());
  while (!left.empty()) {
    bool any = false;
    for (Task* task : left) any = task->step() || any;
    std::erase_if(left, [](const Task* task) { return task->done(); });
    if (left.empty()) break;
    if (!any && requests.idle()) throw Error("tasks are left, but none can go on: this is a bug");
    requests.look(!any);
  }
}

}  // namespace weft::sort
