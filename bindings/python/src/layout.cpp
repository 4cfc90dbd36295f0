// weft.Layout.
#include "bindings.hpp"

namespace weft::python {
namespace {

/// An argument as the Python package reads it: its errors are the same as of all other arguments.
template <class T>
T read(const char* as, nb::handle value, const std::string& argument) {
  return nb::cast<T>(nb::module_::import_("weft._arguments").attr(as)(value, argument));
}
Shape shape_of(nb::handle value, const char* argument = "shape") { return read<Shape>("triple", value, argument); }
int small(nb::handle value, const char* argument) { return read<int>("small", value, argument); }

Layout grid(nb::handle shape, nb::handle parts) {
  const Shape given = shape_of(parts, "parts");
  std::array<int, 3> counts{};
  for (std::size_t axis = 0; axis < 3; ++axis) counts[axis] = small(nb::int_(given[axis]), "parts");
  return Layout::grid(shape_of(shape), counts);
}
Layout slab(nb::handle shape, nb::handle ranks, nb::handle axis) {
  return Layout::slab(shape_of(shape), small(ranks, "ranks"), small(axis, "axis"));
}
Layout pencil(nb::handle shape, nb::handle rows, nb::handle columns, nb::handle local_axis) {
  return Layout::pencil(shape_of(shape), small(rows, "rows"), small(columns, "columns"),
                        small(local_axis, "local_axis"));
}
std::vector<Box> boxes_of(const nb::sequence& list) {
  std::vector<Box> boxes;
  for (const nb::handle item : list) {
    boxes.push_back(box_of(read<Corners>("box", item, "boxes[" + std::to_string(boxes.size()) + "]")));
  }
  return boxes;
}

Layout bricks(nb::handle shape, const nb::sequence& list) {
  std::vector<Box> boxes = boxes_of(list);
  return Layout::bricks(shape_of(shape), std::move(boxes));
}

Layout patches(nb::handle shape, const nb::sequence& list, const nb::sequence& owners, nb::handle ranks) {
  const std::vector<Box> boxes = boxes_of(list);
  std::vector<int> of;
  for (const nb::handle item : owners) {
    const std::string name = "owners[" + std::to_string(of.size()) + "]";
    of.push_back(small(item, name.c_str()));
  }
  return Layout::patches(shape_of(shape), small(ranks, "ranks"), boxes, of);
}

}  // namespace

void bind_layout(nb::module_& m) {
  nb::class_<Layout>(m, "Layout",
                     "Which box of the global grid each rank holds. Boxes never overlap and together cover the grid; "
                     "a box may be empty.\nBoxes are pairs ``(lo, hi)`` of corners, half open.")
      .def_static("grid", &grid, nb::arg("shape"), nb::arg("parts"),
                  "A regular grid of ``parts[0] x parts[1] x parts[2]`` boxes;\n"
                  "``rank = (i0 * parts[1] + i1) * parts[2] + i2``.")
      .def_static("slab", &slab, nb::arg("shape"), nb::arg("ranks"), nb::arg("axis") = 0,
                  "One axis split over all ranks.")
      .def_static("pencil", &pencil, nb::arg("shape"), nb::arg("rows"), nb::arg("columns"), nb::arg("local_axis") = 2,
                  "The two axes other than ``local_axis`` split over rows x columns ranks (the earlier axis over the "
                  "rows);\n``rank = row * columns + column``.")
      .def_static("bricks", &bricks, nb::arg("shape"), nb::arg("boxes"),
                  "Any boxes, one a rank: a list of ``(lo, hi)``. Error if they overlap, leave the grid or do not "
                  "cover it.")
      .def_static("patches", &patches, nb::arg("shape"), nb::arg("boxes"), nb::arg("owners"), nb::arg("ranks"),
                  "Any boxes, a list of ``(lo, hi)``, and the rank that holds each of them: codes with adaptive meshes "
                  "have\nmany a rank. A rank's array holds its boxes one after the other, in the order of the list.")
      .def_prop_ro(
          "shape", [](const Layout& self) { return as_tuple(self.shape()); }, "Shape of the global grid.")
      .def_prop_ro("ranks", &Layout::ranks, "Number of ranks.")
      .def(
          "box", [](const Layout& self, nb::handle rank) { return corners(self.box(small(rank, "rank"))); },
          nb::arg("rank"), "The box ``(lo, hi)`` of one rank.")
      .def(
          "boxes", [](const Layout& self, nb::handle rank) { return all_corners(self.boxes(small(rank, "rank"))); },
          nb::arg("rank"), "All boxes of one rank, in the order of its array: one, unless ranks hold patches.")
      .def_prop_ro("has_several", &Layout::has_several, "Whether some rank has several boxes.")
      .def("describe", &Layout::describe, "What it is, in words: \"slab along axis 0\", \"pencil 2 x 4, ...\".")
      .def(
          "__eq__", [](const Layout& a, const Layout& b) { return a == b; }, nb::is_operator())
      .def("__hash__",
           [](const Layout& self) { return std::hash<std::string>{}(self.describe() + to_string(self.shape())); })
      .def("__repr__", [](const Layout& self) {
        return "<weft.Layout " + to_string(self.shape()) + " on " + std::to_string(self.ranks()) +
               " ranks: " + self.describe() + ">";
      });
}

}  // namespace weft::python
