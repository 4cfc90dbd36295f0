// weft._core: the extension module.
#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <exception>

#include "base/ending.hpp"
#include "base/mpi.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "bindings.hpp"

namespace weft::python {
namespace {

/// weft::Error becomes weft.Error, which Python defines (it has two base classes).
void translate_errors() {
  nb::object error = nb::module_::import_("weft._errors").attr("Error");
  nb::register_exception_translator(
      [](const std::exception_ptr& pointer, void* payload) {
        try {
          std::rethrow_exception(pointer);
        } catch (const Error& caught) {
          PyErr_SetString(static_cast<PyObject*>(payload), detail::printable(caught.what()).c_str());
        }
      },
      error.release().ptr());  // for as long as the process lives
}

bool is_file_name(const std::filesystem::path& text) { return detail::is_file_name(text.string()); }

/// Name and version of the MPI library that this extension calls. May be called before MPI_Init.
std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  return text;
}

/// The handle of MPI_COMM_WORLD: another number in each interface of MPI, and in each copy of Open MPI in a process.
std::uintptr_t comm_world() {
  const MPI_Comm comm = MPI_COMM_WORLD;
  std::uintptr_t number = 0;
  static_assert(sizeof comm <= sizeof number);
  std::memcpy(&number, &comm, sizeof comm);
  return number;
}

}  // namespace
}  // namespace weft::python

NB_MODULE(_core, m) {
  using namespace weft::python;
  m.doc() = "The compiled part of weft; use the names that the package exports.";
  // Objects that a script keeps to its end are no concern of its user.
  nb::set_leak_warnings(false);
  translate_errors();
  m.def("version", &weft::version, "Version of the library.");
  m.def("mpi_library", &mpi_library, "Name and version of the MPI library that weft was built with.");
  m.def("comm_world", &comm_world, "The handle of MPI_COMM_WORLD, as mpi4py's MPI._handleof has it.");
  m.attr("no_communicators") = ::weft::detail::no_communicators;
  m.def("strategies", &weft::strategies, "Names of the exchange strategies that can be used.");
  m.def("is_file_name", &is_file_name, nb::arg("text"),
        "Whether it can be meant as the name of a file: no word or number that is a value of an option.");
  m.def("backends", &weft::backends, "Names of the serial FFT backends of this build.");
  m.def("program_ends", &weft::detail::program_ends, nb::arg("failed"),
        "From now on only traces wait for other ranks at their end, and those only if the program has not failed.");
  bind_layout(m);
  bind_plan(m);
  bind_communicator(m);
  bind_transform(m);
  bind_redistribution(m);
  bind_ghosts(m);
  bind_sphere(m);
  bind_operator(m);
  bind_poisson(m);
  bind_model(m);
  bind_tuner(m);
}
