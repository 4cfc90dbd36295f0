#include "base/progress.hpp"

#include <sched.h>

#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::detail {

namespace {

const char* name_of_level(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE: return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED: return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED: return "MPI_THREAD_SERIALIZED";
    default: return "MPI_THREAD_MULTIPLE";
  }
}

}  // namespace

ProgressThread::ProgressThread(MPI_Comm comm) : comm_(Communicator::duplicate(comm)) {
  all_or_none(comm_.get(), [] {
    int level = MPI_THREAD_SINGLE;
    WEFT_MPI(MPI_COMM_NULL, MPI_Query_thread(&level));
    if (level != MPI_THREAD_MULTIPLE) {
      throw Error(concat("progress is 'thread', but MPI was initialised with ", name_of_level(level),
                         "; initialise it with MPI_Init_thread and MPI_THREAD_MULTIPLE, or set progress=none"));
    }
  });
  thread_ = std::thread([this] { run(); });
}

ProgressThread::~ProgressThread() {
  ended_.store(true);
  exchanges_.store(-1);
  exchanges_.notify_one();
  thread_.join();
}

void ProgressThread::on_their_way(int more) {
  if (exchanges_.fetch_add(more, std::memory_order_release) == 0) exchanges_.notify_one();
}

void ProgressThread::run() {
  while (!ended_.load()) {
    if (exchanges_.load(std::memory_order_acquire) == 0) exchanges_.wait(0);
    int there = 0;
    // An error here is met again by whoever waits for the exchange.
    if (!ended_.load()) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_.get(), &there, MPI_STATUS_IGNORE);
    sched_yield();
  }
}

}  // namespace weft::detail
