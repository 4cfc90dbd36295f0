// weft._core.GhostExchange.
#include <nanobind/ndarray.h>

#include "communicator.hpp"
#include "untyped.hpp"

namespace weft::python {
namespace {

using Readable = nb::ndarray<nb::ro, nb::device::cpu>;
using Writable = nb::ndarray<nb::device::cpu>;

/// The package has checked the arrays.
class PyGhostExchange {
 public:
  PyGhostExchange(const Agreement& agreement, const Layout& field, const Layout& parts, const Shape& below,
                  const Shape& above, const std::array<bool, 3>& periodic, const std::string& precision, Index batch,
                  Index numbers, bool check)
      : work_(parse_precision(precision), field, parts, Ghosts{below, above, periodic}, agreement.comm(), batch,
              numbers, check) {}

  nb::list field_boxes() const { return all_corners(work_.field_boxes()); }
  nb::list part_boxes() const { return all_corners(work_.part_boxes()); }

  /// Bytes sent by this rank, kept by it, and sent by all ranks.
  using Moved = std::array<Index, 3>;
  Moved scatter(const Readable& field, const Writable& parts) {
    return moved([&, from = field.data(), to = parts.data()] { return work_.scatter(from, to); });
  }
  Moved gather(const Readable& parts, const Writable& field) {
    return moved([&, from = parts.data(), to = field.data()] { return work_.gather(from, to); });
  }
  Moved accumulate(const Readable& parts, const Writable& field) {
    return moved([&, from = parts.data(), to = field.data()] { return work_.accumulate(from, to); });
  }
  Moved update(const Writable& parts) {
    return moved([&, data = parts.data()] { return work_.update(data); });
  }
  Moved fold(const Writable& parts) {
    return moved([&, data = parts.data()] { return work_.fold(data); });
  }
  void raise_any(const std::string& message) const { work_.raise_any(message); }
  /// There is none.
  void drop_trace() {}

 private:
  template <class Work>
  Moved moved(const Work& work) {
    nb::gil_scoped_release release;
    const auto done = work();
    return {done.bytes_sent, done.bytes_kept, done.bytes_sent_all};
  }

  bindings::UntypedGhosts work_;
  EndOfProgram end_;
};

}  // namespace

void bind_ghosts(nb::module_& m) {
  nb::class_<PyGhostExchange>(m, "GhostExchange", "Ghost layers; `weft.GhostExchange` wraps it.")
      .def(nb::init<const Agreement&, const Layout&, const Layout&, const Shape&, const Shape&,
                    const std::array<bool, 3>&, const std::string&, Index, Index, bool>(),
           nb::arg("agreement"), nb::arg("source"), nb::arg("target"), nb::arg("below"), nb::arg("above"),
           nb::arg("periodic"), nb::arg("precision"), nb::arg("batch"), nb::arg("numbers"), nb::arg("check"),
           nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("field_boxes", &PyGhostExchange::field_boxes)
      .def_prop_ro("part_boxes", &PyGhostExchange::part_boxes)
      .def("scatter", &PyGhostExchange::scatter)
      .def("gather", &PyGhostExchange::gather)
      .def("accumulate", &PyGhostExchange::accumulate)
      .def("update", &PyGhostExchange::update)
      .def("fold", &PyGhostExchange::fold)
      .def("raise_any", &PyGhostExchange::raise_any, nb::arg("message"))
      .def("drop_trace", &PyGhostExchange::drop_trace);
}

}  // namespace weft::python
