// Point-to-point messages of the tiles of an exchange, posted in conflict-free rounds.
#pragma once

#include <vector>

#include "exchange/message_buffers.hpp"

namespace weft::detail {

/// The messages of one exchange. Blocks that are shared are left out.
class Messages {
 public:
  explicit Messages(const ExchangeContext& context);

  /// Posts the receives of a tile.
  void receive(Index tile, Exchange& exchange);
  /// Posts the sends of a tile, in the order of the rounds.
  void send(Index tile, Exchange& exchange);
  void test();
  void finish(Index tile);

 private:
  struct Message {
    int peer;
    std::size_t block;
    Index count;
  };
  struct TileMessages {
    std::vector<Message> send, recv;
    std::vector<MPI_Request> requests;
  };
  int count_of(const Message& message) const;
  MPI_Datatype type_of(const Message& message) const;

  MPI_Comm comm_;
  Index limit_;
  Datatype element_;
  std::vector<Datatype> large_;             ///< for counts beyond the limit, by `large_counts_`
  std::vector<Index> large_counts_;
  std::vector<TileMessages> tiles_;
  Index oldest_ = 0, newest_ = -1;          ///< tiles that may be on their way
};

}  // namespace weft::detail
