// The functions that the library has. Each works on rows: neighbours along axis 2.
#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>
#include <utility>

#include "base/text.hpp"
#include "operator/squares.hpp"
#include "problem/lines.hpp"
#include "weft/operator.hpp"

namespace weft {

using detail::concat;

namespace {

template <class Real>
using Spectra = PointTile<std::complex<Real>>;

/// Calls `use(i, j)` for each row of a tile.
template <class Tile, class Use>
void for_each_row(const Tile& tile, const Use& use) {
  for (Index i = tile.box.lo[0]; i < tile.box.hi[0]; ++i) {
    for (Index j = tile.box.lo[1]; j < tile.box.hi[1]; ++j) use(i, j);
  }
}

double at(std::span<const double> values, Index i) { return values[static_cast<std::size_t>(i)]; }

template <class Tile>
using NumberIn = std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<Tile>().out(0, 0, 0))>>;

/// `f` reads all of a point before it writes, and throws nothing.
template <class Real, class F>
PointFunction<Real> built_in(std::string name, Index inputs, Index outputs, F f) {
  auto function = PointFunction<Real>::at_wavenumbers(inputs, outputs, std::move(f));
  function.name = std::move(name);
  function.overwrites = function.sure = true;
  return function;
}

/// The same with derivatives of odd order along all axes.
template <class Real, class F>
PointFunction<Real> of_odd(std::string name, Index inputs, Index outputs, F f) {
  auto function = built_in<Real>(std::move(name), inputs, outputs, std::move(f));
  function.odd = {true, true, true};
  return function;
}

/// Complex numbers without the rules for infinities of C, which keep loops from vectors.
template <class Real>
std::complex<Real> times(const std::complex<Real>& a, const std::complex<Real>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
template <class Number, class Factor>
Number times(const Number& a, Factor b) {
  return a * b;
}

/// What `of` makes of an axis and a place along it (a wave number), for all points of a tile along each axis.
template <class Value, class Tile, class Of>
std::array<std::vector<Value>, 3> along_axes(const Tile& tile, const Of& of) {
  std::array<std::vector<Value>, 3> values;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (Index i = tile.box.lo[axis]; i < tile.box.hi[axis]; ++i) {
      values[axis].push_back(static_cast<Value>(of(axis, at(tile.at[axis], i))));
    }
  }
  return values;
}

/// One field times the product of a factor for each axis.
template <class Real, class Factor>
PointFunction<Real> product(std::string name, std::array<std::vector<Factor>, 3> factors) {
  return built_in<Real>(std::move(name), 1, 1,
                        [factors = std::move(factors)](const auto& tile)
                          requires(std::is_convertible_v<Factor, NumberIn<decltype(tile)>>)
                        {
                          for_each_row(tile, [&](Index i, Index j) {
                            const Factor of_row =
                                factors[0][static_cast<std::size_t>(i)] * factors[1][static_cast<std::size_t>(j)];
                            const Factor* const along = factors[2].data() + tile.box.lo[2];
                            const auto* const in = tile.in(0, i, j);
                            auto* const out = tile.out(0, i, j);
                            for (Index k = 0; k < tile.box.extent(2); ++k)
                              out[k] = times(in[k], times(of_row, along[k]));
                          });
                        });
}

/// One field times a real factor of the sum of a term for each axis, which is asked for by wave number.
template <class Real, class Term, class Factor>
PointFunction<Real> of_sum(std::string name, Term term, Factor factor) {
  return built_in<Real>(std::move(name), 1, 1, [term, factor](const auto& tile) {
    const auto terms = along_axes<double>(tile, term);
    for_each_row(tile, [&](Index i, Index j) {
      const double of_row = at(terms[0], i - tile.box.lo[0]) + at(terms[1], j - tile.box.lo[1]);
      const double* const along = terms[2].data();
      const auto* const in = tile.in(0, i, j);
      auto* const out = tile.out(0, i, j);
      for (Index k = 0; k < tile.box.extent(2); ++k) out[k] = in[k] * static_cast<Real>(factor(of_row + along[k]));
    });
  });
}

/// One field times the product of a factor for each axis, which is asked for by wave number.
template <class Real, class Factor>
PointFunction<Real> of_product(std::string name, Factor factor) {
  return built_in<Real>(std::move(name), 1, 1, [factor](const auto& tile) {
    const auto factors = along_axes<Real>(tile, [&](std::size_t, double k) { return factor(k); });
    for_each_row(tile, [&](Index i, Index j) {
      const Real of_row = factors[0][static_cast<std::size_t>(i - tile.box.lo[0])] *
                          factors[1][static_cast<std::size_t>(j - tile.box.lo[1])];
      const Real* const along = factors[2].data();
      const auto* const in = tile.in(0, i, j);
      auto* const out = tile.out(0, i, j);
      for (Index k = 0; k < tile.box.extent(2); ++k) out[k] = in[k] * (of_row * along[k]);
    });
  });
}

/// Throws if a sum of squares is `wanted`, to rounding.
void require_no_sum(const Problem& problem, double shift, Stencil stencil) {
  const auto first = detail::squares_of(problem, 0, stencil), second = detail::squares_of(problem, 1, stencil);
  auto third = detail::squares_of(problem, 2, stencil);
  std::sort(third.begin(), third.end());
  const double near = 1e-13 * -shift;
  for (const double a : first) {
    for (const double b : second) {
      const auto found = std::lower_bound(third.begin(), third.end(), -shift - a - b - near);
      if (found == third.end() || std::abs(a + b + *found + shift) > near) continue;
      throw Error(concat("shift is ", detail::text("%.17g", shift),
                         ", which is an eigenvalue of the Laplacian: no field, or many, would do"));
    }
  }
}

/// i x
template <class Real>
std::complex<Real> turned(const std::complex<Real>& x) {
  return {-x.imag(), x.real()};
}

/// Calls `use(k, wave)` for each point of a tile: its place in the rows of all fields, and its wave number for odd
/// derivatives.
template <class Real, class Use>
void for_each_wave(const Spectra<Real>& tile, const Use& use) {
  for_each_row(tile, [&](Index i, Index j) {
    const auto k0 = static_cast<Real>(at(tile.odd[0], i)), k1 = static_cast<Real>(at(tile.odd[1], j));
    const Index row = (i - tile.box.lo[0]) * tile.strides[0] + (j - tile.box.lo[1]) * tile.strides[1];
    const double* const along = tile.odd[2].data() + tile.box.lo[2];
    for (Index k = 0; k < tile.box.extent(2); ++k) {
      use(row + k, std::array<Real, 3>{k0, k1, static_cast<Real>(along[k])});
    }
  });
}

}  // namespace

template <class Real>
PointFunction<Real> laplacian(const Problem& problem, Stencil stencil) {
  return of_sum<Real>("laplacian", detail::SquareOf(problem, stencil), [](double square) { return -square; });
}

template <class Real>
PointFunction<Real> inverse_laplacian(const Problem& problem, Stencil stencil, double shift) {
  const detail::SquareOf square(problem, stencil);
  if (!std::isfinite(shift)) throw Error(concat("shift is ", detail::text("%g", shift), "; a finite number is needed"));
  if (shift < 0) require_no_sum(problem, shift, stencil);
  if (shift != 0) return of_sum<Real>("inverse_laplacian", square, [shift](double k2) { return -1 / (k2 + shift); });
  return of_sum<Real>("inverse_laplacian", square, [](double k2) { return k2 > 0 ? -1 / k2 : 0.0; });
}

template <class Real>
PointFunction<Real> derivative(int order, int axis) {
  if (axis < 0 || axis > 2) throw Error(concat("axis is ", axis, "; allowed are 0, 1 and 2"));
  if (order < 0) throw Error(concat("order is ", order, "; at least 0 is needed"));
  const auto along = static_cast<std::size_t>(axis);
  // i^order is 1, i, -1, -i.
  const double sign = order % 4 < 2 ? 1 : -1;
  /// Calls `multiply` with the factors of a row, and where it comes from and goes to.
  const auto each_row = [=](const auto& tile, std::span<const double> wave, const auto& multiply) {
    std::vector<Real> factors;
    for (Index i = tile.box.lo[along]; i < tile.box.hi[along]; ++i) {
      factors.push_back(static_cast<Real>(sign * std::pow(at(wave, i), order)));
    }
    for_each_row(tile, [&](Index i, Index j) {
      const auto* const in = tile.in(0, i, j);
      auto* const out = tile.out(0, i, j);
      if (axis == 2) return multiply([f = factors.data()](Index k) { return f[k]; }, in, out);
      const Real factor = factors[static_cast<std::size_t>(axis == 0 ? i - tile.box.lo[0] : j - tile.box.lo[1])];
      multiply([factor](Index) { return factor; }, in, out);
    });
  };
  const std::string name = concat("derivative ", order, " along axis ", axis);
  if (order % 2 == 0) {
    return built_in<Real>(name, 1, 1, [=](const auto& tile) {
      each_row(tile, tile.at[along], [&](const auto& factor, const auto* in, auto* out) {
        for (Index k = 0; k < tile.box.extent(2); ++k) out[k] = factor(k) * in[k];
      });
    });
  }
  auto function = built_in<Real>(name, 1, 1, [=](const Spectra<Real>& tile) {
    each_row(tile, tile.odd[along], [&](const auto& factor, const auto* in, auto* out) {
      for (Index k = 0; k < tile.box.extent(2); ++k) out[k] = turned(factor(k) * in[k]);
    });
  });
  function.odd[along] = true;
  return function;
}

template <class Real>
PointFunction<Real> gradient() {
  return of_odd<Real>("gradient", 1, 3, [](const Spectra<Real>& tile) {
    for_each_wave(tile, [&](Index p, const std::array<Real, 3>& wave) {
      const std::complex<Real> u = turned(tile.inputs[0][p]);
      for (std::size_t axis = 0; axis < 3; ++axis) tile.outputs[axis][p] = wave[axis] * u;
    });
  });
}

template <class Real>
PointFunction<Real> divergence() {
  return of_odd<Real>("divergence", 3, 1, [](const Spectra<Real>& tile) {
    for_each_wave(tile, [&](Index p, const std::array<Real, 3>& wave) {
      tile.outputs[0][p] =
          turned(wave[0] * tile.inputs[0][p] + wave[1] * tile.inputs[1][p] + wave[2] * tile.inputs[2][p]);
    });
  });
}

template <class Real>
PointFunction<Real> curl() {
  return of_odd<Real>("curl", 3, 3, [](const Spectra<Real>& tile) {
    for_each_wave(tile, [&](Index p, const std::array<Real, 3>& wave) {
      const std::complex<Real> u = tile.inputs[0][p], v = tile.inputs[1][p], w = tile.inputs[2][p];
      tile.outputs[0][p] = turned(wave[1] * w - wave[2] * v);
      tile.outputs[1][p] = turned(wave[2] * u - wave[0] * w);
      tile.outputs[2][p] = turned(wave[0] * v - wave[1] * u);
    });
  });
}

template <class Real>
PointFunction<Real> projection() {
  return of_odd<Real>("projection", 3, 3, [](const Spectra<Real>& tile) {
    for_each_wave(tile, [&](Index p, const std::array<Real, 3>& wave) {
      const std::complex<Real> u = tile.inputs[0][p], v = tile.inputs[1][p], w = tile.inputs[2][p];
      const Real square = wave[0] * wave[0] + wave[1] * wave[1] + wave[2] * wave[2];
      const std::complex<Real> along = (square > 0 ? 1 / square : Real(0)) * (wave[0] * u + wave[1] * v + wave[2] * w);
      tile.outputs[0][p] = u - wave[0] * along;
      tile.outputs[1][p] = v - wave[1] * along;
      tile.outputs[2][p] = w - wave[2] * along;
    });
  });
}

template <class Real>
PointFunction<Real> gaussian(double sigma) {
  return of_product<Real>("gaussian", [sigma](double k) { return std::exp(-sigma * sigma * k * k / 2); });
}

template <class Real>
PointFunction<Real> heat(double dt, double diffusivity) {
  return of_product<Real>("heat", [=](double k) { return std::exp(-diffusivity * k * k * dt); });
}

template <class Real>
PointFunction<Real> shift(const std::array<double, 3>& distance) {
  auto function = built_in<Real>("shift", 1, 1, [distance](const Spectra<Real>& tile) {
    // At the Nyquist frequency, which has no sign, the mean of both.
    const auto factor = [&](std::size_t axis, Index i) {
      const double angle = at(tile.at[axis], i) * distance[axis];
      const bool nyquist = at(tile.odd[axis], i) != at(tile.at[axis], i);
      return std::complex<double>(std::cos(angle), nyquist ? 0 : -std::sin(angle));
    };
    std::vector<std::complex<Real>> along;
    for (Index k = tile.box.lo[2]; k < tile.box.hi[2]; ++k) along.emplace_back(factor(2, k));
    for_each_row(tile, [&](Index i, Index j) {
      const std::complex<Real> of_row(factor(0, i) * factor(1, j));
      const std::complex<Real>* const in = tile.in(0, i, j);
      std::complex<Real>* const out = tile.out(0, i, j);
      for (std::size_t k = 0; k < along.size(); ++k) out[k] = times(in[k], times(of_row, along[k]));
    });
  });
  for (std::size_t axis = 0; axis < 3; ++axis) function.odd[axis] = distance[axis] != 0;
  return function;
}

template <class Real>
PointFunction<Real> truncate(const Problem& problem, double fraction) {
  if (!(fraction > 0 && fraction <= 1)) {
    throw Error(concat("fraction is ", detail::text("%g", fraction), "; allowed are numbers above 0, up to 1"));
  }
  std::array<std::vector<Real>, 3> keep;
  const Shape modes = problem.kept_modes();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Line line = problem.kind.lines[axis];
    // A little less, so that 2/3 of a multiple of 3 is not kept by rounding.
    const double most = fraction / detail::spacing_of(line, modes[axis], 1) / 2 - 1e-9;
    for (const double wave : wavenumbers(line, modes[axis], 2 * std::numbers::pi)) {
      keep[axis].push_back(std::abs(wave) < most ? Real(1) : Real(0));
    }
  }
  return product<Real>("truncate", std::move(keep));
}

template <class Real>
PointFunction<Real> multiply_separable(std::vector<std::complex<Real>> factor0, std::vector<std::complex<Real>> factor1,
                                       std::vector<std::complex<Real>> factor2) {
  std::array factors{std::move(factor0), std::move(factor1), std::move(factor2)};
  std::array<std::size_t, 3> lengths{};
  bool real = true;
  std::array<std::vector<Real>, 3> real_factors;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    lengths[axis] = factors[axis].size();
    for (const std::complex<Real>& factor : factors[axis]) {
      real = real && factor.imag() == 0;
      real_factors[axis].push_back(factor.real());
    }
  }
  const auto checked = [lengths](const auto& run) {
    return [lengths, run](const auto& tile) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (lengths[axis] != tile.at[axis].size()) {
          throw Error(concat("factor", axis, " has ", lengths[axis], " numbers; ", tile.at[axis].size(),
                             " are needed, one for each wave number of axis ", axis));
        }
      }
      run(tile);
    };
  };
  auto function = product<Real>("multiply_separable", std::move(factors));
  function.sure = false;
  function.of_complex = checked(function.of_complex);
  if (real) function.of_real = checked(product<Real>("multiply_separable", std::move(real_factors)).of_real);
  return function;
}

namespace {

template <class Real, class Factor>
PointFunction<Real> multiply_table(std::vector<Factor> table, At where) {
  const auto run = [table = std::move(table)]<class Number>(const PointTile<Number>& tile) {
    const Box& whole = tile.whole;
    if (static_cast<Index>(table.size()) != whole.count()) {
      throw Error(concat("table has ", table.size(), " numbers; ", whole.count(), " are needed, one for each point of ",
                         to_string(whole)));
    }
    for_each_row(tile, [&](Index i, Index j) {
      const Factor* const factor = table.data() +
                                   ((i - whole.lo[0]) * whole.extent(1) + j - whole.lo[1]) * whole.extent(2) -
                                   whole.lo[2] + tile.box.lo[2];
      const Number* const in = tile.in(0, i, j);
      Number* const out = tile.out(0, i, j);
      for (Index k = 0; k < tile.box.extent(2); ++k) out[k] = times(in[k], factor[k]);
    });
  };
  PointFunction<Real> function{.name = "multiply", .at = where};
  function.overwrites = true;
  function.of_complex = run;
  if constexpr (std::is_same_v<Factor, Real>) function.of_real = run;
  return function;
}

/// The function that multiplies by the spectrum of a field, or its conjugate.
template <class Real, class Number>
PointFunction<Real> by_spectrum(Problem problem, std::span<const Number> kernel, MPI_Comm comm, const Options& options,
                                bool conjugate) {
  for (const Line line : problem.kind.lines) {
    if (line == Line::dft || line == Line::half_dft) continue;
    throw Error(concat("kind is ", to_string(problem.kind), "; convolutions and correlations allow c2c and r2c"));
  }
  problem.batch = 1;
  problem.normalization = Normalization::backward;
  std::vector<std::complex<Real>> spectrum;
  Box whole;
  auto keep = PointFunction<Real>::at_wavenumbers(1, 1, [&](const Spectra<Real>& tile) {
    for_each_row(tile, [&](Index i, Index j) {
      const std::complex<Real>* const in = tile.in(0, i, j);
      std::fill_n(tile.out(0, i, j), tile.box.extent(2), std::complex<Real>(0));
      const Index at =
          ((i - whole.lo[0]) * whole.extent(1) + j - whole.lo[1]) * whole.extent(2) - whole.lo[2] + tile.box.lo[2];
      for (Index k = 0; k < tile.box.extent(2); ++k) {
        spectrum[static_cast<std::size_t>(at + k)] = conjugate ? std::conj(in[k]) : in[k];
      }
    });
  });
  Options apart = options;
  apart.in_place = false;
  Operator<Real> transform(problem, keep, comm, apart);
  whole = transform.plan().middle_box();
  spectrum.resize(static_cast<std::size_t>(whole.count()));
  std::vector<Number> nothing(static_cast<std::size_t>(transform.plan().output_size()));
  transform(kernel, std::span<Number>(nothing));
  auto function = multiply<Real>(std::move(spectrum));
  function.name = conjugate ? "correlation" : "convolution";
  return function;
}

}  // namespace

template <class Real>
PointFunction<Real> multiply(std::vector<std::complex<Real>> table, At where) {
  return multiply_table<Real>(std::move(table), where);
}
template <class Real>
PointFunction<Real> multiply(std::vector<Real> table, At where) {
  return multiply_table<Real>(std::move(table), where);
}

template <class Real, class Number>
PointFunction<Real> convolution(const Problem& problem, std::span<const Number> kernel, MPI_Comm comm,
                                const Options& options) {
  return by_spectrum<Real>(problem, kernel, comm, options, false);
}
template <class Real, class Number>
PointFunction<Real> correlation(const Problem& problem, std::span<const Number> kernel, MPI_Comm comm,
                                const Options& options) {
  return by_spectrum<Real>(problem, kernel, comm, options, true);
}

template <class Real>
PointFunction<Real> cross() {
  auto function = PointFunction<Real>::in_space(6, 3, []<class Number>(const PointTile<Number>& tile) {
    for_each_row(tile, [&](Index i, Index j) {
      const Number *a0 = tile.in(0, i, j), *a1 = tile.in(1, i, j), *a2 = tile.in(2, i, j);
      const Number *b0 = tile.in(3, i, j), *b1 = tile.in(4, i, j), *b2 = tile.in(5, i, j);
      Number *c0 = tile.out(0, i, j), *c1 = tile.out(1, i, j), *c2 = tile.out(2, i, j);
      for (Index k = 0; k < tile.box.extent(2); ++k) {
        const Number x = times(a1[k], b2[k]) - times(a2[k], b1[k]), y = times(a2[k], b0[k]) - times(a0[k], b2[k]),
                     z = times(a0[k], b1[k]) - times(a1[k], b0[k]);
        c0[k] = x;
        c1[k] = y;
        c2[k] = z;
      }
    });
  });
  function.name = "cross";
  function.overwrites = function.sure = true;
  return function;
}

template <class Real>
PointFunction<Real> products(Index fields) {
  if (fields < 1) throw Error(concat("fields is ", fields, "; at least 1 is needed"));
  const auto n = static_cast<std::size_t>(fields);
  auto function = PointFunction<Real>::in_space(fields, fields * (fields + 1) / 2,
                                                [n]<class Number>(const PointTile<Number>& tile) {
                                                  for_each_row(tile, [&](Index i, Index j) {
                                                    std::size_t pair = 0;
                                                    for (std::size_t a = 0; a < n; ++a) {
                                                      for (std::size_t b = a; b < n; ++b, ++pair) {
                                                        const Number *u = tile.in(a, i, j), *v = tile.in(b, i, j);
                                                        Number* const out = tile.out(pair, i, j);
                                                        for (Index k = 0; k < tile.box.extent(2); ++k)
                                                          out[k] = times(u[k], v[k]);
                                                      }
                                                    }
                                                  });
                                                });
  function.name = "products";
  function.sure = true;
  return function;
}

#define WEFT_FUNCTIONS(Real)                                                                              \
  template PointFunction<Real> laplacian<Real>(const Problem&, Stencil);                                  \
  template PointFunction<Real> inverse_laplacian<Real>(const Problem&, Stencil, double);                  \
  template PointFunction<Real> derivative<Real>(int, int);                                                \
  template PointFunction<Real> gradient<Real>();                                                          \
  template PointFunction<Real> divergence<Real>();                                                        \
  template PointFunction<Real> curl<Real>();                                                              \
  template PointFunction<Real> projection<Real>();                                                        \
  template PointFunction<Real> gaussian<Real>(double);                                                    \
  template PointFunction<Real> heat<Real>(double, double);                                                \
  template PointFunction<Real> shift<Real>(const std::array<double, 3>&);                                 \
  template PointFunction<Real> truncate<Real>(const Problem&, double);                                    \
  template PointFunction<Real> multiply_separable<Real>(                                                  \
      std::vector<std::complex<Real>>, std::vector<std::complex<Real>>, std::vector<std::complex<Real>>); \
  template PointFunction<Real> multiply<Real>(std::vector<std::complex<Real>>, At);                       \
  template PointFunction<Real> multiply<Real>(std::vector<Real>, At);                                     \
  template PointFunction<Real> convolution<Real, Real>(const Problem&, std::span<const Real>, MPI_Comm,   \
                                                       const Options&);                                   \
  template PointFunction<Real> convolution<Real, std::complex<Real>>(                                     \
      const Problem&, std::span<const std::complex<Real>>, MPI_Comm, const Options&);                     \
  template PointFunction<Real> correlation<Real, Real>(const Problem&, std::span<const Real>, MPI_Comm,   \
                                                       const Options&);                                   \
  template PointFunction<Real> correlation<Real, std::complex<Real>>(                                     \
      const Problem&, std::span<const std::complex<Real>>, MPI_Comm, const Options&);                     \
  template PointFunction<Real> cross<Real>();                                                             \
  template PointFunction<Real> products<Real>(Index)
WEFT_FUNCTIONS(float);
WEFT_FUNCTIONS(double);
#undef WEFT_FUNCTIONS

}  // namespace weft
