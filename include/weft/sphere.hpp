// Transforms of wave functions: from a sphere of plane waves to space and back, without touching the zeroes around it.
//
//   auto waves = weft::plane_waves({.lattice = {{{10, 0, 0}, {0, 10, 0}, {0, 0, 10}}}, .energy = 15});
//   auto mine = weft::deal_columns(waves, ranks)[rank];
//   weft::SphereTransform<double> sphere({.grid = {48, 48, 48}}, mine, MPI_COMM_WORLD);
//   sphere.backward(c, psi);
//
// With G = (x, y, z) and the point r = (i, j, k) of the grid of n_x x n_y x n_z,
//
//   backward:  psi(r) = sum over G of c(G) exp(+2 pi i (x i / n_x + y j / n_y + z k / n_z))
//   forward:   c(G)   = sum over r of psi(r) exp(-2 pi i (...)),    for the G of the sphere only
//
// The grid is named in the order x, y, z, and arrays in space are [z][y][x], x fastest, as plane-wave codes have them
// (in C order the shape is n_z x n_y x n_x). Columns of plane waves run along z; in space each rank holds some planes
// of z or, with the option process_grid and by itself on more ranks than planes, some rows (y) of some planes. For
// arrays [x][y][z] in C order, give x and z swapped: the grid, the indices and the columns.
#pragma once

#include <mpi.h>

#include <array>
#include <complex>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "weft/arrays.hpp"
#include "weft/plan.hpp"
#include "weft/weft.hpp"

namespace weft {

/// Indices of a plane wave along x, y and z, each from -n/2 to n-1: negative ones and those from n/2 on mean the same.
using GVector = std::array<Index, 3>;

/// A sphere of plane waves, |k + G|^2 / 2 <= energy.
struct Cutoff {
  std::array<std::array<double, 3>, 3> lattice{};  ///< a1, a2, a3 in bohr
  double energy = 0;                               ///< hartree
  std::array<double, 3> k{0, 0, 0};                ///< in units of the reciprocal lattice vectors
};

/// The plane waves of a sphere, by columns. `gamma`: only one of each pair G, -G, and G = 0: those with x > 0, or x = 0
/// and y > 0, or x = y = 0 and z >= 0 (k must be 0). Throws Error for a lattice without volume or a bad energy.
std::vector<GVector> plane_waves(const Cutoff& cutoff, bool gamma = false);

/// The smallest grid that is `box_cut` times as large as the sphere: extents of at least 2 box_cut m + 1 for indices up
/// to m, with prime factors 2, 3, 5 and 7 only. 1 holds the sphere, 2 all products of two of its functions.
std::array<Index, 3> sphere_grid(const Cutoff& cutoff, double box_cut = 2);

/// Spreads plane waves over ranks by whole columns: the longest first, each to the rank that has least (as Quantum
/// ESPRESSO does). Waves of a rank keep their order. `sharing`: how many ranks will share planes, Q of a process grid
/// P x Q. Columns are then dealt by x first, so that the first exchange is among P ranks and not among all.
std::vector<std::vector<GVector>> deal_columns(std::span<const GVector> waves, int ranks, int sharing = 1);

/// One rank's plane waves, in any order: those that backward, apply and density take and, where they are others, the
/// results of forward and apply (of another cutoff, k-point or order, as ABINIT's kg_kin and kg_kout). A list converts.
struct SphereWaves {
  template <std::ranges::contiguous_range List>
  SphereWaves(const List& list) : given(list) {}
  template <std::ranges::contiguous_range List, std::ranges::contiguous_range Results>
  SphereWaves(const List& list, const Results& of_results) : given(list), results(of_results) {}
  SphereWaves(const GVector* first, std::size_t count) : given(first, count) {}

  std::span<const GVector> given;
  std::optional<std::span<const GVector>> results;
};

/// What to transform.
struct SphereProblem {
  std::array<Index, 3> grid{1, 1, 1};  ///< n_x, n_y, n_z
  /// Real in space: c(-G) is the conjugate of c(G), and one of each pair is given, whichever (both are allowed on one
  /// rank: then backward takes the one that `plane_waves` would list). Imaginary parts that cannot be are ignored.
  bool gamma = false;
  Precision precision = Precision::double_;
  /// Bands that stream through one execution; a call may have any number.
  Index howmany = 1;
  Normalization normalization = Normalization::none;
  /// Points of a row, and rows of a plane, that arrays in space have in memory, in the order x, y: at least those that
  /// there are; 0: those. (ABINIT's n4 and n5, FFTW's `nembed`.) What lies beyond is neither read nor written.
  std::array<Index, 2> padded{0, 0};
  /// Bands 2s and 2s + 1 are the components of spinor s: `apply` and `density` then have four fields, see there. Not at
  /// Gamma. Bands of one execution are an even number: an odd `howmany` is taken as the next one.
  bool spinors = false;
  /// As that of Problem.
  void check() const;
};

namespace detail {
struct SphereData;
struct Route;
class SphereEngine;
}  // namespace detail

/// What one rank does in the transforms of a sphere, as data. Neither communicates nor allocates bands.
class SpherePlan {
 public:
  /// `waves` are those of all ranks. The options of forward may differ in tile, fields, window, tests and consume, and
  /// in the strategy; trace and watchdog are those of either, for all that is run. Throws Error naming plane wave and
  /// rank. `results`: those of all ranks, where forward and apply give others.
  SpherePlan(const SphereProblem& problem, const std::vector<std::vector<GVector>>& waves, const Options& backward,
             const Options& forward, int rank = 0, const std::vector<std::vector<GVector>>& results = {});
  explicit SpherePlan(std::shared_ptr<const detail::SphereData> data);

  const SphereProblem& problem() const;
  const Options& options(Direction direction) const;
  int ranks() const;
  int rank() const;

  /// Plane waves and columns of this rank, and the columns of all.
  Index waves() const;
  Index columns() const;
  /// Plane waves that forward and apply give.
  Index results() const;
  Index all_columns() const;
  /// This rank's part of the arrays in space, axes z, y, x.
  Box space_box() const;
  /// The same in memory, with what `padded` puts beyond: planes, rows of a plane, points of a row; and all of these.
  Shape space_extents() const;
  Index space_size() const;

  /// Lines that are transformed in one direction by all ranks for one band, and those of the full box: along z, then
  /// across the planes (y at Gamma and where ranks share planes, else x), then the last axis.
  struct Lines {
    std::array<int, 3> axis{2, 0, 1};  ///< of the grid: 0 is x
    std::array<Index, 3> lines{}, full{};
  };
  Lines lines() const;
  /// Of one execution with `howmany` bands.
  Plan::Traffic traffic(Direction direction) const;
  /// Bytes of exchange buffers, of backward and forward. What `apply` and `density` need comes when they are first
  /// used.
  Index workspace_bytes() const;

  std::string explain() const;
  std::string json() const;

  const detail::SphereData& data() const { return *data_; }

 private:
  std::shared_ptr<const detail::SphereData> data_;
};

/// How many bands a call has, and how far apart they are in numbers, at least the numbers of a band; 0: one directly
/// after the other. (There is no way to say that bands lie upon each other.)
struct Bands {
  Index count = -1;       ///< -1: the problem's howmany
  Index waves_apart = 0;  ///< of results as well, unless `results_apart` says otherwise
  Index points_apart = 0;
  /// Of `forward` and `apply`: plane waves are added to what is there, as in hpsi += v psi.
  bool accumulate = false;
  Index results_apart = 0;  ///< between bands of the plane waves that forward and apply give
};

/// Transforms of a sphere, bound to a communicator and memory. `Real` is float or double.
/// Creation and execution are collective over the communicator, which is duplicated. Movable, not copyable.
template <class Real>
class SphereTransform {
 public:
  using Complex = std::complex<Real>;

  /// `waves`: this rank's, in any order; a column (all waves with the same x and y, also of both lists) must be whole
  /// on one rank. Ranks may have none; other results than what is given have all ranks, or none has. `planes`: how many
  /// whole planes of z this rank has in space, in the order of ranks; without it they are dealt evenly. Environment
  /// variables WEFT_* override both options. Throws the same Error on every rank, naming plane wave and rank.
  SphereTransform(const SphereProblem& problem, const SphereWaves& waves, MPI_Comm comm, const Options& backward = {},
                  const std::optional<Options>& forward = std::nullopt, std::optional<Index> planes = std::nullopt);
  /// The same over the communicator of `share`, whose exchange buffers and scratch the two then have in common, with
  /// all that either shares already: for many spheres, one for each k-point, of which never two are executed at the
  /// same time (by threads). Buffers are as large as the largest of them needs, and end with the last. The options
  /// node_size and nodes must be those of `share`.
  template <class Other>
  SphereTransform(const SphereProblem& problem, const SphereWaves& waves, const SphereTransform<Other>& share,
                  const Options& backward = {}, const std::optional<Options>& forward = std::nullopt,
                  std::optional<Index> planes = std::nullopt);
  ~SphereTransform();
  SphereTransform(SphereTransform&&) noexcept;
  SphereTransform& operator=(SphereTransform&&) noexcept;

  /// With the option `groups`: of this rank's group.
  const SpherePlan& plan() const;
  /// Which bands of a call with so many this rank has in space: all of them, but with the option `groups`, which
  /// spreads bands over groups of consecutive ranks (task groups; their number divides that of the ranks) and space
  /// over the ranks of a group. Arrays in space then have these bands only; `v` and `rho` are of all.
  Range bands_here(Index count) const;

  /// To space; real arrays at Gamma, complex ones otherwise (the other overload throws). Input is left unchanged.
  void backward(const Complex* waves, Complex* space, const Bands& bands = {});
  void backward(const Complex* waves, Real* space, const Bands& bands = {});
  /// To the plane waves of the sphere.
  void forward(const Complex* space, Complex* waves, const Bands& bands = {});
  void forward(const Real* space, Complex* waves, const Bands& bands = {});
  /// These and the following with arrays that know their size, as std::vector and std::span do: it is checked.
  template <ArrayOf<Complex> Waves, OutputArrayOf<Real, Complex> Space>
  void backward(const Waves& waves, Space&& space, const Bands& bands = {}) {
    require_sizes("backward", bands, {given("waves", Holds::waves, waves), given("space", Holds::space, space)});
    backward(std::ranges::data(waves), std::ranges::data(space), bands);
  }
  template <ArrayOf<Real, Complex> Space, OutputArrayOf<Complex> Waves>
  void forward(const Space& space, Waves&& waves, const Bands& bands = {}) {
    require_sizes("forward", bands, {given("space", Holds::space, space), given("waves", Holds::results, waves)});
    forward(std::ranges::data(space), std::ranges::data(waves), bands);
  }

  /// A local potential: out = forward(v * backward(waves)), v one value for each of this rank's points, real or complex
  /// (not at Gamma; with a phase or an absorbing potential, or of response); with `accumulate`, out += that. Points
  /// never leave the cache, and no array in space is made. `out` may be `waves`, if bands of both are equally far
  /// apart. Where there are two spheres, from one of them to the other.
  /// With `spinors`, v is four real fields one after the other: V11, V22, Re V12 and Im V12 of the Hermitian matrix by
  /// which the two components are multiplied at a point (of a potential v and a magnetic field B: v + B_z, v - B_z,
  /// B_x, -B_y).
  void apply(const Real* v, const Complex* waves, Complex* out, const Bands& bands = {});
  void apply(const Complex* v, const Complex* waves, Complex* out, const Bands& bands = {});
  template <ArrayOf<Real, Complex> V, ArrayOf<Complex> Waves, OutputArrayOf<Complex> Out>
  void apply(const V& v, const Waves& waves, Out&& out, const Bands& bands = {}) {
    require_sizes(
        "apply", bands,
        {given("v", Holds::points, v), given("waves", Holds::waves, waves), given("out", Holds::results, out)});
    apply(std::ranges::data(v), std::ranges::data(waves), std::ranges::data(out), bands);
  }
  /// Adds weights[b] * |backward(waves of b)|^2 of each band to rho, one value for each of this rank's points. No
  /// weights: 1. No array in space but rho is touched.
  /// With `spinors`, rho is four fields one after the other, of the density matrix psi_a conj(psi_b): n11, n22, Re n12
  /// and Im n12 (the density is n11 + n22, the magnetisation 2 Re n12, -2 Im n12, n11 - n22). Of the weights of a
  /// spinor's two bands the first one counts.
  void density(const Complex* waves, const double* weights, Real* rho, const Bands& bands = {});
  template <ArrayOf<Complex> Waves, ArrayOf<double> Weights, OutputArrayOf<Real> Rho>
  void density(const Waves& waves, const Weights& weights, Rho&& rho, const Bands& bands = {}) {
    require_sizes("density", bands,
                  {given("waves", Holds::waves, waves), given("weights", Holds::weights, weights),
                   given("rho", Holds::points, rho)});
    density(std::ranges::data(waves), std::ranges::data(weights), std::ranges::data(rho), bands);
  }
  template <ArrayOf<Complex> Waves, OutputArrayOf<Real> Rho>
  void density(const Waves& waves, Rho&& rho, const Bands& bands = {}) {
    require_sizes("density", bands, {given("waves", Holds::waves, waves), given("rho", Holds::points, rho)});
    density(std::ranges::data(waves), nullptr, std::ranges::data(rho), bands);
  }

  /// Adds weights[b] * re^2 + imaginary_weights[b] * im^2, re + i im being backward(waves of b): of two real functions
  /// that one band holds. Not at Gamma. No weights: 1; no imaginary ones: `weights`.
  void density_by_parts(const Complex* waves, const double* weights, const double* imaginary_weights, Real* rho,
                        const Bands& bands = {});
  template <ArrayOf<Complex> Waves, ArrayOf<double> Weights, ArrayOf<double> Imaginary, OutputArrayOf<Real> Rho>
  void density_by_parts(const Waves& waves, const Weights& weights, const Imaginary& imaginary_weights, Rho&& rho,
                        const Bands& bands = {}) {
    require_sizes("density_by_parts", bands,
                  {given("waves", Holds::waves, waves), given("weights", Holds::weights, weights),
                   given("imaginary_weights", Holds::weights, imaginary_weights), given("rho", Holds::points, rho)});
    density_by_parts(std::ranges::data(waves), std::ranges::data(weights), std::ranges::data(imaginary_weights),
                     std::ranges::data(rho), bands);
  }

  /// Of all executions on this rank.
  Statistics statistics() const;
  void reset_statistics();

  /// As Transform's, of all directions.
  void drop_trace();

  /// For wrappers that check arguments of their own: throws, on all ranks if the option `check` is on, the message of
  /// the lowest rank whose message is not empty. Collective then.
  void raise_any(const std::string& message) const;

 private:
  template <class>
  friend class SphereTransform;
  /// An array of a call.
  enum class Holds { waves, results, space, points, weights };
  struct Given {
    const char* name;
    Holds holds;
    std::size_t numbers;
  };
  template <class A>
  static Given given(const char* name, Holds holds, const A& array) {
    return {name, holds, std::ranges::size(array)};
  }
  void require_sizes(const char* call, const Bands& bands, std::initializer_list<Given> arrays) const;
  std::unique_ptr<detail::SphereEngine> engine_;
};

extern template class SphereTransform<float>;
extern template class SphereTransform<double>;

}  // namespace weft
