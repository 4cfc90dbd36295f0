#include "poisson/stretched.hpp"

#include <algorithm>
#include <complex>
#include <type_traits>

#include "operator/squares.hpp"

namespace weft::detail {

UnevenAxis uneven_axis(const PoissonProblem& problem, std::size_t axis) {
  const std::vector<double>& spacings = problem.spacings[axis];
  const bool nodes = problem.points[axis] == Points::nodes;
  const auto [low, high] = problem.sides[axis];
  // Of all stored points: the volume around each, and the distances to its neighbours, to a wall beside a cell.
  const auto n = static_cast<std::size_t>(problem.shape[axis]);
  std::vector<double> volumes(n), before(n), after(n);
  for (std::size_t j = 0; j < n; ++j) {
    if (nodes) {
      before[j] = j > 0 ? spacings[j - 1] : 0;
      after[j] = j + 1 < n ? spacings[j] : 0;
      volumes[j] = (before[j] + after[j]) / 2;
    } else {
      volumes[j] = spacings[j];
      before[j] = (spacings[j] + (j > 0 ? spacings[j - 1] : 0)) / 2;
      after[j] = (spacings[j] + (j + 1 < n ? spacings[j + 1] : 0)) / 2;
    }
  }
  UnevenAxis uneven;
  uneven.axis = axis;
  const std::size_t first = nodes && low == Side::odd ? 1 : 0, end = nodes && high == Side::odd ? n - 1 : n;
  for (std::size_t j = first; j < end; ++j) {
    // Across an even wall nothing flows; across an odd one to its value.
    const bool wall_below = j == first, wall_above = j + 1 == end;
    const double volume = volumes[j];
    const double below = wall_below && low == Side::even ? 0 : 1 / (before[j] * volume);
    const double above = wall_above && high == Side::even ? 0 : 1 / (after[j] * volume);
    uneven.volumes.push_back(volume);
    uneven.own.push_back(-below - above);
    uneven.to_low.push_back(wall_below ? 0 : below);
    uneven.to_high.push_back(wall_above ? 0 : above);
    if (wall_below) uneven.of_walls[0] = low == Side::even ? 1 / volume : -below;
    if (wall_above) uneven.of_walls[1] = high == Side::even ? -1 / volume : -above;
  }
  uneven.constant = low == Side::even && high == Side::even;
  return uneven;
}

namespace {

/// Lines that are solved at once: none waits for its own last step.
constexpr Index together = 8;

/// What lines are solved in, in double precision: an elimination rounds more than a factor does.
template <class Number>
struct LineScratch {
  using Wide = std::conditional_t<std::is_floating_point_v<Number>, double, std::complex<double>>;
  std::vector<double> upper;
  std::vector<Wide> right;
  void make_room(Index n) {
    upper.resize(static_cast<std::size_t>(n * together));
    right.resize(static_cast<std::size_t>(n * together));
  }
};

template <class Number>
struct Lines {
  const Number* in;
  Number* out;
  Index count;                        ///< at most `together`
  Index next, next_point;             ///< numbers from a line to the next, and from a point to the next
  std::array<double, together> rest;  ///< what the other axes and the shift take from the diagonal
};

/// Takes the mean from a line of `right`.
template <class Wide>
void remove_mean(const UnevenAxis& uneven, Wide* line) {
  Wide sum = 0;
  double all = 0;
  for (std::size_t j = 0; j < uneven.volumes.size(); ++j) {
    sum += uneven.volumes[j] * line[static_cast<Index>(j) * together];
    all += uneven.volumes[j];
  }
  for (std::size_t j = 0; j < uneven.volumes.size(); ++j) line[static_cast<Index>(j) * together] -= sum / all;
}

template <class Number>
void solve(const UnevenAxis& uneven, const Lines<Number>& lines, LineScratch<Number>& scratch) {
  using Wide = typename LineScratch<Number>::Wide;
  const auto n = static_cast<Index>(uneven.own.size());
  Wide* const right = scratch.right.data();
  double* const upper = scratch.upper.data();
  for (Index j = 0; j < n; ++j) {
    const Number* const from = lines.in + j * lines.next_point;
    for (Index l = 0; l < together; ++l)
      right[j * together + l] = l < lines.count ? Wide(from[l * lines.next]) : Wide(0);
  }
  Index singular = -1;
  for (Index l = 0; uneven.constant && l < lines.count; ++l) {
    if (lines.rest[static_cast<std::size_t>(l)] == 0) singular = l;
  }
  if (singular >= 0) remove_mean(uneven, right + singular);
  std::array<double, together> rest = lines.rest;
  for (Index j = 0; j < n; ++j) {
    // The last equation of a singular line follows from the others; its last point is free.
    if (singular >= 0 && j == n - 1) rest[static_cast<std::size_t>(singular)] = 1;
    const auto at = static_cast<std::size_t>(j);
    const double low = uneven.to_low[at], own = uneven.own[at], high = uneven.to_high[at];
    Wide* const here = right + j * together;
    const Wide* const before = j > 0 ? here - together : here;
    double* const above = upper + j * together;
    const double* const above_before = j > 0 ? above - together : above;
    if (j == 0) std::fill_n(above, together, 0.0);
    for (Index l = 0; l < together; ++l) {
      const double one = 1 / (own - rest[static_cast<std::size_t>(l)] - low * above_before[l]);
      here[l] = (here[l] - low * before[l]) * one;
      above[l] = high * one;
    }
  }
  if (singular >= 0) right[(n - 1) * together + singular] = 0;
  for (Index j = n - 2; j >= 0; --j) {
    Wide* const here = right + j * together;
    for (Index l = 0; l < together; ++l) here[l] -= upper[j * together + l] * here[together + l];
  }
  if (singular >= 0) remove_mean(uneven, right + singular);
  for (Index j = 0; j < n; ++j) {
    Number* const to = lines.out + j * lines.next_point;
    for (Index l = 0; l < lines.count; ++l) to[l * lines.next] = static_cast<Number>(right[j * together + l]);
  }
}

}  // namespace

template <class Real>
PointFunction<Real> solve_lines(const Problem& transforms, Stencil stencil, std::shared_ptr<const UnevenAxis> uneven,
                                double shift) {
  const std::size_t axis = uneven->axis;
  // Lines lie side by side along one of the others.
  const std::size_t beside = axis == 2 ? 1 : 2, beyond = 3 - axis - beside;
  const std::vector<double> near = squares_of(transforms, beside, stencil),
                            far = squares_of(transforms, beyond, stencil);
  auto function = PointFunction<Real>::at_wavenumbers(1, 1, [=]<class Number>(const PointTile<Number>& tile) {
    static thread_local LineScratch<Number> scratch;
    scratch.make_room(tile.box.extent(static_cast<int>(axis)));
    Shape strides = tile.strides;
    strides[2] = 1;
    for (Index i = tile.box.lo[beyond]; i < tile.box.hi[beyond]; ++i) {
      for (Index j = tile.box.lo[beside]; j < tile.box.hi[beside]; j += together) {
        const Index offset = (i - tile.box.lo[beyond]) * strides[beyond] + (j - tile.box.lo[beside]) * strides[beside];
        Lines<Number> lines{tile.inputs[0] + offset,
                            tile.outputs[0] + offset,
                            std::min(together, tile.box.hi[beside] - j),
                            strides[beside],
                            strides[axis],
                            {}};
        lines.rest.fill(1);
        for (Index l = 0; l < lines.count; ++l) {
          lines.rest[static_cast<std::size_t>(l)] =
              far[static_cast<std::size_t>(i)] + near[static_cast<std::size_t>(j + l)] + shift;
        }
        solve(*uneven, lines, scratch);
      }
    }
  });
  function.name = "tridiagonal solves";
  function.overwrites = function.sure = true;
  return function;
}

template PointFunction<float> solve_lines<float>(const Problem&, Stencil, std::shared_ptr<const UnevenAxis>, double);
template PointFunction<double> solve_lines<double>(const Problem&, Stencil, std::shared_ptr<const UnevenAxis>, double);

}  // namespace weft::detail
