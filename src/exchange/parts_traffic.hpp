// What travels between a field in any layout and parts that overlap. Not a template: numbers are so many reals.
#pragma once

#include <map>
#include <vector>

#include "base/buffer.hpp"
#include "base/mpi.hpp"
#include "exchange/message_buffers.hpp"
#include "layout/ghost_pieces.hpp"

namespace weft::detail {

/// Boxes that lie in an array one after the other.
class BoxArray {
 public:
  BoxArray() = default;
  explicit BoxArray(std::vector<Box> boxes);
  const std::vector<Box>& boxes() const { return boxes_; }
  const Box& box(std::size_t i) const { return boxes_[i]; }
  /// Points before box i, and of all.
  Index offset(std::size_t i) const { return offsets_[i]; }
  Index count() const { return count_; }
  /// Which of them holds a box.
  std::size_t holder_of(const Box& box) const;

 private:
  std::vector<Box> boxes_;
  std::vector<Index> offsets_;
  Index count_ = 0;
};

/// From owners to viewers or back.
class PartsTraffic {
 public:
  struct Moved {
    Index messages = 0, bytes_sent = 0, bytes_kept = 0, bytes_sent_all = 0;
  };

  /// What arrays hold.
  struct Numbers {
    int real_bytes = 8;
    Index reals = 1;  ///< side by side at a point
    Index batch = 1;
  };

  /// Boxes of the owners' layout are seen in `parts` with these ghosts. Box i of this rank lies in `owned.box(i)` of
  /// the owners' array, and its part i in that of the viewers' array. `others_only`: what is its own image is left out.
  /// Collective.
  PartsTraffic(const Layout& owners, const Layout& parts, const Ghosts& ghosts, BoxArray owned, BoxArray around,
               bool others_only, const Numbers& numbers, MPI_Comm comm);

  /// From owners to viewers: copies.
  void there(const std::byte* owned, std::byte* seen) { run(owned, seen, true, false); }
  /// From viewers to owners: copies, or adds to what is there, this rank's own first and then those of others by rank.
  void back(const std::byte* seen, std::byte* owned, bool add) { run(seen, owned, false, add); }
  const Moved& moved(bool there) const { return there ? there_ : back_; }

 private:
  struct Piece {
    GhostPiece seen;
    std::size_t owned_in = 0;  ///< which of the owner's boxes, where this rank is the owner
  };
  /// Pieces that go to or come from a peer, one after the other in a message.
  struct Channel {
    int peer = 0;
    std::vector<Piece> pieces;
    Index offset = 0;  ///< of the message in the buffer, in reals
    Datatype type;
  };
  struct Side {
    std::vector<Channel> channels;  ///< by ascending peer
    Index count = 0;
  };

  Index reals_of(const Piece& piece) const { return piece.seen.box.count() * numbers_.reals; }
  Side side_of(std::map<int, std::vector<Piece>> pieces) const;
  void run(const std::byte* from, std::byte* to, bool there, bool add);
  template <class Real>
  void run_in(const Real* from, Real* to, bool there, bool add);

  Numbers numbers_;
  MPI_Comm comm_;
  int rank_ = 0;
  BoxArray owned_, around_;  ///< at both ends
  Side outward_, inward_;    ///< what others see of this rank, and what it sees of them
  std::vector<Piece> mine_;  ///< what it sees of itself
  Buffer buffer_;
  std::vector<MPI_Request> requests_;
  Moved there_, back_;
};

}  // namespace weft::detail
