// Columns between rows in cache.
#pragma once

#include <memory>
#include <vector>

#include "execute/block_columns.hpp"

namespace weft::detail {

/// Rows that lie `distance` numbers apart.
template <class Number>
struct CachedRows {
  Number* first;
  Index distance, count;
};

/// Their addresses at both ends. Of a thread.
template <class Number>
struct CachedAddresses {
  std::vector<Number*> from, to;
};

/// Transforms of columns along an axis, of which neither end is in memory.
template <class Number>
class CachedColumns {
 public:
  CachedColumns() = default;
  /// Lines of so many points.
  CachedColumns(const Backend& backend, const LineTransform& line, Index points, Precision precision, Effort effort)
      : kernel_(line.kept ? make_kept_columns(backend, line.type, NumberOf<Number>::number, line.kept, line.way,
                                              line.sign, precision, effort)
                          : make_column_kernel(backend, line.type, NumberOf<Number>::number, points, line.sign,
                                               precision, effort)) {}

  Index scratch_bytes() const { return kernel_ ? kernel_->scratch_bytes() : 0; }
  bool asks_ahead() const { return kernel_->asks_ahead(); }

  void run(const CachedRows<Number>& from, const CachedRows<Number>& to, Index columns, double scale,
           CachedAddresses<Number>& rows, LookAhead& ahead, void* scratch) const {
    find(from, rows.from);
    find(to, rows.to);
    ColumnRun run;
    run.in = reinterpret_cast<const void* const*>(rows.from.data());
    run.out = reinterpret_cast<void* const*>(rows.to.data());
    run.columns = columns;
    run.scale = scale;
    ahead.give(run);
    kernel_->run(run, scratch);
  }

 private:
  static void find(const CachedRows<Number>& rows, std::vector<Number*>& addresses) {
    addresses.resize(static_cast<std::size_t>(rows.count));
    for (Index i = 0; i < rows.count; ++i) addresses[static_cast<std::size_t>(i)] = rows.first + i * rows.distance;
  }

  std::unique_ptr<ColumnKernel> kernel_;
};

}  // namespace weft::detail
