// The NAS Parallel Benchmarks' kernel FT without its transforms: random numbers, evolution, checksums, verification.
//
// NPB's x is the fastest axis, so that its grid nx x ny x nz is Weft's shape {nz, ny, nx}. Every function works on any
// box of the grid, kept in C order.
#pragma once

#include <array>
#include <complex>
#include <optional>
#include <span>
#include <vector>

#include "weft/index.hpp"

namespace weft::npb {

using Complex = std::complex<double>;

/// A problem; those without a name of NPB's, U, have no reference checksums.
struct Class {
  char name;
  Index nx, ny, nz;
  int iterations;
  Shape shape() const { return {nz, ny, nx}; }
  Index points() const { return nx * ny * nz; }
};

/// S, W, A, B, C, D, E, F.
std::span<const Class> classes();
/// None for an unknown name.
std::optional<Class> find_class(char name);

/// x <- a x mod 2^46, whose values are 2^-46 x. Any place of the sequence can be reached at once.
class RandomNumbers {
 public:
  static constexpr std::uint64_t seed = 314159265, multiplier = 1220703125;  // 5^13
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 46) - 1;

  /// multiplier^exponent mod 2^46
  static std::uint64_t power(std::uint64_t exponent);
  /// Values `first`, `first` + 1, ... (counted from 0) of the sequence.
  static void fill(std::uint64_t first, std::span<double> values);
};

/// The initial field: two random numbers a point, real then imaginary, x fastest.
void set_initial_conditions(const Class& grid, const Box& box, Complex* field);

/// The factors exp(-4 alpha pi^2 t |k|^2) that take a spectrum t steps of time further, kept as one row an axis: their
/// products are the factors of all points.
class Evolution {
 public:
  Evolution(const Class& grid, const Box& box);
  /// Takes the spectrum `from` `steps` further, into `to`, which may be the same array.
  void evolve(int steps, const Complex* from, Complex* to);

 private:
  void make_factors(int steps);

  Class grid_;
  Box box_;
  int steps_ = 0;                               ///< that the factors are for
  std::array<std::vector<double>, 3> factors_;  ///< of axis 2 twice each: real and imaginary part
};

/// The sum over this box's part of the 1024 points of NPB's checksum, divided by the number of points of the grid.
Complex partial_checksum(const Class& grid, const Box& box, const Complex* field);

/// |sum - reference| / |reference|; `iteration` counts from 1.
double checksum_error(const Class& grid, int iteration, Complex sum);
inline constexpr double checksum_tolerance = 1e-12;

/// Operations by NPB's formula, in millions.
double mega_operations(const Class& grid);

/// Bytes that P ranks exchange, by Shimizu's formula; each of several groups makes the spectrum for itself.
double exchange_volume(const Class& grid, int ranks, int groups = 1);

}  // namespace weft::npb
