// Independent transforms of a batch, spread over groups of ranks.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/buffer.hpp"
#include "base/mpi.hpp"
#include "base/progress.hpp"
#include "weft/weft.hpp"

namespace weft::detail {

class Engine;

/// Each group of consecutive ranks transforms its share of the batch by itself, so that what is exchanged inside a
/// transform stays inside the group: a network segment of Shimizu's, a task group of plane-wave codes. Fields are
/// redistributed to the groups before and back after, of all groups at once: one group's links alone would be a part of
/// the network.
class Groups {
 public:
  /// `plan` is that of all ranks. Collective over `comm`, and so is everything else.
  Groups(const Plan& plan, MPI_Comm comm, const Options& options);
  ~Groups();

  void run(Direction direction, const void* in, void* out, Statistics& statistics);

 private:
  /// What a group with fields transforms.
  struct Share {
    Index offset_bytes;                       ///< of its fields in the caller's array on this rank
    std::unique_ptr<Engine> spread, collect;  ///< to the group, and from it
  };
  /// One end of the transform.
  struct End {
    std::vector<Share> shares;
    Buffer array;  ///< this group's fields
  };

  Communicator group_;
  std::optional<ProgressThread> progress_;  ///< while fields are moved: one for all of them
  std::unique_ptr<Engine> inner_;           ///< none in a group without fields
  End input_, output_;
};

}  // namespace weft::detail
