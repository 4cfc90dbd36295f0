#include "weft/layout.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/checked.hpp"
#include "base/text.hpp"

namespace weft {

using detail::concat;

Box intersect(const Box& a, const Box& b) {
  Box c;
  for (int axis = 0; axis < 3; ++axis) {
    c.lo[axis] = std::max(a.lo[axis], b.lo[axis]);
    c.hi[axis] = std::max(c.lo[axis], std::min(a.hi[axis], b.hi[axis]));
  }
  return c;
}

std::string to_string(const Box& box) {
  return concat('[', box.lo[0], ':', box.hi[0], ", ", box.lo[1], ':', box.hi[1], ", ", box.lo[2], ':', box.hi[2], ']');
}

std::string to_string(const Shape& shape) { return to_string(Extents(shape)); }

std::string to_string(const Extents& extents) {
  std::string text;
  for (const Index n : extents) text += concat(text.empty() ? "" : " x ", n);
  return text;
}

void Extents::refuse(std::size_t axes) {
  throw Error(concat("a shape has ", axes, " extents; allowed are 2 to ", most_axes));
}

Range split(Index n, Index parts, Index part) {
  const Index base = n / parts, extra = n % parts;
  const Index lo = part * base + std::min(part, extra);
  return {lo, lo + base + (part < extra ? 1 : 0)};
}

namespace {

/// The part of `split` that holds point i.
Index part_of(Index n, Index parts, Index i) {
  const Index base = n / parts, extra = n % parts;
  const Index in_large = extra * (base + 1);
  return i < in_large ? i / (base + 1) : extra + (i - in_large) / base;
}

/// An empty box says so along an axis of more than one point as well (if there is any): whoever leaves out the axes of
/// one point, as those do who have a plane, must not take it for a full one.
void show_empty(Box& box, const Shape& shape) {
  std::size_t first = 3;
  for (std::size_t axis = 3; axis-- > 0;) {
    if (shape[axis] == 1) continue;
    if (box.lo[axis] >= box.hi[axis]) return;
    first = axis;
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (first == 3 || axis == first) box.lo[axis] = box.hi[axis];
  }
}

void require_rank(int rank, int ranks) {
  if (rank < 0 || rank >= ranks) throw Error(concat("rank is ", rank, "; allowed are 0 to ", ranks - 1));
}

void check_shape(const Shape& shape) {
  Index points = 1;
  for (Index n : shape) {
    if (n < 0) throw Error(concat("shape is ", to_string(shape), "; no extent may be negative"));
    points = detail::multiply(points, n, "the number of grid points");
  }
}

/// Checks that boxes lie in the grid, cover it and do not overlap; the empty ones get one form, so that layouts compare
/// equal. `name` and `pair` say in messages which boxes those are.
template <class Name, class Pair>
void check_boxes(const Shape& shape, std::vector<Box>& boxes, const char* kind, const Name& name, const Pair& pair) {
  check_shape(shape);
  Index covered = 0;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    Box& box = boxes[i];
    for (int axis = 0; axis < 3; ++axis) {
      if (box.hi[axis] < box.lo[axis] || (!box.empty() && (box.lo[axis] < 0 || box.hi[axis] > shape[axis]))) {
        throw Error(concat(name(i), " is ", to_string(box), "; it must lie inside the grid of ", to_string(shape)));
      }
    }
    if (box.empty()) {
      box = Box{};
    } else {
      covered += box.count();
      order.push_back(i);
    }
  }
  // Sorted along an axis, a box can only meet the ones that start before it ends: few, where many start apart.
  const auto starts = [&](std::size_t axis) {
    std::set<Index> found;
    for (const std::size_t i : order) found.insert(boxes[i].lo[axis]);
    return found.size();
  };
  std::size_t along = 0;
  for (const std::size_t axis : {std::size_t{1}, std::size_t{2}}) along = starts(axis) > starts(along) ? axis : along;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return boxes[a].lo[along] < boxes[b].lo[along]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Box& a = boxes[order[i]];
    for (std::size_t j = i + 1; j < order.size() && boxes[order[j]].lo[along] < a.hi[along]; ++j) {
      if (!intersect(a, boxes[order[j]]).empty()) {
        const std::size_t first = std::min(order[i], order[j]), second = std::max(order[i], order[j]);
        throw Error(
            concat(pair(first, second), " overlap: ", to_string(boxes[first]), " and ", to_string(boxes[second])));
      }
    }
  }
  const Index points = shape[0] * shape[1] * shape[2];
  if (covered != points) {
    throw Error(concat("the ", kind, " hold ", covered, " of the ", points, " points of the ", to_string(shape),
                       " grid; together they must cover it"));
  }
}

}  // namespace

Layout Layout::grid(const Shape& shape, const std::array<int, 3>& parts) {
  check_shape(shape);
  for (int p : parts) {
    if (p < 1) {
      throw Error(concat("grid is ", parts[0], " x ", parts[1], " x ", parts[2], "; every extent must be at least 1"));
    }
  }
  Layout layout;
  layout.shape_ = shape;
  const Index ranks = Index{parts[0]} * parts[1] * parts[2];
  layout.ranks_ = detail::narrow<int>(ranks, "the number of ranks of the grid");
  layout.holder_ = Grid{parts};
  return layout;
}

Layout Layout::slab(const Shape& shape, int ranks, int axis) {
  if (axis < 0 || axis > 2) throw Error(concat("slab axis is ", axis, "; allowed are 0, 1 and 2"));
  std::array<int, 3> parts{1, 1, 1};
  parts[static_cast<std::size_t>(axis)] = ranks;
  return grid(shape, parts);
}

Layout Layout::pencil(const Shape& shape, int rows, int columns, int local_axis) {
  if (local_axis < 0 || local_axis > 2) {
    throw Error(concat("local axis of a pencil is ", local_axis, "; allowed are 0, 1 and 2"));
  }
  std::array<int, 3> parts{1, 1, 1};
  const std::size_t first = local_axis == 0 ? 1 : 0, second = local_axis == 2 ? 1 : 2;
  parts[first] = rows;
  parts[second] = columns;
  return grid(shape, parts);
}

Layout Layout::bricks(const Shape& shape, std::vector<Box> boxes) {
  check_boxes(
      shape, boxes, "bricks", [](std::size_t rank) { return concat("the brick of rank ", rank); },
      [](std::size_t a, std::size_t b) { return concat("the bricks of ranks ", a, " and ", b); });
  Layout layout;
  layout.shape_ = shape;
  layout.ranks_ = detail::narrow<int>(boxes.size(), "the number of bricks");
  layout.holder_ = std::move(boxes);
  return layout;
}

Layout Layout::patches(const Shape& shape, int ranks, const std::vector<Box>& boxes, const std::vector<int>& owners) {
  if (ranks < 1) throw Error(concat("ranks is ", ranks, "; at least 1 is needed"));
  if (boxes.size() != owners.size()) {
    throw Error(concat("there are ", boxes.size(), " patches and ", owners.size(), " owners; each patch needs one"));
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (owners[i] < 0 || owners[i] >= ranks) {
      throw Error(concat("the owner of patch ", i, " is ", owners[i], "; allowed are 0 to ", ranks - 1));
    }
    order.push_back(i);
  }
  std::vector<Box> checked = boxes;
  check_boxes(
      shape, checked, "patches", [](std::size_t i) { return concat("patch ", i); },
      [](std::size_t a, std::size_t b) { return concat("patches ", a, " and ", b); });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return owners[a] < owners[b]; });
  Patches found;
  std::vector<Box> alone(static_cast<std::size_t>(ranks));
  bool several = false;
  for (const std::size_t i : order) {
    several = several || (!found.ranks.empty() && found.ranks.back() == owners[i]);
    alone[static_cast<std::size_t>(owners[i])] = checked[i];
    found.boxes.push_back(checked[i]);
    found.ranks.push_back(owners[i]);
  }
  Layout layout;
  layout.shape_ = shape;
  layout.ranks_ = ranks;
  if (several) {
    layout.holder_ = std::move(found);
  } else {
    layout.holder_ = std::move(alone);
  }
  return layout;
}

Layout detail::layout_of_runs(const Shape& shape, Runs runs) {
  Layout layout;
  layout.shape_ = shape;
  layout.ranks_ = runs.rows * runs.columns;
  layout.holder_ = std::move(runs);
  return layout;
}

std::vector<Box> Layout::boxes(int rank) const {
  if (const auto* runs = std::get_if<detail::Runs>(&holder_)) {
    require_rank(rank, ranks_);
    const Range planes = split(shape_[0], runs->rows, rank / runs->columns);
    std::vector<Box> found;
    for (std::size_t i = 0; i < runs->column.size() && planes.lo < planes.hi; ++i) {
      if (runs->column[i] != rank % runs->columns || runs->first[i] == runs->first[i + 1]) continue;
      found.push_back({{planes.lo, 0, runs->first[i]}, {planes.hi, 1, runs->first[i + 1]}});
    }
    return found;
  }
  const auto* patches = std::get_if<Patches>(&holder_);
  if (patches == nullptr) return {box(rank)};
  require_rank(rank, ranks_);
  const auto [first, last] = std::equal_range(patches->ranks.begin(), patches->ranks.end(), rank);
  const auto at = [&](auto place) { return patches->boxes.begin() + (place - patches->ranks.begin()); };
  return {at(first), at(last)};
}

Box Layout::box(int rank) const {
  require_rank(rank, ranks_);
  if (has_several()) throw Error(concat("ranks hold ", describe(), ", and not one box each"));
  if (const auto* boxes = std::get_if<std::vector<Box>>(&holder_)) return (*boxes)[static_cast<std::size_t>(rank)];
  const auto& parts = std::get<Grid>(holder_).parts;
  const std::array<Index, 3> at{rank / (parts[1] * parts[2]), rank / parts[2] % parts[1], rank % parts[2]};
  Box box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Range range = split(shape_[axis], parts[axis], at[axis]);
    box.lo[axis] = range.lo;
    box.hi[axis] = range.hi;
  }
  if (box.empty()) show_empty(box, shape_);
  return box;
}

std::optional<std::array<int, 3>> Layout::parts() const {
  const auto* grid = std::get_if<Grid>(&holder_);
  return grid == nullptr ? std::nullopt : std::optional(grid->parts);
}

std::array<Range, 3> Layout::places(const Box& box) const {
  const auto& parts = std::get<Grid>(holder_).parts;
  std::array<Range, 3> found{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    found[axis] = {part_of(shape_[axis], parts[axis], box.lo[axis]),
                   part_of(shape_[axis], parts[axis], box.hi[axis] - 1)};
  }
  return found;
}

template <class Use>
bool Layout::for_each_listed(const Box& box, const Use& use) const {
  if (const auto* runs = std::get_if<detail::Runs>(&holder_)) {
    const auto after = std::upper_bound(runs->first.begin(), runs->first.end(), box.lo[2]);
    const auto start = static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - runs->first.begin(), 1) - 1);
    for (int row = 0; row < runs->rows; ++row) {
      const Range planes = split(shape_[0], runs->rows, row);
      std::vector<std::vector<Box>> of_column(static_cast<std::size_t>(runs->columns));
      for (std::size_t i = start; i < runs->column.size() && runs->first[i] < box.hi[2]; ++i) {
        const Box common = intersect(box, {{planes.lo, 0, runs->first[i]}, {planes.hi, 1, runs->first[i + 1]}});
        if (!common.empty()) of_column[static_cast<std::size_t>(runs->column[i])].push_back(common);
      }
      for (int column = 0; column < runs->columns; ++column) {
        for (const Box& common : of_column[static_cast<std::size_t>(column)]) use(row * runs->columns + column, common);
      }
    }
    return true;
  }
  const auto* patches = std::get_if<Patches>(&holder_);
  const auto* bricks = std::get_if<std::vector<Box>>(&holder_);
  if (patches == nullptr && bricks == nullptr) return false;
  const std::vector<Box>& boxes = patches != nullptr ? patches->boxes : *bricks;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Box common = intersect(box, boxes[i]);
    if (!common.empty()) use(patches != nullptr ? patches->ranks[i] : static_cast<int>(i), common);
  }
  return true;
}

std::vector<int> Layout::overlapping(const Box& box) const {
  std::vector<int> found;
  if (box.empty()) return found;
  const auto add = [&](int rank, const Box&) {
    if (found.empty() || found.back() != rank) found.push_back(rank);
  };
  if (for_each_listed(box, add)) return found;
  const auto& parts = std::get<Grid>(holder_).parts;
  const auto at = places(box);
  for (Index i = at[0].lo; i <= at[0].hi; ++i) {
    for (Index j = at[1].lo; j <= at[1].hi; ++j) {
      for (Index k = at[2].lo; k <= at[2].hi; ++k) {
        found.push_back(static_cast<int>((i * parts[1] + j) * parts[2] + k));
      }
    }
  }
  return found;
}

std::vector<Layout::Overlap> Layout::overlaps(const Box& box) const {
  std::vector<Overlap> found;
  if (box.empty()) return found;
  if (for_each_listed(box, [&](int rank, const Box& common) { found.push_back({rank, common}); })) return found;
  const auto& parts = std::get<Grid>(holder_).parts;
  const auto at = places(box);
  const auto common = [&](std::size_t axis, Index part) {
    const Range range = split(shape_[axis], parts[axis], part);
    return Range{std::max(range.lo, box.lo[axis]), std::min(range.hi, box.hi[axis])};
  };
  for (Index i = at[0].lo; i <= at[0].hi; ++i) {
    const Range a = common(0, i);
    for (Index j = at[1].lo; j <= at[1].hi; ++j) {
      const Range b = common(1, j);
      for (Index k = at[2].lo; k <= at[2].hi; ++k) {
        const Range c = common(2, k);
        const int rank = static_cast<int>((i * parts[1] + j) * parts[2] + k);
        found.push_back({rank, {{a.lo, b.lo, c.lo}, {a.hi, b.hi, c.hi}}});
      }
    }
  }
  return found;
}

std::string Layout::describe() const {
  if (ranks_ == 0) return "nothing";
  if (const auto* patches = std::get_if<Patches>(&holder_)) {
    return concat(patches->boxes.size(), " patches of ", ranks_, ranks_ == 1 ? " rank" : " ranks");
  }
  if (ranks_ == 1) return "one rank";
  if (const auto* runs = std::get_if<detail::Runs>(&holder_)) {
    return concat(runs->column.size(), " runs of columns on ", runs->rows, " x ", runs->columns, " ranks");
  }
  if (std::holds_alternative<std::vector<Box>>(holder_)) return concat(ranks_, " bricks");
  const auto& parts = std::get<Grid>(holder_).parts;
  std::vector<int> cut;
  int local = 2;
  for (int axis = 0; axis < 3; ++axis) {
    if (parts[static_cast<std::size_t>(axis)] > 1) {
      cut.push_back(axis);
    } else {
      local = axis;
    }
  }
  if (cut.size() == 1) return concat("slab along axis ", cut[0]);
  if (cut.size() == 2) {
    return concat("pencil ", parts[static_cast<std::size_t>(cut[0])], " x ", parts[static_cast<std::size_t>(cut[1])],
                  ", axis ", local, " local");
  }
  return concat("grid ", parts[0], " x ", parts[1], " x ", parts[2]);
}

bool operator==(const Layout& a, const Layout& b) {
  if (a.shape_ != b.shape_ || a.ranks_ != b.ranks_ || a.has_several() != b.has_several()) return false;
  const auto same = [](const Box& x, const Box& y) { return x == y || (x.empty() && y.empty()); };
  if (const auto* runs = std::get_if<detail::Runs>(&a.holder_)) {
    const auto* others = std::get_if<detail::Runs>(&b.holder_);
    return others != nullptr && runs->rows == others->rows && runs->columns == others->columns &&
           runs->first == others->first && runs->column == others->column;
  }
  if (a.has_several()) {
    if (std::holds_alternative<detail::Runs>(b.holder_)) return false;
    const auto &x = std::get<Layout::Patches>(a.holder_), &y = std::get<Layout::Patches>(b.holder_);
    return x.ranks == y.ranks && x.boxes == y.boxes;
  }
  for (int rank = 0; rank < a.ranks_; ++rank) {
    if (!same(a.box(rank), b.box(rank))) return false;
  }
  return true;
}

}  // namespace weft
