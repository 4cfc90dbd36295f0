// What the passes of a sphere are, take, and are run by.
#include <algorithm>

#include "sphere/pass.hpp"

namespace weft::detail {

namespace {

bool goes(const Pass& pass, Way way) {
  return std::any_of(pass.transforms.begin(), pass.transforms.end(),
                     [way](const LineTransform& transform) { return transform.way == way; });
}

}  // namespace

bool of_columns(const Pass& pass) { return pass.transforms.front().axis == 0; }
bool to_space(const Pass& pass) { return goes(pass, Way::to_space); }
bool from_space(const Pass& pass) { return goes(pass, Way::to_spectrum); }

Work SphereData::work_of(const Pass& pass, const Unit& unit) const {
  const auto [nx, ny, nz] = problem.grid;
  const Index number = bytes_of(Number::complex, problem.precision);
  const auto flops = [](Index count, Index n, LineType type) {
    return static_cast<double>(count) * traits_of(type).flops(n);
  };
  if (of_columns(pass)) {
    const Index here = unit.in.extent(2);
    const Index all_waves = static_cast<Index>(waves.places.size());
    const Index its_waves = all_waves * here / std::max<Index>(1, static_cast<Index>(waves.columns.size()));
    const double of_blocks = to_space(pass) ? pass.written_bytes : pass.read_bytes;
    return {flops(here, nz, LineType::c2c),
            static_cast<double>(here * nz) * of_blocks + static_cast<double>(its_waves * number)};
  }
  // Lines that are not empty first; across them all of the other axis, which at Gamma is real in space.
  const Index present = static_cast<Index>(lines.size());
  const double plane = problem.gamma ? flops(present, ny, LineType::c2c) + flops(ny, nx, LineType::c2r)
                                     : flops(present, nx, LineType::c2c) + flops(nx, ny, LineType::c2c);
  const Index points = nx * ny * number / (problem.gamma ? 2 : 1);
  const Index ways = static_cast<Index>(to_space(pass)) + static_cast<Index>(from_space(pass));
  const double planes_here = static_cast<double>(unit.in.extent(0));
  const double of_blocks = (to_space(pass) ? pass.read_bytes : 0) + (from_space(pass) ? pass.written_bytes : 0);
  const double blocks = static_cast<double>(sticks.all.size()) * of_blocks;
  return {planes_here * plane * static_cast<double>(ways), planes_here * (blocks + static_cast<double>(points))};
}

std::unique_ptr<PassRunner> SphereData::make_runner(const Pass& pass, View in, View out, const Options& options) const {
  const auto make = of_columns(pass) ? make_sphere_columns
                    : problem.gamma  ? make_sphere_real_planes
                                     : make_sphere_planes;
  return make(*this, pass, std::move(in), std::move(out), options);
}

}  // namespace weft::detail
