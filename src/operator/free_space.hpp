// The inverse of the Laplacian where the field has no sides along some axes, or a kernel of the caller's: a table of
// what the middle pass multiplies by.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "operator/free_axis.hpp"
#include "weft/green.hpp"
#include "weft/operator.hpp"

namespace weft::detail {

/// For each point of this rank's part of the middle layout; along axis 0, if it is open, only half of the period, since
/// the table is even. What a tile takes, all of axis 0 and a part of axis 2, lies side by side: cache lines of axis 2
/// along axis 0, one block of them after the other, for each place along axis 1.
template <class Real>
class FreeSpaceTable {
 public:
  FreeSpaceTable(std::array<FreeAxis, 3> axes, Stencil stencil, Green green = {});
  /// Makes the table for laplacian u - shift u, shift >= 0. Collective. What the caller's kernel throws on any rank is
  /// an Error on all.
  void fill(const OperatorPlan& plan, MPI_Comm comm, double shift);
  /// Bytes of the table on this rank.
  Index bytes() const { return static_cast<Index>(table_.size() * sizeof(Real)); }
  /// What a tile of such a box is multiplied by, as far as that lies side by side.
  std::span<const std::byte> factors(const Box& tile) const;
  /// u times the table: multiplies a tile. The tables outlives it.
  template <class Number>
  void apply(const PointTile<Number>& tile) const;

 private:
  /// Where the factors of a block of axis 2 begin.
  Index begin(Index j, Index block) const {
    return ((j - box_.lo[1]) * ((box_.extent(2) + line - 1) / line) + block) * rows_ * line;
  }
  static constexpr Index line = cache_line / static_cast<Index>(sizeof(Real));
  Index place(Index i) const;  ///< along axis 0
  /// Makes them the table. Axis 0 is their slowest.
  void take(const std::vector<double>& values);
  /// The caller's own, without open sides: by wave numbers.
  void fill_waves();
  /// From an octant of the kernel.
  void fill_cut(const OperatorPlan& plan, MPI_Comm comm, double shift);
  std::array<FreeAxis, 3> axes_;
  Stencil stencil_;
  Green green_;
  Box box_;
  Index rows_ = 0;  ///< places along axis 0
  std::vector<Real> table_;
};

/// The function that multiplies by the table, which may be filled later, and again.
template <class Real>
PointFunction<Real> in_free_space(std::shared_ptr<const FreeSpaceTable<Real>> table);

}  // namespace weft::detail
