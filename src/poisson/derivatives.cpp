#include "poisson/derivatives.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <utility>

#include "base/text.hpp"
#include "operator/rows.hpp"
#include "problem/lines.hpp"

namespace weft::detail {

double derivative_symbol(double angle, Stencil stencil) {
  const double a = std::sin(angle), b = std::sin(2 * angle), c = std::sin(3 * angle), d = std::sin(4 * angle);
  switch (stencil) {
    case Stencil::spectral: return angle;
    case Stencil::second_order: return a;
    case Stencil::fourth_order: return (8 * a - b) / 6;
    case Stencil::sixth_order: return (45 * a - 9 * b + c) / 30;
    case Stencil::eighth_order: return (672 * a - 168 * b + 32 * c - 3 * d) / 420;
    case Stencil::compact_fourth_order:
    case Stencil::mehrstellen_fourth_order: return 3 * a / (2 + std::cos(angle));
    case Stencil::compact_sixth_order:
    case Stencil::mehrstellen_sixth_order: return (28 * a + b) / (18 + 12 * std::cos(angle));
  }
  return angle;
}

namespace {

/// The solution of one field of a tile, from and to any places.
template <class Real>
void solve_one(const PointFunction<Real>& solution, const Spectra<Real>& tile, const std::complex<Real>* from,
               std::complex<Real>* to) {
  const std::array inputs{from};
  const std::array outputs{to};
  Spectra<Real> one = tile;
  one.inputs = inputs;
  one.outputs = outputs;
  solution.of_complex(one);
}

}  // namespace

std::vector<double> derivative_symbols(const Problem& transforms, std::size_t axis, Stencil stencil) {
  const Line line = transforms.line(axis);
  const Index n = transforms.shape[axis];
  const double length = transforms.lengths[axis], spacing = spacing_of(line, n, length);
  std::vector<double> symbols = wavenumbers(line, n, length);
  for (double& wave : symbols) wave = derivative_symbol(wave * spacing, stencil) / spacing;
  if (n % 2 == 0) symbols[static_cast<std::size_t>(n / 2)] = 0;
  return symbols;
}

template <class Real>
PointFunction<Real> with_result(PointFunction<Real> solution, const PoissonProblem& problem,
                                const Problem& transforms) {
  if (problem.result == Result::solution || problem.derivatives_in_space()) return solution;
  std::array<std::vector<Real>, 3> along;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::vector<double> symbols = derivative_symbols(transforms, axis, problem.stencil);
    along[axis].assign(symbols.begin(), symbols.end());
  }
  // Calls `use(place, waves)` for each point of a tile.
  // Turned round, components and waves are those of the axes turned round.
  const std::array<std::size_t, 3> of_axis =
      problem.reversed_components ? std::array<std::size_t, 3>{2, 1, 0} : std::array<std::size_t, 3>{0, 1, 2};
  const auto for_each_wave = [along, of_axis](const Spectra<Real>& tile, const auto& use) {
    for_each_row(tile, [&](Index i, Index j) {
      const Index row = (i - tile.box.lo[0]) * tile.strides[0] + (j - tile.box.lo[1]) * tile.strides[1];
      const auto of = [&](std::size_t axis, Index index) { return along[axis][static_cast<std::size_t>(index)]; };
      std::array<Real, 3> wave{};
      wave[of_axis[0]] = of(0, i);
      wave[1] = of(1, j);
      for (Index k = 0; k < tile.box.extent(2); ++k) {
        wave[of_axis[2]] = of(2, tile.box.lo[2] + k);
        use(row + k, wave);
      }
    });
  };
  const std::string name = concat(to_string(problem.result), " of ", solution.name);
  PointFunction<Real> function;
  if (problem.result == Result::velocity) {
    function = PointFunction<Real>::at_wavenumbers(3, 3, [=](const Spectra<Real>& tile) {
      for_each_wave(tile, [&](Index p, const std::array<Real, 3>& k) {
        const std::complex<Real> x = tile.inputs[0][p], y = tile.inputs[1][p], z = tile.inputs[2][p];
        tile.outputs[0][p] = turned(k[2] * y - k[1] * z);
        tile.outputs[1][p] = turned(k[0] * z - k[2] * x);
        tile.outputs[2][p] = turned(k[1] * x - k[0] * y);
      });
      for (std::complex<Real>* const field : tile.outputs) solve_one(solution, tile, field, field);
    });
  } else {
    const bool both = problem.result == Result::solution_and_gradient, plane = problem.shape[1] == 1;
    function = PointFunction<Real>::at_wavenumbers(1, problem.outputs(), [=](const Spectra<Real>& tile) {
      // The last derivative takes the place of the solution, unless that is wanted.
      std::complex<Real>* const u = both ? tile.outputs.front() : tile.outputs.back();
      solve_one(solution, tile, tile.inputs[0], u);
      const std::span<std::complex<Real>* const> to = tile.outputs.subspan(both ? 1 : 0);
      for_each_wave(tile, [&](Index p, const std::array<Real, 3>& k) {
        const std::complex<Real> turned_u = turned(u[p]);
        to[0][p] = k[0] * turned_u;
        if (!plane) to[1][p] = k[1] * turned_u;
        to.back()[p] = k[2] * turned_u;
      });
    });
  }
  function.name = name;
  function.sure = solution.sure;
  return function;
}

template PointFunction<float> with_result(PointFunction<float>, const PoissonProblem&, const Problem&);
template PointFunction<double> with_result(PointFunction<double>, const PoissonProblem&, const Problem&);

}  // namespace weft::detail
