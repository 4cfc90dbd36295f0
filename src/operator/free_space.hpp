// The inverse of the Laplacian where the field has no sides along some axes: a table of what the middle pass multiplies
// by.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "weft/operator.hpp"

namespace weft::detail {

/// What an axis is to the table.
struct FreeAxis {
  bool open = false;
  /// Of an open one: distance of neighbours, and how far the points of a field are from each other (or from their
  /// mirror images at a wall) at most, in spacings, and one more.
  double spacing = 1;
  Index reach = 1;
  /// Of an open one: points of the period in which the table's wave numbers are, even; and how many of them, from which
  /// on, the line's spectrum has. Places beyond half of the period are their mirror images.
  Index period = 2, first = 0;
  /// Of the others: the squares of the wave numbers, by place in the spectrum.
  std::vector<double> squares;
};

/// For each point of this rank's part of the middle layout; along axis 0, if it is open, only half of the period, since
/// the table is even.
template <class Real>
class FreeSpaceTable {
 public:
  explicit FreeSpaceTable(std::array<FreeAxis, 3> axes);
  /// Makes the table for laplacian u - shift u, shift >= 0. Collective.
  void fill(const OperatorPlan& plan, MPI_Comm comm, double shift);
  /// Bytes of the table on this rank.
  Index bytes() const { return static_cast<Index>(table_.size() * sizeof(Real)); }
  /// u times the table: multiplies a tile. The tables outlives it.
  template <class Number>
  void apply(const PointTile<Number>& tile) const;

 private:
  Index place(Index i) const;  ///< along axis 0
  std::array<FreeAxis, 3> axes_;
  Box box_;
  std::vector<Real> table_;
};

/// The function that multiplies by the table, which may be filled later, and again.
template <class Real>
PointFunction<Real> in_free_space(std::shared_ptr<const FreeSpaceTable<Real>> table);

}  // namespace weft::detail
