// Between arrays of parts and those of routes.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "base/buffer.hpp"
#include "base/mpi.hpp"
#include "exchange/parts_traffic.hpp"
#include "execute/watchers.hpp"
#include "plan/stages.hpp"
#include "weft/weft.hpp"

namespace weft::detail {

/// The ends of an engine's routes, of which either may have parts. An end without them costs nothing.
class PartsArrays {
 public:
  struct End {
    const std::optional<PartsEnd>& parts;
    const Layout& layout;  ///< of the route
    Index element_bytes;
    Index fields;
    bool read, written;  ///< what routes do with it
  };
  /// `sum`: what is read is the sum of all that stand for a point. `watchers`, if there are any, and `statistics`
  /// outlive it. Collective.
  PartsArrays(const std::array<End, 2>& ends, int real_bytes, bool sum, MPI_Comm comm, Watchers* watchers,
              Statistics& statistics);

  /// The array that a route reads, filled from the user's, which has been checked. `route` is its number among what is
  /// watched. Collective.
  const void* read(std::size_t end, const void* array, int route);
  /// The array that a route writes; `give` then fills the user's from it. Collective.
  void* written(std::size_t end, void* array);
  void give(std::size_t end, void* array, int route);

 private:
  struct Bound {
    std::optional<PartsTraffic> with_ghosts, alone;
    Buffer field;
    Index bytes;  ///< of it
  };
  template <class Work>
  void watched(const PartsTraffic& traffic, bool there, int route, const Work& work);

  Communicator comm_;
  bool sum_;
  std::array<std::unique_ptr<Bound>, 2> bound_;  ///< none at an end without parts
  Watchers* watchers_;
  Statistics& statistics_;
};

}  // namespace weft::detail
