#include "line.hpp"

#include <fftw3-mpi.h>

#include "weft/plan.hpp"

namespace weft::fftw {

LineOrder line_order(int sign, unsigned flags) {
  const bool in = (flags & FFTW_MPI_SCRAMBLED_IN) != 0, out = (flags & FFTW_MPI_SCRAMBLED_OUT) != 0;
  if (in || out) return {out, true};
  return {sign == FFTW_FORWARD, false};
}

LineShares line_shares(Index n, const LineOrder& order, int ranks, int rank) {
  const Shape grid = line_grid(n);
  if (grid[0] == 1) {
    // Of a grid that is one row, the plan says who has which part of it.
    const Plan plan(line_problem(n), {.transposed = order.scrambled}, ranks, rank);
    const auto places = [](const Box& box) { return box.empty() ? Range{0, 0} : Range{box.lo[2], box.hi[2]}; };
    const Range space = places(plan.input().box(rank)), spectrum = places(plan.output().box(rank));
    return order.to_spectrum ? LineShares{space, spectrum} : LineShares{spectrum, space};
  }
  const auto share = [&](Index rows, Index row) {
    const Range mine = split(rows, ranks, rank);
    return Range{mine.lo * row, mine.hi * row};
  };
  const Range space = share(grid[0], grid[2]);
  const Range spectrum = order.scrambled ? space : share(grid[2], grid[0]);
  return order.to_spectrum ? LineShares{space, spectrum} : LineShares{spectrum, space};
}

}  // namespace weft::fftw
