// Functions of vectors: derivatives along all axes, and products in space.
#include <array>
#include <complex>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "operator/rows.hpp"

namespace weft {

using detail::at;
using detail::concat;
using detail::for_each_row;
using detail::of_odd;
using detail::Spectra;
using detail::times;
using detail::turned;

namespace {

/// Calls `use(k, wave)` for each point of a tile of so many axes: its place in the rows of all fields, and its wave
/// number for odd derivatives.
template <std::size_t axes, class Real, class Use>
void for_each_wave(const Spectra<Real>& tile, const Use& use) {
  for_each_row(tile, [&](Index i, Index j) {
    std::array<Real, axes> wave{static_cast<Real>(at(tile.odd[0], i)), static_cast<Real>(at(tile.odd[1], j))};
    const Index row = (i - tile.box.lo[0]) * tile.strides[0] + (j - tile.box.lo[1]) * tile.strides[1];
    for (Index k = 0; k < tile.box.extent(2); ++k) {
      for (std::size_t axis = 2; axis < axes; ++axis) {
        wave[axis] = static_cast<Real>(at(tile.odd[axis], tile.box.lo[2] + k));
      }
      use(row + k, wave);
    }
  });
}

/// `make` with the number of axes as a type, for grids of so many axes only.
template <class Make>
auto for_axes(int axes, const Make& make) {
  const auto made = [&]<int... more>(std::integer_sequence<int, more...>) {
    std::optional<decltype(make(std::integral_constant<std::size_t, 3>()))> found;
    (void)((axes == 3 + more && (found = make(std::integral_constant<std::size_t, 3 + more>()), true)) || ...);
    return found;
  }(std::make_integer_sequence<int, Extents::most_axes - 2>());
  if (!made) throw Error(concat("axes is ", axes, "; allowed are 3 to ", Extents::most_axes));
  auto function = *made;
  function.least_axes = function.most_axes = axes;
  return function;
}

}  // namespace

template <class Real>
PointFunction<Real> gradient(int axes) {
  return for_axes(axes, []<std::size_t n>(std::integral_constant<std::size_t, n>) {
    return of_odd<Real>("gradient", 1, n, [](const Spectra<Real>& tile) {
      for_each_wave<n>(tile, [&](Index p, const std::array<Real, n>& wave) {
        const std::complex<Real> u = turned(tile.inputs[0][p]);
        for (std::size_t axis = 0; axis < n; ++axis) tile.outputs[axis][p] = wave[axis] * u;
      });
    });
  });
}

template <class Real>
PointFunction<Real> divergence(int axes) {
  return for_axes(axes, []<std::size_t n>(std::integral_constant<std::size_t, n>) {
    return of_odd<Real>("divergence", n, 1, [](const Spectra<Real>& tile) {
      for_each_wave<n>(tile, [&](Index p, const std::array<Real, n>& wave) {
        std::complex<Real> sum = wave[0] * tile.inputs[0][p];
        for (std::size_t axis = 1; axis < n; ++axis) sum += wave[axis] * tile.inputs[axis][p];
        tile.outputs[0][p] = turned(sum);
      });
    });
  });
}

template <class Real>
PointFunction<Real> curl() {
  auto function = of_odd<Real>("curl", 3, 3, [](const Spectra<Real>& tile) {
    for_each_wave<3>(tile, [&](Index p, const std::array<Real, 3>& wave) {
      const std::complex<Real> u = tile.inputs[0][p], v = tile.inputs[1][p], w = tile.inputs[2][p];
      tile.outputs[0][p] = turned(wave[1] * w - wave[2] * v);
      tile.outputs[1][p] = turned(wave[2] * u - wave[0] * w);
      tile.outputs[2][p] = turned(wave[0] * v - wave[1] * u);
    });
  });
  function.most_axes = 3;
  return function;
}

template <class Real>
PointFunction<Real> projection(int axes) {
  return for_axes(axes, []<std::size_t n>(std::integral_constant<std::size_t, n>) {
    return of_odd<Real>("projection", n, n, [](const Spectra<Real>& tile) {
      for_each_wave<n>(tile, [&](Index p, const std::array<Real, n>& wave) {
        Real square = 0;
        std::complex<Real> along = 0;
        for (std::size_t axis = 0; axis < n; ++axis) {
          square += wave[axis] * wave[axis];
          along += wave[axis] * tile.inputs[axis][p];
        }
        along *= square > 0 ? 1 / square : Real(0);
        for (std::size_t axis = 0; axis < n; ++axis) {
          tile.outputs[axis][p] = tile.inputs[axis][p] - wave[axis] * along;
        }
      });
    });
  });
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

#define WEFT_FUNCTIONS(Real)                          \
  template PointFunction<Real> gradient<Real>(int);   \
  template PointFunction<Real> divergence<Real>(int); \
  template PointFunction<Real> curl<Real>();          \
  template PointFunction<Real> projection<Real>(int); \
  template PointFunction<Real> cross<Real>();         \
  template PointFunction<Real> products<Real>(Index)
WEFT_FUNCTIONS(float);
WEFT_FUNCTIONS(double);
#undef WEFT_FUNCTIONS

}  // namespace weft
