// What is decided of a pass where it is bound to memory.
#pragma once

#include "weft/index.hpp"

namespace weft::detail {

/// What transforms lines: calls for lines, which they copy to and from, or calls for columns, which need no copies.
enum class LineCalls : unsigned char { none, lines, columns };

/// How a pass of lines runs, once it is bound to memory. Extents, strides and distances count numbers of the block.
struct PassBinding {
  LineCalls rows = LineCalls::none, columns = LineCalls::none;
  bool in_rows = true, out_rows = true;  ///< numbers along axis 2 lie side by side in memory, and not encoded
  bool streamed = false;                 ///< results are written past the caches
  bool gathers = false;  ///< columns are copied before their transform: the cache cannot hold them where they lie
  bool direct = false;   ///< rows are transformed where they lie in memory, not from a copy
  bool columns_ahead = false, rows_ahead = false;  ///< what comes from memory is brought into the cache first
  bool looks_in = false, looks_out = false;        ///< of the next chunk it is asked for what is read, what is written
  bool copies_ahead = false;                       ///< the next plane is copied while this one is transformed
  Shape extent{1, 1, 1};                           ///< of a whole chunk, complex
  Shape block_stride{0, 0, 1};
  Index line_distance = 0;  ///< between columns that are contiguous while they are transformed
  Index group = 1;          ///< columns of a plane turned together
  Index row_distance = 0, staged_rows = 0;
  Index block_bytes = 0, lines_bytes = 0, staging_bytes = 0;  ///< of a thread

  Index scratch_bytes() const { return block_bytes * (copies_ahead ? 2 : 1) + lines_bytes + staging_bytes; }
};

}  // namespace weft::detail
