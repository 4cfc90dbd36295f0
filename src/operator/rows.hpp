// What functions of operators share: they work on rows, neighbours along axis 2.
#pragma once

#include <complex>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "base/complex.hpp"
#include "weft/operator.hpp"

namespace weft::detail {

template <class Real>
using Spectra = PointTile<std::complex<Real>>;

/// Calls `use(i, j)` for each row of a tile.
template <class Tile, class Use>
void for_each_row(const Tile& tile, const Use& use) {
  for (Index i = tile.box.lo[0]; i < tile.box.hi[0]; ++i) {
    for (Index j = tile.box.lo[1]; j < tile.box.hi[1]; ++j) use(i, j);
  }
}

/// The place of a row's first number in a table of all points of this rank's part, in C order.
template <class Tile>
Index row_in_table(const Tile& tile, Index i, Index j) {
  const Box& whole = tile.whole;
  return ((i - whole.lo[0]) * whole.extent(1) + j - whole.lo[1]) * whole.extent(2) - whole.lo[2] + tile.box.lo[2];
}

inline double at(std::span<const double> values, Index i) { return values[static_cast<std::size_t>(i)]; }

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
  function.odd.fill(true);
  return function;
}

template <class Number, class Factor>
Number times(const Number& a, Factor b) {
  return a * b;
}

/// i x
template <class Real>
std::complex<Real> turned(const std::complex<Real>& x) {
  return {-x.imag(), x.real()};
}

}  // namespace weft::detail
