// Rows of several axes: the lines along all of them, one axis after the other, while the row is in cache.
//
// Lines along the last axis are contiguous; along another one they are columns, as many side by side as the axes after
// it have places. Fields that are interleaved are an axis without a transform, the last of all.
#include <algorithm>
#include <complex>
#include <cstring>
#include <memory>
#include <vector>

#include "base/buffer.hpp"
#include "fft/serial.hpp"

namespace weft::detail {

namespace {

Index at_end(const InnerAxis& axis, bool spectrum) { return spectrum ? axis.in_spectrum : axis.in_space; }

template <class Real>
class InnerLines final : public LineKernel {
  using Complex = std::complex<Real>;

  /// The lines along one axis.
  struct Step {
    Index points = 1;
    Index before = 1, beside = 1;             ///< lines that are not neighbours, and those that lie side by side
    Index in = 1, out = 1;                    ///< places of a line at either end
    Index in_distance = 0, out_distance = 0;  ///< of copies of neighbours, where they must be contiguous
    std::unique_ptr<LineKernel> lines;
    std::unique_ptr<ColumnKernel> columns;
  };

 public:
  InnerLines(const Backend& backend, const LineBatch& batch, Precision precision, Effort effort)
      : batch_(batch),
        traits_(traits_of(batch.type)),
        in_bytes_(bytes_of(traits_.in, precision)),
        out_bytes_(bytes_of(traits_.out, precision)) {
    const std::size_t axes = batch.inner.size();
    // What makes real numbers complex comes first, what makes them real last.
    for (std::size_t i = 0; i < axes; ++i) add(backend, real_last() ? i : axes - 1 - i, precision, effort);
    for (const InnerAxis& axis : batch.inner) numbers_ *= axis.in_spectrum;
  }

  void run(void* in, void* out) const override {
    for (Index row = 0; row < batch_.count; ++row) {
      run_row(static_cast<std::byte*>(in) + row * batch_.in_distance * in_bytes_,
              static_cast<std::byte*>(out) + row * batch_.out_distance * out_bytes_);
    }
  }

 private:
  bool half() const { return traits_.in != traits_.out; }
  bool real_last() const { return half() && traits_.out == Number::real; }

  void add(const Backend& backend, std::size_t which, Precision precision, Effort effort) {
    const InnerAxis& axis = batch_.inner[which];
    if (!changes(axis.line, axis.points)) return;
    Step step;
    step.points = axis.points;
    for (std::size_t i = 0; i < batch_.inner.size(); ++i) {
      if (i < which) step.before *= batch_.inner[i].in_spectrum;
      if (i > which) step.beside *= batch_.inner[i].in_spectrum;
    }
    const bool to_space = batch_.way == Way::to_space;
    step.in = at_end(axis, to_space);
    step.out = at_end(axis, !to_space);
    LineBatch lines;
    lines.type = type_of(axis.line, batch_.way);
    lines.n = axis.points;
    lines.sign = half() ? traits_.sign : batch_.sign;
    lines.in_place = real_last() ? axis.line != Line::half_dft : !steps_.empty();
    const Number numbers = half() ? Number::complex : traits_.in;
    const bool contiguous = step.beside == 1 && (numbers == Number::real || !traits_of(lines.type).between_reals());
    if (axis.line == Line::half_dft && step.beside > 1) {
      step.in_distance = padded(step.in, in_bytes_);
      step.out_distance = padded(step.out, out_bytes_);
      lines.count = step.beside;
      lines.in_distance = step.in_distance;
      lines.out_distance = step.out_distance;
      step.lines = backend.make(lines, precision, effort);
    } else if (axis.line == Line::half_dft || contiguous) {
      lines.count = step.before;
      lines.in_distance = step.in;
      lines.out_distance = step.out;
      step.lines = backend.make(lines, precision, effort);
    } else {
      step.columns = make_column_kernel(backend, lines.type, numbers, axis.points, lines.sign, precision, effort);
    }
    steps_.push_back(std::move(step));
  }

  void run_row(std::byte* in, std::byte* out) const {
    if (steps_.empty()) std::memcpy(out, in, static_cast<std::size_t>(numbers_ * in_bytes_));
    // Where real numbers come last, what comes before works on the input, which may be overwritten then.
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const bool first = i == 0, last = i + 1 == steps_.size();
      std::byte* const from = first || real_last() ? in : out;
      run_step(steps_[i], from, real_last() && !last ? in : out);
    }
  }

  void run_step(const Step& step, std::byte* in, std::byte* out) const {
    if (step.columns) {
      traits_.out == Number::real && !half() ? run_columns<Real>(step, in, out) : run_columns<Complex>(step, in, out);
    } else if (step.in_distance == 0) {
      step.lines->run(in, out);
    } else if (traits_.in == Number::real) {
      run_apart<Real, Complex>(step, in, out);
    } else {
      run_apart<Complex, Real>(step, in, out);
    }
  }

  template <class Number_>
  void run_columns(const Step& step, std::byte* in, std::byte* out) const {
    const Index addresses = round_up(step.points * static_cast<Index>(sizeof(void*)), cache_line);
    std::byte* const memory = scratch(step.columns->scratch_bytes() + 2 * addresses);
    auto** const from = reinterpret_cast<const void**>(memory + step.columns->scratch_bytes());
    auto** const to = reinterpret_cast<void**>(memory + step.columns->scratch_bytes() + addresses);
    ColumnRun run;
    run.in = from;
    run.out = to;
    run.columns = step.beside;
    for (Index block = 0; block < step.before; ++block) {
      for (Index j = 0; j < step.points; ++j) {
        from[j] = reinterpret_cast<const Number_*>(in) + (block * step.in + j) * step.beside;
        to[j] = reinterpret_cast<Number_*>(out) + (block * step.out + j) * step.beside;
      }
      step.columns->run(run, memory);
    }
  }

  /// Lines side by side between real numbers and their spectra: each by itself in between.
  template <class In, class Out>
  void run_apart(const Step& step, std::byte* in, std::byte* out) const {
    const Index in_bytes = round_up(step.beside * step.in_distance * static_cast<Index>(sizeof(In)), cache_line);
    const Index out_bytes = step.beside * step.out_distance * static_cast<Index>(sizeof(Out));
    std::byte* const memory = scratch(in_bytes + out_bytes);
    auto* const from = reinterpret_cast<In*>(memory);
    auto* const to = reinterpret_cast<Out*>(memory + in_bytes);
    for (Index block = 0; block < step.before; ++block) {
      const In* const source = reinterpret_cast<const In*>(in) + block * step.in * step.beside;
      Out* const target = reinterpret_cast<Out*>(out) + block * step.out * step.beside;
      for (Index j = 0; j < step.in; ++j) {
        for (Index i = 0; i < step.beside; ++i) from[i * step.in_distance + j] = source[j * step.beside + i];
      }
      step.lines->run(from, to);
      for (Index j = 0; j < step.out; ++j) {
        for (Index i = 0; i < step.beside; ++i) target[j * step.beside + i] = to[i * step.out_distance + j];
      }
    }
  }

  static std::byte* scratch(Index bytes) {
    thread_local Buffer memory;
    if (memory.bytes() < bytes) memory = Buffer(bytes);
    return memory.data();
  }

  LineBatch batch_;
  const LineTraits& traits_;
  Index in_bytes_, out_bytes_;  ///< of a number
  std::vector<Step> steps_;
  Index numbers_ = 1;  ///< of a row
};

}  // namespace

std::unique_ptr<LineKernel> make_inner_lines(const Backend& backend, const LineBatch& batch, Precision precision,
                                             Effort effort) {
  if (precision == Precision::double_) return std::make_unique<InnerLines<double>>(backend, batch, precision, effort);
  return std::make_unique<InnerLines<float>>(backend, batch, precision, effort);
}

}  // namespace weft::detail
