// Lines between real numbers as columns, some lines at a time: kernels of columns are that much faster that turning the
// lines before and after costs less than it saves.
#include <algorithm>

#include "base/buffer.hpp"
#include "fft/serial.hpp"
#include "fft/transpose.hpp"

namespace weft::detail {

namespace {

template <class Real>
class LinesAsColumns final : public LineKernel {
  static constexpr Index width = 32;  ///< lines at once
  static constexpr Index distance = width + cache_line / static_cast<Index>(sizeof(Real));

 public:
  LinesAsColumns(const LineBatch& batch, std::unique_ptr<ColumnKernel> columns)
      : batch_(batch), columns_(std::move(columns)) {}

  void run(void* in, void* out) const override {
    thread_local Buffer scratch;
    const Index bytes = rows_bytes() + addresses_bytes() + columns_->scratch_bytes();
    if (scratch.bytes() < bytes) scratch = Buffer(bytes);
    auto* const rows = reinterpret_cast<Real*>(scratch.data());
    auto** const addresses = reinterpret_cast<void**>(scratch.data() + rows_bytes());
    for (Index j = 0; j < batch_.n; ++j) addresses[j] = rows + j * distance;
    for (Index first = 0; first < batch_.count; first += width) {
      const Index count = std::min(width, batch_.count - first);
      turn(static_cast<const Real*>(in) + first * batch_.in_distance, batch_.in_distance, batch_.in_stride, rows, 1,
           distance, count);
      ColumnRun run;
      run.in = run.out = addresses;
      run.columns = count;
      columns_->run(run, scratch.data() + rows_bytes() + addresses_bytes());
      turn(rows, 1, distance, static_cast<Real*>(out) + first * batch_.out_distance, batch_.out_distance,
           batch_.out_stride, count);
    }
  }

 private:
  Index rows_bytes() const { return round_up(batch_.n * distance * static_cast<Index>(sizeof(Real)), cache_line); }
  Index addresses_bytes() const { return round_up(batch_.n * static_cast<Index>(sizeof(void*)), cache_line); }

  /// Copies lines whose firsts and whose points are so far apart.
  void turn(const Real* from, Index from_line, Index from_point, Real* to, Index to_line, Index to_point,
            Index count) const {
    if (from_point == 1 && to_line == 1) return transpose(from, from_line, to, to_point, count, batch_.n);
    if (from_line == 1 && to_point == 1) return transpose(from, from_point, to, to_line, batch_.n, count);
    for (Index j = 0; j < batch_.n; ++j) {
      for (Index i = 0; i < count; ++i) to[i * to_line + j * to_point] = from[i * from_line + j * from_point];
    }
  }

  LineBatch batch_;
  std::unique_ptr<ColumnKernel> columns_;
};

}  // namespace

std::unique_ptr<LineKernel> make_lines_as_columns(const Backend& backend, const LineBatch& batch, Precision precision,
                                                  Effort effort) {
  auto columns = make_real_columns(backend, batch.type, batch.n, precision, effort);
  if (!columns) return nullptr;
  if (precision == Precision::double_) return std::make_unique<LinesAsColumns<double>>(batch, std::move(columns));
  return std::make_unique<LinesAsColumns<float>>(batch, std::move(columns));
}

}  // namespace weft::detail
