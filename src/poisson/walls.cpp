#include "poisson/walls.hpp"

#include <algorithm>
#include <utility>

#include "base/buffer.hpp"
#include "base/text.hpp"
#include "fft/serial.hpp"
#include "operator/mehrstellen.hpp"
#include "poisson/line_derivatives.hpp"

namespace weft::detail {

namespace {

/// The polynomial w of a wall's value 1, its first and its second derivative: at the wall it, or its derivative, is 1,
/// and 0 at the other one.
std::array<double, 3> polynomial(const std::array<Side, 2>& sides, int end, double length, double x) {
  const bool low = end == 0;
  const Side own = sides[low ? 0 : 1], other = sides[low ? 1 : 0];
  // From the other wall to this one.
  const double away = low ? length - x : x, sign = low ? -1 : 1;
  if (own == Side::odd && other == Side::odd) return {away / length, sign / length, 0};
  if (own == Side::odd) return {1, 0, 0};
  if (other == Side::odd) return {sign * away, 1, 0};
  return {sign * away * away / (2 * length), away / length, sign / length};
}

/// Numbers along a line: second differences of it as the line's waves have them.
std::vector<double> second_differences(const SidesOfAxis& axis, double trip, const std::vector<double>& line,
                                       const Options& options) {
  const auto n = static_cast<Index>(line.size());
  const Backend& backend = find_backend(options.backend);
  const auto kernel = [&](Way way) {
    return make_column_kernel(backend, type_of(axis.line, way), Number::real, n, 0, Precision::double_,
                              Effort::estimate);
  };
  const auto there = kernel(Way::to_spectrum), back = kernel(Way::to_space);
  // Rows of one number, each in a cache line of its own.
  constexpr auto row = cache_line / static_cast<Index>(sizeof(double));
  const Buffer memory = Buffer::zeroed(n * cache_line),
               scratch(std::max(there->scratch_bytes(), back->scratch_bytes()));
  auto* const numbers = reinterpret_cast<double*>(memory.data());
  std::vector<void*> rows;
  for (Index i = 0; i < n; ++i) rows.push_back(numbers + i * row);
  ColumnRun run;
  run.in = rows.data();
  run.out = rows.data();
  run.columns = 1;
  for (std::size_t i = 0; i < line.size(); ++i) numbers[static_cast<Index>(i) * row] = line[i];
  there->run(run, scratch.data());
  for (std::size_t k = 0; k < line.size(); ++k) numbers[static_cast<Index>(k) * row] *= -axis.free.squares[k] / trip;
  back->run(run, scratch.data());
  std::vector<double> found;
  for (Index i = 0; i < n; ++i) found.push_back(numbers[i * row]);
  return found;
}

/// Calls `use(at, number)` for the points of a box with index i along an axis, and numbers of the box without it.
template <class Use>
void for_plane(const Box& box, std::size_t axis, Index i, const Use& use) {
  if (box.empty() || i < box.lo[axis] || i >= box.hi[axis]) return;
  Box one = box;
  one.lo[axis] = i;
  one.hi[axis] = i + 1;
  Index number = 0;
  Shape p{};
  for (p[0] = one.lo[0]; p[0] < one.hi[0]; ++p[0]) {
    for (p[1] = one.lo[1]; p[1] < one.hi[1]; ++p[1]) {
      for (p[2] = one.lo[2]; p[2] < one.hi[2]; ++p[2]) {
        const Index at = ((p[0] - box.lo[0]) * box.extent(1) + p[1] - box.lo[1]) * box.extent(2) + p[2] - box.lo[2];
        use(at, number++);
      }
    }
  }
}

}  // namespace

template <class Real>
Walls<Real>::Walls(const PoissonProblem& problem, const std::array<SidesOfAxis, 3>& axes, const Box& stored, int rank,
                   const Options& options)
    : problem_(problem),
      axes_(axes),
      stored_(stored),
      unknowns_(detail::unknowns_of(axes, stored)),
      rank_(rank),
      options_(options) {}

template <class Real>
bool Walls<Real>::reaches_one(std::size_t axis) const {
  return problem_.stencil == Stencil::second_order || !problem_.spacings[axis].empty();
}

// Differences of the order p have p/2 neighbours on either side; compact ones and waves have all.
template <class Real>
Index Walls<Real>::reach(std::size_t axis) const {
  if (reaches_one(axis)) return 1;
  const Index unknowns = axes_[axis].unknowns, order = static_cast<Index>(problem_.stencil);
  return order > 0 && !problem_.derivatives_in_space() ? std::min(order / 2, unknowns) : unknowns;
}

template <class Real>
auto Walls<Real>::of_unknowns(std::size_t axis, int end) const -> Profile {
  const SidesOfAxis& of = axes_[axis];
  if (reaches_one(axis)) return {of.beside(end), {of.of_walls[static_cast<std::size_t>(end)]}};
  const std::vector<double> x = weft::coordinates(problem_, axis);
  std::vector<double> w, second;
  for (Index i = 0; i < of.unknowns; ++i) {
    const auto at = x[static_cast<std::size_t>(of.place(i))];
    const std::array<double, 3> here = polynomial(problem_.sides[axis], end, problem_.lengths[axis], at);
    w.push_back(here[0]);
    second.push_back(here[2]);
  }
  const double trip = 2 * problem_.lengths[axis] / of.spacing;
  const std::vector<double> between = second_differences(of, trip, w, options_);
  Profile profile{end == 0 ? 0 : of.unknowns - reach(axis), {}};
  for (Index i = 0; i < reach(axis); ++i) {
    const auto at = static_cast<std::size_t>(profile.first + i);
    profile.by.push_back(between[at] - second[at]);
  }
  return profile;
}

/// Along the stored points.
template <class Real>
auto Walls<Real>::of_slopes(std::size_t axis, int end) const -> Profile {
  LineDerivatives<double> lines(problem_, axis, options_);
  if (lines.parabolas()) return {end == 0 ? 0 : problem_.shape[axis] - 1, {lines.of_wall(end)}};
  const std::vector<double> x = weft::coordinates(problem_, axis);
  Profile profile;
  std::vector<double> w, slopes(x.size());
  for (const double at : x) {
    const std::array<double, 3> here = polynomial(problem_.sides[axis], end, problem_.lengths[axis], at);
    w.push_back(here[0]);
    profile.by.push_back(here[1]);
  }
  Box line{{0, 0, 0}, {1, 1, 1}};
  line.hi[axis] = problem_.shape[axis];
  lines.run(line, line, w.data(), slopes.data());
  for (std::size_t i = 0; i < x.size(); ++i) profile.by[i] -= slopes[i];
  return profile;
}

template <class Real>
Index Walls<Real>::size(std::size_t axis, int end) const {
  if (axis > 2) throw Error(concat("axis is ", axis, "; allowed are 0, 1 and 2"));
  if (end != 0 && end != 1) throw Error(concat("end is ", end, "; allowed are 0, the low side, and 1, the high one"));
  if (stored_.empty()) return 0;
  // From the stored point on the wall, or nearest to it, to the last one that has something of it.
  const SidesOfAxis& of = axes_[axis];
  const Index points = reach(axis), wall = end == 0 ? 0 : of.stored - 1;
  const bool all = !reaches_one(axis) && points == of.unknowns;
  const Index last = all ? of.stored - 1 - wall : of.place(of.beside(end)) + (end == 0 ? 1 : -1) * (points - 1);
  const bool here = stored_.lo[axis] <= std::max(wall, last) && std::min(wall, last) < stored_.hi[axis];
  return here ? problem_.batch * stored_.count() / stored_.extent(static_cast<int>(axis)) : 0;
}

template <class Real>
void Walls<Real>::set(std::size_t axis, int end, std::span<const Real> values) {
  const Index count = size(axis, end);
  const auto number = static_cast<std::size_t>(end);
  const auto& sides = problem_.sides[axis];
  if (!is_wall(sides[number])) {
    throw Error(concat("side ", end, " of axis ", axis, " is ", to_string(sides[number]),
                       "; values have those that are even or odd"));
  }
  if (problem_.green.kind == Green::Kind::own) throw Error("green is own; a kernel has no walls with values");
  if (is_mehrstellen(problem_.stencil)) {
    throw Error(concat("stencil is ", to_string(problem_.stencil),
                       "; with values at walls differences along each axis by itself are allowed"));
  }
  if (!reaches_one(axis) && !is_wall(sides[1 - number])) {
    throw Error(concat("stencil is ", to_string(problem_.stencil),
                       "; with values at a wall opposite to a side that is ", to_string(sides[1 - number]),
                       " second_order is allowed"));
  }
  if (!values.empty() && static_cast<Index>(values.size()) != count) {
    throw Error(
        concat("values are ", values.size(), " on rank ", rank_, "; at this wall ", count, " are needed, or none"));
  }
  std::erase_if(walls_, [&](const Wall& wall) { return wall.axis == axis && wall.end == end; });
  if (values.empty()) return;
  if (!to_unknowns_[axis][number]) to_unknowns_[axis][number] = of_unknowns(axis, end);
  if (problem_.derivatives_in_space() && !to_slopes_[axis][number]) to_slopes_[axis][number] = of_slopes(axis, end);
  walls_.push_back({axis, end, {values.begin(), values.end()}});
  std::sort(walls_.begin(), walls_.end(),
            [](const Wall& a, const Wall& b) { return std::pair(a.axis, a.end) < std::pair(b.axis, b.end); });
}

/// Of one field, over the stored box without the wall's axis.
template <class Real>
const Real* Walls<Real>::values_of(const Wall& wall, Index field) const {
  return wall.values.data() + field * (stored_.count() / stored_.extent(static_cast<int>(wall.axis)));
}

/// To an array of a box, whose point i along an axis is the stored one `place(axis, i)`.
template <class Real>
template <class Place>
void Walls<Real>::add(const Wall& wall, const Profile& profile, const Real* values, const Box& box, const Place& place,
                      Real* to) const {
  Box here = box;
  here.lo[wall.axis] = std::max(box.lo[wall.axis], profile.first);
  here.hi[wall.axis] = std::min(box.hi[wall.axis], profile.first + static_cast<Index>(profile.by.size()));
  if (box.empty() || here.lo[wall.axis] >= here.hi[wall.axis]) return;
  const auto factor = [&](Index i) {
    return static_cast<Real>(profile.by[static_cast<std::size_t>(i - profile.first)]);
  };
  // Lines of unknowns may begin behind other walls, and run backwards.
  const auto value = [&](const Shape& p) {
    Index number = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      if (a != wall.axis) number = number * stored_.extent(static_cast<int>(a)) + place(a, p[a]) - stored_.lo[a];
    }
    return values + number;
  };
  const Index step = wall.axis == 2 ? 0 : place(2, 1) - place(2, 0);
  Shape p = here.lo;
  for (p[0] = here.lo[0]; p[0] < here.hi[0]; ++p[0]) {
    for (p[1] = here.lo[1]; p[1] < here.hi[1]; ++p[1]) {
      const Real* from = value(p);
      Real* row = to + ((p[0] - box.lo[0]) * box.extent(1) + p[1] - box.lo[1]) * box.extent(2) + p[2] - box.lo[2];
      for (Index k = here.lo[2]; k < here.hi[2]; ++k, from += step) {
        *row++ += factor(wall.axis == 2 ? k : p[wall.axis]) * *from;
      }
    }
  }
}

template <class Real>
void Walls<Real>::add_to(Real* f, Index item) const {
  const auto place = [&](std::size_t axis, Index i) { return axes_[axis].place(i); };
  for (const Wall& wall : walls_) {
    const Profile& profile = *to_unknowns_[wall.axis][static_cast<std::size_t>(wall.end)];
    for (Index field = 0; field < problem_.batch; ++field) {
      add(wall, profile, values_of(wall, field), unknowns_, place, f + field * item);
    }
  }
}

template <class Real>
void Walls<Real>::write(const Box& stored, Index field, Real* u) const {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const int end : {0, 1}) write_wall(stored, axis, end, field, u);
  }
}

template <class Real>
void Walls<Real>::write_wall(const Box& stored, std::size_t axis, int end, Index field, Real* u) const {
  const bool nodes = problem_.points[axis] == Points::nodes;
  if (!nodes || problem_.sides[axis][static_cast<std::size_t>(end)] != Side::odd) return;
  const auto wall = std::ranges::find_if(walls_, [&](const Wall& one) { return one.axis == axis && one.end == end; });
  for_plane(stored, axis, end == 0 ? 0 : problem_.shape[axis] - 1,
            [&](Index at, Index number) { u[at] = wall != walls_.end() ? values_of(*wall, field)[number] : Real(0); });
}

template <class Real>
void Walls<Real>::add_to_gradient(const GradientInSpace<Real>& gradient, Index field,
                                  std::span<Real* const> derivatives) const {
  const auto same = [](std::size_t, Index i) { return i; };
  for (const Wall& wall : walls_) {
    const std::optional<std::size_t> component = gradient.component(wall.axis);
    if (!component) continue;
    const Profile& profile = *to_slopes_[wall.axis][static_cast<std::size_t>(wall.end)];
    add(wall, profile, values_of(wall, field), stored_, same, derivatives[*component]);
  }
}

template class Walls<float>;
template class Walls<double>;

}  // namespace weft::detail
