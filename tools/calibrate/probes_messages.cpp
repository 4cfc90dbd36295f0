#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "array.hpp"
#include "base/mpi.hpp"
#include "probes.hpp"

namespace weft::tools {

namespace {

constexpr Index sizes[] = {8, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304};
constexpr Index bytes_at_once = Index{4} << 20;
constexpr int burst = 64;

Index repeats_of(Index bytes) { return std::clamp<Index>(bytes_at_once / bytes, 1, 50); }

/// Seconds of a message of `bytes` bytes that have just been written; of a small one, only of itself, since clocks are
/// not fine enough.
template <class Work>
double moved(const Job& job, Index bytes, Array<char>& out, Work&& work) {
  if (bytes < 16384) return timed(job, repeats_of(bytes), work);
  return timed_after(
      job, repeats_of(bytes), [&] { std::memset(out.data(), 1, static_cast<std::size_t>(bytes)); }, work);
}

/// A rank of another node, or of this one: who it is for rank 0, and rank 0 for it. -1: not of the pair.
struct Pair {
  int other = -1;
  bool exists = false;
};

/// Rank 0 and the first rank that is, or is not, of its node.
Pair pair_of(const Job& job, bool inside) {
  int mine = -1;
  MPI_Comm_rank(job.node, &mine);
  // A rank is of rank 0's node if its node's first rank is rank 0.
  int first = job.rank;
  WEFT_MPI(job.node, MPI_Bcast(&first, 1, MPI_INT, 0, job.node));
  const bool candidate = job.rank > 0 && (first == 0) == inside;
  const int partner = static_cast<int>(-job.max(Index{candidate ? -job.rank : -job.ranks}));
  if (partner == job.ranks) return {};
  if (job.root()) return {partner, true};
  return {job.rank == partner ? 0 : -1, true};
}

/// Both ways at once, as exchanges are. Of `pieces` pieces `apart` bytes from each other, or of one.
void exchange(const Job& job, int other, Array<char>& out, Array<char>& in, Index bytes, MPI_Datatype type) {
  const int count = type == MPI_BYTE ? static_cast<int>(bytes) : 1;
  WEFT_MPI(job.comm, MPI_Sendrecv(out.data(), count, type, other, 0, in.data(), count, type, other, 0, job.comm,
                                  MPI_STATUS_IGNORE));
}

class Pieces {
 public:
  explicit Pieces(Index bytes) {
    constexpr int piece = 512;
    WEFT_MPI(MPI_COMM_SELF, MPI_Type_vector(static_cast<int>(bytes / piece), piece, 2 * piece, MPI_BYTE, &type));
    WEFT_MPI(MPI_COMM_SELF, MPI_Type_commit(&type));
  }
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;
  ~Pieces() { MPI_Type_free(&type); }
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

void add_pair(std::vector<Probe>& probes, const Job& job, const char* where, const Pair& pair) {
  const Index largest = sizes[std::size(sizes) - 1];
  const auto out = std::make_shared<Array<char>>(2 * largest), in = std::make_shared<Array<char>>(2 * largest);
  std::fill(out->begin(), out->end(), '\1');
  std::fill(in->begin(), in->end(), '\0');
  const int other = pair.other;
  for (const Index bytes : sizes) {
    probes.push_back({{{"group", "exchange"}, {"where", where}, {"bytes", bytes}},
                      [=, &job] {
                        return moved(job, bytes, *out, [&] {
                          if (other >= 0) exchange(job, other, *out, *in, bytes, MPI_BYTE);
                        });
                      },
                      {}});
  }
  for (const Index bytes : {Index{65536}, Index{1048576}}) {
    const auto pieces = std::make_shared<Pieces>(bytes);
    probes.push_back({{{"group", "pieces"}, {"where", where}, {"bytes", bytes}},
                      [=, &job] {
                        return moved(job, bytes, *out, [&] {
                          if (other >= 0) exchange(job, other, *out, *in, bytes, pieces->type);
                        });
                      },
                      {}});
  }
  probes.push_back({{{"group", "burst"}, {"where", where}, {"messages", burst}},
                    [=, &job] {
                      return timed(job, 10,
                                   [&] {
                                     if (other < 0) return;
                                     MPI_Request requests[2 * burst];
                                     for (int i = 0; i < burst; ++i) {
                                       WEFT_MPI(job.comm, MPI_Irecv(in->data() + 8 * i, 8, MPI_BYTE, other, i, job.comm,
                                                                    &requests[i]));
                                     }
                                     for (int i = 0; i < burst; ++i) {
                                       WEFT_MPI(job.comm, MPI_Isend(out->data() + 8 * i, 8, MPI_BYTE, other, i,
                                                                    job.comm, &requests[burst + i]));
                                     }
                                     WEFT_MPI(job.comm, MPI_Waitall(2 * burst, requests, MPI_STATUSES_IGNORE));
                                   }) /
                             burst;
                    },
                    {}});
}

void add_collectives(std::vector<Probe>& probes, const Job& job) {
  probes.push_back({{{"group", "barrier"}},
                    [&job] { return timed(job, 50, [&] { WEFT_MPI(job.comm, MPI_Barrier(job.comm)); }); },
                    {}});
  probes.push_back({{{"group", "allreduce"}},
                    [&job] {
                      return timed(job, 50, [&] {
                        double mine = 1, sum = 0;
                        WEFT_MPI(job.comm, MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_MAX, job.comm));
                      });
                    },
                    {}});
  if (job.ranks < 2) return;
  for (const Index bytes : {Index{16}, Index{1024}, Index{16384}, Index{131072}, Index{1048576}, Index{4194304}}) {
    const Index peers = job.ranks;
    if (bytes * peers > Index{64} << 20) continue;
    const auto out = std::make_shared<Array<char>>(bytes * peers), in = std::make_shared<Array<char>>(bytes * peers);
    std::fill(out->begin(), out->end(), '\1');
    std::fill(in->begin(), in->end(), '\0');
    // As exchanges are: what a rank keeps does not go through MPI.
    const auto counts = std::make_shared<std::vector<int>>(job.ranks, static_cast<int>(bytes));
    (*counts)[static_cast<std::size_t>(job.rank)] = 0;
    const auto places = std::make_shared<std::vector<int>>();
    for (Index peer = 0; peer < peers; ++peer) places->push_back(static_cast<int>(peer * bytes));
    probes.push_back({{{"group", "alltoall"}, {"bytes", bytes}},
                      [=, &job] {
                        return moved(job, bytes * peers, *out, [&] {
                          WEFT_MPI(job.comm,
                                   MPI_Alltoallv(out->data(), counts->data(), places->data(), MPI_BYTE, in->data(),
                                                 counts->data(), places->data(), MPI_BYTE, job.comm));
                        });
                      },
                      {}});
  }
}

}  // namespace

void add_messages(std::vector<Probe>& probes, const Job& job) {
  for (const bool inside : {true, false}) {
    const Pair pair = pair_of(job, inside);
    if (pair.exists) add_pair(probes, job, inside ? "node" : "network", pair);
  }
  add_collectives(probes, job);
}

}  // namespace weft::tools
