// What the passes of a sphere are, cost, and are run by.
#include <algorithm>

#include "plan/cost.hpp"
#include "sphere/pass.hpp"

namespace weft::detail {

namespace {

bool goes(const Pass& pass, Way way) {
  return std::any_of(pass.transforms.begin(), pass.transforms.end(),
                     [way](const LineTransform& transform) { return transform.way == way; });
}

}  // namespace

bool of_columns(const Pass& pass) { return pass.transforms.front().axis == 0; }
bool of_y_lines(const Pass& pass) { return pass.transforms.size() == 1 && pass.transforms.front().axis == 1; }
bool to_space(const Pass& pass) { return goes(pass, Way::to_space); }
bool from_space(const Pass& pass) { return goes(pass, Way::to_spectrum); }

Range SphereData::rows_here() const {
  const Box box = space.box(rank);
  return {box.lo[1], std::max(box.lo[1], box.hi[1])};
}

Index SphereData::columns_of_part() const {
  Index count = 0;
  for (const Box& box : planes.boxes(rank)) count += box.extent(2);
  return count;
}

Index SphereData::numbers_of_plane() const {
  const Range rows = rows_here();
  return static_cast<Index>(on_grid() ? lines.size() : sticks.all.size()) * (on_grid() ? rows.hi - rows.lo : 1);
}

Cost SphereData::cost_of(const Pass& pass, const Unit& unit) const {
  const auto [nx, ny, nz] = problem.grid;
  const auto number = static_cast<double>(bytes_of(Number::complex, problem.precision));
  if (of_columns(pass)) {
    const Index here = unit.in.extent(2);
    const Index all_waves = static_cast<Index>(waves_of(pass.transforms.front().way).size());
    const Index its_waves = all_waves * here / std::max<Index>(1, static_cast<Index>(waves.columns.size()));
    Cost cost{.lines = {{LineType::c2c, true, nz, static_cast<double>(here)}}, .whole = nz};
    const double of_waves = static_cast<double>(its_waves) * number, of_columns = static_cast<double>(here * nz);
    cost.read = to_space(pass) ? of_waves : of_columns * pass.read_bytes;
    cost.written = to_space(pass) ? of_columns * pass.written_bytes : of_waves;
    return cost;
  }
  const auto planes_here = static_cast<double>(unit.in.extent(0));
  if (of_y_lines(pass)) {
    const auto here = planes_here * static_cast<double>((to_space(pass) ? unit.out : unit.in).extent(2));
    Cost cost{.lines = {{LineType::c2c, true, ny, here}}, .whole = ny};
    const double of_columns = planes_here * static_cast<double>(columns_of_part());
    const double of_lines = here * static_cast<double>(ny);
    cost.read = (to_space(pass) ? of_columns : of_lines) * pass.read_bytes;
    cost.written = (to_space(pass) ? of_lines : of_columns) * pass.written_bytes;
    return cost;
  }
  const double ways = (to_space(pass) ? 1 : 0) + (from_space(pass) ? 1 : 0);
  // Lines that are not empty first; across them all of the other axis, which at Gamma is real in space.
  const double present = planes_here * ways * static_cast<double>(lines.size());
  const Range rows = rows_here();
  const auto rows_of_plane = static_cast<double>(rows.hi - rows.lo);
  const double blocks = planes_here * static_cast<double>(numbers_of_plane());
  const double points = planes_here * static_cast<double>(nx) * rows_of_plane * number / (problem.gamma ? 2 : 1);
  Cost cost{.lines = {}, .whole = nx * (rows.hi - rows.lo)};
  if (on_grid()) {
    const LineType along_x = problem.gamma ? LineType::c2r : LineType::c2c;
    cost.lines = {{along_x, false, nx, planes_here * ways * rows_of_plane}};
  } else if (problem.gamma) {
    cost.lines = {{LineType::c2c, true, ny, present},
                  {LineType::c2r, false, nx, planes_here * ways * static_cast<double>(ny)}};
  } else {
    cost.lines = {{LineType::c2c, true, nx, present},
                  {LineType::c2c, true, ny, planes_here * ways * static_cast<double>(nx)}};
  }
  // With a field between the two ways, its points are read.
  cost.read = to_space(pass) ? blocks * pass.read_bytes : points;
  cost.written = from_space(pass) ? blocks * pass.written_bytes : points;
  if (ways > 1) cost.read += points;
  return cost;
}

std::unique_ptr<PassRunner> SphereData::make_runner(const Pass& pass, View in, View out, const Options& options) const {
  const auto make = of_columns(pass)   ? make_sphere_columns
                    : of_y_lines(pass) ? make_sphere_y_lines
                    : y_first()        ? make_sphere_rows
                                       : make_sphere_planes;
  return make(*this, pass, std::move(in), std::move(out), options);
}

}  // namespace weft::detail
