// A padded line at work: between its numbers and the grid on which they are convolved.
#pragma once

#include <cstddef>
#include <memory>

#include "execute/communicators.hpp"
#include "weft/plan.hpp"

namespace weft::detail {

/// What a rank keeps of a padded line beside its routes, and what it does before a route and after it.
class PaddedLineRuns {
 public:
  virtual ~PaddedLineRuns() = default;
  /// Computes the spectrum of what forward convolves with. Collective; comes first.
  virtual void find_spectrum(Communicators& communicators) = 0;
  /// Fills the grid from the user's array; `from`: which end that is.
  virtual void read(std::size_t from, Direction direction, const void* numbers) = 0;
  /// Fills the user's array from the grid.
  virtual void write(std::size_t to, Direction direction, void* numbers) const = 0;
  virtual std::byte* grid() const = 0;
  /// A PointFunction of the precision.
  virtual const void* function(Direction direction) const = 0;
};

std::unique_ptr<PaddedLineRuns> make_padded_line_runs(const Plan& plan);

}  // namespace weft::detail
