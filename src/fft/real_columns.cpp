// Columns of real numbers by columns of complex ones.
//
// Two real columns that lie side by side are one complex column, whose kernel takes the address of every row: the order
// of the points costs nothing. What is left is done on rows in cache, before the complex columns or after them.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/buffer.hpp"
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

  void run_complex(const Work& work, Index columns, double scale) const {
    ColumnRun inner;
    inner.in = reinterpret_cast<const void* const*>(work.from);
    inner.out = reinterpret_cast<void* const*>(work.to);
    inner.columns = columns;
    inner.scale = scale;
    inner_->run(inner, work.inner);
  }

  /// `columns` numbers, and a zero beside them if that makes them even.
  static void copy(const Real* from, Index columns, Real* to) {
    std::copy_n(from, columns, to);
    if (columns % 2 != 0) to[columns] = 0;
  }
  static void negate(const Real* from, Index columns, Real* to) {
    for (Index i = 0; i < columns; ++i) to[i] = -from[i];
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

 public:
  PairColumns(Pairs pairs, std::unique_ptr<ColumnKernel> inner)
      : Base(std::move(inner), pairs.n, 2 * pairs.n), all_(std::move(pairs)) {
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
      if (!part.odd() && !all_.negative[point]) continue;
      Real* const copy = work.row(all_.n + j);
      all_.negative[point] ? Base::negate(part.in(j), part.count, copy) : Base::copy(part.in(j), part.count, copy);
      work.from[place] = copy;
    }
    this->run_complex(work, part.pairs(), all_.scale * part.run.scale);
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
      const Pairs::Pair& pair = all_.pairs[i];
      const auto [p, q, r, s] = matrices_[i];
      Real* const a = work.row(pair.k);
      Real* const b = work.row(pair.mirror);
      if (!pair.two()) {
        for (Index x = 0; x < part.count; ++x) part.out(pair.a)[x] = 2 * p * a[x];
        continue;
      }
      for (Index x = 0; x < 2 * part.pairs(); x += 2) {
        const Real sum_x = a[x] + b[x], sum_y = a[x + 1] + b[x + 1];
        const Real difference_x = a[x + 1] - b[x + 1], difference_y = b[x] - a[x];
        a[x] = p * sum_x + q * difference_x;
        a[x + 1] = p * sum_y + q * difference_y;
        b[x] = r * sum_x + s * difference_x;
        b[x + 1] = r * sum_y + s * difference_y;
      }
      std::copy_n(a, part.count, part.out(pair.a));
      std::copy_n(b, part.count, part.out(pair.b));
    }
  }

  void from_pairs(const Part& part, const Work& work) const {
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
      const Pairs::Pair& pair = all_.pairs[i];
      const auto [p, q, r, s] = matrices_[i];
      const Real* const a = part.in(pair.a);
      Real* const z = work.row(pair.k);
      if (!pair.two()) {
        for (Index x = 0; x < part.count; ++x) z[x] = p * a[x];
        if (part.odd()) z[part.count] = 0;
        continue;
      }
      const Real* const b = part.in(pair.b);
      Real* const y = work.row(pair.mirror);
      const auto turn = [&](Index x, Real a_x, Real a_y, Real b_x, Real b_y) {
        const Real even_x = p * a_x + r * b_x, even_y = p * a_y + r * b_y;
        const Real odd_x = q * a_x + s * b_x, odd_y = q * a_y + s * b_y;
        z[x] = even_x - odd_y;
        z[x + 1] = even_y + odd_x;
        y[x] = even_x + odd_y;
        y[x + 1] = even_y - odd_x;
      };
      const Index whole = part.count - part.count % 2;
      for (Index x = 0; x < whole; x += 2) turn(x, a[x], a[x + 1], b[x], b[x + 1]);
      if (part.odd()) turn(whole, a[whole], 0, b[whole], 0);
    }
    for (Index j = 0; j < all_.n; ++j) {
      const Index place = all_.place[static_cast<std::size_t>(j)];
      work.from[place] = work.row(place);
      work.to[place] = part.odd() ? work.row(all_.n + j) : part.out(j);
    }
    this->run_complex(work, part.pairs(), all_.scale * part.run.scale);
    for (Index j = 0; j < all_.n; ++j) {
      Real* const row = part.out(j);
      const Real* const found = part.odd() ? work.row(all_.n + j) : row;
      const bool negative = all_.negative[static_cast<std::size_t>(j)];
      if (!part.odd() && !negative) continue;
      for (Index x = 0; x < part.count; ++x) row[x] = negative ? -found[x] : found[x];
    }
  }

  Pairs all_;
  std::vector<std::array<Real, 4>> matrices_;
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
    this->run_complex(work, part.pairs(), part.run.scale);
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
    // A row of complex numbers takes two of the scratch.
    for (Index j = 0; j < n_ / 2; ++j) {
      const auto [c, s] = turns_[static_cast<std::size_t>(j)];
      const Real* const x = part.in(sine_ ? n_ - 1 - 2 * j : 2 * j);
      const Real* const y = part.in(sine_ ? 2 * j : n_ - 1 - 2 * j);
      Real* const z = work.row(2 * j);
      for (Index i = 0; i < part.count; ++i) {
        z[2 * i] = c * x[i] + s * y[i];
        z[2 * i + 1] = c * y[i] - s * x[i];
      }
      work.from[j] = work.to[j] = z;
    }
    this->run_complex(work, part.count, 2 * part.run.scale);
    const Real sign = sine_ ? Real(1) : Real(-1);
    for (Index k = 0; k < n_ / 2; ++k) {
      const auto [c, s] = turns_[static_cast<std::size_t>(k)];
      const Real* const z = work.row(2 * k);
      Real* const x = part.out(2 * k);
      Real* const y = part.out(n_ - 1 - 2 * k);
      for (Index i = 0; i < part.count; ++i) {
        x[i] = c * z[2 * i] + s * z[2 * i + 1];
        y[i] = sign * (c * z[2 * i + 1] - s * z[2 * i]);
      }
    }
  }

  bool sine_;
  Index n_;
  std::vector<std::array<Real, 2>> turns_;
};

template <class Real>
std::unique_ptr<ColumnKernel> make(const Backend& backend, LineType type, Index n, Precision precision, Effort effort) {
  const auto inner = [&](Index points, int sign) { return backend.make_columns(points, sign, precision, effort); };
  if (has_pairs(type, n)) {
    Pairs pairs = pairs_of(type, n);
    auto columns = inner(n, pairs.to_pairs ? -1 : +1);
    return columns ? std::make_unique<PairColumns<Real>>(std::move(pairs), std::move(columns)) : nullptr;
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
