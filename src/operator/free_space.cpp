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
void FreeSpaceTable<Real>::take(const std::vector<double>& values) {
  const Index planes = box_.extent(1), width = box_.extent(2);
  rows_ = values.empty() ? 0 : static_cast<Index>(values.size()) / (planes * width);
  table_.resize(static_cast<std::size_t>(begin(box_.hi[1], 0)));
  auto from = values.begin();
  for (Index i = 0; i < rows_; ++i) {
    for (Index j = 0; j < planes; ++j) {
      for (Index k = 0; k < width; ++k) {
        const Index at = begin(box_.lo[1] + j, k / line) + i * line + k % line;
        table_[static_cast<std::size_t>(at)] = static_cast<Real>(*from++);
      }
    }
  }
}

template <class Real>
void FreeSpaceTable<Real>::fill(const OperatorPlan& plan, MPI_Comm comm, double shift) {
  box_ = plan.middle_box();
  if (std::ranges::none_of(axes_, &FreeAxis::open)) return all_or_none(comm, [&] { fill_waves(); });
  if (green_.kind != Green::Kind::automatic || stencil_ == Stencil::spectral) return fill_cut(plan, comm, shift);
  take(lattice_kernel(axes_, box_, stencil_, shift));
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
  take(values);
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
  take(here);
}

template <class Real>
std::span<const std::byte> FreeSpaceTable<Real>::factors(const Box& tile) const {
  if (tile.empty()) return {};
  const Index first = begin(tile.lo[1], (tile.lo[2] - box_.lo[2]) / line);
  const Index last = begin(tile.hi[1] - 1, (tile.hi[2] - box_.lo[2] + line - 1) / line);
  // Parts of axis 2 of several places along axis 1 are apart.
  if (tile.extent(1) > 1 && tile.extent(2) < box_.extent(2)) return {};
  return std::as_bytes(std::span(table_))
      .subspan(static_cast<std::size_t>(first) * sizeof(Real), static_cast<std::size_t>(last - first) * sizeof(Real));
}

template <class Real>
template <class Number>
void FreeSpaceTable<Real>::apply(const PointTile<Number>& tile) const {
  const Index lo = tile.box.lo[2] - box_.lo[2], hi = tile.box.hi[2] - box_.lo[2];
  for (Index j = tile.box.lo[1]; j < tile.box.hi[1]; ++j) {
    for (Index block = lo / line; block * line < hi; ++block) {
      const Index first = std::max(lo, block * line), last = std::min(hi, block * line + line);
      const Real* const factors = table_.data() + begin(j, block);
      for (Index i = tile.box.lo[0]; i < tile.box.hi[0]; ++i) {
        const Real* const factor = factors + place(i) * line + first % line;
        const Number* const in = tile.in(0, i, j) + first - lo;
        Number* const out = tile.out(0, i, j) + first - lo;
        if (last - first < line) {
          for (Index k = 0; k < last - first; ++k) out[k] = in[k] * factor[k];
          continue;
        }
        // As real numbers in arrays of their own: so the compiler makes vectors of them, as it cannot of complex ones
        // when it does not know where `out` lies.
        constexpr std::size_t parts = sizeof(Number) / sizeof(Real), reals = line * parts;
        const Real* const from = reinterpret_cast<const Real*>(in);
        Real spread[reals], product[reals];
        for (std::size_t k = 0; k < reals; ++k) spread[k] = factor[k / parts];
        for (std::size_t k = 0; k < reals; ++k) product[k] = from[k] * spread[k];
        std::copy_n(product, reals, reinterpret_cast<Real*>(out));
      }
    }
  }
}

template <class Real>
PointFunction<Real> in_free_space(std::shared_ptr<const FreeSpaceTable<Real>> table) {
  auto function = PointFunction<Real>::at_wavenumbers(1, 1, [table](const auto& tile) { table->apply(tile); });
  function.name = "inverse_laplacian in free space";
  function.overwrites = function.sure = true;
  function.reads = [table](const Box& tile) { return table->factors(tile); };
  return function;
}

template class FreeSpaceTable<float>;
template class FreeSpaceTable<double>;
template PointFunction<float> in_free_space(std::shared_ptr<const FreeSpaceTable<float>>);
template PointFunction<double> in_free_space(std::shared_ptr<const FreeSpaceTable<double>>);

}  // namespace weft::detail
