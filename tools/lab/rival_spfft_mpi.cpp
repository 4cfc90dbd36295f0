// MPI as Debian's SpFFT knows it, by the simulator's.
//
// Debian's library was compiled for Open MPI. scripts/lab_rivals.sh renames what it asks of MPI (MPI_Alltoallv becomes
// lab_Alltoallv), and this is what it finds: the same function of SMPI's. Open MPI itself is not loaded. Open MPI's
// predefined handles are addresses of its objects; here they are addresses of ours, which stand for SMPI's handles.
// Handles that SMPI has made, its statuses (whose source, tag and error stand where Open MPI's do) and error codes go
// through as they are.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "base/wait.hpp"

extern "C" {

// Of Open MPI, by name; only where they are matters.
char ompi_mpi_comm_null, ompi_mpi_comm_self, ompi_request_null, ompi_mpi_datatype_null;
char ompi_mpi_int, ompi_mpi_float, ompi_mpi_double, ompi_mpi_unsigned_long_long;
char ompi_mpi_op_bor, ompi_mpi_op_max, ompi_mpi_op_sum;

// Tables of MPI's classes for C++, which were compiled into the library and are never used, name these.
char ompi_mpi_cxx_op_intercept;
void of_window() asm("_ZN3MPI3Win4FreeEv");
void of_type() asm("_ZN3MPI8Datatype4FreeEv");
void of_window() { std::abort(); }
void of_type() { std::abort(); }
}

namespace {

template <class Handle>
struct Pair {
  const char* theirs;
  Handle ours;
};

template <class Handle, std::size_t n>
Handle of(Handle given, const std::array<Pair<Handle>, n>& pairs) {
  for (const auto& [theirs, ours] : pairs) {
    if (reinterpret_cast<const char*>(given) == theirs) return ours;
  }
  return given;
}

MPI_Comm comm_of(MPI_Comm given) {
  return of(given, std::array{Pair<MPI_Comm>{&ompi_mpi_comm_null, MPI_COMM_NULL},
                              Pair<MPI_Comm>{&ompi_mpi_comm_self, MPI_COMM_SELF}});
}
MPI_Datatype type_of(MPI_Datatype given) {
  return of(given,
            std::array{Pair<MPI_Datatype>{&ompi_mpi_datatype_null, MPI_DATATYPE_NULL},
                       Pair<MPI_Datatype>{&ompi_mpi_int, MPI_INT}, Pair<MPI_Datatype>{&ompi_mpi_float, MPI_FLOAT},
                       Pair<MPI_Datatype>{&ompi_mpi_double, MPI_DOUBLE},
                       Pair<MPI_Datatype>{&ompi_mpi_unsigned_long_long, MPI_UNSIGNED_LONG_LONG}});
}
MPI_Op op_of(MPI_Op given) {
  return of(given, std::array{Pair<MPI_Op>{&ompi_mpi_op_bor, MPI_BOR}, Pair<MPI_Op>{&ompi_mpi_op_max, MPI_MAX},
                              Pair<MPI_Op>{&ompi_mpi_op_sum, MPI_SUM}});
}
MPI_Datatype const* types_of(const MPI_Datatype* given, int ranks, std::vector<MPI_Datatype>& kept) {
  for (int rank = 0; rank < ranks; ++rank) kept.push_back(type_of(given[rank]));
  return kept.data();
}
int size_of(MPI_Comm comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}
int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
int bytes_of(int count, MPI_Datatype type) {
  int bytes = 0;
  MPI_Type_size(type_of(type), &bytes);
  return count * bytes;
}

/// By receiver, sender and tag: point-to-point messages. SpFFT sends them only while a transform is made, when each
/// rank tells each other one its columns, which nobody times. All ranks are one process, so they go through its memory:
/// the simulator would take minutes for those of hundreds of ranks.
std::map<std::tuple<int, int, int>, std::deque<std::vector<char>>> post;

const void* sent(const void* given) {
  return given == reinterpret_cast<const void*>(1) ? MPI_IN_PLACE : given;  // Open MPI's
}

}  // namespace

extern "C" {

int lab_Initialized(int* flag) { return MPI_Initialized(flag); }
int lab_Finalized(int* flag) { return MPI_Finalized(flag); }

int lab_Comm_dup(MPI_Comm comm, MPI_Comm* made) { return MPI_Comm_dup(comm_of(comm), made); }
int lab_Comm_free(MPI_Comm* comm) { return MPI_Comm_free(comm); }
int lab_Comm_rank(MPI_Comm comm, int* rank) { return MPI_Comm_rank(comm_of(comm), rank); }
int lab_Comm_size(MPI_Comm comm, int* size) { return MPI_Comm_size(comm_of(comm), size); }

int lab_Type_contiguous(int count, MPI_Datatype of, MPI_Datatype* made) {
  return MPI_Type_contiguous(count, type_of(of), made);
}
int lab_Type_vector(int count, int length, int stride, MPI_Datatype of, MPI_Datatype* made) {
  return MPI_Type_vector(count, length, stride, type_of(of), made);
}
int lab_Type_create_hindexed(int count, const int* lengths, const MPI_Aint* places, MPI_Datatype of,
                             MPI_Datatype* made) {
  return MPI_Type_create_hindexed(count, lengths, places, type_of(of), made);
}
int lab_Type_create_subarray(int axes, const int* sizes, const int* parts, const int* starts, int order,
                             MPI_Datatype of, MPI_Datatype* made) {
  const int theirs_c = 0;
  return MPI_Type_create_subarray(axes, sizes, parts, starts, order == theirs_c ? MPI_ORDER_C : MPI_ORDER_FORTRAN,
                                  type_of(of), made);
}
int lab_Type_commit(MPI_Datatype* type) { return MPI_Type_commit(type); }
int lab_Type_free(MPI_Datatype* type) { return MPI_Type_free(type); }
/// SpFFT asks whether a type is its own to free; it asks of those alone that it has made.
int lab_Type_get_envelope(MPI_Datatype, int* integers, int* addresses, int* types, int* combiner) {
  const int theirs_contiguous = 2;
  *integers = *addresses = *types = 0;
  *combiner = theirs_contiguous;
  return MPI_SUCCESS;
}

int lab_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* made) {
  const auto* const bytes = static_cast<const char*>(from);
  post[{to, rank_of(comm), tag}].emplace_back(bytes, bytes + bytes_of(count, type));
  *made = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}
int lab_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
  auto& box = post[{rank_of(comm), from, tag}];
  weft::detail::wait_until([&] { return !box.empty(); }, [] {});
  *status = {};
  status->count = static_cast<int>(box.front().size());
  return MPI_SUCCESS;
}
int lab_Recv(void* to, int, MPI_Datatype, int from, int tag, MPI_Comm comm, MPI_Status*) {
  auto& box = post[{rank_of(comm), from, tag}];
  weft::detail::wait_until([&] { return !box.empty(); }, [] {});
  std::copy(box.front().begin(), box.front().end(), static_cast<char*>(to));
  box.pop_front();
  return MPI_SUCCESS;
}
int lab_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
  *count = status->count / bytes_of(1, type);
  return MPI_SUCCESS;
}
/// By looking, as Weft's own waits: SMPI's takes minutes for non-blocking collectives of many ranks.
int lab_Wait(MPI_Request* request, MPI_Status*) {
  if (*request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  weft::detail::wait_until(
      [&] {
        int done = 0;
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        return done != 0;
      },
      [] {});
  return MPI_SUCCESS;
}

int lab_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return MPI_Allreduce(sent(from), to, count, type_of(type), op_of(op), comm);
}
int lab_Allgather(const void* from, int sends, MPI_Datatype send_type, void* to, int receives,
                  MPI_Datatype receive_type, MPI_Comm comm) {
  return MPI_Allgather(sent(from), sends, type_of(send_type), to, receives, type_of(receive_type), comm);
}
int lab_Alltoall(const void* from, int sends, MPI_Datatype send_type, void* to, int receives, MPI_Datatype receive_type,
                 MPI_Comm comm) {
  return MPI_Alltoall(from, sends, type_of(send_type), to, receives, type_of(receive_type), comm);
}
int lab_Ialltoall(const void* from, int sends, MPI_Datatype send_type, void* to, int receives,
                  MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* made) {
  return MPI_Ialltoall(from, sends, type_of(send_type), to, receives, type_of(receive_type), comm, made);
}
int lab_Alltoallv(const void* from, const int* sends, const int* send_places, MPI_Datatype send_type, void* to,
                  const int* receives, const int* receive_places, MPI_Datatype receive_type, MPI_Comm comm) {
  return MPI_Alltoallv(from, sends, send_places, type_of(send_type), to, receives, receive_places,
                       type_of(receive_type), comm);
}
int lab_Ialltoallv(const void* from, const int* sends, const int* send_places, MPI_Datatype send_type, void* to,
                   const int* receives, const int* receive_places, MPI_Datatype receive_type, MPI_Comm comm,
                   MPI_Request* made) {
  return MPI_Ialltoallv(from, sends, send_places, type_of(send_type), to, receives, receive_places,
                        type_of(receive_type), comm, made);
}
int lab_Alltoallw(const void* from, const int* sends, const int* send_places, const MPI_Datatype* send_types, void* to,
                  const int* receives, const int* receive_places, const MPI_Datatype* receive_types, MPI_Comm comm) {
  std::vector<MPI_Datatype> there, here;
  return MPI_Alltoallw(from, sends, send_places, types_of(send_types, size_of(comm), there), to, receives,
                       receive_places, types_of(receive_types, size_of(comm), here), comm);
}
int lab_Ialltoallw(const void* from, const int* sends, const int* send_places, const MPI_Datatype* send_types, void* to,
                   const int* receives, const int* receive_places, const MPI_Datatype* receive_types, MPI_Comm comm,
                   MPI_Request* made) {
  std::vector<MPI_Datatype> there, here;
  return MPI_Ialltoallw(from, sends, send_places, types_of(send_types, size_of(comm), there), to, receives,
                        receive_places, types_of(receive_types, size_of(comm), here), comm, made);
}
}
