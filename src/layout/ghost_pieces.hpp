// Which points of whom a rank has as ghosts. Integers only, no MPI.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "weft/layout.hpp"

namespace weft::detail {

/// Points that a rank owns in one of its boxes, and that some rank, perhaps the same, sees in one of its own at `box`
/// moved by `shift`: by periods of the grid.
struct GhostPiece {
  int owner = 0;
  Box box;
  Shape shift{0, 0, 0};
  std::size_t seen_in = 0;  ///< which of the viewer's boxes

  Box seen() const;
};

/// All points of boxes, which may reach beyond the grid: box by box, image by image, and then by ascending owner.
std::vector<GhostPiece> ghost_pieces(const Layout& owners, const std::vector<Box>& seen,
                                     const std::array<bool, 3>& periodic);

/// The ranks whose parts with ghosts have points of some boxes of the grid, ascending.
std::vector<int> ghost_viewers(const Layout& parts, const Ghosts& ghosts, const std::vector<Box>& owned);

/// Throws unless there are 0 to as many ghosts along each axis as the grid has points. `name` goes before "below".
void check_ghosts(const Ghosts& ghosts, const Shape& shape, const std::string& name = {});

}  // namespace weft::detail
