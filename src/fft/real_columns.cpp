// Columns of real numbers by columns of complex ones.
//
// Two real columns that lie side by side are one complex column, whose kernel takes the address of every row: the order
// of the points costs nothing. What is left is done on rows in cache, before the complex columns or after them.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/buffer.hpp"
#include "fft/lanes_steps.hpp"
#include "fft/pairs.hpp"
#include "fft/serial.hpp"

namespace weft::detail {

namespace {

/// Columns that are done at once, in rows of the scratch.
constexpr Index width = 64;

bool is_sine(LineType type) { return type >= LineType::dst1 && type <= LineType::dst4; }

/// What the kernels of this file share: rows in the scratch, the addresses of the complex columns' rows, and the way
/// through the columns of a run.
template <class Real>
class RealColumns : public ColumnKernel {
 public:
  /// `points`: of the complex columns; `rows`: in the scratch.
  RealColumns(std::unique_ptr<ColumnKernel> inner, Index points, Index rows)
      : inner_(std::move(inner)), points_(points), rows_(rows) {}

  bool asks_ahead() const final { return inner_->asks_ahead(); }
  Index scratch_bytes() const final { return inner_bytes() + rows_ * row_bytes + 2 * addresses_bytes(); }

  void run(const ColumnRun& run, void* scratch) const final {
    auto* const memory = static_cast<std::byte*>(scratch) + inner_bytes();
    Work work;
    work.rows = reinterpret_cast<Real*>(memory);
    work.from = reinterpret_cast<const Real**>(memory + rows_ * row_bytes);
    work.to = reinterpret_cast<Real**>(memory + rows_ * row_bytes + addresses_bytes());
    work.inner = scratch;
    for (Index column = 0; column < run.columns; column += width) {
      const Part part{run, column, std::min(width, run.columns - column)};
      run_part(part, work);
    }
  }

 protected:
  struct Work {
    Real* rows;
    const Real** from;  ///< the complex columns' rows
    Real** to;
    void* inner;
    Real* row(Index i) const { return rows + i * row_numbers; }
  };
  /// Some columns of a run.
  struct Part {
    const ColumnRun& run;
    Index column, count;
    const Real* in(Index row) const { return static_cast<const Real*>(run.in[row]) + run.in_first + column; }
    Real* out(Index row) const { return static_cast<Real*>(run.out[row]) + run.out_first + column; }
    /// One has no neighbour.
    bool odd() const { return count % 2 != 0; }
    Index pairs() const { return (count + 1) / 2; }
  };
  virtual void run_part(const Part& part, const Work& work) const = 0;

  /// Which rows of the complex columns are those of the run.
  enum class Far { none, in, out };
  void run_complex(const Part& part, const Work& work, Far far, Index columns, double scale,
                   ColumnRun inner = {}) const {
    inner.in = reinterpret_cast<const void* const*>(work.from);
    inner.out = reinterpret_cast<void* const*>(work.to);
    inner.columns = columns;
    inner.scale = scale * part.run.scale;
    inner.fetch_in = far == Far::in && part.run.fetch_in;
    inner.fetch_out = far == Far::out && part.run.fetch_out;
    inner.streamed = far == Far::out && part.run.streamed;
    inner.ahead = part.run.ahead;
    inner.ahead_lines = (part.run.ahead_lines * part.count + part.run.columns - 1) / part.run.columns;
    inner_->run(inner, work.inner);
  }

  /// Asks the cache for a row that comes soon.
  static void fetch(const Real* row, Index count) {
    for (Index i = 0; i < count; i += cache_line / static_cast<Index>(sizeof(Real))) __builtin_prefetch(row + i);
  }

  /// `columns` numbers, and a zero beside them if that makes them even.
  static void copy(const Real* from, Index columns, Real* to) {
    std::copy_n(from, columns, to);
    if (columns % 2 != 0) to[columns] = 0;
  }

 private:
  /// Rows that follow each other are in different places of the caches.
  static constexpr Index row_numbers = width + cache_line / static_cast<Index>(sizeof(Real));
  static constexpr Index row_bytes = row_numbers * static_cast<Index>(sizeof(Real));
  Index inner_bytes() const { return round_up(inner_->scratch_bytes(), cache_line); }
  Index addresses_bytes() const { return round_up(points_ * static_cast<Index>(sizeof(void*)), cache_line); }

  std::unique_ptr<ColumnKernel> inner_;
  Index points_, rows_;
};

/// Lines that are made of pairs.
template <class Real>
class PairColumns final : public RealColumns<Real> {
  using Base = RealColumns<Real>;
  using typename Base::Work, typename Base::Part;
  static constexpr std::size_t soon = 2;  ///< pairs ahead of which rows are asked for

 public:
  /// `inner`: with the exponent -1 to pairs, +1 from them; or, where signs are its, always -1.
  PairColumns(Pairs pairs, std::unique_ptr<ColumnKernel> inner, bool negates)
      : Base(std::move(inner), pairs.n, 2 * pairs.n), all_(std::move(pairs)), negates_(negates) {
    for (const Pairs::Pair& pair : all_.pairs) {
      matrices_.push_back(
          {static_cast<Real>(pair.p), static_cast<Real>(pair.q), static_cast<Real>(pair.r), static_cast<Real>(pair.s)});
    }
  }

 private:
  void run_part(const Part& part, const Work& work) const override {
    all_.to_pairs ? to_pairs(part, work) : from_pairs(part, work);
  }

  void to_pairs(const Part& part, const Work& work) const {
    for (Index j = 0; j < all_.n; ++j) {
      const auto point = static_cast<std::size_t>(j);
      const Index place = all_.place[point];
      work.to[place] = work.row(place);
      work.from[place] = part.in(j);
      if (!part.odd() && (negates_ || !all_.negative[point])) continue;
      if (part.run.fetch_in && j + 4 < all_.n) Base::fetch(part.in(j + 4), part.count);
      Real* const copy = work.row(all_.n + j);
      rows_.move(part.in(j), part.count, sign_of(j), false, copy);
      if (part.odd()) copy[part.count] = 0;
      work.from[place] = copy;
    }
    ColumnRun signs;
    signs.negative_in = negates_;
    this->run_complex(part, work, part.odd() ? Base::Far::none : Base::Far::in, part.pairs(), all_.scale, signs);
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
      const Pairs::Pair& pair = all_.pairs[i];
      const std::array<Real, 4>& matrix = matrices_[i];
      const Real* const low = work.row(pair.k);
      if (part.run.fetch_out && i + soon < matrices_.size()) {
        Base::fetch(part.out(all_.pairs[i + soon].a), part.count);
        Base::fetch(part.out(all_.pairs[i + soon].b), part.count);
      }
      if (pair.two()) {
        rows_.from_dft(low, work.row(pair.mirror), part.count, matrix.data(), part.run.streamed, part.out(pair.a),
                       part.out(pair.b));
      } else {
        for (Index x = 0; x < part.count; ++x) part.out(pair.a)[x] = 2 * matrix[0] * low[x];
      }
    }
  }

  void from_pairs(const Part& part, const Work& work) const {
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
      const Pairs::Pair& pair = all_.pairs[i];
      const std::array<Real, 4>& matrix = matrices_[i];
      Real* const low = work.row(pair.k);
      if (part.run.fetch_in && i + soon < matrices_.size()) {
        Base::fetch(part.in(all_.pairs[i + soon].a), part.count);
        Base::fetch(part.in(all_.pairs[i + soon].b), part.count);
      }
      if (pair.two()) {
        rows_.to_dft(part.in(pair.a), part.in(pair.b), part.count, matrix.data(), low, work.row(pair.mirror));
        continue;
      }
      for (Index x = 0; x < part.count; ++x) low[x] = matrix[0] * part.in(pair.a)[x];
      if (part.odd()) low[part.count] = 0;
    }
    const bool direct = !part.odd() && (negates_ || !signs_);
    for (Index j = 0; j < all_.n; ++j) {
      const Index place = all_.place[static_cast<std::size_t>(j)];
      work.from[negates_ && place > 0 ? all_.n - place : place] = work.row(place);
      work.to[place] = direct ? part.out(j) : work.row(all_.n + j);
    }
    ColumnRun signs;
    signs.negative_out = negates_;
    this->run_complex(part, work, direct ? Base::Far::out : Base::Far::none, part.pairs(), all_.scale, signs);
    for (Index j = 0; !direct && j < all_.n; ++j) {
      if (part.run.fetch_out && j + 4 < all_.n) Base::fetch(part.out(j + 4), part.count);
      rows_.move(work.row(all_.n + j), part.count, sign_of(j), part.run.streamed, part.out(j));
    }
  }

  /// Of a point that is copied.
  Real sign_of(Index point) const {
    return !negates_ && all_.negative[static_cast<std::size_t>(point)] ? Real(-1) : Real(1);
  }

  Pairs all_;
  bool negates_;  ///< the complex columns know which points have the other sign; the exponent is -1 both ways
  std::vector<std::array<Real, 4>> matrices_;
  /// Some points have the other sign.
  bool signs_ = std::find(all_.negative.begin(), all_.negative.end(), true) != all_.negative.end();
  PairRows<Real> rows_ = best_lanes<Real>().pair_rows;
};

/// Type 1: columns that their mirror images make periodic, by their addresses. Never a shorter way: it would lose
/// digits. The DFT of an even column is real; that of an odd one is -i times the sines, so it is taken of i times the
/// columns.
template <class Real>
class MirroredColumns final : public RealColumns<Real> {
  using Base = RealColumns<Real>;
  using typename Base::Work, typename Base::Part;

 public:
  /// Points with the mirror image.
  static Index period(LineType type, Index n) { return is_sine(type) ? 2 * (n + 1) : 2 * (n - 1); }

  MirroredColumns(LineType type, Index n, std::unique_ptr<ColumnKernel> inner)
      : Base(std::move(inner), period(type, n), 2 * n + 2), sine_(is_sine(type)), n_(n), period_(period(type, n)) {}

 private:
  void run_part(const Part& part, const Work& work) const override {
    // What nobody reads, and what is zero, are the last two rows.
    std::fill_n(work.to, period_, work.row(2 * n_));
    const Index first = sine_ ? 1 : 0;
    for (Index k = 0; k < n_; ++k) work.to[first + k] = part.odd() ? work.row(n_ + k) : part.out(k);
    if (sine_) {
      Real* const zero = work.row(2 * n_ + 1);
      std::fill_n(zero, 2 * part.pairs(), Real(0));
      work.from[0] = work.from[n_ + 1] = zero;
      // The image needs rows of its own: complex columns may write to them first if `out` is there.
      for (Index j = 0; j < n_; ++j) {
        Real* const row = work.row(j);
        turn(part.in(j), part.count, row);
        work.from[1 + j] = row;
        Real* const image = work.row(n_ + j);
        for (Index x = 0; x < 2 * part.pairs(); ++x) image[x] = -row[x];
        work.from[period_ - 1 - j] = image;
      }
    } else {
      for (Index j = 0; j < n_; ++j) {
        const Real* row = part.in(j);
        if (part.odd()) {
          Base::copy(row, part.count, work.row(j));
          row = work.row(j);
        }
        work.from[j] = row;
        if (j > 0 && j < n_ - 1) work.from[period_ - j] = row;
      }
    }
    this->run_complex(part, work, sine_ || part.odd() ? Base::Far::none : Base::Far::in, part.pairs(), 1);
    for (Index k = 0; part.odd() && k < n_; ++k) std::copy_n(work.row(n_ + k), part.count, part.out(k));
  }

  /// i (x + i y).
  static void turn(const Real* from, Index count, Real* to) {
    for (Index x = 0; x < count; x += 2) {
      to[x] = x + 1 < count ? -from[x + 1] : Real(0);
      to[x + 1] = from[x];
    }
  }

  bool sine_;
  Index n_, period_;
};

/// Type 4 of an even length, by half as many complex points: x_2j + i x_{n-1-2j}, turned by exp(-i pi (8j+1) / 8n), and
/// their DFT turned likewise is y_2k - i y_{n-1-2k}, halved. Of sines the points come backwards, and every other result
/// has the other sign.
template <class Real>
class QuarterColumns final : public RealColumns<Real> {
  using Base = RealColumns<Real>;
  using typename Base::Work, typename Base::Part;

 public:
  QuarterColumns(LineType type, Index n, std::unique_ptr<ColumnKernel> inner)
      : Base(std::move(inner), n / 2, n), sine_(is_sine(type)), n_(n) {
    for (Index j = 0; j < n / 2; ++j) {
      const long double angle =
          std::numbers::pi_v<long double> * static_cast<long double>(8 * j + 1) / static_cast<long double>(8 * n);
      turns_.push_back({static_cast<Real>(std::cos(angle)), static_cast<Real>(std::sin(angle))});
    }
  }

 private:
  void run_part(const Part& part, const Work& work) const override {
    const auto x_of = [&](Index j) { return part.in(sine_ ? n_ - 1 - 2 * j : 2 * j); };
    const auto y_of = [&](Index j) { return part.in(sine_ ? 2 * j : n_ - 1 - 2 * j); };
    // A row of complex numbers takes two of the scratch.
    for (Index j = 0; j < n_ / 2; ++j) {
      const auto [c, s] = turns_[static_cast<std::size_t>(j)];
      if (part.run.fetch_in && j + soon < n_ / 2) {
        Base::fetch(x_of(j + soon), part.count);
        Base::fetch(y_of(j + soon), part.count);
      }
      Real* const z = work.row(2 * j);
      rows_.join(x_of(j), y_of(j), part.count, c, s, z);
      work.from[j] = work.to[j] = z;
    }
    this->run_complex(part, work, Base::Far::none, part.count, 2);
    const Real sign = sine_ ? Real(1) : Real(-1);
    for (Index k = 0; k < n_ / 2; ++k) {
      const auto [c, s] = turns_[static_cast<std::size_t>(k)];
      if (part.run.fetch_out && k + soon < n_ / 2) {
        Base::fetch(part.out(2 * (k + soon)), part.count);
        Base::fetch(part.out(n_ - 1 - 2 * (k + soon)), part.count);
      }
      rows_.part(work.row(2 * k), part.count, c, s, sign, part.run.streamed, part.out(2 * k), part.out(n_ - 1 - 2 * k));
    }
  }

  static constexpr Index soon = 2;  ///< pairs of rows ahead of which the cache is asked for them

  bool sine_;
  Index n_;
  std::vector<std::array<Real, 2>> turns_;
  QuarterRows<Real> rows_ = best_lanes<Real>().quarter_rows;
};

template <class Real>
std::unique_ptr<ColumnKernel> make(const Backend& backend, LineType type, Index n, Precision precision, Effort effort) {
  const auto inner = [&](Index points, int sign) { return backend.make_columns(points, sign, precision, effort); };
  if (has_pairs(type, n)) {
    Pairs pairs = pairs_of(type, n);
    if (type == LineType::dst2 || type == LineType::dst3) {  // of an even n the second half of the places is negative
      auto columns = n % 2 == 0 ? inner(n, -1) : nullptr;
      if (columns && columns->negates()) {
        return std::make_unique<PairColumns<Real>>(std::move(pairs), std::move(columns), true);
      }
    }
    auto columns = inner(n, pairs.to_pairs ? -1 : +1);
    return columns ? std::make_unique<PairColumns<Real>>(std::move(pairs), std::move(columns), false) : nullptr;
  }
  if (n < 2) return nullptr;
  if (type == LineType::dct1 || type == LineType::dst1) {
    auto columns = inner(MirroredColumns<Real>::period(type, n), -1);
    return columns ? std::make_unique<MirroredColumns<Real>>(type, n, std::move(columns)) : nullptr;
  }
  auto columns = inner(n / 2, -1);
  return columns ? std::make_unique<QuarterColumns<Real>>(type, n, std::move(columns)) : nullptr;
}

}  // namespace

std::unique_ptr<ColumnKernel> make_real_columns(const Backend& backend, LineType type, Index n, Precision precision,
                                                Effort effort) {
  if (backend.make_columns == nullptr) return nullptr;
  return precision == Precision::double_ ? make<double>(backend, type, n, precision, effort)
                                         : make<float>(backend, type, n, precision, effort);
}

}  // namespace weft::detail
