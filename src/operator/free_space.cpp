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
#include "base/mpi.hpp"
#include "operator/lattice_kernel.hpp"
#include "operator/octant.hpp"
#include "weft/weft.hpp"

namespace weft::detail {

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

}  // namespace free_space

namespace {

using free_space::Cosines;

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
FreeSpaceTable<Real>::FreeSpaceTable(std::array<FreeAxis, 3> axes, Stencil stencil, Green green)
    : axes_(std::move(axes)), stencil_(stencil), green_(std::move(green)) {}

template <class Real>
Index FreeSpaceTable<Real>::place(Index i) const {
  return axes_[0].open ? axes_[0].number(i) : i - box_.lo[0];
}

template <class Real>
void FreeSpaceTable<Real>::fill(const OperatorPlan& plan, MPI_Comm comm, double shift) {
  box_ = plan.middle_box();
  if (std::ranges::none_of(axes_, &FreeAxis::open)) return all_or_none(comm, [&] { fill_waves(); });
  if (green_.kind != Green::Kind::automatic || stencil_ == Stencil::spectral) return fill_cut(plan, comm, shift);
  const std::vector<double> kernel = lattice_kernel(axes_, box_, stencil_, shift);
  table_.assign(kernel.begin(), kernel.end());
}

template <class Real>
void FreeSpaceTable<Real>::fill_waves() {
  std::vector<double> values(static_cast<std::size_t>(box_.count()));
  std::array<std::vector<double>, 3> waves;
  for (std::size_t a = 0; a < 3; ++a) {
    for (Index i = box_.lo[a]; i < box_.hi[a]; ++i) {
      waves[a].push_back(std::sqrt(axes_[a].squares[static_cast<std::size_t>(i)]));
    }
  }
  if (!values.empty()) own_values(green_, {waves[0], waves[1], waves[2]}, values);
  table_.assign(values.begin(), values.end());
}

template <class Real>
void FreeSpaceTable<Real>::fill_cut(const OperatorPlan& plan, MPI_Comm comm, double shift) {
  const Layout& middle = plan.middle();
  const Octant octant = octant_of(axes_, middle.shape(), green_, shift);
  const std::array<Octant::Numbers, 3>& n = octant.numbers;

  // Planes of axes 1 and 2.
  const Shape table = middle.shape(), field{n[0].large, table[1], table[2]};
  const Layout planes = Layout::slab(field, plan.ranks(), 0);
  const Box mine = planes.box(plan.rank());
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(mine.count()));
  const auto reduce = [&](std::vector<double>& plane, Shape& shape, std::size_t axis, auto& before, auto& after) {
    const FreeAxis& what = axes_[axis];
    if (!what.open) return;
    if (!octant.in_space) {
      before(plane.data());
      along(plane, shape, axis, n[axis].cut, [](Index i) { return i; });
    }
    after(plane.data());
    along(plane, shape, axis, table[axis], [&](Index i) { return what.number(i); });
  };
  std::array<std::unique_ptr<Cosines>, 4> cosines;
  const auto lines = [&](std::size_t which, const Shape& shape, std::size_t axis) {
    if (axes_[axis].open && !mine.empty()) cosines[which] = std::make_unique<Cosines>(shape, axis);
    return [&cosines, which](double* data) { (*cosines[which])(data); };
  };
  const auto rows_there = lines(0, {1, n[1].large, n[2].large}, 2), rows_back = lines(1, {1, n[1].large, n[2].cut}, 2);
  const auto columns_there = lines(2, {1, n[1].large, table[2]}, 1),
             columns_back = lines(3, {1, n[1].cut, table[2]}, 1);
  all_or_none(comm, [&] {
    for (Index i = mine.lo[0]; i < mine.hi[0] && !mine.empty(); ++i) {
      Shape shape{1, n[1].large, n[2].large};
      std::vector<double> plane(static_cast<std::size_t>(shape[1] * shape[2]));
      octant.plane(i, plane);
      reduce(plane, shape, 2, rows_there, rows_back);
      reduce(plane, shape, 1, columns_there, columns_back);
      values.insert(values.end(), plane.begin(), plane.end());
    }
  });

  // Lines along axis 0, where the middle layout has them.
  std::vector<Box> boxes;
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    Box& box = boxes.emplace_back(middle.box(rank));
    if (!box.empty()) box.hi[0] = field[0];
  }
  Shape shape{field[0], box_.extent(1), box_.extent(2)};
  std::vector<double> here(static_cast<std::size_t>(box_.empty() ? 0 : shape[0] * shape[1] * shape[2]));
  const Layout there = Layout::bricks(field, std::move(boxes));
  if (axes_[0].open && !octant.in_space) {
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
    along(here, shape, 0, n[0].cut, [](Index i) { return i; });
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
