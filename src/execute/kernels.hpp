// Kernels for batches of lines that differ only in their number.
#pragma once

#include <memory>
#include <vector>

#include "fft/serial.hpp"

namespace weft::detail {

/// Kernels by their number of lines.
class Kernels {
 public:
  Kernels() = default;
  Kernels(const Backend& backend, Precision precision, Effort effort)
      : backend_(&backend), precision_(precision), effort_(effort) {}

  LineBatch batch;  ///< everything but the count

  void need(Index count) {
    const auto i = static_cast<std::size_t>(count);
    if (i >= kernels_.size()) kernels_.resize(i + 1);
    if (kernels_[i]) return;
    batch.count = count;
    kernels_[i] = batch.inner.empty() ? backend_->make(batch, precision_, effort_)
                                      : make_inner_lines(*backend_, batch, precision_, effort_);
  }
  void run(Index count, void* in, void* out) const { kernels_[static_cast<std::size_t>(count)]->run(in, out); }

 private:
  const Backend* backend_ = nullptr;
  Precision precision_ = Precision::double_;
  Effort effort_ = Effort::measure;
  std::vector<std::unique_ptr<LineKernel>> kernels_;
};

}  // namespace weft::detail
