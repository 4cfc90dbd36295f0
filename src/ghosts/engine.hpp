// Ghost layers, bound to a communicator and memory. Not a template: numbers are so many reals.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "base/mpi.hpp"
#include "exchange/message_buffers.hpp"
#include "ghosts/pieces.hpp"

namespace weft::detail {

/// What travels between a field and parts with ghosts, from owners to viewers or back.
class GhostTraffic {
 public:
  using Moved = GhostExchange<double>::Moved;

  /// What arrays hold.
  struct Numbers {
    int real_bytes = 8;
    Index reals = 1;  ///< side by side at a point
    Index batch = 1;
  };

  /// Parts of the owners' layout are seen in `parts` with these ghosts; the owners' arrays are their boxes as `owned`
  /// of them says, and the viewers' those of `around`. `others_only`: what is its own image is left out. Collective.
  GhostTraffic(const Layout& owners, const Layout& parts, const Ghosts& ghosts, const Box& owned, const Box& around,
               bool others_only, const Numbers& numbers, MPI_Comm comm);

  /// From owners to viewers: copies.
  void there(const std::byte* owned, std::byte* seen) { run(owned, seen, true, false); }
  /// From viewers to owners: copies, or adds to what is there, this rank's own first and then those of others by rank.
  void back(const std::byte* seen, std::byte* owned, bool add) { run(seen, owned, false, add); }
  const Moved& moved(bool there) const { return there ? there_ : back_; }

 private:
  /// Pieces that go to or come from a peer, one after the other in a message.
  struct Channel {
    int peer = 0;
    std::vector<GhostPiece> pieces;
    Index offset = 0;  ///< of the message in the buffer, in reals
    Datatype type;
  };
  struct Side {
    std::vector<Channel> channels;  ///< by ascending peer
    Index count = 0;
  };

  Index reals_of(const Box& box) const { return box.count() * numbers_.reals; }
  Side side_of(std::map<int, std::vector<GhostPiece>> pieces) const;
  void run(const std::byte* from, std::byte* to, bool there, bool add);
  template <class Real>
  void run_in(const Real* from, Real* to, bool there, bool add);

  Numbers numbers_;
  MPI_Comm comm_;
  int rank_ = 0;
  Box owned_, around_;            ///< of the arrays at both ends
  Side outward_, inward_;         ///< what others see of this rank, and what it sees of them
  std::vector<GhostPiece> mine_;  ///< what it sees of itself
  Buffer buffer_;
  std::vector<MPI_Request> requests_;
  Moved there_, back_;
};

/// What GhostExchange is made of.
class GhostEngine {
 public:
  using Moved = GhostTraffic::Moved;
  GhostEngine(const Layout& field, const Layout& parts, const Ghosts& ghosts, int real_bytes, Index reals, Index batch,
              Index numbers, MPI_Comm comm, bool check);

  const Box& field_box() const { return field_box_; }
  const Box& part_box() const { return part_box_; }
  Index field_size() const { return size_of(field_box_); }
  Index part_size() const { return size_of(part_box_); }

  Moved scatter(const void* field, void* parts);
  Moved gather(const void* parts, void* field);
  Moved accumulate(const void* parts, void* field);
  Moved update(void* parts);
  Moved fold(void* parts);
  void raise_any(const std::string& message) const;

 private:
  Index size_of(const Box& box) const { return batch_ * box.count() * numbers_; }
  Index bytes_of(const Box& box) const { return size_of(box) * number_bytes_; }
  /// Runs `check`, and finds out whether all ranks make the same call, if that is wanted. Collective then.
  enum class Call : unsigned char { scatter, gather, accumulate, update, fold };
  void agree(std::optional<Call> call, const std::function<void()>& check) const;
  void check_array(const void* array, const Box& box, const char* name) const;
  void check_arrays(const void* field, const void* parts) const;

  Communicator comm_;
  bool check_;
  Index batch_, numbers_;
  int number_bytes_;
  Box field_box_, part_box_;
  std::optional<GhostTraffic> field_with_ghosts_, field_alone_, parts_;
};

}  // namespace weft::detail
