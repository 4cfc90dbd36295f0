// An exchange as data: tiles, and the blocks of each tile. Integers only, no MPI.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "weft/layout.hpp"

namespace weft::detail {

/// A half-open range of batch items.
struct Items {
  Index lo = 0, hi = 0;
  Index count() const { return hi - lo; }
};

/// What one rank sends to or has from one other in one tile.
struct Block {
  int peer = 0;  ///< index into Exchange::peers
  Box box;
  Index offset = 0;  ///< elements from the start of the tile's buffer
  Index count = 0;   ///< elements, all items
  bool shared = false;  ///< not sent: the receiver reads it where the sender wrote it
};

/// Blocks of one tile. The block that a rank keeps is not sent: it is written to `kept` and read from there.
struct Tile {
  Items items;
  std::vector<Block> send, recv;  ///< to and from others, by ascending peer
  std::vector<Block> kept;        ///< none or one
  Index send_count = 0, recv_count = 0, kept_count = 0;                     ///< elements
  Index send_offset_bytes = 0, recv_offset_bytes = 0, kept_offset_bytes = 0;  ///< in the workspace

  Index padded = 0;  ///< elements of every block where all are padded to the same size; 0: blocks as they are
  Index peers = 0;   ///< ranks of the exchange

  /// What is really sent.
  Index messages_sent() const;
  Index elements_sent() const;
  /// Of them, those that only pad.
  Index elements_padding() const;
};

/// The exchange between two passes: this rank's view of it.
struct ExchangePlan {
  Layout from, to;
  std::string strategy;
  std::vector<int> peers;  ///< ranks among which data flows, ascending, this rank included
  int me = 0;              ///< this rank's index among them
  int element_bytes = 0;
  std::array<int, 3> order{0, 1, 2};  ///< axes of a block from slowest to fastest
  int tile_axis = 0;
  int tiles_per_group = 1;
  bool early = false;  ///< consume each tile as it arrives
  int window = 1;
  bool shared_memory = false;  ///< blocks for ranks of the same node stay where they are, and are read from there
  std::vector<Tile> tiles;
};

/// Elements between neighbours along each axis of a block, and between items.
struct Strides {
  Shape axis{0, 0, 0};
  Index item = 0;
};
Strides block_strides(const Box& box, const std::array<int, 3>& order);

}  // namespace weft::detail
