// A redistribution, bound to a communicator and memory.
#pragma once

#include <memory>
#include <optional>

#include "execute/agreement.hpp"
#include "execute/engine.hpp"

namespace weft::detail {

/// What Redistribution is made of.
class RedistributionEngine {
 public:
  /// Collective.
  RedistributionEngine(const Layout& from, const Layout& to, int element_bytes, MPI_Comm comm, Index batch,
                       Options options);

  void execute(const void* in, void* out);
  /// Raises that arrays of so many bytes are too small, if they are.
  void require_bytes(Index in, Index out);
  void raise_any(const std::string& message);
  /// What each execution moves.
  const Redistribution::Moved& moved() const { return moved_; }
  void drop_trace() {
    watchers_->drop_trace();
    engine_->leave();
  }

 private:
  Communicators communicators_;
  std::shared_ptr<const Route> route_;
  Index batch_;
  Redistribution::Moved moved_;
  std::optional<Watchers> watchers_;
  std::optional<Engine> engine_;
  std::optional<Agreement> agreement_;
};

}  // namespace weft::detail
