// weft._core.Redistribution.
#include <nanobind/ndarray.h>

#include "base/text.hpp"
#include "communicator.hpp"

namespace weft::python {
namespace {

class PyRedistribution {
 public:
  PyRedistribution(const Agreement& agreement, const Layout& from, const Layout& to, int element_bytes, Index batch,
                   const OptionTexts& texts)
      : rank_(agreement.rank()),
        element_bytes_(element_bytes),
        batch_(batch),
        from_(from),
        to_(to),
        work_(make(agreement.comm(), from, to, element_bytes, batch, texts)) {}

  /// Bytes sent by this rank, kept by it, and sent by all ranks.
  std::array<Index, 3> execute(const nb::ndarray<nb::ro, nb::device::cpu>& in,
                               const nb::ndarray<nb::device::cpu>& out) {
    std::string wrong = lack(in.nbytes(), from_, "the input array");
    if (wrong.empty()) wrong = lack(out.nbytes(), to_, "the output array");
    const void* source = in.data();
    void* target = out.data();
    nb::gil_scoped_release release;
    if (!wrong.empty()) work_.raise_any(wrong);  // which throws
    const auto moved = work_(source, target);
    return {moved.bytes_sent, moved.bytes_kept, moved.bytes_sent_all};
  }
  void drop_trace() { work_.drop_trace(); }

 private:
  static Redistribution make(MPI_Comm comm, const Layout& from, const Layout& to, int element_bytes, Index batch,
                             const OptionTexts& texts) {
    return Redistribution(from, to, element_bytes, comm, batch, make_options(texts, std::nullopt, std::nullopt));
  }

  /// What an array is short of, if it is.
  std::string lack(std::size_t have, const Layout& layout, const char* what) const {
    const Index need = layout.box(rank_).count() * element_bytes_ * batch_;
    if (static_cast<Index>(have) >= need) return {};
    return detail::concat(what, " has ", have, " bytes on rank ", rank_, "; ", need, " are needed");
  }

  int rank_;
  int element_bytes_;
  Index batch_;
  Layout from_, to_;
  Redistribution work_;
  EndOfProgram end_;
};

}  // namespace

void bind_redistribution(nb::module_& m) {
  nb::class_<PyRedistribution>(m, "Redistribution",
                               "Moves a field between two layouts; `weft.Redistribution` wraps it.")
      .def(nb::init<const Agreement&, const Layout&, const Layout&, int, Index, const OptionTexts&>(),
           nb::arg("agreement"), nb::arg("source"), nb::arg("target"), nb::arg("element_bytes"), nb::arg("batch"),
           nb::arg("options"), nb::call_guard<nb::gil_scoped_release>())
      .def("execute", &PyRedistribution::execute)
      .def("drop_trace", &PyRedistribution::drop_trace);
}

}  // namespace weft::python
