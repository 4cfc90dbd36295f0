#include "npb_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/simulation.hpp"

namespace weft::npb {

namespace {

constexpr Class all_classes[] = {
    {'S', 64, 64, 64, 6},     {'W', 128, 128, 32, 6},      {'A', 256, 256, 128, 6},     {'B', 512, 256, 256, 20},
    {'C', 512, 512, 512, 20}, {'D', 2048, 1024, 1024, 25}, {'E', 4096, 2048, 2048, 25}, {'F', 8192, 4096, 4096, 25},
};

struct Reference {
  char name;
  int iteration;
  double real, imaginary;
};

constexpr Reference references[] = {
#include "npb_checksums.inc"
};

// What the kernel's own loops take where time is simulated: operations a point as NPB's own count has them (see
// mega_operations), and the bytes that pass through memory.
constexpr double initial_flops = 14.8157, iteration_flops = 5.23518;

void charge_points(const Box& box, double flops, double bytes) {
  const auto points = static_cast<double>(box.count());
  detail::charge({.flops = points * flops, .bytes = points * bytes});
}

/// Calls work(i0, i1, data of the row) for every row of the box.
template <class Work>
void for_each_row(const Box& box, Work&& work) {
  if (box.empty() || detail::sizes_only()) return;
  Index row = 0;
  for (Index i0 = box.lo[0]; i0 < box.hi[0]; ++i0) {
    for (Index i1 = box.lo[1]; i1 < box.hi[1]; ++i1, ++row) work(i0, i1, row * box.extent(2));
  }
}

}  // namespace

std::span<const Class> classes() { return all_classes; }

std::optional<Class> find_class(char name) {
  for (const Class& known : all_classes) {
    if (known.name == name) return known;
  }
  return std::nullopt;
}

std::uint64_t RandomNumbers::power(std::uint64_t exponent) {
  // Wrapping at 2^64 does no harm: 2^46 divides it.
  std::uint64_t result = 1;
  for (std::uint64_t square = multiplier; exponent != 0; exponent >>= 1, square = square * square & mask) {
    if ((exponent & 1) != 0) result = result * square & mask;
  }
  return result;
}

void RandomNumbers::fill(std::uint64_t first, std::span<double> values) {
  // Several sequences side by side, each `lanes` steps at a time: one alone would wait for its own multiplications.
  constexpr std::size_t lanes = 8;
  std::uint64_t x[lanes];
  x[0] = power(first + 1) * seed & mask;
  for (std::size_t lane = 1; lane < lanes; ++lane) x[lane] = x[lane - 1] * multiplier & mask;
  const std::uint64_t stride = power(lanes);
  for (std::size_t at = 0; at < values.size(); at += lanes) {
    const std::size_t count = std::min(lanes, values.size() - at);
    for (std::size_t lane = 0; lane < count; ++lane) values[at + lane] = 0x1p-46 * static_cast<double>(x[lane]);
    for (std::size_t lane = 0; lane < lanes; ++lane) x[lane] = x[lane] * stride & mask;
  }
}

void set_initial_conditions(const Class& grid, const Box& box, Complex* field) {
  charge_points(box, initial_flops, sizeof(Complex));
  for_each_row(box, [&](Index z, Index y, Index row) {
    const Index first = 2 * ((z * grid.ny + y) * grid.nx + box.lo[2]);
    // A complex number is two doubles, real part first: the standard says so.
    RandomNumbers::fill(static_cast<std::uint64_t>(first),
                        {reinterpret_cast<double*>(field + row), static_cast<std::size_t>(2 * box.extent(2))});
  });
}

Evolution::Evolution(const Class& grid, const Box& box) : grid_(grid), box_(box) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Index extent = std::max<Index>(0, box.extent(static_cast<int>(axis)));
    factors_[axis].resize(static_cast<std::size_t>(axis == 2 ? 2 * extent : extent));
  }
}

void Evolution::make_factors(int steps) {
  if (steps == steps_) return;
  steps_ = steps;
  constexpr double alpha = 1e-6, pi = std::numbers::pi;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Index n = grid_.shape()[axis], each = axis == 2 ? 2 : 1;
    for (std::size_t i = 0; i < factors_[axis].size(); ++i) {
      const Index at = box_.lo[axis] + static_cast<Index>(i) / each;
      const auto k = static_cast<double>((at + n / 2) % n - n / 2);
      factors_[axis][i] = std::exp(-4 * alpha * pi * pi * steps * k * k);
    }
  }
}

void Evolution::evolve(int steps, const Complex* from, Complex* to) {
  make_factors(steps);
  charge_points(box_, iteration_flops, 2 * sizeof(Complex));
  const std::size_t numbers = factors_[2].size();
  const double* of_point = factors_[2].data();
  for_each_row(box_, [&](Index i0, Index i1, Index row) {
    const double of_row =
        factors_[0][static_cast<std::size_t>(i0 - box_.lo[0])] * factors_[1][static_cast<std::size_t>(i1 - box_.lo[1])];
    const auto* in = reinterpret_cast<const double*>(from + row);
    auto* out = reinterpret_cast<double*>(to + row);
    // Two loops, because compilers take possibly overlapping arrays element by element.
    if (in == out) {
      for (std::size_t i = 0; i < numbers; ++i) out[i] *= of_row * of_point[i];
    } else {
      for (std::size_t i = 0; i < numbers; ++i) out[i] = in[i] * (of_row * of_point[i]);
    }
  });
}

Complex partial_checksum(const Class& grid, const Box& box, const Complex* field) {
  // 1024 points in all, which is next to nothing; their operations are part of an iteration's.
  Complex sum = 0;
  const auto within = [&](int axis, Index i) { return box.lo[axis] <= i && i < box.hi[axis]; };
  for (Index j = 1; j <= 1024; ++j) {
    const Index x = j % grid.nx, y = 3 * j % grid.ny, z = 5 * j % grid.nz;
    if (!within(0, z) || !within(1, y) || !within(2, x)) continue;
    sum += field[((z - box.lo[0]) * box.extent(1) + y - box.lo[1]) * box.extent(2) + x - box.lo[2]];
  }
  return sum / static_cast<double>(grid.points());
}

double checksum_error(const Class& grid, int iteration, Complex sum) {
  for (const Reference& known : references) {
    if (known.name != grid.name || known.iteration != iteration) continue;
    const Complex reference(known.real, known.imaginary);
    return std::abs((sum - reference) / reference);
  }
  return std::numeric_limits<double>::infinity();
}

double mega_operations(const Class& grid) {
  const auto n = static_cast<double>(grid.points());
  return 1e-6 * n *
         (initial_flops + 7.19641 * std::log(n) + (iteration_flops + 7.21113 * std::log(n)) * grid.iterations);
}

double exchange_volume(const Class& grid, int ranks, int groups) {
  const double each = static_cast<double>(ranks) / groups;
  return (grid.iterations + groups) * 16.0 * static_cast<double>(grid.points()) * (each - 1) / each;
}

}  // namespace weft::npb
