#include "exchange/message_buffers.hpp"

#include <algorithm>
#include <utility>

#include "base/wait.hpp"

namespace weft::detail {

namespace {
MPI_Datatype commit(MPI_Datatype type) {
  WEFT_MPI(MPI_COMM_NULL, MPI_Type_commit(&type));
  return type;
}
}  // namespace

Datatype Datatype::element(int bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  WEFT_MPI(MPI_COMM_NULL, MPI_Type_contiguous(bytes, MPI_BYTE, &type));
  return Datatype(commit(type));
}

Datatype Datatype::block(Index count, int bytes, Index displacement, Index count_limit) {
  // A long run is whole chunks of `limit` elements and a rest.
  const Index limit = std::min<Index>(count_limit, 1 << 30);
  const Datatype element = Datatype::element(bytes);
  MPI_Datatype chunk = MPI_DATATYPE_NULL, chunks = MPI_DATATYPE_NULL, rest = MPI_DATATYPE_NULL,
               type = MPI_DATATYPE_NULL;
  const Index whole = count / limit;
  WEFT_MPI(MPI_COMM_NULL, MPI_Type_contiguous(static_cast<int>(limit), element.get(), &chunk));
  WEFT_MPI(MPI_COMM_NULL, MPI_Type_contiguous(static_cast<int>(whole), chunk, &chunks));
  WEFT_MPI(MPI_COMM_NULL, MPI_Type_contiguous(static_cast<int>(count % limit), element.get(), &rest));
  const int lengths[2] = {1, 1};
  const MPI_Aint at[2] = {displacement, displacement + whole * limit * bytes};
  const MPI_Datatype parts[2] = {chunks, rest};
  WEFT_MPI(MPI_COMM_NULL, MPI_Type_create_struct(2, lengths, at, parts, &type));
  MPI_Type_free(&chunk);
  MPI_Type_free(&chunks);
  MPI_Type_free(&rest);
  return Datatype(commit(type));
}

namespace {
/// `count` of `inner`, `stride` bytes apart, for any 64-bit count. Not committed.
MPI_Datatype repeated(Index count, MPI_Aint stride, MPI_Datatype inner, Index limit) {
  const auto some = [](Index number, MPI_Aint distance, MPI_Datatype of) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    WEFT_MPI(MPI_COMM_NULL, MPI_Type_create_hvector(static_cast<int>(number), 1, distance, of, &type));
    return type;
  };
  if (count <= limit) return some(count, stride, inner);
  const Index whole = count / limit;
  MPI_Datatype chunk = some(limit, stride, inner);
  MPI_Datatype chunks = repeated(whole, limit * stride, chunk, limit), rest = some(count % limit, stride, inner);
  const int lengths[2] = {1, 1};
  const MPI_Aint at[2] = {0, static_cast<MPI_Aint>(whole * limit) * stride};
  const MPI_Datatype parts[2] = {chunks, rest};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  WEFT_MPI(MPI_COMM_NULL, MPI_Type_create_struct(2, lengths, at, parts, &type));
  MPI_Type_free(&chunk);
  MPI_Type_free(&chunks);
  MPI_Type_free(&rest);
  return type;
}
}  // namespace

Datatype Datatype::strided(std::span<const Repeat> pattern, int bytes, Index count_limit) {
  const Index limit = std::clamp<Index>(count_limit, 2, 1 << 30);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  WEFT_MPI(MPI_COMM_NULL, MPI_Type_contiguous(bytes, MPI_BYTE, &type));
  for (std::size_t i = pattern.size(); i-- > 0;) {
    MPI_Datatype outer = repeated(pattern[i].count, static_cast<MPI_Aint>(pattern[i].stride) * bytes, type, limit);
    MPI_Type_free(&type);
    type = outer;
  }
  return Datatype(commit(type));
}

Datatype::~Datatype() {
  if (type_ == MPI_DATATYPE_NULL) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Type_free(&type_);
}

Datatype::Datatype(Datatype&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}

std::byte* MessageExchange::send_buffer(Index tile) const {
  const Tile& t = plan().tiles[static_cast<std::size_t>(tile)];
  return t.send_count == 0 ? &nothing_[0] : context_.workspace + t.send_offset_bytes;
}

std::byte* MessageExchange::recv_buffer(Index tile) const {
  const Tile& t = plan().tiles[static_cast<std::size_t>(tile)];
  return t.recv_count == 0 ? &nothing_[1] : context_.workspace + t.recv_offset_bytes;
}

std::byte* MessageExchange::send_block(Index tile, std::size_t block) {
  const auto& blocks = plan().tiles[static_cast<std::size_t>(tile)].send;
  return send_buffer(tile) + blocks[block].offset * plan().element_bytes;
}

const std::byte* MessageExchange::recv_block(Index tile, std::size_t block) {
  const auto& blocks = plan().tiles[static_cast<std::size_t>(tile)].recv;
  return recv_buffer(tile) + blocks[block].offset * plan().element_bytes;
}

void TileRequests::test() {
  if (finished_ == started_) return;
  int done = 0;
  WEFT_MPI(comm_, MPI_Test(&requests_[finished_], &done, MPI_STATUS_IGNORE));
}

void TileRequests::wait(Index tile) {
  const auto k = static_cast<std::size_t>(tile);
  if (simulated && peers_ > 32) {
    // SMPI's wait for a collective computes for the cube of the ranks: minutes for 128 of them.
    const auto done = [&] { return requests_[k] == MPI_REQUEST_NULL; };
    wait_until(done, [&] {
      int ignored = 0;
      WEFT_MPI(comm_, MPI_Test(&requests_[k], &ignored, MPI_STATUS_IGNORE));
    });
  }
  WEFT_MPI(comm_, MPI_Wait(&requests_[k], MPI_STATUS_IGNORE));
  finished_ = k + 1;
  if (finished_ == requests_.size()) finished_ = started_ = 0;
}

namespace {
std::vector<Run> runs_of(const std::vector<Block>& blocks) {
  std::vector<Run> runs;
  for (const Block& block : blocks) runs.push_back({block.peer, block.offset, block.count});
  return runs;
}
}  // namespace

AlltoallArguments::AlltoallArguments(const Tile& tile, const ExchangeContext& context)
    : AlltoallArguments(runs_of(tile.send), runs_of(tile.recv), context.plan->peers.size(), context) {}

AlltoallArguments::AlltoallArguments(const std::vector<Run>& send, const std::vector<Run>& recv, std::size_t peers,
                                     const ExchangeContext& context) {
  if (!context.large_counts) element_.push_back(Datatype::element(context.plan->element_bytes));
  send_ = side(send, peers, context);
  recv_ = side(recv, peers, context);
}

AlltoallArguments::Side AlltoallArguments::side(const std::vector<Run>& runs, std::size_t peers,
                                                const ExchangeContext& context) {
  const int bytes = context.plan->element_bytes;
  Side side;
  side.counts.assign(peers, 0);
  side.displacements.assign(peers, 0);
  if (!fits_ints()) side.types.assign(peers, MPI_BYTE);
  for (const Run& run : runs) {
    const auto peer = static_cast<std::size_t>(run.peer);
    if (fits_ints()) {
      side.counts[peer] = static_cast<int>(run.count);
      side.displacements[peer] = static_cast<int>(run.offset);
    } else {
      blocks_.push_back(Datatype::block(run.count, bytes, run.offset * bytes, context.count_limit));
      side.counts[peer] = 1;
      side.types[peer] = blocks_.back().get();
    }
  }
  return side;
}

int AlltoallArguments::blocking(const std::byte* send, std::byte* recv, MPI_Comm comm) const {
  if (fits_ints()) {
    const MPI_Datatype type = element_.front().get();
    return MPI_Alltoallv(send, send_.counts.data(), send_.displacements.data(), type, recv, recv_.counts.data(),
                         recv_.displacements.data(), type, comm);
  }
  return MPI_Alltoallw(send, send_.counts.data(), send_.displacements.data(), send_.types.data(), recv,
                       recv_.counts.data(), recv_.displacements.data(), recv_.types.data(), comm);
}

int AlltoallArguments::nonblocking(const std::byte* send, std::byte* recv, MPI_Comm comm, MPI_Request* request) const {
  if (fits_ints()) {
    const MPI_Datatype type = element_.front().get();
    return MPI_Ialltoallv(send, send_.counts.data(), send_.displacements.data(), type, recv, recv_.counts.data(),
                          recv_.displacements.data(), type, comm, request);
  }
  return MPI_Ialltoallw(send, send_.counts.data(), send_.displacements.data(), send_.types.data(), recv,
                        recv_.counts.data(), recv_.displacements.data(), recv_.types.data(), comm, request);
}

#ifdef WEFT_HAVE_ALLTOALLV_INIT
int AlltoallArguments::persistent(const std::byte* send, std::byte* recv, MPI_Comm comm, MPI_Request* request) const {
  if (fits_ints()) {
    const MPI_Datatype type = element_.front().get();
    return MPI_Alltoallv_init(send, send_.counts.data(), send_.displacements.data(), type, recv, recv_.counts.data(),
                              recv_.displacements.data(), type, comm, MPI_INFO_NULL, request);
  }
  return MPI_Alltoallw_init(send, send_.counts.data(), send_.displacements.data(), send_.types.data(), recv,
                            recv_.counts.data(), recv_.displacements.data(), recv_.types.data(), comm, MPI_INFO_NULL,
                            request);
}
#endif

}  // namespace weft::detail
