#include "layout/ghost_pieces.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.hpp"

namespace weft {

Box Ghosts::around(const Box& box) const {
  if (box.empty()) return box;
  Box all = box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    all.lo[axis] -= below[axis];
    all.hi[axis] += above[axis];
  }
  return all;
}

std::vector<Box> Ghosts::around(std::vector<Box> boxes) const {
  for (Box& box : boxes) box = around(box);
  return boxes;
}

namespace detail {

namespace {

Box moved(Box box, const Shape& by, Index sign) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.lo[axis] += sign * by[axis];
    box.hi[axis] += sign * by[axis];
  }
  return box;
}

Index floor_divide(Index a, Index b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

/// Calls `use(shift)` for each image of the grid that meets a box that is not empty.
template <class Use>
void for_each_image(const Shape& n, const Box& box, const std::array<bool, 3>& periodic, const Use& use) {
  Shape first{0, 0, 0}, last{0, 0, 0};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!periodic[axis]) continue;
    first[axis] = floor_divide(box.lo[axis], n[axis]);
    last[axis] = floor_divide(box.hi[axis] - 1, n[axis]);
  }
  for (Index i = first[0]; i <= last[0]; ++i) {
    for (Index j = first[1]; j <= last[1]; ++j) {
      for (Index k = first[2]; k <= last[2]; ++k) use(Shape{i * n[0], j * n[1], k * n[2]});
    }
  }
}

}  // namespace

Box GhostPiece::seen() const { return moved(box, shift, 1); }

std::vector<GhostPiece> ghost_pieces(const Layout& owners, const std::vector<Box>& seen,
                                     const std::array<bool, 3>& periodic) {
  std::vector<GhostPiece> pieces;
  const Box grid{{0, 0, 0}, owners.shape()};
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i].empty()) continue;
    for_each_image(owners.shape(), seen[i], periodic, [&](const Shape& shift) {
      const Box box = intersect(moved(seen[i], shift, -1), grid);
      if (box.empty()) return;
      for (const Layout::Overlap& part : owners.overlaps(box)) pieces.push_back({part.rank, part.box, shift, i});
    });
  }
  return pieces;
}

std::vector<int> ghost_viewers(const Layout& parts, const Ghosts& ghosts, const std::vector<Box>& owned) {
  // A part with its ghosts meets an image of the box where the part meets what surrounds the image.
  const Ghosts turned{ghosts.above, ghosts.below, ghosts.periodic};
  const Box grid{{0, 0, 0}, parts.shape()};
  std::set<int> found;
  for (const Box& box : owned) {
    if (box.empty()) continue;
    const Box around = turned.around(box);
    for_each_image(parts.shape(), around, ghosts.periodic, [&](const Shape& shift) {
      for (const int rank : parts.overlapping(intersect(moved(around, shift, -1), grid))) found.insert(rank);
    });
  }
  return {found.begin(), found.end()};
}

void check_ghosts(const Ghosts& ghosts, const Shape& shape, const std::string& name) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const auto& [side, points] : {std::pair{"below", &ghosts.below}, std::pair{"above", &ghosts.above}}) {
      const Index value = (*points)[axis], most = shape[axis];
      if (value < 0 || value > most) {
        throw Error(concat(name, side, " is ", value, " along axis ", axis, "; allowed are 0 to ", most,
                           ", the points of the axis"));
      }
    }
  }
}

}  // namespace detail

}  // namespace weft
