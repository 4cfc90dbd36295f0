// weft._core.Agreement.
#include "communicator.hpp"

#include "base/text.hpp"

namespace weft::python {

using detail::concat;

void Agreement::require_same(const std::string& call,
                             const std::vector<std::pair<std::string, std::string>>& arguments) const {
  std::vector<std::string> mine{call};
  for (const auto& [name, value] : arguments) mine.push_back(value);
  const std::vector<std::string> first = detail::broadcast(comm(), mine);
  detail::all_or_none(comm(), [&] {
    if (first[0] != call || first.size() != mine.size()) {
      throw Error(concat("rank 0 calls ", first[0], ", rank ", rank(), ' ', call));
    }
    for (std::size_t i = 1; i < mine.size(); ++i) {
      if (first[i] == mine[i]) continue;
      throw Error(concat(arguments[i - 1].first, " must be the same on all ranks: ", first[i], " on rank 0, ", mine[i],
                         " on rank ", rank()));
    }
  });
}

void bind_communicator(nb::module_& m) {
  using Release = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<Agreement>(m, "Agreement", "A copy of a communicator on which arguments are agreed.")
      .def(nb::init<std::uintptr_t>(), nb::arg("address"), Release())
      .def_prop_ro("rank", &Agreement::rank)
      .def_prop_ro("size", &Agreement::size)
      .def("write", &Agreement::write, nb::arg("address"),
           "Makes an empty communicator of mpi4py, whose MPI._addressof is given, this one.")
      .def("raise_any", &Agreement::raise_any, nb::arg("message"), nb::arg("forward") = nb::none(), Release())
      .def("require_same", &Agreement::require_same, nb::arg("call"), nb::arg("arguments"), Release())
      .def(
          "gather_layout",
          [](const Agreement& self, const Shape& shape, const Corners& mine) {
            return gather_layout(shape, box_of(mine), self.comm());
          },
          nb::arg("shape"), nb::arg("mine"), Release());
}

}  // namespace weft::python
