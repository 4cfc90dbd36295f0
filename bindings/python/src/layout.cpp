// weft.Layout.
#include "bindings.hpp"

namespace weft::python {
namespace {

Layout bricks(const Shape& shape, const std::vector<Corners>& list) {
  std::vector<Box> boxes;
  boxes.reserve(list.size());
  for (const auto& item : list) boxes.push_back(box_of(item));
  return Layout::bricks(shape, std::move(boxes));
}

}  // namespace

void bind_layout(nb::module_& m) {
  nb::class_<Layout>(m, "Layout",
                     "Which box of the global grid each rank holds. Boxes never overlap and together cover the grid; "
                     "a box may be empty.\nBoxes are pairs ``(lo, hi)`` of corners, half open.")
      .def_static("grid", &Layout::grid, nb::arg("shape"), nb::arg("parts"),
                  "A regular grid of ``parts[0] x parts[1] x parts[2]`` boxes;\n"
                  "``rank = (i0 * parts[1] + i1) * parts[2] + i2``.")
      .def_static("slab", &Layout::slab, nb::arg("shape"), nb::arg("ranks"), nb::arg("axis") = 0,
                  "One axis split over all ranks.")
      .def_static("pencil", &Layout::pencil, nb::arg("shape"), nb::arg("rows"), nb::arg("columns"),
                  nb::arg("local_axis") = 2,
                  "The two axes other than ``local_axis`` split over rows x columns ranks (the earlier axis over the "
                  "rows);\n``rank = row * columns + column``.")
      .def_static("bricks", &bricks, nb::arg("shape"), nb::arg("boxes"),
                  "Any boxes, one a rank: a list of ``(lo, hi)``. Error if they overlap, leave the grid or do not "
                  "cover it.")
      .def_prop_ro(
          "shape", [](const Layout& self) { return as_tuple(self.shape()); }, "Shape of the global grid.")
      .def_prop_ro("ranks", &Layout::ranks, "Number of ranks.")
      .def(
          "box", [](const Layout& self, int rank) { return corners(self.box(rank)); }, nb::arg("rank"),
          "The box ``(lo, hi)`` of one rank.")
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
