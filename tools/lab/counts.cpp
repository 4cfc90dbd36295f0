#include "counts.hpp"

#include <malloc.h>
#include <mpi.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <vector>

namespace weft::tools {

namespace {

/// By the number that stands for it here, so that counting itself asks for no memory.
enum class Kind : std::size_t {
  barrier,
  allreduce,
  bcast,
  allgather,
  alltoall,
  gather,
  dup,
  split,
  window,
  shared_file,
  message
};
constexpr std::size_t kinds = 11;
constexpr std::array<const char*, kinds> names{"barrier", "allreduce", "bcast",  "allgather",   "alltoall", "gather",
                                               "dup",     "split",     "window", "shared file", "message"};

struct OfRank {
  bool counting = false;
  std::array<Calls, kinds> calls{};
  std::int64_t held = 0, most = 0;
};

/// One for each rank of a simulation, of which this is the only process; else one.
std::vector<OfRank> ranks;
/// Ranks that count. Before MPI runs and after, there is no rank to be asked for.
int counters = 0;

std::size_t place_of_rank() {
#ifdef WEFT_SIMULATED
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return static_cast<std::size_t>(rank);
#else
  return 0;
#endif
}

OfRank* this_rank() {
  if (counters == 0) return nullptr;
  OfRank& mine = ranks[place_of_rank()];
  return mine.counting ? &mine : nullptr;
}

void add(Kind kind, std::int64_t bytes = 0, std::int64_t calls = 1) {
  if (OfRank* const mine = this_rank()) {
    Calls& of = mine->calls[static_cast<std::size_t>(kind)];
    of.calls += calls;
    of.bytes += bytes;
  }
}

std::int64_t size_of(MPI_Comm comm) {
  int size = 1;
  PMPI_Comm_size(comm, &size);
  return size;
}

std::int64_t bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return std::int64_t{count} * size;
}

std::int64_t bytes_of(const int* counts, MPI_Datatype type, MPI_Comm comm) {
  std::int64_t all = 0;
  for (std::int64_t i = 0; i < size_of(comm); ++i) all += bytes_of(counts[i], type);
  return all;
}

std::int64_t bytes_of(const int* counts, const MPI_Datatype* types, MPI_Comm comm) {
  std::int64_t all = 0;
  for (std::int64_t i = 0; i < size_of(comm); ++i) all += bytes_of(counts[i], types[i]);
  return all;
}

void count_memory(void* at, int sign) {
  OfRank* const mine = at == nullptr ? nullptr : this_rank();
  if (mine == nullptr) return;
  mine->held += sign * static_cast<std::int64_t>(malloc_usable_size(at));
  mine->most = std::max(mine->most, mine->held);
}

}  // namespace

void start_counting() {
#ifdef WEFT_SIMULATED
  ranks.resize(static_cast<std::size_t>(size_of(MPI_COMM_WORLD)));
#else
  ranks.resize(1);
#endif
  ranks[place_of_rank()] = {};
  PMPI_Barrier(MPI_COMM_WORLD);
  ++counters;
  ranks[place_of_rank()].counting = true;
}

Counts stop_counting() {
  OfRank& mine = ranks[place_of_rank()];
  mine.counting = false;
  --counters;
  Counts counts{{}, mine.held, mine.most};
  for (std::size_t kind = 0; kind < kinds; ++kind) counts.calls[names[kind]] = mine.calls[kind];
  return counts;
}

}  // namespace weft::tools

// Compilers take the pair of malloc and a replaced delete for a mistake.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

void* operator new(std::size_t bytes) {
  void* const at = std::malloc(bytes == 0 ? 1 : bytes);
  if (at == nullptr) throw std::bad_alloc();
  weft::tools::count_memory(at, 1);
  return at;
}
void operator delete(void* at) noexcept {
  weft::tools::count_memory(at, -1);
  std::free(at);
}
void operator delete(void* at, std::size_t) noexcept { operator delete(at); }
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void operator delete[](void* at) noexcept { operator delete(at); }
void operator delete[](void* at, std::size_t) noexcept { operator delete(at); }

using namespace weft::tools;

// The functions that Weft calls, in set-up and in executions.
extern "C" {
int MPI_Barrier(MPI_Comm comm) {
  add(Kind::barrier);
  return PMPI_Barrier(comm);
}
int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  add(Kind::allreduce, bytes_of(count, type));
  return PMPI_Allreduce(in, out, count, type, op, comm);
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  add(Kind::bcast, bytes_of(count, type));
  return PMPI_Bcast(data, count, type, root, comm);
}
int MPI_Allgather(const void* in, int n, MPI_Datatype from, void* out, int m, MPI_Datatype to, MPI_Comm comm) {
  add(Kind::allgather, bytes_of(m, to) * size_of(comm));
  return PMPI_Allgather(in, n, from, out, m, to, comm);
}
int MPI_Allgatherv(const void* in, int n, MPI_Datatype from, void* out, const int* counts, const int* places,
                   MPI_Datatype to, MPI_Comm comm) {
  add(Kind::allgather, bytes_of(counts, to, comm));
  return PMPI_Allgatherv(in, n, from, out, counts, places, to, comm);
}
int MPI_Alltoall(const void* in, int n, MPI_Datatype from, void* out, int m, MPI_Datatype to, MPI_Comm comm) {
  add(Kind::alltoall, bytes_of(m, to) * size_of(comm));
  return PMPI_Alltoall(in, n, from, out, m, to, comm);
}
int MPI_Ialltoall(const void* in, int n, MPI_Datatype from, void* out, int m, MPI_Datatype to, MPI_Comm comm,
                  MPI_Request* request) {
  add(Kind::alltoall, bytes_of(m, to) * size_of(comm));
  return PMPI_Ialltoall(in, n, from, out, m, to, comm, request);
}
int MPI_Alltoallv(const void* in, const int* n, const int* at, MPI_Datatype from, void* out, const int* m,
                  const int* places, MPI_Datatype to, MPI_Comm comm) {
  add(Kind::alltoall, bytes_of(m, to, comm));
  return PMPI_Alltoallv(in, n, at, from, out, m, places, to, comm);
}
int MPI_Ialltoallv(const void* in, const int* n, const int* at, MPI_Datatype from, void* out, const int* m,
                   const int* places, MPI_Datatype to, MPI_Comm comm, MPI_Request* request) {
  add(Kind::alltoall, bytes_of(m, to, comm));
  return PMPI_Ialltoallv(in, n, at, from, out, m, places, to, comm, request);
}
int MPI_Alltoallw(const void* in, const int* n, const int* at, const MPI_Datatype* from, void* out, const int* m,
                  const int* places, const MPI_Datatype* to, MPI_Comm comm) {
  add(Kind::alltoall, bytes_of(m, to, comm));
  return PMPI_Alltoallw(in, n, at, from, out, m, places, to, comm);
}
int MPI_Ialltoallw(const void* in, const int* n, const int* at, const MPI_Datatype* from, void* out, const int* m,
                   const int* places, const MPI_Datatype* to, MPI_Comm comm, MPI_Request* request) {
  add(Kind::alltoall, bytes_of(m, to, comm));
  return PMPI_Ialltoallw(in, n, at, from, out, m, places, to, comm, request);
}
int MPI_Gatherv(const void* in, int n, MPI_Datatype from, void* out, const int* counts, const int* places,
                MPI_Datatype to, int root, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  add(Kind::gather, rank == root ? bytes_of(counts, to, comm) : 0);
  return PMPI_Gatherv(in, n, from, out, counts, places, to, root, comm);
}
int MPI_Scatterv(const void* in, const int* counts, const int* places, MPI_Datatype from, void* out, int m,
                 MPI_Datatype to, int root, MPI_Comm comm) {
  add(Kind::gather, bytes_of(m, to));
  return PMPI_Scatterv(in, counts, places, from, out, m, to, root, comm);
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* out) {
  add(Kind::dup);
  return PMPI_Comm_dup(comm, out);
}
// MPI libraries tell every rank colour and key of all.
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* out) {
  add(Kind::split, 2 * static_cast<std::int64_t>(sizeof(int)) * size_of(comm));
  return PMPI_Comm_split(comm, color, key, out);
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* out) {
  add(Kind::split, 2 * static_cast<std::int64_t>(sizeof(int)) * size_of(comm));
  return PMPI_Comm_split_type(comm, type, key, info, out);
}
int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* out) {
  add(Kind::window);
  return PMPI_Win_allocate(bytes, unit, info, comm, base, out);
}
int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* out) {
  add(Kind::window);
  return PMPI_Win_allocate_shared(bytes, unit, info, comm, base, out);
}
int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  add(Kind::message);
  return PMPI_Send(data, count, type, to, tag, comm);
}
int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  add(Kind::message, bytes_of(count, type), 0);
  return PMPI_Recv(data, count, type, from, tag, comm, status);
}
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  add(Kind::message);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  add(Kind::message, bytes_of(count, type), 0);
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}
int MPI_Put(const void* data, int count, MPI_Datatype type, int to, MPI_Aint place, int n, MPI_Datatype there,
            MPI_Win window) {
  add(Kind::message);
  return PMPI_Put(data, count, type, to, place, n, there, window);
}
int memfd_create(const char* name, unsigned flags) noexcept {
  add(Kind::shared_file);
  return static_cast<int>(syscall(SYS_memfd_create, name, flags));
}
}
