// An exchange as data: tiles, and the blocks of each tile. Integers only, no MPI.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "weft/index.hpp"
#include "weft/layout.hpp"
#include "weft/options.hpp"

namespace weft::detail {

/// A half-open range of batch items.
struct Items {
  Index lo = 0, hi = 0;
  Index count() const { return hi - lo; }
};

/// What one rank sends to or has from one other in one tile.
struct Block {
  int peer = 0;  ///< index into ExchangePlan::peers
  Box box;
  Index offset = 0;      ///< elements from the start of the tile's buffer
  Index count = 0;       ///< elements, all items
  bool shared = false;   ///< not sent: the receiver reads it where the sender wrote it
  int holder = -1;       ///< peer of the same node in whose buffer it lies, to travel with its run; -1: this rank
  bool aligned = false;  ///< it does not travel, so that there is room for gaps that put rows where caches like them
  bool encoded = false;  ///< its elements are in the wire format
};

/// Blocks that lie one after the other and travel as one message.
struct Run {
  int peer = 0;
  Index offset = 0;  ///< elements from the start of the tile's buffer
  Index count = 0;
};

/// What a rank hands to others in one tile.
struct Sent {
  Index messages = 0;
  Index with_data = 0;  ///< of them, those that are not empty: collectives count a message for each pair of ranks
  Index elements = 0;
  Index padding = 0;  ///< of them, those that only pad

  Sent& operator+=(const Sent& other) {
    for (const auto part : {&Sent::messages, &Sent::with_data, &Sent::elements, &Sent::padding}) {
      this->*part += other.*part;
    }
    return *this;
  }
};

/// Elements between neighbours along each axis of a block, and between items.
struct Strides {
  Shape axis{0, 0, 0};
  Index item = 0;
};

/// Blocks of one tile. The block that a rank keeps is not sent: it is written to `kept` and read from there, or lies in
/// an array of the user.
struct Tile {
  Items items;
  std::vector<Block> send, recv;                                              ///< to and from others, by ascending peer
  std::vector<Block> kept;                                                    ///< none or one
  Index send_count = 0, recv_count = 0, kept_count = 0;                       ///< elements
  Index send_offset_bytes = 0, recv_offset_bytes = 0, kept_offset_bytes = 0;  ///< in the workspace
  Sent sent, sent_across;                                                     ///< in all, and to other nodes

  Index padded = 0;  ///< elements of every block where all are padded to the same size; 0: blocks as they are
  std::vector<Run> send_runs, recv_runs;              ///< what this rank moves for all of its node
  Index staging_count = 0, staging_offset_bytes = 0;  ///< where it sorts that
  Strides send_strides, recv_strides;                 ///< of the arrays, where blocks are parts of arrays
};

/// Elements of blocks that lie one after the other.
Index elements_of(const std::vector<Block>& blocks);

/// The exchange between two passes: this rank's view of it.
struct ExchangePlan {
  Layout from, to;
  std::string strategy;
  std::vector<int> peers;             ///< ranks among which data flows, ascending, this rank included
  int me = 0;                         ///< this rank's index among them
  int element_bytes = 0;              ///< as it travels
  int local_bytes = 0;                ///< as passes compute with it; the same, unless there is a wire format
  int real_bytes = 0;                 ///< of the real numbers of an element
  Wire wire = Wire::same;             ///< the format of encoded blocks; passes write it, and the next ones read it
  int encoded_bytes = 0;              ///< bytes of an element in an encoded block
  bool exact_inside = false;          ///< what stays inside a node does not have it
  double wire_error = 0;              ///< bound of the error of a number, between whichever ranks
  Index fields = 1;                   ///< batch items of each application
  bool apart = false;                 ///< each of them has tiles of its own, all those of one before the next
  std::array<int, 3> order{0, 1, 2};  ///< axes of a block from slowest to fastest
  int tile_axis = 0;
  int tiles_per_group = 1;
  bool early = false;  ///< consume each tile as it arrives
  int window = 1;
  bool waits = true;           ///< a tile has come when it has been started
  bool posts_early = false;    ///< received blocks may come from the moment on that their tile is acquired
  bool shared_memory = false;  ///< blocks for ranks of the same node stay where they are, and are read from there
  Index ring = 0;              ///< of them: tiles that are this far apart are sent from the same place
  std::vector<int> nodes;      ///< node of each peer
  int leaders = 1;             ///< ranks of a node that send for all of it
  /// Blocks are parts of arrays, in the order of those: what is sent, of this rank's part of the tile; what is
  /// received, of all that the next pass reads of these items.
  bool arrays = false;
  bool from_input = false;   ///< the array that is sent from is the user's input
  bool into_output = false;  ///< the array that is received into is the user's output
  /// Where the blocks lie that a rank keeps. Not in the workspace if one of the two passes would only copy them from
  /// the user's input, or to the user's output.
  enum class Kept : unsigned char { work, input, output };
  Kept kept = Kept::work;
  Strides kept_strides;  ///< of that array of the user
  std::vector<Tile> tiles;
};

/// Elements that take whole cache lines.
Index elements_of_lines(int element_bytes);
/// Elements from a row to the next if each begins with a cache line; without gaps if those would be an eighth of a row.
Index aligned_row(Index elements, int element_bytes);
Strides block_strides(const Box& box, const std::array<int, 3>& order);
/// With gaps: rows begin with cache lines, and planes do not lie so that the cache has the same few places for all of
/// them.
Strides aligned_strides(const Box& box, const std::array<int, 3>& order, int element_bytes);
/// Strides of a block where it is sent from, where it is received, and where it is kept.
Strides sent_strides(const ExchangePlan& plan, const Tile& tile, const Block& block);
Strides received_strides(const ExchangePlan& plan, const Tile& tile, const Block& block);
Strides kept_strides(const ExchangePlan& plan, const Tile& tile, const Block& block);

/// Part k of the box's range along `axis`.
Box cut(Box box, int axis, Index parts, Index k);
/// The smallest box around those of a rank.
Box box_around(const Layout& layout, int rank);
/// Where tile k of a field is along the tile axis, of what `rank` sends. Where ranks have several boxes, these share
/// their range along that axis.
Range tile_range(const ExchangePlan& plan, int rank, Index k);
/// A box of a rank, or a part of it, as far as it is in that range.
Box in_tile(const ExchangePlan& plan, Box box, const Range& range);
/// What `rank` has for tile k of a field.
std::vector<Box> tile_parts(const ExchangePlan& plan, int rank, Index k);

}  // namespace weft::detail
