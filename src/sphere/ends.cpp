#include "sphere/ends.hpp"

namespace weft::detail {

SphereLines::SphereLines(const SphereData& sphere, Index lanes)
    : SphereLines(sphere, lanes, {0, static_cast<Index>(sphere.lines.size())}) {}

SphereLines::SphereLines(const SphereData& sphere, Index lanes, const Range& lines)
    : sphere_(&sphere), lanes_(lanes), count_(lines.hi - lines.lo) {
  const auto [nx, ny, nz] = sphere.problem.grid;
  const bool y_first = sphere.y_first();
  number_.assign(static_cast<std::size_t>(y_first ? nx : ny), -1);
  for (Index i = lines.lo; i < lines.hi; ++i) {
    number_[static_cast<std::size_t>(sphere.lines[static_cast<std::size_t>(i)])] = i - lines.lo;
  }
  std::vector<char> present(static_cast<std::size_t>(y_first ? ny : nx));
  for (const Stick& stick : sphere.sticks.all) {
    if (number_[static_cast<std::size_t>(y_first ? stick.x : stick.y)] < 0) continue;
    const Place at = place(stick);
    present[static_cast<std::size_t>(at.at / lanes_)] = 1;
    if (at.mirror >= 0) present[static_cast<std::size_t>(at.mirror / lanes_)] = 1;
  }
  present_ = PresentRows(std::move(present));
}

SphereLines::Place SphereLines::place(const Stick& stick) const {
  const auto& grid = sphere_->problem.grid;
  const bool y_first = sphere_->y_first();
  const Index line = number_[static_cast<std::size_t>(y_first ? stick.x : stick.y)], lane = line % lanes_;
  // Where x is its own mirror image, a real field has the conjugate column at -y.
  const bool mirrored = sphere_->problem.gamma && is_own_mirror(stick.x, grid[0]) && !is_own_mirror(stick.y, grid[1]);
  return {line / lanes_, (y_first ? stick.y : stick.x) * lanes_ + lane,
          mirrored ? (grid[1] - stick.y) * lanes_ + lane : -1};
}

SphereEnds::SphereEnds(const SphereData& sphere, const SphereLines& lines, const View& view, Index first, Index last) {
  struct Group {
    std::vector<Segment> segments;
    std::vector<std::int32_t> at;
    std::vector<Mirror> mirrors;
  };
  std::vector<Group> groups(static_cast<std::size_t>(lines.groups()));
  Index number = 0;
  for (const auto& tile : view.tiles(first, last)) {
    for (const Piece& piece : tile) {
      for (Index column = piece.box.lo[2]; column < piece.box.hi[2]; ++column) {
        const SphereLines::Place place = lines.place(sphere.sticks.all[static_cast<std::size_t>(column)]);
        Group& group = groups[static_cast<std::size_t>(place.group)];
        const Index offset = column - piece.box.lo[2];
        const bool follows = !group.segments.empty() && group.segments.back().piece == number &&
                             group.segments.back().offset + group.segments.back().count == offset;
        if (!follows) group.segments.push_back({number, offset, 0, static_cast<Index>(group.at.size())});
        ++group.segments.back().count;
        group.at.push_back(static_cast<std::int32_t>(place.at));
        if (place.mirror >= 0) {
          group.mirrors.push_back({static_cast<std::int32_t>(place.at), static_cast<std::int32_t>(place.mirror)});
        }
      }
      ++number;
    }
  }
  for (Group& group : groups) {
    first_segment_.push_back(segments_.size());
    first_mirror_.push_back(mirrors_.size());
    for (Segment& segment : group.segments) segment.first += static_cast<Index>(at_.size());
    segments_.insert(segments_.end(), group.segments.begin(), group.segments.end());
    at_.insert(at_.end(), group.at.begin(), group.at.end());
    mirrors_.insert(mirrors_.end(), group.mirrors.begin(), group.mirrors.end());
  }
  first_segment_.push_back(segments_.size());
  first_mirror_.push_back(mirrors_.size());
}

}  // namespace weft::detail
