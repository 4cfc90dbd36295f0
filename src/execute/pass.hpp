// One trip through memory: gather a chunk into cache, transform its lines, write the result where the link wants it.
#pragma once

#include <memory>

#include "execute/pass_binding.hpp"
#include "execute/view.hpp"
#include "plan/stages.hpp"

namespace weft::detail {

/// Bytes of user arrays, intermediate arrays and exchange buffers that passes have read and written.
struct MemoryTraffic {
  Index read = 0, written = 0;
};

/// A chunk of a unit, and the one that the same thread has next; -1 if it has none.
struct Turn {
  Index chunk = 0, next = -1;
};

/// A pass bound to memory, ready to run.
class PassRunner {
 public:
  virtual ~PassRunner() = default;
  /// In-cache memory that a thread needs while a chunk runs; all passes of a transform take turns on the same.
  virtual Index scratch_bytes() const = 0;
  /// `scratch` holds `of_thread` bytes for each of the threads.
  virtual void use_scratch(std::byte* scratch, Index of_thread, int threads) = 0;
  /// Points views of the user's arrays at this execution's arrays.
  virtual void bind(const UserArrays& arrays) = 0;
  /// Chunks of a unit, and the work of one of them. Threads may run different chunks of a unit at once.
  virtual Index chunks(Index unit) const = 0;
  /// How it runs; null if it has no lines of boxes.
  virtual const PassBinding* binding() const { return nullptr; }
  virtual void run(Index unit, Turn turn, int thread, MemoryTraffic& traffic) = 0;
};

/// Runners with their kernels and chunks prepared. `cache` is the number of bytes that a chunk may fill.
std::unique_ptr<PassRunner> make_copy_pass(const Pass& pass, View in, View out, Index cache);
std::unique_ptr<PassRunner> make_transform_pass(const Pass& pass, View in, View out, const Problem& problem,
                                                const Options& options, Index cache);

}  // namespace weft::detail
