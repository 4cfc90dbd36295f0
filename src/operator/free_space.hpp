// The inverse of the Laplacian where the field has no sides along some axes, or a kernel of the caller's: a table of
// what the middle pass multiplies by.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "operator/free_axis.hpp"
#include "weft/green.hpp"
#include "weft/operator.hpp"

namespace weft::detail {

/// For each point of this rank's part of the middle layout; along axis 0, if it is open, only half of the period, since
/// the table is even.
template <class Real>
class FreeSpaceTable {
 public:
  FreeSpaceTable(std::array<FreeAxis, 3> axes, Stencil stencil, Green green = {});
  /// Makes the table for laplacian u - shift u, shift >= 0. Collective. What the caller's kernel throws on any rank is
  /// an Error on all.
  void fill(const OperatorPlan& plan, MPI_Comm comm, double shift);
  /// Bytes of the table on this rank.
  Index bytes() const { return static_cast<Index>(table_.size() * sizeof(Real)); }
  /// u times the table: multiplies a tile. The tables outlives it.
  template <class Number>
  void apply(const PointTile<Number>& tile) const;

 private:
  Index place(Index i) const;  ///< along axis 0
  /// The caller's own, without open sides: by wave numbers.
  void fill_waves();
  /// From an octant of the kernel.
  void fill_cut(const OperatorPlan& plan, MPI_Comm comm, double shift);
  std::array<FreeAxis, 3> axes_;
  Stencil stencil_;
  Green green_;
  Box box_;
  std::vector<Real> table_;
};

/// The function that multiplies by the table, which may be filled later, and again.
template <class Real>
PointFunction<Real> in_free_space(std::shared_ptr<const FreeSpaceTable<Real>> table);

}  // namespace weft::detail
