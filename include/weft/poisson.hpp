// Poisson's and Helmholtz's equation on a box, laplacian u - shift u = f: each side periodic, a wall, or open.
//
// Each axis has the lines that its sides need (cosines, sines, Fourier's, or twice as many points of those where it is
// open), and the solver is one operator: transforms there, a factor at each wave number, and transforms back, in one
// stream. Fields are real.
#pragma once

#include <array>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/green.hpp"
#include "weft/operator.hpp"

namespace weft {

/// What is at a side of the box.
/// * periodic: the other side of the same axis.
/// * even: a wall at which the derivative of u across it is 0 (Neumann's condition).
/// * odd: a wall at which u is 0 (Dirichlet's).
/// * open: nothing; f is zero beyond, and u goes on as it does in free space.
enum class Side : unsigned char { periodic, even, odd, open };

/// Where points lie along an axis of n points and the length L.
/// * cells: in the middles of n cells, at (i + 1/2) L/n.
/// * nodes: from one side to the other, both included, at i L/(n-1); of a periodic axis at i L/n.
enum class Points : unsigned char { cells, nodes };

/// Where all sides are periodic or even and the shift is 0, no field u has a Laplacian with another mean than 0.
/// * remove: the mean of f is taken from it.
/// * refuse: an f whose mean is not 0, to rounding, is an Error.
enum class Mean : unsigned char { remove, refuse };

/// What a call gives, for each field of the batch.
/// * solution: u.
/// * gradient: its derivatives along the axes, one field after the other; of a plane (axis 1 of one point) two.
/// * solution_and_gradient: u and then those.
/// * velocity: f is a vector field, the vorticity w, and so is u, the flow that has it, by the law of Biot and Savart:
///   laplacian u = -curl w.
/// Derivatives are of the order of the stencil; with open sides it is spectral or second_order.
///
/// Where a side is a wall (even or odd), derivatives are taken of u in space: of second_order, and along an axis with
/// spacings, those of the parabola through a point and its neighbours, with the walls' values beside the walls; else as
/// the stencil has them, of u and its mirror images, where no side is open. The velocity needs sides that are periodic
/// or open on both.
enum class Result : unsigned char { solution, gradient, solution_and_gradient, velocity };

struct PoissonProblem {
  /// Points that are stored, of all sides; those on walls of nodes as well.
  Shape shape{1, 1, 1};
  /// From side to side.
  std::array<double, 3> lengths{1, 1, 1};
  /// Along one axis points may lie unevenly: the widths of its n cells, or the n - 1 distances of its nodes; empty
  /// where they are equal. The length of such an axis is their sum, which a solver's `lengths` have. Its differences
  /// are those of finite volumes, of second order, whatever `stencil` is for the others. Its sides are even or odd, no
  /// side of the others is open, and the shift is at least 0.
  std::array<std::vector<double>, 3> spacings{};
  /// The low and the high side of each axis. Periodic is both or neither.
  std::array<std::array<Side, 2>, 3> sides{};
  std::array<Points, 3> points{};
  Precision precision = Precision::double_;
  /// Fields that one call solves for, each a whole local array, one after the other; in place each has room for the
  /// larger of both ends.
  Index batch = 1;
  /// How second derivatives are approximated. Mehrstellen need sides that are not open, and no spacings.
  Stencil stencil = Stencil::spectral;
  /// What solves beside open sides, or instead of the equation.
  Green green{};
  /// With open sides, and with spacings, at least 0.
  double shift = 0;
  Mean mean = Mean::remove;
  Result result = Result::solution;
  /// Components of vectors, from that along axis 2 to that along axis 0: for arrays whose first axis is the fastest.
  bool reversed_components = false;

  /// Fields that come in and go out for each field of the batch.
  Index inputs() const;
  Index outputs() const;
  /// Whether derivatives are taken of the solution in space: of a gradient between walls.
  bool derivatives_in_space() const;
  /// Whether f must have the mean 0.
  bool singular() const;
  /// The problem of the operator that solves it, of the unknown points. It has so many inputs and outputs, or, where
  /// derivatives are taken in space, one output.
  Problem transforms() const;
  /// Throws Error unless the parts are such as some solver can have.
  void check() const;
  friend bool operator==(const PoissonProblem&, const PoissonProblem&) = default;
};

std::string to_string(Side side);
std::string to_string(Points points);
std::string to_string(Mean mean);
std::string to_string(Result result);
Side parse_side(std::string_view text, std::string_view argument = "sides");
Points parse_points(std::string_view text, std::string_view argument = "points");
Mean parse_mean(std::string_view text, std::string_view argument = "mean");
Result parse_result(std::string_view text, std::string_view argument = "result");

/// Coordinates of the points along an axis, from its low side.
std::vector<double> coordinates(const PoissonProblem& problem, std::size_t axis);

namespace detail {
template <class Real>
class PoissonEngine;
}

/// A solver, bound to a communicator and memory. `Real` is float or double. Creation, calls and destruction are
/// collective over the communicator, which is duplicated. Movable, not copyable.
///
/// Walls on which points lie (odd sides of nodes), and an open side below a wall, need a copy of the field; all else is
/// read from and written to the caller's arrays.
///
/// Open sides, differences: what is 0 far away, or grows there as the kernels of free space do, and has these
/// differences everywhere, exactly but for rounding; f is 0 beyond the box.
///
/// Open sides, exact waves: the field of f by the kernel of free space, cut off at a distance beyond the box (F. Vico,
/// L. Greengard, M. Ferrando, J. Comput. Phys. 323, 2016), as exact as f is smooth and has vanished at these sides.
/// Where one axis is open, or two, the kernel is that of one dimension (|x|/2) or two (log(r)/(2 pi)) for what is
/// constant along the others. It is a table of 8 to 16 bytes an unknown that is made once, and anew for another shift.
template <class Real>
class Poisson {
 public:
  /// Collective; `problem.precision` is set from `Real`. Options as for operators; `input` and `output` are layouts of
  /// the stored points, and ghosts go round periodic sides. Throws the same Error on every rank if any rank's arguments
  /// are bad or differ between ranks.
  Poisson(PoissonProblem problem, MPI_Comm comm, Options options = {});
  ~Poisson();
  Poisson(Poisson&&) noexcept;
  Poisson& operator=(Poisson&&) noexcept;

  const PoissonProblem& problem() const;
  /// Distribution of the stored points of f and of u.
  const Layout& input() const;
  const Layout& output() const;
  Box input_box() const;
  Box output_box() const;
  /// As a transform's: this rank's boxes with their ghosts, as arrays hold them.
  std::vector<Box> input_boxes() const;
  std::vector<Box> output_boxes() const;
  /// Numbers that this rank's arrays must hold, of all fields, each in C order; `problem().inputs()` of them, and
  /// `outputs()`, for each of the batch.
  Index input_size() const;
  Index output_size() const;
  std::vector<double> coordinates(std::size_t axis) const { return weft::coordinates(problem(), axis); }

  /// Solves for u. Collective. f is left unchanged; in place, both are the same array. What f has on an odd wall of
  /// nodes is not read, and u has the wall's value there.
  void operator()(const Real* f, Real* u);
  template <ArrayOf<Real> In, OutputArrayOf<Real> Out>
  void operator()(const In& f, Out&& u) {
    require_sizes(std::ranges::size(f), std::ranges::size(u));
    (*this)(std::ranges::data(f), std::ranges::data(u));
  }

  /// Another shift from now on, with the same plan. Collective. With open sides it makes the table anew.
  void set_shift(double shift);

  /// Values of a wall from now on: of u at an odd one, of its derivative along the axis at an even one; of all fields,
  /// each in C order over this rank's box without that axis, `wall_size` numbers. Nothing: zero again. `end` is 0 for
  /// the low side, 1 for the high one. With every stencil but Mehrstellen; opposite to an open side with second_order.
  /// Differences of u mirrored about these values are solved exactly; with waves and compact ones u is as exact as the
  /// mirror images are smooth of u less the polynomial along the axis that has the values. Not collective; what is
  /// wrong is told on this rank.
  void set_wall(std::size_t axis, int end, std::span<const Real> values);
  /// Numbers of those that this rank needs: 0 if its box has nothing of them. With second_order and with spacings those
  /// boxes have some that are at the wall, with waves and compact differences all.
  Index wall_size(std::size_t axis, int end) const;

  /// What solving takes from each field of f: 0 unless the problem is singular, else its mean, with what the walls add
  /// to it. Points count as much as the volume around them. Collective.
  std::vector<double> mean(const Real* f);

  /// The plan of the operator that solves: of the unknown points, and of twice as many along open axes.
  const OperatorPlan& plan() const;
  std::string explain() const;
  const Statistics& statistics() const;
  void reset_statistics();
  /// As Transform's.
  void drop_trace();
  void raise_any(const std::string& message) const;

 private:
  void require_sizes(std::size_t in, std::size_t out) const;
  std::unique_ptr<detail::PoissonEngine<Real>> engine_;
};

extern template class Poisson<float>;
extern template class Poisson<double>;

}  // namespace weft
