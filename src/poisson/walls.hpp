// Walls with values other than 0: what they add to f, to u and to its gradient.
//
// u is v + w. w is, along the wall's axis, the polynomial of the lowest degree that has the walls' values at both ends;
// v has none, so that the waves between these walls have it. The stencil's difference of u along the axis is then that
// of v, and the second derivative of w. In terms of u: f gets, for each value of a wall, the difference of w between
// walls without values, less the second derivative of w; which is a line of numbers along the axis. Central differences
// find only the wall's neighbours there: u mirrored about the value of an odd wall, and at an even one u that goes on
// as its derivative says.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "poisson/gradient.hpp"
#include "poisson/sides.hpp"

namespace weft::detail {

template <class Real>
class Walls {
 public:
  /// Of a rank that has these stored points. References are kept.
  Walls(const PoissonProblem& problem, const std::array<SidesOfAxis, 3>& axes, const Box& stored, int rank,
        const Options& options);

  bool empty() const { return walls_.empty(); }
  /// Numbers of a wall's values, of all fields, that this rank needs.
  Index size(std::size_t axis, int end) const;
  /// Nothing: zero again. Throws Error where no values may be, or not so many.
  void set(std::size_t axis, int end, std::span<const Real> values);

  /// Adds to the unknowns of all fields, each `item` numbers after the one before.
  void add_to(Real* f, Index item) const;
  /// Writes u where points lie on odd walls, in a field of stored points, which are those of this rank where walls have
  /// values; on an edge of two walls, what the later axis says.
  void write(const Box& stored, Index field, Real* u) const;
  /// Adds to the gradient of a field, of the stored points.
  void add_to_gradient(const GradientInSpace<Real>& gradient, Index field, std::span<Real* const> derivatives) const;

 private:
  /// What a value of 1 adds to the points of a line: from `first` on so much.
  struct Profile {
    Index first = 0;
    std::vector<double> by;
  };
  struct Wall {
    std::size_t axis;
    int end;
    std::vector<Real> values;
  };
  using ProfileOf = std::array<std::array<std::optional<Profile>, 2>, 3>;

  /// Whether only the point next to a wall has something of it.
  bool reaches_one(std::size_t axis) const;
  /// So many unknown points of a line have something of a wall's value.
  Index reach(std::size_t axis) const;
  Profile of_unknowns(std::size_t axis, int end) const;
  Profile of_slopes(std::size_t axis, int end) const;
  void write_wall(const Box& stored, std::size_t axis, int end, Index field, Real* u) const;
  const Real* values_of(const Wall& wall, Index field) const;
  template <class Place>
  void add(const Wall& wall, const Profile& profile, const Real* values, const Box& box, const Place& place,
           Real* to) const;

  const PoissonProblem& problem_;
  const std::array<SidesOfAxis, 3>& axes_;
  Box stored_, unknowns_;
  int rank_;
  Options options_;  ///< by which backend lines are transformed
  std::vector<Wall> walls_;
  ProfileOf to_unknowns_, to_slopes_;  ///< of walls that have had values
};

}  // namespace weft::detail
