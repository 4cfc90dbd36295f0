// Any list of stages, not only those that transforms, operators and spheres ask for: what the route builder makes of it
// and what the engine does with it, against the definition of each stage, point by point.
#include <cmath>
#include <numbers>
#include <random>

#include "case.hpp"
#include "execute/engine.hpp"
#include "field.hpp"
#include "matrix.hpp"
#include "plan/route.hpp"
#include "plan/settle.hpp"
#include "support.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 4, 6});

using namespace weft;
using namespace weft::test;
using detail::LineTransform;
using detail::LineType;
using detail::Number;
using detail::Stage;
using detail::Way;
using verify::for_points;

using Complex = std::complex<double>;

/// A whole field. Real numbers are complex ones without an imaginary part.
struct Whole {
  Shape shape;
  std::vector<Complex> values;

  explicit Whole(const Shape& n) : shape(n), values(static_cast<std::size_t>(n[0] * n[1] * n[2])) {}
  Complex& at(const Shape& i) { return values[static_cast<std::size_t>((i[0] * shape[1] + i[1]) * shape[2] + i[2])]; }
};

/// What a line becomes, by the definition: of the spectrum some modes may be kept, and in space the first points.
std::vector<Complex> transformed(const LineTransform& transform, std::vector<Complex> line, Index out) {
  const auto in = static_cast<Index>(line.size());
  const bool half = transform.type != LineType::c2c, to_space = transform.way == Way::to_space;
  const detail::Kept& kept = transform.kept;
  const Index n = kept ? kept.points : to_space ? out : in;
  const auto place = [](Index i) { return static_cast<std::size_t>(i); };
  const Index modes = kept && kept.of == detail::Kept::Of::modes ? kept.numbers : n;
  const bool shared = modes < n && modes % 2 == 0;
  const auto wave = [&](Index k) { return 2 * k <= modes ? k : k - modes; };

  std::vector<Complex> points(place(n)), spectrum(place(n));  // what is transformed, and what it becomes
  if (!to_space) {
    std::copy(line.begin(), line.end(), points.begin());
  } else {
    for (Index k = 0; k < in; ++k) {
      const Index at = (wave(k) + n) % n;
      const bool two = shared && 2 * k == modes;
      const Complex value = line[place(k)] * (two ? 0.5 : 1.0);
      points[place(at)] = value;
      if (two && !half) points[place(n - at)] = value;
      if (!half) continue;
      // The other half of a real line's spectrum is the conjugate, and what is its own conjugate is real.
      const bool alone = at == 0 || 2 * at == n;
      if (alone || two) points[place(at)] = value.real();
      if (!alone) points[place(n - at)] = std::conj(points[place(at)]);
    }
  }
  for (Index k = 0; k < n; ++k) {
    for (Index j = 0; j < n; ++j) {
      const double turns = static_cast<double>(j * k % n) / static_cast<double>(n);
      spectrum[place(k)] += points[place(j)] * std::polar(1.0, transform.sign * 2 * std::numbers::pi * turns);
    }
  }
  std::vector<Complex> result(place(out));
  for (Index k = 0; k < out; ++k) {
    if (to_space) {
      result[place(k)] = half ? spectrum[place(k)].real() : spectrum[place(k)];
    } else {
      const Index at = (wave(k) + n) % n;
      result[place(k)] = spectrum[place(at)];
      if (shared && 2 * k == modes) result[place(k)] += spectrum[place(n - at)];
    }
  }
  return result;
}

/// The naive executor: stage after stage on the whole field.
Whole executed(const std::vector<Stage>& stages, Whole field) {
  for (const Stage& stage : stages) {
    for (const LineTransform& transform : stage.transforms) {
      const auto axis = static_cast<std::size_t>(transform.axis);
      Shape shape = field.shape;
      shape[axis] = stage.out.shape()[axis];
      Whole next(shape);
      Shape lines = shape;
      lines[axis] = 1;
      for_points({{0, 0, 0}, lines}, [&](Shape at) {
        std::vector<Complex> line;
        for (; at[axis] < field.shape[axis]; ++at[axis]) line.push_back(field.at(at));
        line = transformed(transform, std::move(line), shape[axis]);
        for (at[axis] = 0; at[axis] < shape[axis]; ++at[axis]) next.at(at) = line[static_cast<std::size_t>(at[axis])];
      });
      field = std::move(next);
    }
  }
  return field;
}

/// Random lists of stages and all else that a route is made of, the same on all ranks.
class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}

  Index below(Index n) { return static_cast<Index>(random_() % static_cast<std::uint64_t>(n)); }
  bool once_in(Index n) { return below(n) == 0; }

  /// A layout in which lines along these axes are whole; they may have another length in `other`, which is dealt alike.
  std::pair<Layout, Layout> layouts(const Shape& shape, const Shape& other, const std::vector<int>& whole) {
    Shape dealt = shape;
    for (int axis : whole) dealt[static_cast<std::size_t>(axis)] = 1;
    const std::vector<std::string> some{"slab:0",   "slab:1",   "slab:2", "pencil:0",
                                        "pencil:1", "pencil:2", "grid",   "one:1"};
    const Index which = below(static_cast<Index>(some.size()) + 3);
    const std::string text = which < static_cast<Index>(some.size()) ? some[static_cast<std::size_t>(which)]
                                                                     : "bricks:" + std::to_string(below(1000));
    const Layout of_lines = *verify::make_layout(text, dealt, size_of());
    std::vector<Box> before, after;
    for (int rank = 0; rank < size_of(); ++rank) {
      const Box box = of_lines.box(rank);
      before.push_back(box);
      after.push_back(box);
      for (int axis : whole) {
        const auto i = static_cast<std::size_t>(axis);
        if (box.empty()) continue;
        before.back().hi[i] = shape[i];
        after.back().hi[i] = other[i];
      }
    }
    const auto made = [&](const Shape& n, std::vector<Box> boxes) {
      const auto parts = of_lines.parts();
      if (!parts) return Layout::bricks(n, std::move(boxes));
      std::array<int, 3> of_grid = *parts;
      const bool regular = std::all_of(whole.begin(), whole.end(),
                                       [&](int axis) { return of_grid[static_cast<std::size_t>(axis)] == 1; });
      return regular ? Layout::grid(n, of_grid) : Layout::bricks(n, std::move(boxes));
    };
    return {made(shape, before), made(other, after)};
  }

  /// Transforms that one pass does: along axis 2, along another axis, or both; or none.
  std::vector<LineTransform> transforms(Number number) {
    const int sign = once_in(2) ? -1 : 1;
    const auto along = [&](int axis) {
      return LineTransform{axis, LineType::c2c, once_in(2) ? Way::to_spectrum : Way::to_space, sign};
    };
    const bool two = once_in(3);
    if (once_in(6)) return {};
    if (number == Number::real) {
      std::vector<LineTransform> list{{2, LineType::r2c, Way::to_spectrum, sign}};
      if (two) list.push_back(along(1));
      return list;
    }
    const auto axis = static_cast<int>(below(4));
    if (axis == 3) {  // back to real rows
      std::vector<LineTransform> list{{2, LineType::c2r, Way::to_space, sign}};
      if (two) list.insert(list.begin(), along(1));
      return list;
    }
    if (two && axis > 0) return once_in(2) ? std::vector{along(2), along(1)} : std::vector{along(1), along(2)};
    return {along(axis)};
  }

  /// Length of a line's output; modes or points are left out of some lines, or come back.
  Index out_of(LineTransform& transform, Index in) {
    using detail::Kept;
    const bool whole = !once_in(3), of_points = once_in(2);
    const auto halved = [&](Index n) { return transform.type == LineType::r2c ? n / 2 + 1 : n; };
    if (transform.way == Way::to_spectrum) {
      if (whole || (!of_points && in == 1)) return halved(in);
      transform.kept =
          of_points ? Kept{in + 1 + below(4), in, Kept::Of::points} : Kept{in, 1 + below(in - 1), Kept::Of::modes};
      return halved(of_points ? transform.kept.points : transform.kept.numbers);
    }
    // `in` numbers of half a spectrum are those of n modes.
    const Index n = transform.type != LineType::c2r ? in : 2 * (in - 1) + (in == 1 || once_in(2) ? 1 : 0);
    if (whole || (of_points && n == 1)) return n;
    transform.kept =
        of_points ? Kept{n, 1 + below(n - 1), Kept::Of::points} : Kept{n + 1 + below(4), n, Kept::Of::modes};
    return of_points ? transform.kept.numbers : transform.kept.points;
  }

  MemoryOrder order() {
    MemoryOrder axes{0, 1, 2};
    if (once_in(3)) std::shuffle(axes.begin(), axes.end(), random_);
    return axes;
  }

  std::vector<Stage> stages(const Shape& shape, Number number, Precision precision, Index numbers) {
    std::vector<Stage> list;
    Shape now = shape;
    const Index count = 1 + below(5);
    for (Index i = 0; i < count; ++i) {
      Stage stage;
      stage.in_bytes = static_cast<int>(numbers) * bytes(number, precision);
      stage.transforms = transforms(number);
      Shape after = now;
      std::vector<int> whole;
      for (LineTransform& transform : stage.transforms) {
        const auto axis = static_cast<std::size_t>(transform.axis);
        after[axis] = out_of(transform, now[axis]);
        whole.push_back(transform.axis);
      }
      if (!stage.transforms.empty()) number = traits_of(stage.transforms.back().type).out;
      std::tie(stage.in, stage.out) = layouts(now, after, whole);
      // Often in the layout of the stage before, if that will do.
      if (!list.empty() && !once_in(3)) {
        const Layout& last = list.back().out;
        if (after == now && std::all_of(whole.begin(), whole.end(), [&](int axis) { return has_whole(last, axis); })) {
          stage.in = stage.out = last;
        }
      }
      stage.out_bytes = static_cast<int>(numbers) * bytes(number, precision);
      now = after;
      list.push_back(std::move(stage));
    }
    return list;
  }

  static int bytes(Number number, Precision precision) { return detail::bytes_of(number, precision); }

 private:
  static bool has_whole(const Layout& layout, int axis) {
    for (int rank = 0; rank < layout.ranks(); ++rank) {
      const Box box = layout.box(rank);
      if (!box.empty() && box.extent(axis) != layout.shape()[static_cast<std::size_t>(axis)]) return false;
    }
    return true;
  }

  std::mt19937_64 random_;
};

std::string text_of(const std::vector<Stage>& stages) {
  std::string text;
  for (const Stage& stage : stages) {
    text += "\n  " + to_string(stage.in.shape()) + " " + stage.in.describe();
    for (const LineTransform& transform : stage.transforms) {
      text += std::string(", ") + traits_of(transform.type).name + (transform.sign < 0 ? "-" : "+") + " along " +
              std::to_string(transform.axis);
      if (!transform.kept) continue;
      text += " of " + std::to_string(transform.kept.points) + " points with " +
              std::to_string(transform.kept.numbers) +
              (transform.kept.of == detail::Kept::Of::modes ? " modes" : " kept");
    }
    text += " -> " + to_string(stage.out.shape()) + " " + stage.out.describe();
  }
  return text;
}

/// One random list: how it is planned, and the arrays of this rank.
template <class Real>
class Trial {
  static constexpr Precision precision = sizeof(Real) == 8 ? Precision::double_ : Precision::single_;
  using Here = std::complex<Real>;

 public:
  explicit Trial(std::uint64_t seed) : seed_(seed), random_(seed) {
    number_ = random_.once_in(3) ? Number::real : Number::complex;
    shape_ = {1 + random_.below(7), 1 + random_.below(7), 1 + random_.below(9)};
    batch_ = 1 + random_.below(3);
    numbers_ = random_.once_in(4) ? 1 + random_.below(9) : 1;
    stages_ = random_.stages(shape_, number_, precision, numbers_);
    for (Stage& stage : stages_) stage.in_numbers = stage.out_numbers = numbers_;
    const verify::Case any = verify::random_cases(verify::factors(size_of()), 1, seed).front();
    for (const char* name : {"strategy", "tile", "window", "fields", "tests", "consume", "backend", "node_size",
                             "leaders", "threads", "in_place"}) {
      options_.set(name, any.options.get(name));
    }
    options_.effort = Effort::estimate;
    if (!options_.in_place) return;
    // As for transforms: rows of real fields are padded, and one pass alone writes numbers where it has read them.
    for (std::size_t end : {0U, 1U}) {
      if (is_real(end) && orders_[end][2] != 2) orders_[end] = {0, 1, 2};
    }
    const auto leaves_out = [](const LineTransform& transform) { return static_cast<bool>(transform.kept); };
    const std::vector<LineTransform>& first = stages_.front().transforms;
    const bool moves = orders_[0] != orders_[1] || std::any_of(first.begin(), first.end(), leaves_out);
    if (stages_.size() == 1 && moves) options_.in_place = false;
  }

  std::string text() const {
    return "seed " + std::to_string(seed_) + ", " + std::to_string(batch_) + " fields of " + std::to_string(numbers_) +
           " numbers, " + to_string(precision) + ", strategy=" + options_.strategy +
           " tile=" + std::to_string(options_.tile) + " in_place=" + options_.get("in_place") +
           " orders=" + to_string(orders_[0]) + "," + to_string(orders_[1]) + text_of(stages_);
  }

  void check() {
    detail::Communicators communicators(detail::Communicator::duplicate(MPI_COMM_WORLD));
    communicators.find_nodes(options_);
    const Options options = detail::settled(options_, stages_, batch_);
    const detail::RouteEnds ends = make_ends();
    const auto route =
        std::make_shared<const detail::Route>(detail::make_route(stages_, ends, {options, options}, batch_, rank_of()));
    detail::Watchers watchers(communicators, options, "random stages");
    detail::Engine engine({{"random", {route}}}, Problem{.shape = shape_, .precision = precision}, options,
                          communicators, watchers);

    std::vector<std::byte> in(static_cast<std::size_t>(ends.input.bytes(batch_)));
    std::vector<std::byte> out(static_cast<std::size_t>(ends.output.bytes(batch_)), std::byte{0x7f});
    each_number(ends.input, [&](Index field, const Shape& point, Index at) {
      const std::complex<double> value = source(field)(point);
      if (number_ == Number::real) {
        reinterpret_cast<Real*>(in.data())[at] = static_cast<Real>(value.real());
      } else {
        reinterpret_cast<Here*>(in.data())[at] = Here(value);
      }
    });
    detail::UserArrays arrays;
    arrays.input = in.data();
    arrays.output = options.in_place ? in.data() : out.data();
    engine.execute(0, arrays);

    std::vector<Whole> wanted;
    std::vector<double> largest;
    for (Index field = 0; field < batch_ * numbers_; ++field) {
      wanted.push_back(executed(stages_, whole(field)));
      largest.push_back(1e-30);
      for (const Complex& value : wanted.back().values) largest.back() = std::max(largest.back(), std::abs(value));
    }
    double worst = 0;
    each_number(ends.output, [&](Index field, const Shape& point, Index at) {
      const auto f = static_cast<std::size_t>(field);
      const Complex value = is_real(1) ? Complex(reinterpret_cast<const Real*>(arrays.output)[at])
                                       : Complex(reinterpret_cast<const Here*>(arrays.output)[at]);
      worst = std::max(worst, std::abs(value - wanted[f].at(point) * scale()) / largest[f]);
    });
    EXPECT_LT(worst, sizeof(Real) == 8 ? 1e-13 : 1e-5) << "on rank " << rank_of();
  }

 private:
  /// Whether the first end has real numbers, or the last.
  bool is_real(std::size_t end) const {
    const int bytes = end == 0 ? stages_.front().in_bytes : stages_.back().out_bytes;
    return bytes == Random::bytes(Number::real, precision) * numbers_;
  }

  double scale() const {
    const bool any =
        std::any_of(stages_.begin(), stages_.end(), [](const Stage& stage) { return !stage.transforms.empty(); });
    return any ? 0.25 : 1;
  }

  verify::Field source(Index field) const {
    return {number_ == Number::real ? verify::FieldType::real : verify::FieldType::complex, seed_, field, shape_};
  }
  Whole whole(Index number) const {
    Whole field(shape_);
    const verify::Field values = source(number);
    for_points({{0, 0, 0}, shape_}, [&](const Shape& point) { field.at(point) = values(point); });
    return field;
  }

  detail::RouteEnds make_ends() {
    detail::RouteEnds ends;
    ends.scale = 0.25;
    ends.real_bytes = sizeof(Real);
    ends.in_place = options_.in_place;
    const auto end = [&](const Layout& layout, int bytes, detail::Array::Where where, std::size_t which) {
      const Box box = layout.box(rank_of());
      const Index length = box.extent(orders_[which][2]);
      const bool padded = options_.in_place && is_real(which) && box.extent(2) == layout.shape()[2];
      return detail::array_of(box, bytes, where, orders_[which], padded ? 2 * (length / 2 + 1) : length);
    };
    ends.input = end(stages_.front().in, stages_.front().in_bytes, detail::Array::Where::input, 0);
    ends.output = end(stages_.back().out, stages_.back().out_bytes, detail::Array::Where::output, 1);
    if (options_.in_place) {
      const Index complex = Random::bytes(Number::complex, precision) * numbers_;
      const Index bytes =
          std::max(ends.input.item * ends.input.element_bytes, ends.output.item * ends.output.element_bytes);
      for (detail::Array* array : {&ends.input, &ends.output}) {
        array->item = (bytes + complex - 1) / complex * complex / array->element_bytes;
      }
    }
    return ends;
  }

  /// Calls work(field, point, place in the array) for every number of this rank's.
  template <class Work>
  void each_number(const detail::Array& array, const Work& work) const {
    const detail::Strides strides = array_strides(array);
    for (Index item = 0; item < batch_; ++item) {
      for_points(array.box, [&](const Shape& point) {
        Index at = item * strides.item;
        for (std::size_t axis = 0; axis < 3; ++axis) at += (point[axis] - array.box.lo[axis]) * strides.axis[axis];
        for (Index number = 0; number < numbers_; ++number) {
          work(item * numbers_ + number, point, at * numbers_ + number);
        }
      });
    }
  }

  std::uint64_t seed_;
  Random random_;
  Number number_;
  Shape shape_;
  Index batch_, numbers_;
  std::vector<Stage> stages_;
  Options options_;
  std::array<MemoryOrder, 2> orders_{random_.order(), random_.order()};
};

TEST(Stages, AnyListIsExecutedAsItSays) {
  for (int round = 0; round < 60; ++round) {
    const auto check = [&]<class Real>(Real) {
      Trial<Real> trial(static_cast<std::uint64_t>(1000 * size_of() + round));
      SCOPED_TRACE(trial.text());
      trial.check();
    };
    round % 3 == 0 ? check(float()) : check(double());
    if (HasFailure()) return;
  }
}

}  // namespace
