// The transforms of a sphere as plans.
//
// Between the two ends there is an ordinary exchange: all columns, rank after rank, make a grid of n_z x 1 x columns,
// of which a rank holds its columns before and its planes after. Tiles, strategies, schedule and buffers are those of
// any other transform; only the passes know what a column is. On a grid of processes a second exchange follows, from
// lines along y to rows along x (process_grid.hpp).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plan/stages.hpp"
#include "sphere/sticks.hpp"
#include "weft/sphere.hpp"

namespace weft::detail {

/// What all plans of a sphere share. Its passes are those of columns (along z) and of planes, or on a grid of processes
/// of lines along y and of rows along x, to space or from there by the ways of their transforms.
struct SphereData final : SpecialPass {
  SphereProblem problem;
  Options backward_options, forward_options;
  int rank = 0;
  Sticks sticks;
  Waves waves;            ///< this rank's
  Layout columns;         ///< of the grid n_z x 1 x columns
  Layout planes;          ///< the same grid where columns are transformed across the planes
  Layout space;           ///< n_z x n_y x n_x
  Shape space_extents{};  ///< of this rank's arrays in space in memory: planes, rows, points
  /// Rows and columns of ranks: these have the planes of z, and those of a row share them. One column: whole planes.
  std::array<int, 2> process_grid{1, 1};
  Layout y_lines, x_rows;  ///< on a grid: n_z x n_y x lines, where y is whole, and where the lines are
  /// The lines of a plane that are not empty, which are transformed first: their y; if `y_first`, their x.
  std::vector<std::int32_t> lines;
  Route backward, forward;

  /// This rank's waves that go to space, and those that come from there.
  const std::vector<WavePlace>& waves_of(Way way) const {
    return way == Way::to_space ? waves.places : waves.results();
  }
  /// Whether ranks share planes.
  bool on_grid() const { return process_grid[1] > 1; }
  /// Whether lines of a plane along y are transformed first on the way to space.
  bool y_first() const { return problem.gamma || on_grid(); }
  /// Points from a row to the next, and from a plane to the next, of arrays in space.
  Index row() const { return space_extents[2]; }
  Index plane() const { return space_extents[1] * space_extents[2]; }
  /// Fields that points are multiplied by, or summed into, and numbers of each.
  Index fields() const { return problem.spinors ? 4 : 1; }
  Index field_numbers() const { return space_extents[0] * plane(); }
  /// The y that this rank has in space.
  Range rows_here() const;
  /// Columns that this rank has where they are transformed across the planes.
  Index columns_of_part() const;
  /// Numbers of a plane that come to, or leave, the pass that reaches space.
  Index numbers_of_plane() const;

  Cost cost_of(const Pass& pass, const Unit& unit) const override;
  std::unique_ptr<PassRunner> make_runner(const Pass& pass, View in, View out, const Options& options) const override;
};

/// Which of a sphere's passes it is: along z; along y alone; else it reaches space.
bool of_columns(const Pass& pass);
bool of_y_lines(const Pass& pass);
/// Whether some of its transforms lead to space, and to the spectrum.
bool to_space(const Pass& pass);
bool from_space(const Pass& pass);

/// What a rank knows before it plans: its own waves, and everybody's columns and planes.
struct SphereParts {
  Sticks sticks;
  Waves waves;
  std::vector<Index> planes;  ///< of each rank; empty: dealt evenly
  int rank = 0;
};

/// Bands that are never apart: the components of a spinor.
inline Index together(const SphereProblem& problem) { return problem.spinors ? 2 : 1; }
/// Error for values that the types allow and a sphere does not.
void check_problem(const SphereProblem& problem);
/// Error unless both directions have the same number of groups, and it divides that of the ranks.
void check_groups(const Options& backward, const Options& forward, int ranks);

std::shared_ptr<const SphereData> make_sphere(const SphereProblem& problem, const Options& backward,
                                              const Options& forward, SphereParts parts);

/// The two other routes, which have no array in space: sums into one, or products on the way through.
Route make_density_route(const SphereData& sphere);
Route make_apply_route(const SphereData& sphere);

}  // namespace weft::detail
