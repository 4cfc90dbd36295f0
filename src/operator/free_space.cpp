// How the table is made, of differences: see lattice_kernel.hpp. Of exact waves: the kernel's spectrum, cut off at a
// distance of more than the box, is known at any wave number. In a period so long that the kernel does not meet its
// images, it goes to space by a cosine transform along each axis, is cut there to what the field's period has, and
// comes back by another one. That is done axis by axis, planes first, so that the large octant is never held whole:
// each rank has some planes of axes 1 and 2, exchanges them for lines along axis 0, and then has its part.
#include "operator/free_space.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "base/checked.hpp"
#include "operator/lattice_kernel.hpp"
#include "operator/truncated_kernel.hpp"
#include "weft/weft.hpp"

namespace weft::detail {

namespace {

/// The next even number without prime factors above 7.
Index good_period(Index n) {
  for (n += n % 2;; n += 2) {
    Index rest = n;
    for (const Index prime : {2, 3, 5, 7}) {
      while (rest % prime == 0) rest /= prime;
    }
    if (rest == 1) return n;
  }
}

}  // namespace

// Not in the unnamed namespace: lambdas of a template of the header's have these as fields.
namespace free_space {

/// Lines of cosines (dct1) along an axis of an array in this process.
class Cosines {
 public:
  Cosines(const Shape& shape, std::size_t axis) : transform_(problem(shape, axis), MPI_COMM_SELF, options()) {}
  void operator()(double* data) { transform_.forward(data); }

 private:
  static Problem problem(const Shape& shape, std::size_t axis) {
    Problem lines{.shape = shape, .kind = {{Line::none, Line::none, Line::none}}};
    lines.kind.lines[axis] = Line::dct1;
    return lines;
  }
  static Options options() {
    Options in_place;
    in_place.in_place = true;
    in_place.effort = Effort::estimate;
    return in_place;
  }
  Transform<double> transform_;
};

/// The numbers of an axis as the kernel's spectrum has them, as the table's octant has them, and as the table has them.
struct Numbers {
  Index large = 1, octant = 1, table = 1;
  Index period = 1;  ///< the large one
};

}  // namespace free_space

namespace {

using free_space::Cosines;
using free_space::Numbers;

/// The same along an axis of an array of less or more: `index(i)` of the old one is number i of the new one.
template <class Index_>
void along(std::vector<double>& values, Shape& shape, std::size_t axis, Index n, const Index_& index) {
  Shape now = shape;
  now[axis] = n;
  std::vector<double> result(static_cast<std::size_t>(now[0] * now[1] * now[2]));
  auto to = result.begin();
  Shape i{};
  for (i[0] = 0; i[0] < now[0]; ++i[0]) {
    for (i[1] = 0; i[1] < now[1]; ++i[1]) {
      for (i[2] = 0; i[2] < now[2]; ++i[2]) {
        Shape from = i;
        from[axis] = index(i[axis]);
        *to++ = values[static_cast<std::size_t>((from[0] * shape[1] + from[1]) * shape[2] + from[2])];
      }
    }
  }
  shape = now;
  values = std::move(result);
}

}  // namespace

template <class Real>
FreeSpaceTable<Real>::FreeSpaceTable(std::array<FreeAxis, 3> axes, Stencil stencil)
    : axes_(std::move(axes)), stencil_(stencil) {}

template <class Real>
Index FreeSpaceTable<Real>::place(Index i) const {
  return axes_[0].open ? axes_[0].number(i) : i - box_.lo[0];
}

template <class Real>
void FreeSpaceTable<Real>::fill(const OperatorPlan& plan, MPI_Comm comm, double shift) {
  box_ = plan.middle_box();
  if (stencil_ == Stencil::spectral) return fill_spectral(plan, comm, shift);
  const std::vector<double> kernel = lattice_kernel(axes_, box_, stencil_, shift);
  table_.assign(kernel.begin(), kernel.end());
}

template <class Real>
void FreeSpaceTable<Real>::fill_spectral(const OperatorPlan& plan, MPI_Comm comm, double shift) {
  const Layout& middle = plan.middle();
  int dimensions = 0;
  double radius = 0;
  for (const FreeAxis& axis : axes_) {
    if (!axis.open) continue;
    ++dimensions;
    radius += std::pow(static_cast<double>(axis.reach) * axis.spacing, 2);
  }
  radius = std::sqrt(radius);
  std::array<Numbers, 3> n;
  std::array<std::vector<double>, 3> squares;  // of wave numbers, by number of the large octant
  double scale = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    const FreeAxis& axis = axes_[a];
    n[a].table = middle.shape()[a];
    if (!axis.open) {
      n[a].large = n[a].octant = n[a].table;
      squares[a] = axis.squares;
      continue;
    }
    n[a].period = good_period(static_cast<Index>(std::ceil(radius / axis.spacing)) + axis.reach);
    n[a].large = n[a].period / 2 + 1;
    n[a].octant = axis.period / 2 + 1;
    scale /= static_cast<double>(n[a].period);
    for (Index i = 0; i < n[a].large; ++i) {
      const double length = static_cast<double>(n[a].period) * axis.spacing;
      squares[a].push_back(std::pow(2 * std::numbers::pi * static_cast<double>(i) / length, 2));
    }
  }

  // Kernels differ by the wave numbers along the closed axes; they cost most where two axes are open.
  const auto closed = [&](std::size_t axis, Index i) {
    return axes_[axis].open ? 0 : squares[axis][static_cast<std::size_t>(i)];
  };
  const auto open = [&](std::size_t axis, Index i) {
    return axes_[axis].open ? squares[axis][static_cast<std::size_t>(i)] : 0;
  };
  std::vector<TruncatedKernel> kernels;
  std::size_t other = 0;  // with two open axes, the closed one
  while (dimensions == 2 && axes_[other].open) ++other;
  if (dimensions == 2) {
    for (const double square : squares[other]) kernels.emplace_back(2, radius, std::sqrt(square + shift));
  }
  const auto kernel = [&](const Shape& i) {
    const double s = std::sqrt(open(0, i[0]) + open(1, i[1]) + open(2, i[2]));
    if (dimensions == 2) return kernels[static_cast<std::size_t>(i[other])](s);
    const double kappa = std::sqrt(closed(0, i[0]) + closed(1, i[1]) + closed(2, i[2]) + shift);
    return TruncatedKernel(dimensions, radius, kappa)(s);
  };

  // Planes of axes 1 and 2.
  const Shape field{n[0].large, n[1].table, n[2].table};
  const Layout planes = Layout::slab(field, plan.ranks(), 0);
  const Box mine = planes.box(plan.rank());
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(mine.count()));
  const auto reduce = [&](std::vector<double>& plane, Shape& shape, std::size_t axis, auto& before, auto& after) {
    const FreeAxis& what = axes_[axis];
    if (!what.open) return;
    const auto same = [](Index i) { return i; };
    before(plane.data());
    along(plane, shape, axis, n[axis].octant, same);
    after(plane.data());
    along(plane, shape, axis, n[axis].table, [&](Index i) { return what.number(i); });
  };
  std::array<std::unique_ptr<Cosines>, 4> cosines;
  const auto lines = [&](std::size_t which, const Shape& shape, std::size_t axis) {
    if (axes_[axis].open && !mine.empty()) cosines[which] = std::make_unique<Cosines>(shape, axis);
    return [&cosines, which](double* data) { (*cosines[which])(data); };
  };
  const auto rows_there = lines(0, {1, n[1].large, n[2].large}, 2),
             rows_back = lines(1, {1, n[1].large, n[2].octant}, 2);
  const auto columns_there = lines(2, {1, n[1].large, n[2].table}, 1),
             columns_back = lines(3, {1, n[1].octant, n[2].table}, 1);
  for (Index i = mine.lo[0]; i < mine.hi[0] && !mine.empty(); ++i) {
    Shape shape{1, n[1].large, n[2].large};
    std::vector<double> plane;
    plane.reserve(static_cast<std::size_t>(shape[1] * shape[2]));
    for (Index j = 0; j < shape[1]; ++j) {
      for (Index k = 0; k < shape[2]; ++k) plane.push_back(scale * kernel({i, j, k}));
    }
    reduce(plane, shape, 2, rows_there, rows_back);
    reduce(plane, shape, 1, columns_there, columns_back);
    values.insert(values.end(), plane.begin(), plane.end());
  }

  // Lines along axis 0, where the middle layout has them.
  std::vector<Box> boxes;
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    Box& box = boxes.emplace_back(middle.box(rank));
    if (!box.empty()) box.hi[0] = field[0];
  }
  Shape shape{field[0], box_.extent(1), box_.extent(2)};
  std::vector<double> here(static_cast<std::size_t>(box_.empty() ? 0 : shape[0] * shape[1] * shape[2]));
  const Layout there = Layout::bricks(field, std::move(boxes));
  if (axes_[0].open) {
    Options options;
    options.effort = Effort::estimate;
    options.input = planes;
    options.output = there;
    Transform<double> exchange({.shape = field, .kind = {{Line::dct1, Line::none, Line::none}}}, comm, options);
    exchange.forward(values, here);
  } else {
    Redistribution exchange(planes, there, static_cast<int>(sizeof(double)), comm);
    exchange(values.data(), here.data());
  }
  values = {};
  if (axes_[0].open && !box_.empty()) {
    along(here, shape, 0, n[0].octant, [](Index i) { return i; });
    Cosines(shape, 0)(here.data());
  }
  table_.assign(here.begin(), here.end());
}

template <class Real>
template <class Number>
void FreeSpaceTable<Real>::apply(const PointTile<Number>& tile) const {
  for (Index i = tile.box.lo[0]; i < tile.box.hi[0]; ++i) {
    for (Index j = tile.box.lo[1]; j < tile.box.hi[1]; ++j) {
      const Index row = (place(i) * box_.extent(1) + j - box_.lo[1]) * box_.extent(2) + tile.box.lo[2] - box_.lo[2];
      const Real* const factors = table_.data() + row;
      const Number* const in = tile.in(0, i, j);
      Number* const out = tile.out(0, i, j);
      for (Index k = 0; k < tile.box.extent(2); ++k) out[k] = in[k] * factors[k];
    }
  }
}

template <class Real>
PointFunction<Real> in_free_space(std::shared_ptr<const FreeSpaceTable<Real>> table) {
  auto function = PointFunction<Real>::at_wavenumbers(1, 1, [table](const auto& tile) { table->apply(tile); });
  function.name = "inverse_laplacian in free space";
  function.overwrites = function.sure = true;
  return function;
}

template class FreeSpaceTable<float>;
template class FreeSpaceTable<double>;
template PointFunction<float> in_free_space(std::shared_ptr<const FreeSpaceTable<float>>);
template PointFunction<double> in_free_space(std::shared_ptr<const FreeSpaceTable<double>>);

}  // namespace weft::detail
