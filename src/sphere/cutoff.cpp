// Spheres of plane waves given by lattice and cutoff energy.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/factors.hpp"
#include "base/text.hpp"
#include "weft/sphere.hpp"

namespace weft {

namespace {

using detail::concat;
using Vector = std::array<double, 3>;

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// The reciprocal lattice: b_i a_j = 2 pi if i = j, else 0.
std::array<Vector, 3> reciprocal(const std::array<Vector, 3>& a) {
  const double volume = dot(a[0], cross(a[1], a[2]));
  const double lengths = std::sqrt(dot(a[0], a[0]) * dot(a[1], a[1]) * dot(a[2], a[2]));
  if (!(std::abs(volume) > 1e-10 * lengths)) {
    throw Error(concat("lattice has the volume ", volume, "; three vectors that span space are needed"));
  }
  std::array<Vector, 3> b;
  for (std::size_t i = 0; i < 3; ++i) {
    b[i] = cross(a[(i + 1) % 3], a[(i + 2) % 3]);
    for (double& x : b[i]) x *= 2 * std::numbers::pi / volume;
  }
  return b;
}

constexpr double most_waves = 2147483648.0;

/// Largest |index| along each axis that the sphere reaches, rounded up: |n + k| <= |a| |k + G| / (2 pi).
std::array<Index, 3> reach(const Cutoff& cutoff) {
  if (!(cutoff.energy > 0) || !std::isfinite(cutoff.energy)) {
    throw Error(concat("energy is ", cutoff.energy, "; a positive number of hartree is needed"));
  }
  reciprocal(cutoff.lattice);
  std::array<Index, 3> most{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double length = std::sqrt(dot(cutoff.lattice[i], cutoff.lattice[i]) * 2 * cutoff.energy);
    const double indices = length / (2 * std::numbers::pi) + std::abs(cutoff.k[i]) + 1;
    if (!(indices < 1e6))
      throw Error(concat("the sphere reaches to index ", indices, "; less than 1000000 is allowed"));
    most[i] = static_cast<Index>(indices);
  }
  // All waves of the box around the sphere are looked at: to say that they are too many must not take minutes.
  const double waves = static_cast<double>(2 * most[0] + 1) * static_cast<double>(2 * most[1] + 1) *
                       static_cast<double>(2 * most[2] + 1);
  if (!(waves <= most_waves)) {
    throw Error(concat("energy is ", cutoff.energy, "; the sphere lies in a box of ", 2 * most[0] + 1, " x ",
                       2 * most[1] + 1, " x ", 2 * most[2] + 1, " plane waves; at most 2^31 are allowed"));
  }
  return most;
}

Index next_fast(Index n) {
  while (detail::without_factors(n, {2, 3, 5, 7}) != 1) ++n;
  return n;
}

}  // namespace

std::vector<GVector> plane_waves(const Cutoff& cutoff, bool gamma) {
  if (gamma && (cutoff.k[0] != 0 || cutoff.k[1] != 0 || cutoff.k[2] != 0)) {
    throw Error(concat("k is (", cutoff.k[0], ", ", cutoff.k[1], ", ", cutoff.k[2], "); with gamma it must be 0"));
  }
  const auto b = reciprocal(cutoff.lattice);
  const auto most = reach(cutoff);
  const double largest = 2 * cutoff.energy * (1 + 1e-12);  // rounding must not break shells
  std::vector<GVector> waves;
  for (Index y = -most[1]; y <= most[1]; ++y) {
    for (Index x = gamma ? 0 : -most[0]; x <= most[0]; ++x) {
      for (Index z = -most[2]; z <= most[2]; ++z) {
        if (gamma && x == 0 && (y < 0 || (y == 0 && z < 0))) continue;
        const double n[3] = {static_cast<double>(x) + cutoff.k[0], static_cast<double>(y) + cutoff.k[1],
                             static_cast<double>(z) + cutoff.k[2]};
        double square = 0;
        for (std::size_t i = 0; i < 3; ++i) {
          const double g = n[0] * b[0][i] + n[1] * b[1][i] + n[2] * b[2][i];
          square += g * g;
        }
        if (square <= largest) waves.push_back({x, y, z});
      }
    }
  }
  return waves;
}

std::array<Index, 3> sphere_grid(const Cutoff& cutoff, double box_cut) {
  if (!(box_cut >= 1) || !(box_cut <= 1000)) throw Error(concat("box_cut is ", box_cut, "; 1 to 1000 is allowed"));
  std::array<Index, 3> most{};
  for (const GVector& wave : plane_waves(cutoff)) {
    for (std::size_t i = 0; i < 3; ++i) most[i] = std::max(most[i], std::abs(wave[i]));
  }
  std::array<Index, 3> grid{};
  for (std::size_t i = 0; i < 3; ++i) {
    grid[i] = next_fast(static_cast<Index>(std::ceil(2 * box_cut * static_cast<double>(most[i]))) + 1);
  }
  return grid;
}

}  // namespace weft
