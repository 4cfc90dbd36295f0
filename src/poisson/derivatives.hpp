// What a solver gives besides its solution: derivatives of it.
#pragma once

#include "weft/poisson.hpp"

namespace weft::detail {

/// The symbol of a first derivative, what is beside i, of a wave that turns by `angle` from point to point, times the
/// distance of points. Of differences the central ones of the order of the stencil, of compact ones Lele's (1992,
/// equations 2.1.6 and 2.1.7).
double derivative_symbol(double angle, Stencil stencil);

/// Those along an axis, for each place in the spectrum of `transforms`. None at the Nyquist frequency, which has no
/// sign.
std::vector<double> derivative_symbols(const Problem& transforms, std::size_t axis, Stencil stencil);

/// The function that gives `problem.result`, from the one that gives the solution; between walls it gives that, and
/// GradientInSpace the rest.
template <class Real>
PointFunction<Real> with_result(PointFunction<Real> solution, const PoissonProblem& problem, const Problem& transforms);

}  // namespace weft::detail
