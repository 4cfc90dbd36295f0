// Columns of which one end has fewer numbers: some modes of the spectrum, or the first points in space.
//
// A column kernel takes the address of every row. So what is left out costs no copy: where it comes in, all of those
// rows are one row of zeroes in cache; where it goes out, they are written to one row in cache that nobody reads.
#include <algorithm>
#include <complex>
#include <memory>
#include <utility>

#include "base/buffer.hpp"
#include "fft/serial.hpp"

namespace weft::detail {

namespace {

/// `Element` is what rows hold.
template <class Element>
class KeptColumns final : public ColumnKernel {
  using Real = typename NumberOf<Element>::Real;
  static constexpr Index width = 64;  ///< columns at once: as long are the rows in cache

 public:
  KeptColumns(Kept kept, bool spreads, std::unique_ptr<ColumnKernel> whole)
      : kept_(kept), spreads_(spreads), whole_(std::move(whole)) {}

  Index scratch_bytes() const override { return of_rows() + of_addresses() + whole_->scratch_bytes(); }

  void run(const ColumnRun& run, void* scratch) const override {
    auto* const memory = static_cast<std::byte*>(scratch);
    auto* const rows = reinterpret_cast<Element*>(memory);
    auto** const addresses = reinterpret_cast<Element**>(memory + of_rows());
    void* const rest = memory + of_rows() + of_addresses();
    if (spreads_) std::fill_n(rows, width, Element(0));
    for (Index column = 0; column < run.columns; column += width) {
      ColumnRun part = run;
      part.columns = std::min(width, run.columns - column);
      part.ahead_lines = (run.ahead_lines * part.columns + run.columns - 1) / run.columns;
      part.in_first += column;
      part.out_first += column;
      if (spreads_) {
        spread(run.in, part.in_first, part.columns, rows, addresses);
        part.in = reinterpret_cast<const void* const*>(addresses);
        part.in_first = 0;
        whole_->run(part, rest);
      } else {
        choose(run.out, part.out_first, rows, addresses);
        const Index first = part.out_first;
        part.out = reinterpret_cast<void* const*>(addresses);
        part.out_first = 0;
        part.streamed = false;  // the row that nobody reads shall stay in cache
        whole_->run(part, rest);
        if (kept_.shared()) add(rows + width, part.columns, static_cast<Element*>(run.out[kept_.numbers / 2]) + first);
      }
    }
  }

  bool asks_ahead() const override { return whole_->asks_ahead(); }

 private:
  /// The row of what is left out, and two for the mode that stands for two.
  static constexpr Index of_rows() { return round_up(3 * width * static_cast<Index>(sizeof(Element)), cache_line); }
  Index of_addresses() const { return round_up(kept_.points * static_cast<Index>(sizeof(Element*)), cache_line); }

  /// The addresses of all rows of a line, of which `kept` are in memory and the others at `left_out`.
  template <class Address>
  void find_rows(const Address& kept, Element* left_out, Element** addresses) const {
    const Index leading = kept_.leading(), trailing = kept_.trailing();
    for (Index k = 0; k < leading; ++k) addresses[k] = kept(k);
    std::fill(addresses + leading, addresses + kept_.points - trailing, left_out);
    for (Index k = 0; k < trailing; ++k) addresses[kept_.points - trailing + k] = kept(leading + k);
  }

  void spread(const void* const* in, Index first, Index columns, Element* rows, Element** addresses) const {
    // Kernels do not write to what they read.
    find_rows([&](Index k) { return const_cast<Element*>(static_cast<const Element*>(in[k])) + first; }, rows,
              addresses);
    if (!kept_.shared()) return;
    const Index mode = kept_.numbers / 2;
    Element* const half = rows + width;
    for (Index i = 0; i < columns; ++i) half[i] = addresses[mode][i] * Real(0.5);
    addresses[mode] = addresses[kept_.points - mode] = half;
  }

  void choose(void* const* out, Index first, Element* rows, Element** addresses) const {
    find_rows([&](Index k) { return static_cast<Element*>(out[k]) + first; }, rows, addresses);
    if (!kept_.shared()) return;
    const Index mode = kept_.numbers / 2;
    addresses[mode] = rows + width;
    addresses[kept_.points - mode] = rows + 2 * width;
  }

  static void add(const Element* rows, Index columns, Element* to) {
    for (Index i = 0; i < columns; ++i) to[i] = rows[i] + rows[width + i];
  }

  Kept kept_;
  bool spreads_;
  std::unique_ptr<ColumnKernel> whole_;
};

}  // namespace

std::unique_ptr<ColumnKernel> make_kept_columns(const Backend& backend, LineType type, Number elements,
                                                const Kept& kept, Way way, int sign, Precision precision,
                                                Effort effort) {
  auto whole = make_column_kernel(backend, type, elements, kept.points, sign, precision, effort);
  const auto make = [&]<class Element>(Element) -> std::unique_ptr<ColumnKernel> {
    return std::make_unique<KeptColumns<Element>>(kept, kept.spreads(way), std::move(whole));
  };
  if (precision == Precision::double_) return elements == Number::real ? make(double()) : make(std::complex<double>());
  return elements == Number::real ? make(float()) : make(std::complex<float>());
}

}  // namespace weft::detail
