// Whole fields of Poisson's equation, on every rank.
#pragma once

#include <vector>

#include "support.hpp"
#include "weft/poisson.hpp"

namespace weft::test {

/// The place of a point in a field in C order.
inline std::size_t at(const Shape& n, const Shape& i) {
  return static_cast<std::size_t>((i[0] * n[1] + i[1]) * n[2] + i[2]);
}

/// All of u, on every rank. All walls have the value.
inline std::vector<double> solved(const PoissonProblem& problem, const std::vector<double>& whole, double value = 0) {
  Poisson<double> solver(problem, MPI_COMM_WORLD);
  for (std::size_t axis = 0; axis < 3 && value != 0; ++axis) {
    for (const int end : {0, 1}) {
      const Side side = problem.sides[axis][static_cast<std::size_t>(end)];
      if (side != Side::even && side != Side::odd) continue;
      const auto size = static_cast<std::size_t>(solver.wall_size(axis, end));
      solver.set_wall(axis, end, std::vector<double>(size, value));
    }
  }
  std::vector<double> f(static_cast<std::size_t>(solver.input_size())),
      u(static_cast<std::size_t>(solver.output_size()));
  std::size_t next = 0;
  verify::for_points(solver.input_box(), [&](const Shape& i) { f[next++] = whole[at(problem.shape, i)]; });
  solver(f, u);
  std::vector<double> all(whole.size());
  next = 0;
  verify::for_points(solver.output_box(), [&](const Shape& i) { all[at(problem.shape, i)] = u[next++]; });
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

}  // namespace weft::test
