// Ghost layers between any two layouts: values by the definition, one point at a time, and the bytes that travel.
#include <cmath>
#include <cstdint>
#include <random>

#include "case.hpp"
#include "parts.hpp"
#include "support.hpp"
#include "weft/ghosts.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 4, 7});

using namespace weft;
using namespace weft::test;

template <class Number>
Number number(double value) {
  if constexpr (std::is_floating_point_v<Number>) {
    return static_cast<Number>(value);
  } else {
    return Number(static_cast<typename Number::value_type>(value),
                  static_cast<typename Number::value_type>(-value / 2));
  }
}

/// The place of a point in the grid, whose images are the same point; none beyond a grid that ends.
std::optional<Index> place(const Shape& n, const std::array<bool, 3>& periodic, const Shape& point) {
  Index found = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Index image = ((point[axis] % n[axis]) + n[axis]) % n[axis];
    if (image != point[axis] && !periodic[axis]) return std::nullopt;
    found = found * n[axis] + image;
  }
  return found;
}

/// Calls `use(at, point)` for each point of a box in C order.
template <class Use>
void for_each_point(const Box& box, const Use& use) {
  std::size_t at = 0;
  if (box.empty()) return;
  for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
      for (Index k = box.lo[2]; k < box.hi[2]; ++k) use(at++, Shape{i, j, k});
    }
  }
}

bool inside(const Box& box, const Shape& point) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (point[axis] < box.lo[axis] || point[axis] >= box.hi[axis]) return false;
  }
  return true;
}

/// "patches:S", or what cases have.
Layout layout_of(const std::string& name, const Shape& shape) {
  if (!name.starts_with("patches:")) return *verify::make_layout(name, shape, size_of());
  return patches(shape, size_of(), static_cast<unsigned>(std::stoi(name.substr(8))));
}

Index points_of(const std::vector<Box>& boxes) {
  Index points = 0;
  for (const Box& box : boxes) points += box.count();
  return points;
}

struct Setting {
  Shape shape;
  std::string field, parts;
  Ghosts ghosts;
  Index batch = 1, numbers = 1;
};

/// One exchange, and what it should do.
template <class Number>
class Checked {
 public:
  explicit Checked(const Setting& setting)
      : s_(setting),
        field_(layout_of(s_.field, s_.shape)),
        parts_(layout_of(s_.parts, s_.shape)),
        exchange_(field_, parts_, s_.ghosts, MPI_COMM_WORLD, s_.batch, s_.numbers),
        own_(parts_.boxes(rank_of())),
        around_(s_.ghosts.around(own_)) {
    EXPECT_EQ(exchange_.field_boxes(), field_.boxes(rank_of()));
    EXPECT_EQ(exchange_.part_boxes(), around_);
    EXPECT_EQ(exchange_.field_size(), points_of(field_.boxes(rank_of())) * s_.batch * s_.numbers);
    EXPECT_EQ(exchange_.part_size(), points_of(around_) * s_.batch * s_.numbers);
    if (!parts_.has_several()) {
      EXPECT_EQ(exchange_.part_box(), around_.front());
    }
  }

  void run() {
    for (int again = 0; again < 2; ++again) {
      scatters();
      gathers();
      accumulates(again);
      updates();
      folds(again);
    }
  }

 private:
  static constexpr double untouched = -77;

  /// The number `c` of item `item` at a place of the grid.
  double value(Index item, Index at, Index c) const {
    return static_cast<double>(1 + at + 1000 * item) + 0.25 * static_cast<double>(c);
  }
  std::vector<Number> array(Index size) const {
    return std::vector<Number>(static_cast<std::size_t>(size) + 1, number<Number>(untouched));
  }
  /// Calls `use(i, item, point, c, box)` for each number of an array of boxes: the place of it, and which box it is in.
  template <class Use>
  void each(const std::vector<Box>& boxes, const Use& use) const {
    std::size_t i = 0;
    for (Index item = 0; item < s_.batch; ++item) {
      for (std::size_t box = 0; box < boxes.size(); ++box) {
        for_each_point(boxes[box], [&](std::size_t, const Shape& point) {
          for (Index c = 0; c < s_.numbers; ++c) use(i++, item, point, c, box);
        });
      }
    }
  }
  std::optional<Index> place_of(const Shape& point) const { return place(s_.shape, s_.ghosts.periodic, point); }

  std::vector<Number> whole_field() const {
    auto field = array(exchange_.field_size());
    each(exchange_.field_boxes(), [&](std::size_t i, Index item, const Shape& point, Index c, std::size_t) {
      field[i] = number<Number>(value(item, *place_of(point), c));
    });
    return field;
  }

  void expect_parts(const std::vector<Number>& parts) const {
    auto wanted = array(exchange_.part_size());
    each(around_, [&](std::size_t i, Index item, const Shape& point, Index c, std::size_t) {
      if (const auto at = place_of(point)) wanted[i] = number<Number>(value(item, *at, c));
    });
    EXPECT_EQ(parts, wanted);
  }

  /// Bytes that travel if every number that a rank has of another one is sent once.
  void expect_bytes(const Redistribution::Moved& moved, const Layout& owners, bool others_only) const {
    Index kept = 0, got = 0;
    const std::vector<Box> mine = owners.boxes(rank_of());
    for (std::size_t box = 0; box < around_.size(); ++box) {
      for_each_point(around_[box], [&](std::size_t, const Shape& point) {
        const auto at = place_of(point);
        if (!at || (others_only && inside(own_[box], point))) return;
        const Index rest = *at % (s_.shape[1] * s_.shape[2]);
        const Shape image{*at / (s_.shape[1] * s_.shape[2]), rest / s_.shape[2], rest % s_.shape[2]};
        const bool own = std::any_of(mine.begin(), mine.end(), [&](const Box& one) { return inside(one, image); });
        ++(own ? kept : got);
      });
    }
    const Index bytes = s_.batch * s_.numbers * static_cast<Index>(sizeof(Number));
    EXPECT_EQ(moved.bytes_kept, kept * bytes);
    EXPECT_EQ(moved.bytes_sent_all, sum(got * bytes));
    EXPECT_EQ(moved.bytes_sent_all, sum(moved.bytes_sent));
  }

  void scatters() {
    const auto field = whole_field();
    auto parts = array(exchange_.part_size());
    const auto before = field;
    expect_bytes(exchange_.scatter(field.data(), parts.data()), field_, false);
    EXPECT_EQ(field, before);
    expect_parts(parts);
  }

  void gathers() {
    auto parts = array(exchange_.part_size()), field = array(exchange_.field_size());
    each(around_, [&](std::size_t i, Index item, const Shape& point, Index c, std::size_t box) {
      if (inside(own_[box], point)) parts[i] = number<Number>(value(item, *place_of(point), c));
    });
    exchange_.gather(parts.data(), field.data());
    EXPECT_EQ(field, whole_field());
  }

  /// Small whole numbers at every place of the parts, and the sums of all that stand for each point of the grid.
  std::vector<Number> random_parts(int seed, std::vector<double>& sums) const {
    std::mt19937 random(static_cast<std::uint32_t>(100 * seed + rank_of()));
    auto parts = array(exchange_.part_size());
    const auto points = static_cast<std::size_t>(s_.shape[0] * s_.shape[1] * s_.shape[2] * s_.batch * s_.numbers);
    sums.assign(points, 0);
    each(around_, [&](std::size_t i, Index item, const Shape& point, Index c, std::size_t) {
      const auto drawn = static_cast<double>(random() % 100);
      parts[i] = number<Number>(drawn);
      if (const auto at = place_of(point)) sums[sum_at(item, *at, c)] += drawn;
    });
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(points), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return parts;
  }
  std::size_t sum_at(Index item, Index at, Index c) const {
    return static_cast<std::size_t>((item * s_.shape[0] * s_.shape[1] * s_.shape[2] + at) * s_.numbers + c);
  }

  void accumulates(int seed) {
    std::vector<double> sums;
    const auto parts = random_parts(seed, sums);
    const auto before = parts;
    auto field = array(exchange_.field_size()), wanted = field;
    each(exchange_.field_boxes(), [&](std::size_t i, Index item, const Shape& point, Index c, std::size_t) {
      wanted[i] = number<Number>(sums[sum_at(item, *place_of(point), c)]);
    });
    exchange_.accumulate(parts.data(), field.data());
    EXPECT_EQ(field, wanted);
    EXPECT_EQ(parts, before);
  }

  void updates() {
    auto parts = array(exchange_.part_size());
    each(around_, [&](std::size_t i, Index item, const Shape& point, Index c, std::size_t box) {
      if (inside(own_[box], point)) parts[i] = number<Number>(value(item, *place_of(point), c));
    });
    expect_bytes(exchange_.update(parts.data()), parts_, true);
    expect_parts(parts);
  }

  void folds(int seed) {
    std::vector<double> sums;
    auto parts = random_parts(seed, sums), wanted = parts;
    each(around_, [&](std::size_t i, Index item, const Shape& point, Index c, std::size_t box) {
      if (inside(own_[box], point)) wanted[i] = number<Number>(sums[sum_at(item, *place_of(point), c)]);
    });
    exchange_.fold(parts.data());
    EXPECT_EQ(parts, wanted);
  }

  Setting s_;
  Layout field_, parts_;
  GhostExchange<Number> exchange_;
  std::vector<Box> own_, around_;
};

void check(const Setting& setting, std::size_t turn) {
  SCOPED_TRACE(to_string(setting.shape) + ", " + setting.field + " to " + setting.parts + ", below " +
               to_string(setting.ghosts.below) + ", above " + to_string(setting.ghosts.above) + ", turn " +
               std::to_string(turn));
  switch (turn % 4) {
    case 0: Checked<double>(setting).run(); break;
    case 1: Checked<std::complex<double>>(setting).run(); break;
    case 2: Checked<float>(setting).run(); break;
    default: Checked<std::complex<float>>(setting).run(); break;
  }
}

const std::vector<std::string> kLayouts{"slab:0",   "slab:1",   "slab:2", "pencil:0",  "pencil:2", "grid",
                                        "bricks:1", "bricks:2", "one:0",  "patches:1", "patches:2"};

TEST(Ghosts, BetweenAllLayouts) {
  std::mt19937 random(5);
  std::size_t turn = 0;
  for (const auto& field : kLayouts) {
    for (const auto& parts : kLayouts) {
      Setting setting{.shape = {6, 7, 5}, .field = field, .parts = parts, .ghosts = {}};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        setting.ghosts.below[axis] = static_cast<Index>(random() % 3);
        setting.ghosts.above[axis] = static_cast<Index>(random() % 3);
        setting.ghosts.periodic[axis] = random() % 3 > 0;
      }
      setting.batch = 1 + static_cast<Index>(random() % 2);
      setting.numbers = 1 + static_cast<Index>(random() % 3);
      check(setting, turn++);
    }
  }
}

// More ghosts than neighbours have points, and than the axis has: some points are seen several times.
TEST(Ghosts, BeyondTheNeighbours) {
  std::size_t turn = 0;
  for (const Shape& shape : {Shape{9, 1, 4}, Shape{1, 1, 1}, Shape{2, 3, 2}, Shape{1, 13, 1}}) {
    for (const char* parts : {"slab:0", "slab:1", "grid", "bricks:3", "patches:3"}) {
      for (const bool periodic : {true, false}) {
        check({shape, "slab:0", parts, {shape, shape, {periodic, !periodic, periodic}}}, turn++);
      }
    }
  }
}

// accumulate is the adjoint of scatter: <scatter(u), w> = <u, accumulate(w)>.
TEST(Ghosts, AccumulateIsTheAdjointOfScatter) {
  const Shape shape{5, 6, 7};
  const Layout field = Layout::slab(shape, size_of(), 0), parts = *verify::make_layout("bricks:4", shape, size_of());
  GhostExchange<double> exchange(field, parts, {{2, 1, 3}, {1, 2, 0}}, MPI_COMM_WORLD);
  std::mt19937 random(static_cast<std::uint32_t>(rank_of()));
  std::normal_distribution<double> normal;
  std::vector<double> u(static_cast<std::size_t>(exchange.field_size())), v = u;
  std::vector<double> w(static_cast<std::size_t>(exchange.part_size())), x = w;
  for (double& one : u) one = normal(random);
  for (double& one : w) one = normal(random);
  exchange.scatter(u, x);
  exchange.accumulate(w, v);
  double sides[] = {0, 0};
  for (std::size_t i = 0; i < w.size(); ++i) sides[0] += x[i] * w[i];
  for (std::size_t i = 0; i < u.size(); ++i) sides[1] += u[i] * v[i];
  MPI_Allreduce(MPI_IN_PLACE, sides, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_NEAR(sides[0], sides[1], 1e-12 * std::abs(sides[0]) + 1e-12);
}

TEST(Ghosts, ErrorsAreTheSameOnAllRanks) {
  const bool wrong = rank_of() == size_of() - 1;
  const Shape shape{2 * size_of(), 3, 4};
  const Layout slabs = Layout::slab(shape, size_of(), 0), others = Layout::slab(shape, size_of(), 2);
  const auto make = [&](const Layout& from, const Layout& to, const Ghosts& ghosts, Index batch = 1,
                        Index numbers = 1) {
    GhostExchange<double> exchange(from, to, ghosts, MPI_COMM_WORLD, batch, numbers);
  };
  expect_common_error([&] { make(slabs, others, {{wrong ? -1 : 1, 0, 0}}); }, {"below is -1 along axis 0", "0 to"});
  expect_common_error([&] { make(slabs, others, {{}, {0, wrong ? 4 : 1, 0}}); }, {"above is 4 along axis 1", "0 to 3"});
  expect_common_error([&] { make(slabs, others, {}, wrong ? 0 : 1); }, {"batch is 0"});
  expect_common_error([&] { make(slabs, others, {}, 1, wrong ? -2 : 1); }, {"numbers is -2"});
  expect_common_error([&] { make(slabs, others, {}, wrong ? Index{1} << 60 : 1); }, {"overflows 64 bits"});
  expect_common_error([&] { make(wrong ? Layout::slab({2, 2, 2}, size_of(), 0) : slabs, others, {}); }, {"shapes"});
  expect_common_error([&] { make(wrong ? Layout::slab(shape, size_of() + 1, 0) : slabs, others, {}); }, {"ranks"});
  if (size_of() > 1) {
    expect_common_error([&] { make(slabs, others, {{wrong ? 1 : 2, 0, 0}}); }, {"same on all ranks"});
    expect_common_error([&] { make(slabs, others, {{}, {}, {wrong, true, true}}); }, {"same on all ranks"});
  }
  GhostExchange<double> exchange(slabs, slabs, {{1, 1, 1}, {1, 1, 1}}, MPI_COMM_WORLD);
  std::vector<double> field(static_cast<std::size_t>(exchange.field_size()));
  std::vector<double> parts(static_cast<std::size_t>(exchange.part_size()));
  expect_common_error([&] { exchange.scatter(wrong ? nullptr : field.data(), parts.data()); }, {"field is null"});
  expect_common_error([&] { exchange.gather(parts.data(), wrong ? parts.data() : field.data()); }, {"overlap"});
  expect_common_error([&] { exchange.update(wrong ? nullptr : parts.data()); }, {"parts is null"});
  expect_common_error([&] { exchange.fold(std::span(parts).first(parts.size() - (wrong ? 1 : 0))); }, {"at least"});
  expect_common_error([&] { exchange.raise_any(wrong ? "not today" : ""); }, {"not today"});
  if (size_of() > 1) {
    expect_common_error([&] { wrong ? exchange.update(parts) : exchange.fold(parts); },
                        {"update", "fold", "same on all"});
  }
  GhostExchange<double> moved(std::move(exchange));
  EXPECT_EQ(common_error([&] { moved.scatter(field, parts); }), "");
}

}  // namespace
