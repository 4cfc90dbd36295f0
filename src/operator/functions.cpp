// The functions that the library has. Each works on rows: neighbours along axis 2.
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <type_traits>
#include <utility>

#include "base/text.hpp"
#include "operator/mehrstellen.hpp"
#include "operator/operator.hpp"
#include "operator/rows.hpp"
#include "operator/squares.hpp"
#include "problem/lines.hpp"
#include "weft/operator.hpp"

namespace weft {

using detail::at;
using detail::built_in;
using detail::concat;
using detail::for_each_row;
using detail::NumberIn;
using detail::row_in_table;
using detail::Spectra;
using detail::times;
using detail::turned;

namespace {

/// What `of` makes of an axis and a place along it (a wave number), for all points of a tile along axis 0, axis 1, and
/// the others together, where `join` makes one of two.
template <class Value, class Tile, class Of, class Join>
std::array<std::vector<Value>, 3> along_axes(const Tile& tile, const Of& of, const Join& join) {
  std::array<std::vector<Value>, 3> values;
  for (std::size_t axis = 0; axis < tile.shape.size(); ++axis) {
    const std::size_t of_box = std::min<std::size_t>(axis, 2);
    std::vector<Value>& all = values[of_box];
    for (Index i = tile.box.lo[of_box]; i < tile.box.hi[of_box]; ++i) {
      const auto value = static_cast<Value>(of(axis, at(tile.at[axis], i)));
      if (axis < 3) {
        all.push_back(value);
      } else {
        Value& before = all[static_cast<std::size_t>(i - tile.box.lo[2])];
        before = join(before, value);
      }
    }
  }
  return values;
}

/// A factor for each point along axis 0, axis 1, and the others together, of those for each axis.
template <class Factor>
std::array<std::vector<Factor>, 3> joined(std::vector<std::vector<Factor>> factors) {
  for (std::size_t axis = factors.size(); axis-- > 3;) {
    std::vector<Factor> both;
    for (const Factor& slow : factors[axis - 1]) {
      for (const Factor& fast : factors[axis]) both.push_back(slow * fast);
    }
    factors[axis - 1] = std::move(both);
  }
  return {std::move(factors[0]), std::move(factors[1]), std::move(factors[2])};
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
    const auto terms = along_axes<double>(tile, term, std::plus<>());
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
    const auto factors = along_axes<Real>(tile, [&](std::size_t, double k) { return factor(k); }, std::multiplies<>());
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

/// The field u of L u - shift R u = R f.
template <class Real>
PointFunction<Real> inverse_mehrstellen(const Problem& problem, Stencil stencil, double shift) {
  const detail::Mehrstellen equation(problem, stencil);
  if (shift < 0) equation.require_solvable(problem, shift);
  const detail::SquareOf square(problem, Stencil::second_order);
  return built_in<Real>("inverse_laplacian", 1, 1, [=](const auto& tile) {
    const auto squares = along_axes<double>(tile, square, std::plus<>());
    for_each_row(tile, [&](Index i, Index j) {
      const double a = at(squares[0], i - tile.box.lo[0]), b = at(squares[1], j - tile.box.lo[1]);
      const double* const along = squares[2].data();
      const auto* const in = tile.in(0, i, j);
      auto* const out = tile.out(0, i, j);
      for (Index k = 0; k < tile.box.extent(2); ++k) {
        const std::array<double, 3> s{a, b, along[k]};
        const double left = equation.left(s, shift);
        // Of a constant, without a shift.
        out[k] = in[k] * static_cast<Real>(left != 0 ? equation.right(s) / left : 0.0);
      }
    });
  });
}

/// Throws if a sum of squares is `wanted`, to rounding.
void require_no_sum(const Problem& problem, double shift, Stencil stencil) {
  const auto first = detail::squares_of(problem, 0, stencil), second = detail::squares_of(problem, 1, stencil);
  std::vector<double> third{0};
  for (std::size_t axis = 2; axis < problem.shape.size(); ++axis) {
    std::vector<double> sums;
    for (const double a : third) {
      for (const double b : detail::squares_of(problem, axis, stencil)) sums.push_back(a + b);
    }
    third = std::move(sums);
  }
  std::sort(third.begin(), third.end());
  const double near = 1e-13 * -shift;
  for (const double a : first) {
    for (const double b : second) {
      const auto found = std::lower_bound(third.begin(), third.end(), -shift - a - b - near);
      if (found == third.end() || std::abs(a + b + *found + shift) > near) continue;
      detail::refuse_eigenvalue(shift);
    }
  }
}

}  // namespace

template <class Real>
PointFunction<Real> laplacian(const Problem& problem, Stencil stencil) {
  if (detail::is_mehrstellen(stencil)) {
    throw Error(concat("stencil is ", to_string(stencil), "; inverse_laplacian can have it, laplacian cannot"));
  }
  return of_sum<Real>("laplacian", detail::SquareOf(problem, stencil), [](double square) { return -square; });
}

template <class Real>
PointFunction<Real> inverse_laplacian(const Problem& problem, Stencil stencil, double shift) {
  if (!std::isfinite(shift)) throw Error(concat("shift is ", detail::text("%g", shift), "; a finite number is needed"));
  if (detail::is_mehrstellen(stencil)) return inverse_mehrstellen<Real>(problem, stencil, shift);
  const detail::SquareOf square(problem, stencil);
  if (shift < 0) require_no_sum(problem, shift, stencil);
  if (shift != 0) return of_sum<Real>("inverse_laplacian", square, [shift](double k2) { return -1 / (k2 + shift); });
  return of_sum<Real>("inverse_laplacian", square, [](double k2) { return k2 > 0 ? -1 / k2 : 0.0; });
}

template <class Real>
PointFunction<Real> derivative(int order, int axis) {
  if (axis < 0 || axis >= Extents::most_axes) {
    throw Error(concat("axis is ", axis, "; allowed are 0 to ", Extents::most_axes - 1));
  }
  if (order < 0) throw Error(concat("order is ", order, "; at least 0 is needed"));
  const auto along = static_cast<std::size_t>(axis);
  // i^order is 1, i, -1, -i.
  const double sign = order % 4 < 2 ? 1 : -1;
  /// Calls `multiply` with the factors of a row, and where it comes from and goes to.
  const auto each_row = [=](const auto& tile, std::span<const double> wave, const auto& multiply) {
    std::vector<Real> factors;
    const std::size_t of_box = std::min<std::size_t>(along, 2);
    for (Index i = tile.box.lo[of_box]; i < tile.box.hi[of_box]; ++i) {
      factors.push_back(static_cast<Real>(sign * std::pow(at(wave, i), order)));
    }
    for_each_row(tile, [&](Index i, Index j) {
      const auto* const in = tile.in(0, i, j);
      auto* const out = tile.out(0, i, j);
      if (axis >= 2) return multiply([f = factors.data()](Index k) { return f[k]; }, in, out);
      const Real factor = factors[static_cast<std::size_t>(axis == 0 ? i - tile.box.lo[0] : j - tile.box.lo[1])];
      multiply([factor](Index) { return factor; }, in, out);
    });
  };
  const std::string name = concat("derivative ", order, " along axis ", axis);
  if (order % 2 == 0) {
    auto even = built_in<Real>(name, 1, 1, [=](const auto& tile) {
      each_row(tile, tile.at[along], [&](const auto& factor, const auto* in, auto* out) {
        for (Index k = 0; k < tile.box.extent(2); ++k) out[k] = factor(k) * in[k];
      });
    });
    even.least_axes = std::max(3, axis + 1);
    return even;
  }
  auto function = built_in<Real>(name, 1, 1, [=](const Spectra<Real>& tile) {
    each_row(tile, tile.odd[along], [&](const auto& factor, const auto* in, auto* out) {
      for (Index k = 0; k < tile.box.extent(2); ++k) out[k] = turned(factor(k) * in[k]);
    });
  });
  function.odd[along] = true;
  function.least_axes = std::max(3, axis + 1);
  return function;
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
PointFunction<Real> shift(const std::vector<double>& distance) {
  const auto axes = static_cast<int>(distance.size());
  if (axes < 3 || axes > Extents::most_axes) {
    throw Error(
        concat("distance has ", axes, " numbers; one for each of 3 to ", Extents::most_axes, " axes is needed"));
  }
  auto function = built_in<Real>("shift", 1, 1, [distance](const Spectra<Real>& tile) {
    // At the Nyquist frequency, which has no sign, the mean of both.
    const auto factor = [&](std::size_t axis, Index i) {
      const double angle = at(tile.at[axis], i) * distance[axis];
      const bool nyquist = at(tile.odd[axis], i) != at(tile.at[axis], i);
      return std::complex<double>(std::cos(angle), nyquist ? 0 : -std::sin(angle));
    };
    std::vector<std::complex<Real>> along;
    for (Index k = tile.box.lo[2]; k < tile.box.hi[2]; ++k) {
      std::complex<double> all = factor(2, k);
      for (std::size_t axis = 3; axis < distance.size(); ++axis) all = times(all, factor(axis, k));
      along.emplace_back(all);
    }
    for_each_row(tile, [&](Index i, Index j) {
      const std::complex<Real> of_row(factor(0, i) * factor(1, j));
      const std::complex<Real>* const in = tile.in(0, i, j);
      std::complex<Real>* const out = tile.out(0, i, j);
      for (std::size_t k = 0; k < along.size(); ++k) out[k] = times(in[k], times(of_row, along[k]));
    });
  });
  for (std::size_t axis = 0; axis < distance.size(); ++axis) function.odd[axis] = distance[axis] != 0;
  function.least_axes = function.most_axes = axes;
  return function;
}

template <class Real>
PointFunction<Real> truncate(const Problem& problem, double fraction) {
  if (!(fraction > 0 && fraction <= 1)) {
    throw Error(concat("fraction is ", detail::text("%g", fraction), "; allowed are numbers above 0, up to 1"));
  }
  std::vector<std::vector<Real>> keep(problem.shape.size());
  const Extents modes = problem.shape.with_first(problem.kept_modes());
  for (std::size_t axis = 0; axis < keep.size(); ++axis) {
    const Line line = problem.line(axis);
    // A little less, so that 2/3 of a multiple of 3 is not kept by rounding.
    const double most = fraction / detail::spacing_of(line, modes[axis], 1) / 2 - 1e-9;
    for (const double wave : wavenumbers(line, modes[axis], 2 * std::numbers::pi)) {
      keep[axis].push_back(std::abs(wave) < most ? Real(1) : Real(0));
    }
  }
  return product<Real>("truncate", joined(std::move(keep)));
}

template <class Real>
PointFunction<Real> multiply_separable(std::vector<std::vector<std::complex<Real>>> factors) {
  const std::size_t axes = factors.size();
  if (axes < 3 || axes > Extents::most_axes) {
    throw Error(concat("factors has ", axes, " vectors; one for each of 3 to ", Extents::most_axes, " axes is needed"));
  }
  std::vector<std::size_t> lengths(axes);
  bool real = true;
  std::vector<std::vector<Real>> real_factors(axes);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    lengths[axis] = factors[axis].size();
    for (const std::complex<Real>& factor : factors[axis]) {
      real = real && factor.imag() == 0;
      real_factors[axis].push_back(factor.real());
    }
  }
  const auto checked = [lengths](const auto& run) {
    return [lengths, run](const auto& tile) {
      for (std::size_t axis = 0; axis < lengths.size(); ++axis) {
        if (static_cast<Index>(lengths[axis]) != tile.shape[axis]) {
          throw Error(concat("factor", axis, " has ", lengths[axis], " numbers; ", tile.shape[axis],
                             " are needed, one for each wave number of axis ", axis));
        }
      }
      run(tile);
    };
  };
  auto function = product<Real>("multiply_separable", joined(std::move(factors)));
  function.sure = false;
  function.of_complex = checked(function.of_complex);
  if (real) function.of_real = checked(product<Real>("multiply_separable", joined(std::move(real_factors))).of_real);
  function.least_axes = function.most_axes = static_cast<int>(axes);
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
      const Factor* const factor = table.data() + row_in_table(tile, i, j);
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
  for (std::size_t axis = 0; axis < problem.shape.size(); ++axis) {
    if (problem.line(axis) == Line::dft || problem.line(axis) == Line::half_dft) continue;
    throw Error(concat("kind is ", to_string(problem.kind), "; convolutions and correlations allow c2c and r2c"));
  }
  problem.batch = 1;
  problem.normalization = Normalization::backward;
  std::vector<std::complex<Real>> spectrum;
  auto keep = PointFunction<Real>::at_wavenumbers(1, 1, [&](const Spectra<Real>& tile) {
    for_each_row(tile, [&](Index i, Index j) {
      const std::complex<Real>* const in = tile.in(0, i, j);
      std::fill_n(tile.out(0, i, j), tile.box.extent(2), std::complex<Real>(0));
      const Index at = row_in_table(tile, i, j);
      for (Index k = 0; k < tile.box.extent(2); ++k) {
        spectrum[static_cast<std::size_t>(at + k)] = conjugate ? std::conj(in[k]) : in[k];
      }
    });
  });
  Options apart = options;
  apart.in_place = false;
  Operator<Real> transform(problem, keep, comm, apart);
  spectrum.resize(static_cast<std::size_t>(transform.plan().data().whole.count()));
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

#define WEFT_FUNCTIONS(Real)                                                                            \
  template PointFunction<Real> laplacian<Real>(const Problem&, Stencil);                                \
  template PointFunction<Real> inverse_laplacian<Real>(const Problem&, Stencil, double);                \
  template PointFunction<Real> derivative<Real>(int, int);                                              \
  template PointFunction<Real> gaussian<Real>(double);                                                  \
  template PointFunction<Real> heat<Real>(double, double);                                              \
  template PointFunction<Real> shift<Real>(const std::vector<double>&);                                 \
  template PointFunction<Real> truncate<Real>(const Problem&, double);                                  \
  template PointFunction<Real> multiply_separable<Real>(std::vector<std::vector<std::complex<Real>>>);  \
  template PointFunction<Real> multiply<Real>(std::vector<std::complex<Real>>, At);                     \
  template PointFunction<Real> multiply<Real>(std::vector<Real>, At);                                   \
  template PointFunction<Real> convolution<Real, Real>(const Problem&, std::span<const Real>, MPI_Comm, \
                                                       const Options&);                                 \
  template PointFunction<Real> convolution<Real, std::complex<Real>>(                                   \
      const Problem&, std::span<const std::complex<Real>>, MPI_Comm, const Options&);                   \
  template PointFunction<Real> correlation<Real, Real>(const Problem&, std::span<const Real>, MPI_Comm, \
                                                       const Options&);                                 \
  template PointFunction<Real> correlation<Real, std::complex<Real>>(                                   \
      const Problem&, std::span<const std::complex<Real>>, MPI_Comm, const Options&)
WEFT_FUNCTIONS(float);
WEFT_FUNCTIONS(double);
#undef WEFT_FUNCTIONS

}  // namespace weft
