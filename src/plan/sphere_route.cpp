// One rank's routes between the columns of a sphere and space.
#include <algorithm>
#include <set>

#include "base/checked.hpp"
#include "exchange/exchange.hpp"
#include "plan/bounds.hpp"
#include "plan/schedule.hpp"
#include "plan/sphere.hpp"
#include "plan/tiling.hpp"

namespace weft::detail {

void check_problem(const SphereProblem& problem) {
  Index numbers = 2 * (problem.precision == Precision::double_ ? 8 : 4);
  for (const Index n : problem.grid) {
    if (n < 1 || n > 1 << 26) {
      throw Error(concat("grid is ", problem.grid[0], " x ", problem.grid[1], " x ", problem.grid[2],
                         "; every extent must be from 1 to 2^26"));
    }
    numbers = multiply(numbers, n, "the size of a band in bytes");
  }
  if (problem.howmany < 1) throw Error(concat("howmany is ", problem.howmany, "; at least 1 is needed"));
  multiply(numbers, problem.howmany, "the size of the bands in bytes");
  require_lines("grid", problem.grid, problem.precision == Precision::double_ ? 16 : 8);
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

/// Options that mean something else, or nothing, for a sphere.
void check_options(const Options& options) {
  const auto refuse = [](const char* name, const std::string& value, const char* allowed) {
    throw Error(concat(name, " is ", value, "; a sphere needs ", allowed));
  };
  if (options.decomposition == Decomposition::pencil) refuse("decomposition", "pencil", "auto or slab");
  if (options.grid[0] != 0 || options.grid[1] != 0) refuse("grid", options.get("grid"), "0x0");
  if (options.groups > 1) refuse("groups", options.get("groups"), "1 in a plan without MPI");
  if (options.in_place) refuse("in_place", "true", "false");
  if (options.transposed) refuse("transposed", "true", "false");
  if (options.consume == Consume::early) refuse("consume", "early", "auto or late: lines need all tiles");
  if (options.input || options.output)
    throw Error("layouts are given; a sphere takes its layouts from its columns and planes");
}

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

/// Puts a route together from the works of its passes.
class Builder {
 public:
  explicit Builder(const SphereData& sphere)
      : sphere_(sphere),
        complex_bytes_(sphere.problem.precision == Precision::double_ ? 16 : 8),
        space_bytes_(sphere.problem.gamma ? complex_bytes_ / 2 : complex_bytes_) {}

  /// The ends of the route.
  Array waves() const {
    Array array;
    array.element_bytes = complex_bytes_;
    array.item = static_cast<Index>(sphere_.waves.places.size());
    array.row = array.item;
    array.box = {{0, 0, 0}, {1, 1, array.item}};
    return array;
  }
  /// `real`: a real number a point whatever the bands are.
  Array space(bool real = false) const {
    Array array;
    array.element_bytes = real ? complex_bytes_ / 2 : space_bytes_;
    array.box = sphere_.space.box(sphere_.rank);
    array.row = array.box.extent(2);
    array.item = array.box.count();
    return array;
  }

  void add_columns(SphereWork work, int sign) {
    stages_.push_back({{{0, LineType::c2c}}, sphere_.columns, sphere_.columns, complex_bytes_, complex_bytes_});
    works_.push_back({work, sign});
  }
  void add_planes(SphereWork work, int sign) {
    const bool real = sphere_.problem.gamma;
    const LineTransform x{2, !real ? LineType::c2c : sign > 0 ? LineType::c2r : LineType::r2c}, y{1, LineType::c2c};
    // Lines that are not all zero come first on the way to space, and last on the way back.
    std::vector<LineTransform> transforms = real ? std::vector{y, x} : std::vector{x, y};
    if (work == SphereWork::space_to_blocks) std::reverse(transforms.begin(), transforms.end());
    Stage stage{std::move(transforms), sphere_.planes, sphere_.planes, complex_bytes_, complex_bytes_};
    if (work == SphereWork::blocks_to_space || work == SphereWork::accumulate) {
      stage.out = sphere_.space;
      stage.out_bytes = work == SphereWork::accumulate ? complex_bytes_ / 2 : space_bytes_;
    }
    if (work == SphereWork::space_to_blocks) {
      stage.in = sphere_.space;
      stage.in_bytes = space_bytes_;
    }
    stages_.push_back(std::move(stage));
    works_.push_back({work, sign});
  }

  Route make(const Array& input, const Array& output, double scale) {
    Route route;
    route.input = input;
    route.input.where = Array::Where::input;
    route.output = output;
    route.output.where = Array::Where::output;
    RouteEnds ends;
    ends.input = route.input;
    ends.output = route.output;
    const Index howmany = sphere_.problem.howmany;
    require_route(stages_, options_after(0), howmany, sphere_.rank);
    // Bands that travel together are the same in all exchanges.
    const Cutting cutting = choose_cutting(stages_, options_after(0), howmany);
    for (std::size_t i = 0; i + 1 < stages_.size(); ++i) route.links.push_back(link(i, ends, cutting));
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      Pass pass;
      pass.transforms = stages_[i].transforms;
      pass.sphere = {works_[i].work, &sphere_};
      pass.sign = works_[i].sign;
      pass.in = stages_[i].in.box(sphere_.rank);
      pass.out = stages_[i].out.box(sphere_.rank);
      pass.layout = stages_[i].out;
      pass.in_bytes = stages_[i].in_bytes;
      pass.out_bytes = stages_[i].out_bytes;
      const auto exchange = [&](std::size_t l) { return l < route.links.size() ? &route.links[l].exchange : nullptr; };
      make_units(pass, i == 0 ? nullptr : exchange(i - 1), exchange(i), i + 1 == stages_.size(), cutting, howmany);
      route.passes.push_back(std::move(pass));
    }
    route.passes.back().scale = scale;
    make_schedule(route);
    place_buffers(route, howmany);
    return route;
  }

 private:
  const Options& options_after(std::size_t pass) const {
    return works_[pass].sign > 0 ? sphere_.backward_options : sphere_.forward_options;
  }

  Link link(std::size_t i, const RouteEnds& ends, const Cutting& bands) const {
    // The exchanges of a route share memory, so they share the strategy.
    Options options = options_after(i);
    options.strategy = options_after(0).strategy;
    Link link;
    link.is_exchange = true;
    ExchangePlan& exchange = link.exchange;
    describe_exchange(exchange, stages_[i], stages_[i + 1], options);
    // What is computed first is cut: columns, or planes. What comes next needs all of it.
    exchange.tile_axis = works_[i].sign > 0 ? 2 : 0;
    exchange.tiles_per_group = worthwhile_tiles(choose_cutting(stages_, options, sphere_.problem.howmany).tiles,
                                                exchange.from, exchange.tile_axis);
    const bool overlaps = find_strategy(options.strategy).traits.overlaps;
    // A band may be on its way while the next one is computed.
    exchange.window = options.window > 0 ? options.window : overlaps ? std::max(2, exchange.tiles_per_group) : 1;
    make_tiles(exchange, ends, options, bands, sphere_.problem.howmany, sphere_.rank);
    return link;
  }

  struct Work {
    SphereWork work;
    int sign;
  };
  const SphereData& sphere_;
  int complex_bytes_, space_bytes_;
  std::vector<Stage> stages_;
  std::vector<Work> works_;
};

Route make_backward_route(const SphereData& sphere) {
  Builder builder(sphere);
  builder.add_columns(SphereWork::waves_to_blocks, +1);
  builder.add_planes(SphereWork::blocks_to_space, +1);
  return builder.make(builder.waves(), builder.space(), scale_of(sphere.problem, Direction::backward));
}

Route make_forward_route(const SphereData& sphere) {
  Builder builder(sphere);
  builder.add_planes(SphereWork::space_to_blocks, -1);
  builder.add_columns(SphereWork::blocks_to_waves, -1);
  return builder.make(builder.space(), builder.waves(), scale_of(sphere.problem, Direction::forward));
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
  check_options(backward);
  check_options(forward);
  auto sphere = std::make_shared<SphereData>();
  sphere->problem = problem;
  sphere->backward_options = backward;
  sphere->forward_options = forward;
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
  sphere->planes = planes_of(grid, ranks, parts.planes);
  sphere->space = planes_of({nz, ny, nx}, ranks, parts.planes);
  sphere->lines = lines_of(sticks);
  sphere->backward = make_backward_route(*sphere);
  sphere->forward = make_forward_route(*sphere);
  return sphere;
}

Route make_density_route(const SphereData& sphere) {
  Builder builder(sphere);
  builder.add_columns(SphereWork::waves_to_blocks, +1);
  builder.add_planes(SphereWork::accumulate, +1);
  return builder.make(builder.waves(), builder.space(true), scale_of(sphere.problem, Direction::backward));
}

Route make_apply_route(const SphereData& sphere) {
  Builder builder(sphere);
  builder.add_columns(SphereWork::waves_to_blocks, +1);
  builder.add_planes(SphereWork::multiply, -1);
  builder.add_columns(SphereWork::blocks_to_waves, -1);
  return builder.make(builder.waves(), builder.waves(),
                      scale_of(sphere.problem, Direction::backward) * scale_of(sphere.problem, Direction::forward));
}

}  // namespace weft::detail
