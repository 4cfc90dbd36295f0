// weft._core.Agreement.
#include "communicator.hpp"

namespace weft::python {

void bind_communicator(nb::module_& m) {
  using Release = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<Agreement>(m, "Agreement", "A copy of a communicator on which arguments are agreed.")
      .def(nb::init<std::uintptr_t>(), nb::arg("address"), Release())
      .def_prop_ro("rank", &Agreement::rank)
      .def_prop_ro("size", &Agreement::size)
      .def_prop_ro(
          "handle", [](const Agreement& self) { return static_cast<long>(MPI_Comm_c2f(self.comm())); },
          "Fortran's, from which mpi4py makes its communicator.")
      .def("raise_any", &Agreement::raise_any, nb::arg("message"), nb::arg("forward") = nb::none(), Release())
      .def("require_same", &Agreement::require_same, nb::arg("text"), Release())
      .def(
          "gather_layout",
          [](const Agreement& self, const Shape& shape, const Corners& mine) {
            return gather_layout(shape, box_of(mine), self.comm());
          },
          nb::arg("shape"), nb::arg("mine"), Release());
}

}  // namespace weft::python
