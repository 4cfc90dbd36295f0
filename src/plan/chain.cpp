// The chain of stages: which axes are transformed in which layout.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "exchange/rounds.hpp"
#include "plan/decomposition.hpp"
#include "plan/flow.hpp"
#include "plan/half_line.hpp"
#include "plan/options.hpp"
#include "plan/route.hpp"

namespace weft::detail {

namespace {

/// Planes up to this size are transformed along axes 1 and 2 in one trip through memory, because they stay in the last
/// cache level. The same on all ranks whatever their caches, since it shapes the chain. Measured on a Zen 5 with 16 MB
/// of last-level cache a core: see docs/design/passes.md.
constexpr Index plane_bytes = Index{8} << 20;
/// Of a row of a strip of columns: two cache lines.
constexpr Index strip_bytes = 128;

using Parts = std::array<int, 3>;

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

/// The axes as they are transformed from space to the spectrum, beginning with the last, along which real numbers
/// become complex. Axes without a transform are the last, so that they are cut.
std::array<int, 3> order_of(const Problem& problem, StagesOf what = StagesOf::transform) {
  // Rows of columns are those of one line; of real numbers, and of convolutions, columns of rows.
  if (problem.one_line && !is_real_line(problem) && what != StagesOf::convolution) return {0, 1, 2};
  const std::array<Line, 3> lines = divided_lines(problem);
  std::array<int, 3> order{2, 1, 0};
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return lines[at(a)] != Line::none && lines[at(b)] == Line::none; });
  return order;
}

/// The axis that is transformed before an operator's exchange, where those after it are two: of these one grows on its
/// way to the spectrum, which it then does behind the exchange, in cache. Rows can do so if what lines along axis 1
/// make of real fields is real. Columns along axis 1 do so between nodes, where it counts that half as much is sent:
/// their strips leave the second cache level, which costs more than inside a node it saves (measured:
/// benchmarks/decisions/passes-and-caches.md). -1: each has a pass of its own.
int before_growth(const Problem& problem, const Options& options, int ranks) {
  const std::array<Line, 3> lines = divided_lines(problem);
  if (problem.shape.rank() != 3 || problem.kind.to_space || options.consume == Consume::early) return -1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (problem.shape[axis] == 1 || !changes(lines[axis], problem.shape[axis])) return -1;
  }
  const auto grows = [&](std::size_t axis) {
    return problem.kept_modes()[axis] == problem.shape[axis] && problem.kept_points()[axis] < problem.shape[axis];
  };
  const Shape spectrum = problem.spectrum_shape();
  const Index point_bytes = bytes_of(spectrum_number(problem.kind), problem.precision);
  const auto fits = [&](Index points) { return points <= plane_bytes / point_bytes; };
  const bool real =
      space_number(problem.kind) == Number::real && traits_of(type_of(lines[1], Way::to_spectrum)).between_reals();
  if (real && grows(2) && fits(spectrum[0] * spectrum[2])) return 1;
  const std::vector<int> nodes = nodes_of(options, ranks);
  const bool between_nodes = std::ranges::any_of(nodes, [&](int node) { return node != nodes.front(); });
  const Index columns = strip_bytes / point_bytes;
  if (between_nodes && grows(1) && fits(problem.kept_points()[0] * spectrum[1] * columns) && spectrum[2] >= ranks)
    return 2;
  return -1;
}

/// The parts along each axis in the layouts in which the axes of `order` are whole, one after the other.
using ChainParts = std::array<Parts, 3>;

/// Slabs are cut along the axis that is transformed last, and where that is whole along another one; the fastest in
/// memory is cut only where none else has points. Where the last lines become whole without a transform, slabs are cut
/// along axis 0 first, and then along an axis that is done, so that one exchange makes all others whole.
ChainParts slabs(const std::array<int, 3>& order, const Shape& spectrum, int ranks, bool last_as_it_is) {
  ChainParts parts;
  int cut = spectrum[at(order[2])] > 1 ? order[2] : order[1];
  if (last_as_it_is && spectrum[0] > 1) cut = 0;
  for (std::size_t stage = 0; stage < 3; ++stage) {
    const int whole = order[stage];
    const auto good = [&](int axis) { return axis != whole && spectrum[at(axis)] > 1; };
    if (cut == whole && last_as_it_is && stage == 1 && good(order[0])) {
      cut = order[0];
    } else if (cut == whole) {
      cut = good(0) ? 0 : good(1) ? 1 : whole != 2 ? 2 : 0;
    }
    parts[stage] = {1, 1, 1};
    parts[stage][at(cut)] = ranks;
  }
  return parts;
}

/// An axis that becomes whole gives its parts to the one that was whole before.
ChainParts pencils(const std::array<int, 3>& order, int rows, int columns) {
  Parts parts;
  parts[at(order[0])] = 1;
  parts[at(order[1])] = columns;
  parts[at(order[2])] = rows;
  ChainParts all{parts, parts, parts};
  std::swap(all[1][at(order[0])], all[1][at(order[1])]);
  all[2] = all[1];
  std::swap(all[2][at(order[1])], all[2][at(order[2])]);
  return all;
}

/// Points of the largest box over the three pencil layouts.
Index largest_box(const Shape& shape, int rows, int columns) {
  const auto largest = [](Index n, int parts) { return (n + parts - 1) / parts; };
  return std::max({largest(shape[0], rows) * largest(shape[1], columns) * shape[2],
                   largest(shape[0], rows) * shape[1] * largest(shape[2], columns),
                   shape[0] * largest(shape[1], rows) * largest(shape[2], columns)});
}

/// The rows x columns whose largest box is smallest; the squarest of those.
std::array<int, 2> most_even_grid(const Shape& shape, int ranks) {
  std::array<int, 2> best{1, ranks};
  Index best_box = -1;
  for (int rows = 1; rows <= ranks; ++rows) {
    if (ranks % rows != 0) continue;
    const int columns = ranks / rows;
    const Index box = largest_box(shape, rows, columns);
    const bool squarer = rows + columns < best[0] + best[1];
    if (best_box < 0 || box < best_box || (box == best_box && squarer)) {
      best = {rows, columns};
      best_box = box;
    }
  }
  return best;
}

/// Points from a node to another, in the exchange of one column of the grid: with fewer, messages are so short that
/// their number counts most, and grids whose rows are many nodes have fewer. Simulated for the lab's machines, rows
/// inside nodes win with 202 points (64^3 on 18 nodes of `cloud-25g`) and lose with 170 (64^3 on 16 nodes of
/// `hector-2b`).
constexpr Index fewest_points = 192;

/// With nodes of equal size, one of the two exchanges stays inside of them if a row of the grid does: a node is one
/// row, or several. Of such grids the one whose largest box is smallest; of those the one with the fewest columns,
/// whose other exchange has the most ranks of each node together, so that strategies that know of nodes send the fewest
/// messages. It is taken if its largest box is at most an eighth above the smallest of all grids (96^3 on 18 nodes of
/// 16 ranks: 36x8 instead of 12x24); otherwise the most even grid. Points are counted, not bytes: fields of either
/// precision lie alike.
std::array<int, 2> choose_grid(const Shape& shape, const Options& options, int ranks) {
  const std::array<int, 2> most_even = most_even_grid(shape, ranks);
  const int node_size = common_node_size(nodes_of(options, ranks));
  if (node_size == 0) return most_even;
  const auto nodes = static_cast<Index>(ranks / node_size);
  const Index points_of_pair = shape[0] * shape[1] * shape[2] / nodes / nodes;
  const Index smallest = largest_box(shape, most_even[0], most_even[1]);
  std::array<int, 2> best = most_even;
  Index best_box = smallest + smallest / 8 + 1;
  for (int columns = 2; columns <= node_size; ++columns) {
    if (node_size % columns != 0 || points_of_pair / columns < fewest_points) continue;
    const Index box = largest_box(shape, ranks / columns, columns);
    if (box >= best_box) continue;
    best = {ranks / columns, columns};
    best_box = box;
  }
  return best;
}

/// Whether the lines that come last are not transformed, and shall be whole.
bool last_as_it_is(const Problem& problem, bool whole) {
  return whole && untransformed(problem, at(order_of(problem)[2]));
}

/// Process grid of the inner stages; one column is a slab.
std::array<int, 2> process_grid(const Problem& problem, const Options& options, int ranks, bool whole) {
  const Shape spectrum = problem.spectrum_shape();
  const auto order = order_of(problem);
  const Shape shape{spectrum[at(order[2])], spectrum[at(order[1])], spectrum[at(order[0])]};
  const auto [rows, columns] = options.grid;
  const bool given = rows != 0 || columns != 0;
  if (given) require_grid("grid", options.grid, ranks);
  if (given && options.decomposition == Decomposition::slab && columns != 1) {
    throw Error(concat("grid is ", rows, "x", columns, "; with decomposition=slab only ", ranks, "x1 is allowed"));
  }
  if (given) return options.grid;
  if (options.decomposition == Decomposition::slab) return {ranks, 1};
  if (options.decomposition == Decomposition::automatic && slab_fits(problem, ranks, whole)) return {ranks, 1};
  return choose_grid(shape, options, ranks);
}

/// The same parts of a grid that has other lengths along axes that all of them have whole.
Layout with_shape(const Layout& layout, const Shape& shape) {
  if (layout.shape() == shape) return layout;
  const auto parts = layout.parts();
  bool regular = parts.has_value();
  for (std::size_t axis = 0; regular && axis < 3; ++axis) {
    // One point may be whole in one of several parts.
    regular = shape[axis] == layout.shape()[axis] || (*parts)[axis] == 1;
  }
  if (regular) return Layout::grid(shape, *parts);
  std::vector<Box> boxes;
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    const Box box = layout.box(rank);
    Box& there = boxes.emplace_back();
    if (box.empty()) continue;
    there = box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (shape[axis] != layout.shape()[axis]) there.hi[axis] = shape[axis];
    }
  }
  return Layout::bricks(shape, std::move(boxes));
}

/// Whether what these stages transform is whole on every rank, and none has much more to do than in their own layout.
/// (FFTW's blocks of ceil(n / P) planes are as large as the largest of ours.)
bool can_work_in(const Layout& layout, std::span<const Stage> stages) {
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    const Box box = layout.box(rank);
    for (const Stage& stage : stages) {
      for (const LineTransform& transform : stage.transforms) {
        const Index whole = layout.shape()[static_cast<std::size_t>(transform.axis)];
        if (!box.empty() && box.extent(transform.axis) != whole) return false;
      }
    }
  }
  const Layout& own = stages.front().in;
  const Layout theirs = with_shape(layout, own.shape());
  Index most = 0, most_own = 0;
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    most = std::max(most, theirs.box(rank).count());
    most_own = std::max(most_own, own.box(rank).count());
  }
  return 2 * most <= 3 * most_own;
}

/// Slabs of the caller's are as good as ours: the stages at that end work in them, instead of behind an exchange.
void work_in(std::vector<Stage>& stages, const std::optional<Layout>& space, const std::optional<Layout>& spectrum) {
  std::size_t leading = 1, trailing = stages.size() - 1;
  while (leading < stages.size() && stages[leading].in == stages[leading - 1].out) ++leading;
  while (trailing > 0 && stages[trailing - 1].out == stages[trailing].in) --trailing;
  const std::span<Stage> first(stages.data(), leading), last(stages.data() + trailing, stages.size() - trailing);
  const auto work_as = [](std::span<Stage> those, const Layout& layout) {
    for (Stage& stage : those) {
      stage.in = with_shape(layout, stage.in.shape());
      stage.out = with_shape(layout, stage.out.shape());
    }
  };
  if (space && can_work_in(*space, first)) work_as(first, *space);
  if (spectrum && trailing >= leading && can_work_in(*spectrum, last)) work_as(last, *spectrum);
}

/// What the smaller end of the line along an axis holds.
Kept kept_of(const Problem& problem, std::size_t axis) {
  const Index n = problem.shape[axis], modes = problem.kept_modes()[axis], points = problem.kept_points()[axis];
  if (modes < n) return {n, modes, Kept::Of::modes};
  if (points < n) return {n, points, Kept::Of::points};
  return {};
}

/// The stages from space to the spectrum.
std::vector<Stage> analysis_stages(const Problem& problem, const Options& options, int ranks, StagesOf what) {
  const bool whole = what != StagesOf::transform;
  const bool to_space = problem.kind.to_space;
  const Shape space_shape = problem.kept_points(), spectrum_shape = problem.spectrum_shape();
  std::array<int, 3> order = order_of(problem, what);
  const auto [rows, columns] = process_grid(problem, options, ranks, whole);
  const bool last_whole = last_as_it_is(problem, whole);
  ChainParts parts = columns == 1 ? slabs(order, spectrum_shape, rows, last_whole) : pencils(order, rows, columns);
  const bool may_grow = what == StagesOf::operator_at_wavenumbers && columns == 1;
  const int before = may_grow ? before_growth(problem, options, ranks) : -1;
  if (before >= 0) {
    order = {before, 3 - before, 0};
    parts[1] = parts[2] = {1, 1, 1};
    parts[1][at(before)] = parts[2][at(before)] = ranks;
  }

  const std::array<Line, 3> lines = divided_lines(problem);
  const std::vector<InnerAxis> inner = inner_axes(problem, pads_rows(problem, options));
  const PointNumbers of_point = numbers_of_point(problem, pads_rows(problem, options));
  Index numbers = of_point.in_space;
  Number number = space_number(problem.kind);
  Shape extents = space_shape;  // with the modes of what has been transformed so far
  std::vector<Stage> stages;
  const auto add = [&](std::vector<LineTransform> transforms, const Parts& cut) {
    const auto bytes = [&] { return static_cast<int>(numbers * bytes_of(number, problem.precision)); };
    const int in_bytes = bytes();
    const Index in_numbers = numbers;
    const Layout in = Layout::grid(extents, cut);
    for (const LineTransform& transform : transforms) {
      extents[at(transform.axis)] = spectrum_shape[at(transform.axis)];
      if (traits_of(transform.type).out == Number::complex) number = Number::complex;
      if (transform.axis == 2) numbers = of_point.in_spectrum;
    }
    const Layout out = Layout::grid(extents, cut);
    stages.push_back({std::move(transforms), in, out, in_bytes, bytes()});
    stages.back().in_numbers = in_numbers;
    stages.back().out_numbers = numbers;
  };
  const auto changed = [&](int axis) {
    if (axis < 2 || inner.empty()) return changes(lines[at(axis)], problem.shape[at(axis)]);
    return std::any_of(inner.begin(), inner.end(), [](const InnerAxis& one) { return changes(one.line, one.points); });
  };
  const auto along = [&](int axis) {
    // Forward has the exponent -1, whichever way it leads.
    return LineTransform{axis,
                         type_of(lines[at(axis)], Way::to_spectrum),
                         Way::to_spectrum,
                         to_space ? +1 : -1,
                         kept_of(problem, at(axis)),
                         axis == 2 ? inner : std::vector<InnerAxis>{},
                         axis == 2 && problem.one_line ? problem.shape[0] * problem.shape[2] : 0,
                         order[0] == 2};
  };
  // Rows, and columns of what they have become.
  const auto in_one_pass = [&](std::size_t i) {
    if (before >= 0) return i == 1;
    if (i > 1 || order[i] != 2 || order[i + 1] != 1 || !changed(2) || !changed(1)) return false;
    const LineTraits &row = traits_of(along(2).type), &column = traits_of(along(1).type);
    const Index point_bytes = of_point.in_spectrum * bytes_of(spectrum_number(problem.kind), problem.precision);
    const Index row_points = inner.empty() ? row.spectrum_points(problem.shape[2]) : problem.shape[2];
    const bool plane_fits = problem.shape[1] <= plane_bytes / point_bytes / row_points;
    // Transforming whole planes leaves no axis along which arriving tiles could be consumed.
    // Rows between reals and columns of complex numbers are passes of different elements.
    const bool same = row.out == column.in || (row.out == Number::complex && column.between_reals());
    return same && parts[i] == parts[i + 1] && plane_fits && options.consume != Consume::early;
  };
  for (std::size_t i = 0; i < 3; ++i) {
    if (in_one_pass(i)) {
      add({along(order[i]), along(order[i + 1])}, parts[i]);
      ++i;
    } else if (changed(order[i])) {
      add({along(order[i])}, parts[i]);
    } else if (i == 2 && last_whole && order[i] == 2 && !stages.empty() && parts[1] == parts[2]) {
      // Rows are whole beside the columns before.
      stages.back().transforms.push_back(along(order[2]));
    } else if (i == 2 && last_whole) {
      add({along(order[2])}, parts[2]);
    }
  }
  if (stages.empty() && lines[at(order[0])] != Line::none) {
    add({along(order[0])}, parts[0]);  // a grid of one point
  } else if (stages.empty()) {
    add({}, parts[0]);
  }

  const auto& space_wanted = to_space ? options.output : options.input;
  const auto& spectrum_wanted = to_space ? options.input : options.output;
  const auto require = [&](const std::optional<Layout>& layout, const Shape& shape, const char* name) {
    if (!layout) return;
    if (layout->shape() != shape) {
      throw Error(concat("the ", name, " layout has the shape ", to_string(layout->shape()), "; ", to_string(shape),
                         " is needed"));
    }
    if (layout->ranks() != ranks) {
      throw Error(concat("the ", name, " layout has ", layout->ranks(), " ranks; the communicator has ", ranks));
    }
  };
  require(space_wanted, space_shape, to_space ? "output" : "input");
  require(spectrum_wanted, spectrum_shape, to_space ? "input" : "output");

  if (columns == 1) work_in(stages, space_wanted, spectrum_wanted);
  // Of one line, slabs of the axis along which lines come first are parts of it.
  const Layout space = space_wanted.value_or(problem.one_line ? Layout::slab(space_shape, ranks, order[0])
                                                              : Layout::grid(space_shape, parts[0]));
  Layout spectrum = Layout::grid(spectrum_shape, parts[0]);
  if (spectrum_wanted) {
    spectrum = *spectrum_wanted;
  } else if (options.transposed || HalfLine::fits(problem, options)) {
    spectrum = stages.back().out;
  } else if (problem.one_line) {
    spectrum = Layout::slab(spectrum_shape, ranks, 2);
  } else if (space_wanted && space_shape == spectrum_shape && stages.front().in_bytes == stages.back().out_bytes) {
    spectrum = space;
  }
  const auto copy = [](const Layout& layout, int element_bytes, Index element_numbers) {
    Stage stage{{}, layout, layout, element_bytes, element_bytes};
    stage.in_numbers = stage.out_numbers = element_numbers;
    return stage;
  };
  const int space_bytes = stages.front().in_bytes, spectrum_bytes = stages.back().out_bytes;
  if (space != stages.front().in) stages.insert(stages.begin(), copy(space, space_bytes, of_point.in_space));
  if (spectrum != stages.back().out) stages.push_back(copy(spectrum, spectrum_bytes, of_point.in_spectrum));
  // In place, one pass alone would write numbers to where others have not been read, unless lines keep their lengths.
  const std::vector<LineTransform>& first = stages.front().transforms;
  const bool moves = std::any_of(first.begin(), first.end(), [](const LineTransform& line) { return bool(line.kept); });
  if (options.in_place && stages.size() == 1 && moves) {
    stages.push_back(copy(spectrum, spectrum_bytes, of_point.in_spectrum));
  }
  for (Stage& stage : stages) stage.direction = to_space ? Direction::backward : Direction::forward;
  return stages;
}

}  // namespace

bool slab_fits(const Problem& problem, int ranks, bool whole) {
  const Shape spectrum = problem.spectrum_shape();
  if (std::min({spectrum[0], spectrum[1], spectrum[2]}) == 1) return true;
  const auto order = order_of(problem);
  const std::array<Line, 3> lines = divided_lines(problem);
  const bool last_whole = last_as_it_is(problem, whole);
  const ChainParts parts = slabs(order, spectrum, ranks, last_whole);
  for (std::size_t stage = 0; stage < 3; ++stage) {
    if (lines[at(order[stage])] == Line::none && !(stage == 2 && last_whole)) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (parts[stage][axis] > spectrum[axis]) return false;
    }
  }
  return true;
}

std::vector<Stage> forward_stages(const Problem& problem, const Options& options, int ranks, StagesOf what) {
  std::vector<Stage> stages = analysis_stages(problem, options, ranks, what);
  return problem.kind.to_space ? reversed(std::move(stages)) : stages;
}

std::vector<Stage> reversed(std::vector<Stage> stages) {
  std::reverse(stages.begin(), stages.end());
  for (Stage& stage : stages) {
    std::swap(stage.in, stage.out);
    std::swap(stage.in_bytes, stage.out_bytes);
    std::swap(stage.in_numbers, stage.out_numbers);
    std::reverse(stage.transforms.begin(), stage.transforms.end());
    stage.direction = stage.direction == Direction::forward ? Direction::backward : Direction::forward;
    for (LineTransform& transform : stage.transforms) {
      transform.type = traits_of(transform.type).inverse;
      transform.way = opposite(transform.way);
      transform.sign = -transform.sign;
    }
  }
  return stages;
}

}  // namespace weft::detail
