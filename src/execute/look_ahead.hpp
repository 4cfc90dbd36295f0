// What a thread will want next: its kernels ask the second-level cache for it while they compute.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "execute/gather.hpp"
#include "execute/view.hpp"
#include "fft/ahead.hpp"
#include "fft/columns.hpp"

namespace weft::detail {

/// The next chunk of a thread, shared out among the kernel's runs of this one. A little at a time: a core has room for
/// some twenty requests, and waits where there are more (docs/design/passes.md).
class LookAhead {
 public:
  /// At the beginning of an execution: one that failed may have left a copy, which is old.
  void forget() { chunk_ = {-1, -1}; }

  /// Begins a chunk: whether it was asked for while the one before was computed. Nothing is to be asked for yet.
  bool begin(Index unit, Index chunk) {
    const bool asked = std::pair(unit, chunk) == chunk_;
    if (asked) finish();
    chunk_ = {-1, -1};
    runs_.clear();
    lines_ = 0;
    return asked;
  }

  /// Adds memory.
  void ask(const void* at, Index bytes) {
    const char* const first = line_of(at);
    runs_.push_back({first, static_cast<const char*>(at) + bytes, nullptr});
  }
  /// Adds `region` of an item, which the tiles [first, last) of the view hold; rows lie side by side.
  void ask(const View& view, Index first, Index last, Index item, const Box& region) {
    for_view_rows(view, first, last, item, region, [&](const char* at, Index bytes, const Shape&) {
      // Rows with small gaps are one run.
      if (!runs_.empty() && at >= runs_.back().end && at - runs_.back().end <= 4 * cache_line) {
        runs_.back().end = at + bytes;
      } else {
        runs_.push_back({line_of(at), at + bytes, nullptr});
      }
    });
  }
  /// The same, and copies it, as `gather` does: where the cache cannot hold it where it lies.
  template <class T>
  void copy(const View& view, Index first, Index last, Index item, const Box& region, T* to, const Shape& strides) {
    for_view_rows(view, first, last, item, region, [&](const char* at, Index bytes, const Shape& point) {
      runs_.push_back({at, at + bytes, reinterpret_cast<char*>(to + offset_in(region, point, strides))});
    });
  }

  /// What was added is this chunk, for which the kernel runs so many times.
  void share(Index unit, Index chunk, Index times) {
    chunk_ = {unit, chunk};
    times_ = times;
    for (const Ahead::Run& run : runs_) lines_ += (run.end - run.at + cache_line - 1) / cache_line;
    const auto count = static_cast<Index>(runs_.size());
    ahead_.runs_before = 0;
    if (count > 0 && runs_.back().to != nullptr) {
      // What is copied must have come, but no more may be on its way than fits where all of it lies: some rows.
      ahead_.runs_before = std::clamp<Index>(lines_before * count / std::max<Index>(lines_, 1), 1, rows_before);
      runs_.insert(runs_.end(), static_cast<std::size_t>(ahead_.runs_before), runs_.back());
    }
    ahead_.next = runs_.data();
    ahead_.last = ahead_.next + count;
  }

  /// Gives a run of the kernel its share.
  void give(ColumnRun& run) {
    if (lines_ == 0) return;
    run.ahead = &ahead_;
    run.ahead_lines = times_ > 1 ? lines_ / times_ : lines_;
    lines_ -= run.ahead_lines;
    --times_;
  }

 private:
  /// Where its cache line begins: so that the last one is asked for, too.
  static const char* line_of(const void* at) {
    const auto beyond = reinterpret_cast<std::uintptr_t>(at) % cache_line;
    return static_cast<const char*>(at) - beyond;
  }

  static constexpr Index lines_before = 128, rows_before = 4;

  /// Copies what kernels have left.
  void finish() {
    for (; ahead_.next != ahead_.last; ++ahead_.next) {
      const Ahead::Run& run = *ahead_.next;
      if (run.to != nullptr) std::memcpy(run.to, run.at, static_cast<std::size_t>(run.end - run.at));
    }
  }

  std::pair<Index, Index> chunk_{-1, -1};  ///< that is asked for: unit, chunk
  std::vector<Ahead::Run> runs_;
  Ahead ahead_;
  Index lines_ = 0, times_ = 0;  ///< to be shared out, among so many
};

}  // namespace weft::detail
