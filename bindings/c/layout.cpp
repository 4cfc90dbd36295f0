// Layouts.
#include "handles.hpp"

using namespace weft;
using namespace weft::c;

int weft_layout_create_grid(const int64_t shape[3], const int parts[3], weft_layout* layout) {
  return create(layout, [&] {
    const int* n = &need(parts, "parts");
    return weft_layout_impl{Layout::grid(shape_of(shape), {n[0], n[1], n[2]})};
  });
}

int weft_layout_create_slab(const int64_t shape[3], int ranks, int axis, weft_layout* layout) {
  return create(layout, [&] { return weft_layout_impl{Layout::slab(shape_of(shape), ranks, axis)}; });
}

int weft_layout_create_pencil(const int64_t shape[3], int rows, int columns, int local_axis, weft_layout* layout) {
  return create(layout, [&] { return weft_layout_impl{Layout::pencil(shape_of(shape), rows, columns, local_axis)}; });
}

int weft_layout_create_boxes(const int64_t shape[3], int ranks, const weft_box* boxes, weft_layout* layout) {
  return create(layout, [&] {
    std::vector<Box> all;
    for (const weft_box& box : need_array(boxes, ranks, "boxes")) all.push_back(box_of(box));
    return weft_layout_impl{Layout::bricks(shape_of(shape), std::move(all))};
  });
}

int weft_layout_create_patches(const int64_t shape[3], int ranks, int64_t count, const weft_box* boxes,
                               const int* owners, weft_layout* layout) {
  return create(layout, [&] {
    std::vector<Box> all;
    for (const weft_box& box : need_array(boxes, count, "boxes")) all.push_back(box_of(box));
    const auto of = need_array(owners, count, "owners");
    return weft_layout_impl{Layout::patches(shape_of(shape), ranks, all, {of.begin(), of.end()})};
  });
}

template <class Comm>
static int gather(const int64_t* shape, const weft_box* mine, Comm comm, weft_layout* layout) {
  return create_among(
      comm, layout, [&] { shape_of(shape), need(mine, "mine"); },
      [&](MPI_Comm all) { return weft_layout_impl{gather_layout(shape_of(shape), box_of(*mine), all)}; });
}
int weft_layout_gather_on(const int64_t shape[3], const weft_box* mine, const weft_comm* comm, weft_layout* layout) {
  return gather(shape, mine, comm, layout);
}
int weft_layout_gather_f(const int64_t shape[3], const weft_box* mine, int comm, weft_layout* layout) {
  return gather(shape, mine, comm, layout);
}

int weft_layout_destroy(weft_layout* layout) { return destroy(layout); }

int weft_layout_ranks(weft_layout layout, int* ranks) {
  return guarded([&] { need(ranks, "ranks") = need(layout, "layout").layout.ranks(); });
}

int weft_layout_shape(weft_layout layout, int64_t shape[3]) {
  return guarded([&] {
    const Shape& extents = need(layout, "layout").layout.shape();
    std::copy(extents.begin(), extents.end(), &need(shape, "shape"));
  });
}

int weft_layout_box(weft_layout layout, int rank, weft_box* box) {
  return guarded([&] {
    const Layout& all = need(layout, "layout").layout;
    if (rank < 0 || rank >= all.ranks()) {
      throw Error(concat("rank is ", rank, "; the layout has ranks from 0 to ", all.ranks() - 1));
    }
    need(box, "box") = box_of(all.box(rank));
  });
}

int weft_layout_boxes(weft_layout layout, int rank, int64_t capacity, weft_box* boxes, int64_t* count) {
  return guarded([&] {
    const std::vector<Box> all = need(layout, "layout").layout.boxes(rank);
    give_list(all, capacity, boxes, count, [](const Box& box) { return box_of(box); });
  });
}

int weft_layout_overlaps(weft_layout layout, const weft_box* box, int64_t capacity, int* ranks, weft_box* boxes,
                         int64_t* count) {
  return guarded([&] {
    const auto found = need(layout, "layout").layout.overlaps(box_of(need(box, "box")));
    int64_t n = 0;
    if (ranks != nullptr) give_list(found, capacity, ranks, &n, [](const auto& part) { return part.rank; });
    if (boxes != nullptr) give_list(found, capacity, boxes, &n, [](const auto& part) { return box_of(part.box); });
    need(count, "count") = static_cast<int64_t>(found.size());
  });
}

int weft_layout_describe(weft_layout layout, const char** text) {
  return give_text(layout, "layout", text, [](auto& mine) { return mine.layout.describe(); });
}
