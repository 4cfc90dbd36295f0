// Point-to-point messages of the tiles of an exchange, posted in conflict-free rounds.
#pragma once

#include <map>
#include <vector>

#include "exchange/message_buffers.hpp"

namespace weft::detail {

/// What a rank sends to, or gets from, one other.
struct Message {
  int peer = 0;
  Index offset = 0;             ///< bytes from the base that is given when it is posted
  std::vector<Repeat> pattern;  ///< of its elements, from the slowest to the fastest; no more of them than needed
};

/// The messages of a tile.
struct TileMessages {
  std::vector<Message> send, recv;
};

/// A message for each block that travels by itself, offsets from where the tiles' offsets lead.
std::vector<TileMessages> block_messages(const ExchangePlan& plan);
/// A message for each run that this rank moves for its node.
std::vector<TileMessages> run_messages(const ExchangePlan& plan);

/// Messages of all tiles of an exchange, ready to be posted again and again. Tiles are sent in ascending order.
class Messages {
 public:
  Messages(const ExchangeContext& context, const std::vector<TileMessages>& messages);

  /// Posts the receives of a tile.
  void receive(Index tile, std::byte* base);
  /// Posts the sends of a tile, in the order of the rounds.
  void send(Index tile, const std::byte* base);
  void test();
  /// Whether all that was posted of a tile is done.
  bool done(Index tile);
  void finish(Index tile);

 private:
  struct Posting {
    int peer;
    Index offset;
    int count;
    MPI_Datatype type;
  };
  struct Postings {
    int tag = 0;
    std::vector<Posting> send, recv;
    std::vector<MPI_Request> requests;
  };
  Posting posting_of(const Message& message);

  MPI_Comm comm_;
  int element_bytes_;
  Index limit_;
  Datatype element_;
  std::map<std::vector<Repeat>, Datatype> patterns_;  ///< of what is no run, or too long
  std::vector<Postings> tiles_;
  Index oldest_ = 0, newest_ = -1;  ///< tiles that may be on their way
};

}  // namespace weft::detail
