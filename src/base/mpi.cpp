#include "base/mpi.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::detail {

void check_mpi(int code, const char* call, MPI_Comm comm) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  int rank = -1;
  if (comm != MPI_COMM_NULL) MPI_Comm_rank(comm, &rank);
  throw Error(concat("MPI failed on rank ", rank, ": ", text, " in ", call));
}

void check_made(int code, const char* call, MPI_Comm comm) {
  try {
    check_mpi(code, call, comm);
  } catch (const Error& error) {
    throw Error(concat(error.what(), "; ", no_communicators));
  }
}

Communicator::Communicator(MPI_Comm comm) : comm_(comm) {
  if (comm_ != MPI_COMM_NULL) WEFT_MPI(comm_, MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
}

void require_communicator(MPI_Comm comm) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (!initialized || finalized) {
    throw Error("MPI is not running: call MPI_Init before making a transform, and MPI_Finalize after its end");
  }
  if (comm == MPI_COMM_NULL) throw Error("comm is MPI_COMM_NULL; a valid communicator is needed");
  int inter = 0;
  WEFT_MPI(comm, MPI_Comm_test_inter(comm, &inter));
  if (inter) throw Error("comm is an inter-communicator; only intra-communicators are allowed");
}

Communicator Communicator::duplicate(MPI_Comm comm) {
  require_communicator(comm);
  MPI_Comm copy = MPI_COMM_NULL;
  check_made(MPI_Comm_dup(comm, &copy), "MPI_Comm_dup", comm);
  return Communicator(copy);
}

Communicator Communicator::split(MPI_Comm comm, int color) {
  int rank = 0;
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank));
  return split(comm, color, rank);
}

Communicator Communicator::split(MPI_Comm comm, int color, int key) {
  MPI_Comm part = MPI_COMM_NULL;
  check_made(MPI_Comm_split(comm, color, key, &part), "MPI_Comm_split", comm);
  return Communicator(part);
}

Communicator::~Communicator() {
  if (comm_ == MPI_COMM_NULL) return;
  // After MPI_Finalize nothing can be freed any more; a global transform would otherwise abort the program at exit.
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Comm_free(&comm_);
}

Communicator::Communicator(Communicator&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(comm_, other.comm_);
  return *this;
}

int Communicator::rank() const {
  int rank = 0;
  WEFT_MPI(comm_, MPI_Comm_rank(comm_, &rank));
  return rank;
}

int Communicator::size() const {
  int size = 0;
  WEFT_MPI(comm_, MPI_Comm_size(comm_, &size));
  return size;
}

namespace {

std::string said(const Common& common, std::int64_t value) {
  const auto place = static_cast<std::size_t>(value);
  return place < common.words.size() ? common.words[place] : std::to_string(value);
}

}  // namespace

void all_or_none(MPI_Comm comm, const std::function<void()>& work, std::span<const Common> common) {
  int rank = 0, size = 1;
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank));
  WEFT_MPI(comm, MPI_Comm_size(comm, &size));
  std::string message;
  bool failed = false;
  try {
    work();
  } catch (const std::exception& error) {
    failed = true;
    message = error.what();
  }
  // The lowest rank that failed; the smallest of each number, and the largest with its sign changed.
  std::int64_t least[1 + 2 * most_common] = {failed ? rank : size};
  for (std::size_t i = 0; i < common.size(); ++i) {
    least[1 + 2 * i] = common[i].value ? *common[i].value : INT64_MAX;
    least[2 + 2 * i] = common[i].value ? -std::max(*common[i].value, -INT64_MAX) : INT64_MAX;
  }
  const int count = static_cast<int>(1 + 2 * common.size());
  WEFT_MPI(comm, MPI_Allreduce(MPI_IN_PLACE, least, count, MPI_INT64_T, MPI_MIN, comm));
  if (least[0] == size) {
    for (std::size_t i = 0; i < common.size(); ++i) {
      const Common& mine = common[i];
      const std::int64_t smallest = least[1 + 2 * i], largest = -least[2 + 2 * i];
      if (smallest == INT64_MAX || smallest == largest) continue;
      return all_or_none(comm, [&] {
        if (!mine.value || *mine.value == largest) return;
        throw Error(concat(mine.name, " is ", said(mine, *mine.value), " on rank ", rank, " and ", said(mine, largest),
                           " on another; it must be the same on all ranks"));
      });
    }
    return;
  }
  const int first = narrow<int>(least[0], "a rank");
  int length = narrow<int>(message.size(), "the length of an error message");
  WEFT_MPI(comm, MPI_Bcast(&length, 1, MPI_INT, first, comm));
  message.resize(static_cast<std::size_t>(length));
  WEFT_MPI(comm, MPI_Bcast(message.data(), length, MPI_CHAR, first, comm));
  throw Error(message);
}

void require_same(MPI_Comm comm, const std::string& text, const char* what) {
  int rank = 0;
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank));
  const std::string first = broadcast(comm, text);
  all_or_none(comm, [&] {
    if (first != text) {
      throw Error(concat(what, " must be the same on all ranks; rank 0 has ", first, ", rank ", rank, " has ", text));
    }
  });
}

std::string broadcast(MPI_Comm comm, std::string text) {
  int length = narrow<int>(text.size(), "the length of a text");
  WEFT_MPI(comm, MPI_Bcast(&length, 1, MPI_INT, 0, comm));
  text.resize(static_cast<std::size_t>(length));
  WEFT_MPI(comm, MPI_Bcast(text.data(), length, MPI_CHAR, 0, comm));
  return text;
}

std::vector<std::string> broadcast(MPI_Comm comm, const std::vector<std::string>& texts) {
  // Each ends with a null character, which no message has in it.
  std::string all;
  for (const std::string& text : texts) all.append(text.c_str(), text.size() + 1);
  all = broadcast(comm, all);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < all.size(); at += out.back().size() + 1) out.emplace_back(&all[at]);
  return out;
}

void abort_processes(MPI_Comm comm) {
  usleep(100000);
  MPI_Abort(comm, EXIT_FAILURE);
}

}  // namespace weft::detail
