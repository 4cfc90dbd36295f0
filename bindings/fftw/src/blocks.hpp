// Who holds what, as FFTW deals it: blocks of one size along the first axis, the last one smaller, then ranks with
// nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "weft/layout.hpp"

namespace weft::fftw {

/// The size of the blocks: `given`, or the smallest that is enough for all ranks if that is FFTW_MPI_DEFAULT_BLOCK;
/// from 1 to the whole axis.
Index block_size(Index n, Index given, int ranks);
/// How many blocks there are.
Index blocks(Index n, Index size);
/// The block of a rank, empty at 0 where there is none.
Range block(Index n, Index size, int rank);

/// Slabs of such blocks along an axis.
Layout slabs(const Shape& shape, int axis, Index size, int ranks);

/// Whether there is at least one point and one field, and their number can be counted in FFTW's integers. (FFTW itself
/// does not check for overflow.)
bool within_reach(std::span<const std::ptrdiff_t> n, Index howmany);

/// What fftw_mpi_local_size_many_transposed says of one rank.
struct LocalSize {
  Index numbers;        ///< that arrays must hold, the batch included
  Range first, second;  ///< of axis 0 of what is not transposed, and of axis 1 of what is
};
/// `n` has at least one extent; without `second_block` nothing is transposed. With one extent only, `second` is
/// `first`. (FFTW takes a second block of the whole axis for nothing transposed, and says too small a size: its plans
/// deal by it. Here a given block always deals as it says.)
LocalSize local_size(std::span<const std::ptrdiff_t> n, Index howmany, Index first_block,
                     std::optional<Index> second_block, int ranks, int rank);

}  // namespace weft::fftw
