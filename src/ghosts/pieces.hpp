// Which points of whom a rank has as ghosts. Integers only, no MPI.
#pragma once

#include <array>
#include <vector>

#include "weft/ghosts.hpp"

namespace weft::detail {

/// Points that a rank owns, and that some rank, perhaps the same, sees at `box` moved by `shift`: by periods of the
/// grid.
struct GhostPiece {
  int owner = 0;
  Box box;
  Shape shift{0, 0, 0};

  Box seen() const;
};

/// All points of a box, which may reach beyond the grid: image by image, and then by ascending owner.
std::vector<GhostPiece> ghost_pieces(const Layout& owners, const Box& seen, const std::array<bool, 3>& periodic);

/// The ranks whose parts with ghosts have points of a box of the grid, ascending.
std::vector<int> ghost_viewers(const Layout& parts, const Ghosts& ghosts, const Box& owned);

}  // namespace weft::detail
