// What this machine's caches are good for.
#pragma once

#include "base/mpi.hpp"
#include "execute/copy.hpp"
#include "plan/stages.hpp"
#include "weft/index.hpp"
#include "weft/options.hpp"

namespace weft::detail {

/// Bytes of the second-level cache.
Index second_level_cache();

/// Bytes of a chunk that a pass works on: a quarter of the second-level cache, since a chunk is there twice. Of passes
/// that several threads share as much less as gives each of them some chunks.
Index chunk_bytes(const Pass& pass, const Options& options);

/// Whether `rows` rows of memory, `distance` bytes apart, want the same few places of the second-level cache, so that
/// neighbours on them are gone before they are used.
bool collide(Index rows, Index distance);

/// Up to how many bytes an array is in cache still when a later pass reads it.
struct CacheLimits {
  Index stays;  ///< surely not beyond
  Index near;   ///< beyond, what is read is better asked for ahead of time: the other arrays take their part
};

/// Of arrays that passes go through in turns: `together` bytes of a rank, `largest` in the largest of them.
CacheLimits cache_limits(Index largest, Index together, int ranks_on_node);

/// How an array of so many bytes is best written: past the cache if what is written would not stay there until it is
/// read. Between the second level and what surely leaves the caches that depends on the machine, and on whether rows
/// that are written in turns collide, so with an effort of at least `measure` it is timed,
/// once in a process for sizes near a power of two.
Store best_store(Index bytes, bool colliding, const CacheLimits& limits, Effort effort);

/// Whether what one rank of a node writes and another reads (or one thread and another) is passed on faster past the
/// caches: so where the two have no cache in common, as most pairs of ranks on processors of several chiplets or on two
/// sockets. There each line that is written through the cache must first be taken back from the reader's.
struct PassingOn {
  bool past_caches = false;
  double round_trip = 0;  ///< of a cache line, in seconds, to a rank that is far away in number, and back; 0: not known
  bool in_turns = false;  ///< for tests: past the caches in every second walk

  /// Whether it may be otherwise later: a virtual machine's cores may be moved.
  bool may_change() const { return in_turns || round_trip > 0; }
  /// What is right if a round trip takes so long now.
  bool past_caches_at(double now) const;
};

/// Timed; the same on all ranks, but for round trips. Collective over the node's ranks.
PassingOn how_to_pass_on(MPI_Comm node);

/// The same of what one thread of this rank writes and another one reads.
PassingOn how_threads_pass_on(int threads);

}  // namespace weft::detail
