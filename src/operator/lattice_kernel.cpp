#include "operator/lattice_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <span>
#include <utility>

#include "operator/gauss.hpp"
#include "operator/squares.hpp"

namespace weft::detail {

namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;

/// Nodes of an integral over t > 0, of what changes at times between `least` and `most`, and beyond falls like a power:
/// panels that grow by a factor, and one in 1/sqrt(t) for the rest.
struct Times : Quadrature {
  std::size_t rest = 0;  ///< nodes before `end`
  double end;
  Times(double least, double most) : end(most) {
    const Quadrature panel = gauss(16), last = gauss(48);
    for (double from = 0, to = least;; to *= 4) {
      to = std::min(to, end);
      for (std::size_t i = 0; i < panel.at.size(); ++i) {
        at.push_back(from + (to - from) * panel.at[i]);
        weights.push_back((to - from) * panel.weights[i]);
      }
      from = to;
      if (to == end) break;
    }
    rest = at.size();
    for (std::size_t i = 0; i < last.at.size(); ++i) {
      const double v = last.at[i];
      at.push_back(end / (v * v));
      weights.push_back(2 * end / (v * v * v) * last.weights[i]);
    }
  }
};

/// The spectrum of the heat of one point that has spread along a line for the time `t` (in squares of spacings), cut
/// off at half of the period.
std::vector<double> spread(const Symbol& symbol, Index period, double t, std::span<const double> cosines) {
  const Index half = period / 2;
  std::vector<double> spectrum(static_cast<std::size_t>(half + 1));
  const auto heat = [&](double theta) {
    const double sine = std::sin(theta / 2);
    return t * symbol(sine * sine);
  };
  const double reach = 24 + 9 * std::sqrt(2 * t);
  if (reach < static_cast<double>(half)) {  // nothing to cut
    for (Index k = 0; k <= half; ++k) {
      spectrum[static_cast<std::size_t>(k)] =
          std::exp(-heat(2 * pi * static_cast<double>(k) / static_cast<double>(period)));
    }
    return spectrum;
  }
  // In space, by way of a period in which it does not meet its images; few of its waves are left.
  const Index longer = 2 * ((half + static_cast<Index>(std::min(reach, 1e15))) / 2 + 1);
  std::vector<double> space(spectrum.size());
  for (Index m = 0; 2 * m <= longer; ++m) {
    const double theta = 2 * pi * static_cast<double>(m) / static_cast<double>(longer), loss = heat(theta);
    if (loss > 40) break;
    const double height = std::exp(-loss) * (m == 0 || 2 * m == longer ? 1 : 2) / static_cast<double>(longer);
    for (Index j = 0; j <= half; ++j)
      space[static_cast<std::size_t>(j)] += height * std::cos(static_cast<double>(j) * theta);
  }
  for (Index k = 0; k <= half; ++k) {
    double sum = space[0] + (k % 2 == 0 ? 1 : -1) * space[static_cast<std::size_t>(half)];
    Index turn = 0;  // j k, in the period
    for (Index j = 1; j < half; ++j) {
      turn += turn + k < period ? k : k - period;
      sum += 2 * space[static_cast<std::size_t>(j)] * cosines[static_cast<std::size_t>(turn)];
    }
    spectrum[static_cast<std::size_t>(k)] = sum;
  }
  return spectrum;
}

/// The exponential integral of x > 0.
double exponential_integral(double x) { return x < 700 ? -std::expint(-x) : 0; }

/// Two or three open axes.
class Spreading {
 public:
  Spreading(const std::array<FreeAxis, 3>& axes, const Box& box, Stencil stencil, double shift)
      : axes_(axes), box_(box), shift_(shift), times_(times_of(axes, symbol_of(stencil), shift)) {
    const Symbol& symbol = symbol_of(stencil);
    for (std::size_t q = 0; q < times_.at.size(); ++q) {
      weights_.push_back(-times_.weights[q] * std::exp(-shift * times_.at[q]));
    }
    for (std::size_t a = 0; a < 3; ++a) {
      const FreeAxis& axis = axes[a];
      std::size_t alike = 0;  // one before it
      while (alike < a && !(axis.open && axes[alike].open && axes[alike].spacing == axis.spacing &&
                            axes[alike].period == axis.period)) {
        ++alike;
      }
      factors_[a] = alike < a ? factors_[alike] : factors_of(axis, symbol);
      if (!axis.open) continue;
      ++dimensions_;
      cell_ *= axis.spacing;
      points_ *= static_cast<double>(axis.period);
    }
  }

  std::vector<double> table() const {
    const FreeAxis& rows = axes_[2];
    const Index first = axes_[0].open ? 0 : box_.lo[0], end = axes_[0].open ? axes_[0].period / 2 + 1 : box_.hi[0];
    // Of an open axis half a period is enough: the rest are its mirror images.
    const Index numbers = rows.open ? rows.period / 2 + 1 : static_cast<Index>(rows.squares.size());
    std::vector<double> table, row(static_cast<std::size_t>(numbers));
    table.reserve(static_cast<std::size_t>((end - first) * box_.extent(1) * box_.extent(2)));
    for (Index i = first; i < end; ++i) {
      std::vector<Index> known;  // where in the table the row of a number of axis 1 is
      if (axes_[1].open) known.assign(static_cast<std::size_t>(axes_[1].period / 2 + 1), -1);
      for (Index j = box_.lo[1]; j < box_.hi[1]; ++j) {
        const Index number = axes_[1].open ? axes_[1].number(j) : j;
        if (axes_[1].open) {
          Index& place = known[static_cast<std::size_t>(number)];
          if (place >= 0) {
            for (Index k = 0; k < box_.extent(2); ++k) table.push_back(table[static_cast<std::size_t>(place + k)]);
            continue;
          }
          place = static_cast<Index>(table.size());
        }
        fill(row, i, number);
        for (Index k = box_.lo[2]; k < box_.hi[2]; ++k) {
          table.push_back(row[static_cast<std::size_t>(rows.open ? rows.number(k) : k)]);
        }
      }
    }
    return table;
  }

 private:
  /// The fastest wave has lost little at the end of the first panel, and heat has gone far beyond the box in the last.
  static Times times_of(const std::array<FreeAxis, 3>& axes, const Symbol& symbol, double shift) {
    double fastest = shift, far = 0;
    for (const FreeAxis& axis : axes) {
      const double square = axis.spacing * axis.spacing;
      if (axis.open) {
        fastest += symbol(1) / square;
        far += square * std::pow(static_cast<double>(axis.period) / 2, 2);
      } else {
        fastest += *std::ranges::max_element(axis.squares);
      }
    }
    return {8 / fastest, 16 * far};
  }

  /// By time, by number.
  std::vector<std::vector<double>> factors_of(const FreeAxis& axis, const Symbol& symbol) const {
    std::vector<std::vector<double>> factors;
    std::vector<double> cosines;
    for (Index j = 0; axis.open && j < axis.period; ++j) {
      cosines.push_back(std::cos(2 * pi * static_cast<double>(j) / static_cast<double>(axis.period)));
    }
    for (const double t : times_.at) {
      if (axis.open) {
        factors.push_back(spread(symbol, axis.period, t / (axis.spacing * axis.spacing), cosines));
        continue;
      }
      std::vector<double>& decays = factors.emplace_back();
      for (const double square : axis.squares) decays.push_back(std::exp(-t * square));
    }
    return factors;
  }

  void fill(std::vector<double>& row, Index i, Index j) const {
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t q = 0; q < times_.at.size(); ++q) {
      const double factor =
          weights_[q] * factors_[0][q][static_cast<std::size_t>(i)] * factors_[1][q][static_cast<std::size_t>(j)];
      if (factor == 0) continue;
      const double* const along = factors_[2][q].data();
      for (std::size_t k = 0; k < row.size(); ++k) row[k] += factor * along[k];
    }
    if ((axes_[0].open && i != 0) || (axes_[1].open && j != 0)) return;
    const double square = (axes_[0].open ? 0 : axes_[0].squares[static_cast<std::size_t>(i)]) +
                          (axes_[1].open ? 0 : axes_[1].squares[static_cast<std::size_t>(j)]) + shift_;
    if (axes_[2].open) {
      row[0] += constant(square);
    } else {
      for (std::size_t k = 0; k < row.size(); ++k) row[k] += constant(square + axes_[2].squares[k]);
    }
  }

  /// What has spread beyond the box is, after `end`, almost the same at all points, which changes wave number 0 alone:
  /// its own integral takes the place of the sum. Without it the integral over planes has no end: only differences of
  /// heights count, and log(r) says which height is 0.
  double constant(double square) const {
    const double end = times_.end, power = dimensions_ / 2.0, scale = cell_ / std::pow(4 * pi, power);
    double taken = 0;
    for (std::size_t q = times_.rest; q < times_.at.size(); ++q) {
      taken += times_.weights[q] * std::exp(-square * times_.at[q]) * std::pow(times_.at[q], -power);
    }
    double put = 0;
    if (dimensions_ == 2) {
      put = square > 0 ? exponential_integral(square * end) : std::numbers::egamma - std::log(4 * end);
    } else {
      const double kappa = std::sqrt(square), root = std::sqrt(end);
      put = 2 * (std::exp(-square * end) / root - kappa * std::sqrt(pi) * std::erfc(kappa * root));
    }
    return points_ * scale * (taken - put);
  }

  const std::array<FreeAxis, 3>& axes_;
  Box box_;
  double shift_;
  Times times_;
  std::vector<double> weights_;                              ///< of the integral, with the shift
  std::array<std::vector<std::vector<double>>, 3> factors_;  ///< by time, by number
  int dimensions_ = 0;
  double cell_ = 1, points_ = 1;
};

/// One open axis: 1/(square + symbol(x)) is U/T, U and T being polynomials in x. At each root of T there is a field
/// that falls from point to point by a factor, and what is cut from it is what it has fallen to by then.
class Falling {
 public:
  Falling(const FreeAxis& axis, const Symbol& symbol, double square)
      : axis_(axis), symbol_(symbol), square_(square * axis.spacing * axis.spacing) {
    std::vector<double> t{square_ * symbol.under[0], square_ * symbol.under[1], 0, 0, 0};
    for (std::size_t i = 0; i < symbol.over.size(); ++i) t[i + 1] += 4 * symbol.over[i];
    if (square_ == 0) t.erase(t.begin());  // the root 0 is on its own
    while (t.size() > 1 && std::abs(t.back()) < 1e-12 * std::abs(t.front())) t.pop_back();
    for (const Complex x : roots(t)) {
      const Complex big = larger(x);
      const Complex left = std::pow(big, -static_cast<double>(axis.period / 2));
      if (std::abs(left) < 1e-30) continue;
      Complex slope = value(derivative(t), x);
      if (square_ == 0) slope *= x;
      cut_.push_back({x, left * (symbol.under[0] + symbol.under[1] * x) / slope});
    }
  }

  double operator()(Index k) const {
    const double sine = std::sin(pi * static_cast<double>(k) / static_cast<double>(axis_.period)), x = sine * sine;
    const double sign = k % 2 == 0 ? 1 : -1, half = static_cast<double>(axis_.period / 2);
    double sum = 0;
    if (square_ > 0) {
      sum = 1 / (square_ + symbol_(x));
    } else if (k > 0) {
      sum = 1 / symbol_(x) - sign / (4 * x);
    } else {
      sum = (symbol_.under[1] - symbol_.over[1]) / 4 - half * half / 2;
    }
    for (const auto& [root, height] : cut_) sum -= sign * (height / (x - root)).real();
    return -axis_.spacing * axis_.spacing * sum;
  }

 private:
  static Complex value(std::span<const double> p, Complex x) {
    Complex sum = 0;
    for (std::size_t i = p.size(); i-- > 0;) sum = sum * x + p[i];
    return sum;
  }
  static std::vector<double> derivative(std::span<const double> p) {
    std::vector<double> slope;
    for (std::size_t i = 1; i < p.size(); ++i) slope.push_back(static_cast<double>(i) * p[i]);
    return slope;
  }
  /// All at once (Weierstrass, Durand, Kerner); then each by Newton's steps.
  static std::vector<Complex> roots(std::span<const double> p) {
    std::vector<Complex> found;
    const std::size_t n = p.size() - 1;
    double size = 0;
    for (std::size_t i = 0; i < n; ++i)
      size = std::max(size, std::pow(std::abs(p[i] / p[n]), 1.0 / static_cast<double>(n - i)));
    for (std::size_t i = 0; i < n; ++i) found.push_back(size * std::pow(Complex(0.4, 0.9), static_cast<double>(i)));
    for (int step = 0; step < 100 && n > 1; ++step) {
      for (std::size_t i = 0; i < n; ++i) {
        Complex others = p[n];
        for (std::size_t j = 0; j < n; ++j) {
          if (j != i) others *= found[i] - found[j];
        }
        found[i] -= value(p, found[i]) / others;
      }
    }
    const std::vector<double> slope = derivative(p);
    for (Complex& x : found) {
      if (n == 1) x = -p[0] / p[1];
      for (int step = 0; step < 3; ++step) x -= value(p, x) / value(slope, x);
    }
    return found;
  }
  /// Of r and 1/r, whose sum is 2 - 4 x, the larger one.
  static Complex larger(Complex x) {
    const Complex sum = 2.0 - 4.0 * x, difference = 4.0 * std::sqrt(-x * (1.0 - x));
    const Complex a = (sum + difference) / 2.0, b = (sum - difference) / 2.0;
    return std::abs(a) > std::abs(b) ? a : b;
  }

  const FreeAxis& axis_;
  const Symbol& symbol_;
  double square_;
  struct Cut {
    Complex root, height;
  };
  std::vector<Cut> cut_;
};

std::vector<double> falling(const std::array<FreeAxis, 3>& axes, const Box& box, Stencil stencil, double shift) {
  std::size_t open = 0;
  while (!axes[open].open) ++open;
  const std::size_t outer = open == 0 ? 1 : 0, inner = open == 2 ? 1 : 2;
  Shape first = box.lo, end = box.hi;
  if (open == 0) {
    first[0] = 0;
    end[0] = axes[0].period / 2 + 1;
  }
  const Shape extents{end[0] - first[0], end[1] - first[1], end[2] - first[2]};
  std::vector<double> table(static_cast<std::size_t>(extents[0] * extents[1] * extents[2]));
  const Shape strides{extents[1] * extents[2], extents[2], 1};
  for (Index i = first[outer]; i < end[outer]; ++i) {
    for (Index j = first[inner]; j < end[inner]; ++j) {
      const Falling kernel(
          axes[open], symbol_of(stencil),
          axes[outer].squares[static_cast<std::size_t>(i)] + axes[inner].squares[static_cast<std::size_t>(j)] + shift);
      const Index line = (i - first[outer]) * strides[outer] + (j - first[inner]) * strides[inner];
      for (Index k = first[open]; k < end[open]; ++k) {
        table[static_cast<std::size_t>(line + (k - first[open]) * strides[open])] =
            kernel(open == 0 ? k : axes[open].number(k));
      }
    }
  }
  return table;
}

}  // namespace

std::vector<double> lattice_kernel(const std::array<FreeAxis, 3>& axes, const Box& box, Stencil stencil, double shift) {
  if (box.empty()) return {};
  const auto count = std::count_if(axes.begin(), axes.end(), [](const FreeAxis& axis) { return axis.open; });
  if (count == 1) return falling(axes, box, stencil, shift);
  return Spreading(axes, box, stencil, shift).table();
}

}  // namespace weft::detail
