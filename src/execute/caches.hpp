// What this machine's caches are good for.
#pragma once

#include "execute/copy.hpp"
#include "weft/plan.hpp"

namespace weft::detail {

/// Bytes of a chunk that a pass works on: a quarter of the second-level cache, since a chunk is there twice.
Index chunk_bytes(const Options& options);

/// Whether `rows` rows of memory, `distance` bytes apart, want the same few places of the second-level cache, so that
/// neighbours on them are gone before they are used.
bool collide(Index rows, Index distance);

/// How an array of so many bytes is best written: past the cache if what is written would not stay there until it is
/// read. Between the second level and a quarter of the last one that depends on the machine (an array of 8 MB is
/// written and read again in the same time either way on a Sapphire Rapids, one of 32 MB in 0.77 of the time past the
/// cache), so with an effort of at least `measure` it is timed, once in a process for sizes near a power of two.
Store best_store(Index bytes, Effort effort);

}  // namespace weft::detail
