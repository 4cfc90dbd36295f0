// What the strategies that send messages share: blocks in the workspace, and their arguments for MPI's all-to-alls.
#pragma once

#include <span>
#include <vector>

#include "base/mpi.hpp"
#include "exchange/exchange.hpp"

namespace weft::detail {

/// `count` numbers, or repetitions of what is inside, so many elements apart.
struct Repeat {
  Index count = 0, stride = 0;
  friend auto operator<=>(const Repeat&, const Repeat&) = default;
};

/// A committed MPI datatype, freed at the end.
class Datatype {
 public:
  /// `count` elements of `bytes` each, for any 64-bit count, lying `displacement` bytes after the buffer's start.
  static Datatype block(Index count, int bytes, Index displacement, Index count_limit);
  static Datatype element(int bytes);
  /// Elements of `bytes` each in nested repetitions, from the slowest to the fastest.
  static Datatype strided(std::span<const Repeat> pattern, int bytes, Index count_limit);
  ~Datatype();
  Datatype(Datatype&& other) noexcept;
  Datatype& operator=(Datatype&&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  explicit Datatype(MPI_Datatype type) : type_(type) {}
  MPI_Datatype type_;
};

/// Exchange whose blocks lie in the workspace where the plan put them.
class MessageExchange : public Exchange {
 public:
  explicit MessageExchange(const ExchangeContext& context) : context_(context) {}
  std::byte* send_block(Index tile, std::size_t block) override;
  const std::byte* recv_block(Index tile, std::size_t block) override;

 protected:
  const ExchangePlan& plan() const { return *context_.plan; }
  MPI_Comm comm() const { return context_.comm; }
  std::byte* send_buffer(Index tile) const;
  std::byte* recv_buffer(Index tile) const;

  ExchangeContext context_;

 private:
  /// Where empty buffers point: never at each other, since MPI libraries take equal addresses for MPI_IN_PLACE (Open
  /// MPI 4.1 then never sends).
  mutable std::byte nothing_[2]{};
};

/// One request a tile, of tiles that are started and finished in order.
class TileRequests {
 public:
  TileRequests(std::size_t tiles, MPI_Comm comm) : comm_(comm), requests_(tiles, MPI_REQUEST_NULL) {
    WEFT_MPI(comm, MPI_Comm_size(comm, &peers_));
  }

  MPI_Request& operator[](Index tile) { return requests_[static_cast<std::size_t>(tile)]; }
  void started(Index tile) {
    const auto k = static_cast<std::size_t>(tile);
    if (k < finished_) finished_ = k;  // a new execution; the last one may have left out tiles at its end
    started_ = k + 1;
  }
  /// One test drives the whole MPI library; the oldest tile is the one that is needed next.
  void test();
  void wait(Index tile);
  std::vector<MPI_Request>& all() { return requests_; }

 private:
  MPI_Comm comm_;
  int peers_ = 0;
  std::vector<MPI_Request> requests_;
  std::size_t started_ = 0, finished_ = 0;  ///< tiles [finished_, started_) are on their way
};

/// The arguments of one tile's all-to-all: counts and displacements in elements where those of all peers fit MPI's
/// ints; otherwise one datatype a peer that holds both (MPI_Alltoallw), so that nothing is ever narrowed.
class AlltoallArguments {
 public:
  /// Of the blocks of a tile.
  AlltoallArguments(const Tile& tile, const ExchangeContext& context);
  /// Of any runs among `peers` ranks; elements, limit and `large_counts` are those of the context.
  AlltoallArguments(const std::vector<Run>& send, const std::vector<Run>& recv, std::size_t peers,
                    const ExchangeContext& context);

  int blocking(const std::byte* send, std::byte* recv, MPI_Comm comm) const;
  int nonblocking(const std::byte* send, std::byte* recv, MPI_Comm comm, MPI_Request* request) const;
#ifdef WEFT_HAVE_ALLTOALLV_INIT
  int persistent(const std::byte* send, std::byte* recv, MPI_Comm comm, MPI_Request* request) const;
#endif
  bool fits_ints() const { return element_.size() == 1; }

 private:
  struct Side {
    std::vector<int> counts, displacements;
    std::vector<MPI_Datatype> types;
  };
  Side side(const std::vector<Run>& runs, std::size_t peers, const ExchangeContext& context);

  std::vector<Datatype> element_;  ///< one if everything fits MPI's ints
  std::vector<Datatype> blocks_;   ///< otherwise one a block
  Side send_, recv_;
};

}  // namespace weft::detail
