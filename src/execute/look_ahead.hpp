// What a thread will want next: its kernels ask the second-level cache for it while they compute.
#pragma once

#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "execute/view.hpp"
#include "fft/ahead.hpp"
#include "fft/columns.hpp"

namespace weft::detail {

/// The next chunk of a thread, shared out among the kernel's runs of this one. A little at a time: a core has room for
/// some twenty requests, and waits where there are more (docs/design/passes.md).
class LookAhead {
 public:
  /// Begins a chunk: whether it was asked for while the one before was computed. Nothing is to be asked for yet.
  bool begin(Index unit, Index chunk) {
    const bool asked = std::pair(unit, chunk) == chunk_;
    chunk_ = {-1, -1};
    parts_.clear();
    lines_ = 0;
    return asked;
  }

  /// Adds `region` of an item, which the tiles [first, last) of the view hold; rows lie side by side.
  void add(const View& view, Index first, Index last, Index item, const Box& region) {
    const Index bytes = view.number_bytes();
    for (const auto& tile : view.tiles(first, last)) {
      for (const Piece& piece : tile) {
        const Box box = intersect(piece.box, region);
        if (box.empty()) continue;
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
          for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            add(reinterpret_cast<const char*>(piece.base) + piece.offset(item, {i, j, box.lo[2]}) * bytes,
                box.extent(2) * bytes);
          }
        }
      }
    }
  }

  /// What was added is this chunk, for which so many runs ask.
  void share(Index unit, Index chunk, Index runs) {
    chunk_ = {unit, chunk};
    runs_ = runs;
    for (const Ahead::Run& part : parts_) lines_ += (part.end - part.at + cache_line - 1) / cache_line;
    ahead_.next = parts_.data();
    ahead_.last = ahead_.next + parts_.size();
  }

  /// Gives a run its share.
  void give(ColumnRun& run) {
    if (lines_ == 0) return;
    run.ahead = &ahead_;
    run.ahead_lines = runs_ > 1 ? lines_ / runs_ : lines_;
    lines_ -= run.ahead_lines;
    --runs_;
  }

 private:
  void add(const char* at, Index bytes) {
    // Rows with small gaps are one run.
    if (!parts_.empty() && at >= parts_.back().end && at - parts_.back().end <= 4 * cache_line) {
      parts_.back().end = at + bytes;
    } else {
      parts_.push_back({at, at + bytes});
    }
  }

  std::pair<Index, Index> chunk_{-1, -1};  ///< that is asked for: unit, chunk
  std::vector<Ahead::Run> parts_;
  Ahead ahead_;
  Index lines_ = 0, runs_ = 0;  ///< to be shared out, among so many
};

}  // namespace weft::detail
