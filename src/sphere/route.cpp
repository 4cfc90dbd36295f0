// One rank's routes between the columns of a sphere and space.
#include <algorithm>
#include <initializer_list>
#include <set>

#include "base/buffer.hpp"
#include "base/checked.hpp"
#include "base/text.hpp"
#include "plan/bounds.hpp"
#include "plan/options.hpp"
#include "plan/route.hpp"
#include "plan/settle.hpp"
#include "sphere/process_grid.hpp"
#include "sphere/sphere.hpp"

namespace weft {

void SphereProblem::check() const {
  using detail::concat;
  Index numbers = detail::bytes_of(detail::Number::complex, precision);
  for (const Index n : grid) {
    if (n < 1 || n > 1 << 26) {
      throw Error(concat("grid is ", grid[0], " x ", grid[1], " x ", grid[2], "; every extent must be from 1 to 2^26"));
    }
    numbers = detail::multiply(numbers, n, "the size of a band in bytes");
  }
  if (padded[0] != 0 && padded[0] < grid[0]) {
    throw Error(concat("padded is ", padded[0], " x ", padded[1], "; rows of at least the grid's ", grid[0],
                       " points are needed, or 0 for these"));
  }
  if (padded[1] < 0) {
    throw Error(concat("padded is ", padded[0], " x ", padded[1],
                       "; planes of at least the rows that a rank has are needed, or 0 for these"));
  }
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const Index times = (std::max(padded[axis], grid[axis]) - 1) / grid[axis] + 1;
    numbers = detail::multiply(numbers, times, "padded: the size of a band in bytes");
  }
  if (spinors && gamma) {
    throw Error("spinors is true; with gamma true only false is allowed: components of spinors are complex in space");
  }
  if (howmany < 1) throw Error(concat("howmany is ", howmany, "; at least 1 is needed"));
  detail::multiply(numbers, howmany, "the size of the bands in bytes");
}

namespace detail {

void check_problem(const SphereProblem& problem) {
  problem.check();
  require_lines("grid", problem.grid, bytes_of(Number::complex, problem.precision));
}

void check_groups(const Options& backward, const Options& forward, int ranks) {
  if (backward.groups < 1 || ranks % backward.groups != 0) {
    throw Error(concat("groups is ", backward.groups, "; with a sphere it must divide the number of ranks, ", ranks));
  }
  if (forward.groups != backward.groups) {
    throw Error(concat("groups is ", backward.groups, " backward and ", forward.groups, " forward; one is needed"));
  }
}

namespace {

Layout planes_of(const Shape& shape, int ranks, const std::vector<Index>& planes) {
  if (planes.empty()) return Layout::slab(shape, ranks, 0);
  std::vector<Box> boxes;
  Index lo = 0;
  for (std::size_t rank = 0; rank < planes.size(); ++rank) {
    if (planes[rank] < 0) throw Error(concat("planes is ", planes[rank], " on rank ", rank, "; at least 0 is needed"));
    boxes.push_back({{lo, 0, 0}, {lo + planes[rank], shape[1], shape[2]}});
    lo += planes[rank];
  }
  if (lo != shape[0]) {
    throw Error(concat("the ranks' planes are ", lo, " together; the grid has ", shape[0], " along z"));
  }
  return Layout::bricks(shape, boxes);
}

double scale_of(const SphereProblem& problem, Direction direction) {
  double points = 1;
  for (const Index n : problem.grid) points *= static_cast<double>(n);
  return detail::scale_of(problem.normalization, direction, points);
}

int complex_bytes(const SphereData& sphere) { return bytes_of(Number::complex, sphere.problem.precision); }
int real_bytes(const SphereData& sphere) { return bytes_of(Number::real, sphere.problem.precision); }
int space_bytes(const SphereData& sphere) { return sphere.problem.gamma ? real_bytes(sphere) : complex_bytes(sphere); }

/// The ends of a route.
Array waves_array(const SphereData& sphere, Way way) {
  const Index waves = static_cast<Index>(sphere.waves_of(way).size());
  return {.box = {{0, 0, 0}, {1, 1, waves}}, .element_bytes = complex_bytes(sphere), .row = waves, .item = waves};
}
/// Its box has what lies beyond the points, too.
Array space_array(const SphereData& sphere, int element_bytes) {
  Box box = sphere.space.box(sphere.rank);
  for (std::size_t axis = 0; axis < 3 && !box.empty(); ++axis) box.hi[axis] = box.lo[axis] + sphere.space_extents[axis];
  return {.box = box, .element_bytes = element_bytes, .row = box.extent(2), .item = box.count()};
}

/// Of this rank's arrays in space, with what lies beyond the points.
Shape extents_in_memory(const SphereData& sphere) {
  const auto [row, rows] = sphere.problem.padded;
  const auto [nx, ny, nz] = sphere.problem.grid;
  const Box box = sphere.space.box(sphere.rank);
  Index most = 1;
  for (int rank = 0; rows != 0 && rank < sphere.space.ranks(); ++rank) {
    most = std::max(most, sphere.space.box(rank).extent(1));
  }
  if (rows != 0 && rows < most) {
    throw Error(
        concat("padded is ", row, " x ", rows, "; planes of at least ", most, " rows are needed, or 0 for these"));
  }
  return {box.empty() ? 0 : box.extent(0), rows != 0 ? rows : box.empty() ? ny : box.extent(1), row != 0 ? row : nx};
}

/// To space is backward.
LineTransform line_along(int axis, LineType type, Way way) { return {axis, type, way, way == Way::to_space ? +1 : -1}; }
Direction direction_of(Way way) { return way == Way::to_space ? Direction::backward : Direction::forward; }

Stage columns_stage(const SphereData& sphere, Way way) {
  const int bytes = complex_bytes(sphere);
  Stage stage{{line_along(0, LineType::c2c, way)}, sphere.columns, sphere.columns, bytes, bytes};
  stage.special = &sphere;
  stage.direction = direction_of(way);
  return stage;
}

/// On a grid of processes: lines along y, between columns and rows.
Stage y_lines_stage(const SphereData& sphere, Way way) {
  const int bytes = complex_bytes(sphere);
  Stage stage{{line_along(1, LineType::c2c, way)}, sphere.planes, sphere.y_lines, bytes, bytes};
  if (way == Way::to_spectrum) std::swap(stage.in, stage.out);
  stage.by_planes = true;
  stage.special = &sphere;
  stage.direction = direction_of(way);
  return stage;
}

/// Transforms of planes, or on a grid of processes of rows along x: to space, from there, or both with something in
/// between.
Stage planes_stage(const SphereData& sphere, std::initializer_list<Way> ways, Pointwise pointwise) {
  const Layout& lines = sphere.on_grid() ? sphere.x_rows : sphere.planes;
  Stage stage{{}, lines, lines, complex_bytes(sphere), complex_bytes(sphere), pointwise, &sphere};
  if (pointwise != Pointwise::none) stage.together = together(sphere.problem);
  const bool real = sphere.problem.gamma;
  for (const Way way : ways) {
    const bool to_space = way == Way::to_space;
    const LineTransform x = line_along(2, !real ? LineType::c2c : to_space ? LineType::c2r : LineType::r2c, way);
    const LineTransform y = line_along(1, LineType::c2c, way);
    stage.direction = direction_of(way);
    if (sphere.on_grid()) {
      stage.transforms.push_back(x);
      continue;
    }
    // Lines that are not all zero come first on the way to space, and last on the way back.
    for (const LineTransform& line : real == to_space ? std::array{y, x} : std::array{x, y}) {
      stage.transforms.push_back(line);
    }
  }
  if (stage.transforms.front().way == Way::to_spectrum) {
    stage.in = sphere.space;
    stage.in_bytes = space_bytes(sphere);
  }
  if (stage.transforms.back().way == Way::to_space) {
    stage.out = sphere.space;
    stage.out_bytes = pointwise == Pointwise::accumulate ? real_bytes(sphere) : space_bytes(sphere);
  }
  return stage;
}

Route route_between(const SphereData& sphere, const std::vector<Stage>& stages, Array input, Array output, double scale,
                    const RouteOptions& options) {
  input.where = Array::Where::input;
  output.where = Array::Where::output;
  return make_route(stages, {.scale = scale, .real_bytes = real_bytes(sphere), .input = input, .output = output},
                    options, sphere.problem.howmany, sphere.rank);
}

/// All that happens between columns and space, and back, if `ways` lead there; the pass that reaches space goes them.
std::vector<Stage> stages_of(const SphereData& sphere, std::initializer_list<Way> ways, Pointwise pointwise) {
  const auto goes = [&](Way way) { return std::find(ways.begin(), ways.end(), way) != ways.end(); };
  std::vector<Stage> stages;
  if (goes(Way::to_space)) {
    stages.push_back(columns_stage(sphere, Way::to_space));
    if (sphere.on_grid()) stages.push_back(y_lines_stage(sphere, Way::to_space));
  }
  stages.push_back(planes_stage(sphere, ways, pointwise));
  if (goes(Way::to_spectrum)) {
    if (sphere.on_grid()) stages.push_back(y_lines_stage(sphere, Way::to_spectrum));
    stages.push_back(columns_stage(sphere, Way::to_spectrum));
  }
  return stages;
}

/// To space.
std::vector<Stage> backward_stages(const SphereData& sphere) {
  return stages_of(sphere, {Way::to_space}, Pointwise::none);
}

Route make_backward_route(const SphereData& sphere) {
  return route_between(sphere, backward_stages(sphere), waves_array(sphere, Way::to_space),
                       space_array(sphere, space_bytes(sphere)), scale_of(sphere.problem, Direction::backward),
                       {sphere.forward_options, sphere.backward_options});
}

Route make_forward_route(const SphereData& sphere) {
  return route_between(sphere, stages_of(sphere, {Way::to_spectrum}, Pointwise::none),
                       space_array(sphere, space_bytes(sphere)), waves_array(sphere, Way::to_spectrum),
                       scale_of(sphere.problem, Direction::forward), {sphere.forward_options, sphere.backward_options});
}

/// The grid of processes that the options ask for: either direction may say it.
std::array<int, 2> asked_grid(const Options& backward, const Options& forward) {
  const std::array<int, 2> none{0, 0};
  if (backward.process_grid == none) return forward.process_grid;
  if (forward.process_grid != none && forward.process_grid != backward.process_grid) {
    throw Error(concat("process_grid is ", backward.get("process_grid"), " backward and ", forward.get("process_grid"),
                       " forward; one is needed"));
  }
  return backward.process_grid;
}

/// Lines of a plane that hold a column, in the direction in which planes are transformed first.
std::vector<std::int32_t> lines_of(const Sticks& sticks) {
  std::set<std::int32_t> lines;
  for (const Stick& stick : sticks.all) {
    lines.insert(sticks.real ? stick.x : stick.y);
  }
  return {lines.begin(), lines.end()};
}

}  // namespace

std::shared_ptr<const SphereData> make_sphere(const SphereProblem& problem, const Options& backward,
                                              const Options& forward, SphereParts parts) {
  check_problem(problem);
  for (const Options* options : {&backward, &forward}) {
    check_options(*options, Operation::sphere, parts.sticks.ranks());
    if (options->groups > 1)
      throw Error(concat("groups is ", options->groups, "; a plan of a sphere without MPI needs 1"));
  }
  auto sphere = std::make_shared<SphereData>();
  sphere->problem = problem;
  sphere->problem.howmany = round_up(problem.howmany, together(problem));
  sphere->rank = parts.rank;
  sphere->sticks = std::move(parts.sticks);
  sphere->waves = std::move(parts.waves);
  const Sticks& sticks = sphere->sticks;
  const int ranks = sticks.ranks();
  if (sticks.all.empty()) throw Error("no rank has a plane wave; at least one is needed");
  const auto [nx, ny, nz] = problem.grid;
  const Shape grid{nz, 1, static_cast<Index>(sticks.all.size())};
  std::vector<Box> columns;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
    columns.push_back({{0, 0, sticks.first[rank]}, {nz, 1, sticks.first[rank + 1]}});
  }
  sphere->columns = Layout::bricks(grid, columns);
  sphere->process_grid = choose_process_grid(*sphere, asked_grid(backward, forward), ranks, !parts.planes.empty());
  if (sphere->on_grid()) {
    const auto [p, q] = sphere->process_grid;
    sphere->lines = deal_lines(sticks, q);
    sort_by_part(sphere->sticks, sphere->waves, sphere->lines, q);
    const auto lines = static_cast<Index>(sphere->lines.size());
    sphere->planes = layout_of_parts(grid, sticks, sphere->lines, sphere->process_grid);
    sphere->y_lines = Layout::grid({nz, ny, lines}, {p, 1, q});
    sphere->x_rows = Layout::grid({nz, ny, lines}, {p, q, 1});
    sphere->space = Layout::grid({nz, ny, nx}, {p, q, 1});
  } else {
    sphere->planes = planes_of(grid, ranks, parts.planes);
    sphere->space = planes_of({nz, ny, nx}, ranks, parts.planes);
    sphere->lines = lines_of(sticks);
  }
  sphere->space_extents = extents_in_memory(*sphere);
  const std::vector<Stage> stages = backward_stages(*sphere);
  sphere->backward_options = settled(backward, stages, sphere->problem.howmany);
  sphere->forward_options = settled(forward, stages, sphere->problem.howmany);
  sphere->backward = make_backward_route(*sphere);
  sphere->forward = make_forward_route(*sphere);
  return sphere;
}

Route make_density_route(const SphereData& sphere) {
  return route_between(sphere, stages_of(sphere, {Way::to_space}, Pointwise::accumulate),
                       waves_array(sphere, Way::to_space), space_array(sphere, real_bytes(sphere)),
                       scale_of(sphere.problem, Direction::backward),
                       {sphere.forward_options, sphere.backward_options});
}

Route make_apply_route(const SphereData& sphere) {
  Options forward = sphere.forward_options;
  forward.strategy = sphere.backward_options.strategy;
  // What comes to space in tiles of planes leaves it in the same.
  if (sphere.on_grid()) forward = sphere.backward_options;
  return route_between(sphere, stages_of(sphere, {Way::to_space, Way::to_spectrum}, Pointwise::multiply),
                       waves_array(sphere, Way::to_space), waves_array(sphere, Way::to_spectrum),
                       scale_of(sphere.problem, Direction::backward) * scale_of(sphere.problem, Direction::forward),
                       {forward, sphere.backward_options});
}

}  // namespace detail

}  // namespace weft
