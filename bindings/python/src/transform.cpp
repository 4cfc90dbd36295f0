// weft._core.Transform: a weft::Transform of either precision, on the memory of NumPy arrays.
#include <algorithm>

#include <nanobind/ndarray.h>

#include "base/text.hpp"
#include "communicator.hpp"
#include "untyped.hpp"

namespace weft::python {
namespace {

using Input = nb::ndarray<nb::ro, nb::device::cpu>;
using Output = nb::ndarray<nb::device::cpu>;

class PyTransform {
 public:
  PyTransform(const Agreement& agreement, const Problem& problem, const OptionTexts& texts,
              const std::optional<Layout>& input, const std::optional<Layout>& output)
      : transform_(problem, agreement.comm(), make_options(texts, input, output)) {}

  const Plan& plan() const { return transform_.plan(); }
  Statistics statistics() const {
    return transform_.visit([](const auto& t) { return t.statistics(); });
  }
  void reset_statistics() {
    transform_.visit([](auto& t) { t.reset_statistics(); });
  }
  void raise_any(bool forward, const std::string& message) {
    const Direction direction = forward ? Direction::forward : Direction::backward;
    transform_.visit([&](auto& t) { t.raise_any(direction, message); });
  }
  void write_trace() {
    transform_.visit([](auto& t) { t.write_trace(); });
  }
  void drop_trace() {
    transform_.visit([](auto& t) { t.drop_trace(); });
  }

  /// The Python side has checked type, shape and order; the sizes are looked at once more, because a mistake there
  /// would be a wild pointer here.
  void execute(Direction direction, const Input& in, const Output& out) {
    const bool forward = direction == Direction::forward;
    std::string wrong = lack(in.nbytes(), forward ? input_bytes() : output_bytes(), "the input array");
    if (wrong.empty()) wrong = lack(out.nbytes(), forward ? output_bytes() : input_bytes(), "the output array");
    const void* from = in.data();
    void* to = out.data();
    nb::gil_scoped_release release;
    wrong.empty() ? transform_.execute(direction, from, to) : raise_any(forward, wrong);
  }
  void execute_in_place(Direction direction, const Output& array) {
    const std::string wrong = lack(array.nbytes(), std::max(input_bytes(), output_bytes()), "the array");
    void* data = array.data();
    nb::gil_scoped_release release;
    wrong.empty() ? transform_.execute_in_place(direction, data) : raise_any(direction == Direction::forward, wrong);
  }

  Index input_bytes() const { return plan().input_bytes(); }
  Index output_bytes() const { return plan().output_bytes(); }

 private:
  /// What an array is short of, if it is.
  std::string lack(std::size_t have, Index need, const char* what) const {
    if (static_cast<Index>(have) >= need) return {};
    return detail::concat(what, " has ", have, " bytes on rank ", plan().rank(), "; ", need, " are needed");
  }

  bindings::UntypedTransform transform_;
  EndOfProgram end_;
};

nb::dict as_dict(const ExchangeStatistics& r) {
  nb::dict out;
  out["direction"] = r.direction == Direction::forward ? "forward" : "backward";
  out["number"] = r.number;
  out["start"] = r.start;
  out["test"] = r.test;
  out["wait"] = r.wait;
  out["in_flight"] = r.in_flight;
  out["hidden"] = r.hidden;
  out["messages"] = r.messages;
  out["bytes_sent"] = r.bytes_sent;
  return out;
}

}  // namespace

nb::dict statistics_dict(const Statistics& s) {
  nb::dict out;
  out["executions"] = s.executions;
  out["total"] = s.total;
  out["compute"] = s.compute;
  out["start"] = s.start;
  out["test"] = s.test;
  out["wait"] = s.wait;
  out["check"] = s.check;
  out["bytes_read"] = s.bytes_read;
  out["bytes_written"] = s.bytes_written;
  out["messages"] = s.messages;
  out["bytes_sent"] = s.bytes_sent;
  out["wire_error"] = s.wire_error;
  out["core_round_trip"] = s.core_round_trip;
  out["core_moves"] = s.core_moves;
  nb::list exchanges;
  for (const ExchangeStatistics& exchange : s.exchanges) exchanges.append(as_dict(exchange));
  out["exchanges"] = exchanges;
  return out;
}

void bind_transform(nb::module_& m) {
  nb::class_<PyTransform>(m, "Transform", "A plan bound to a communicator; `weft.FFT` wraps it.")
      .def(nb::init<const Agreement&, const Problem&, const OptionTexts&, const std::optional<Layout>&,
                    const std::optional<Layout>&>(),
           nb::arg("agreement"), nb::arg("problem"), nb::arg("options"), nb::arg("input").none(),
           nb::arg("output").none(), nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("plan", &PyTransform::plan, nb::rv_policy::copy)
      .def_prop_ro("input_bytes", &PyTransform::input_bytes)
      .def_prop_ro("output_bytes", &PyTransform::output_bytes)
      .def("forward",
           [](PyTransform& t, const Input& in, const Output& out) { t.execute(Direction::forward, in, out); })
      .def("backward",
           [](PyTransform& t, const Input& in, const Output& out) { t.execute(Direction::backward, in, out); })
      .def("forward_in_place", [](PyTransform& t, const Output& a) { t.execute_in_place(Direction::forward, a); })
      .def("backward_in_place", [](PyTransform& t, const Output& a) { t.execute_in_place(Direction::backward, a); })
      .def("raise_any", &PyTransform::raise_any, nb::call_guard<nb::gil_scoped_release>())
      .def("statistics", [](const PyTransform& t) { return statistics_dict(t.statistics()); })
      .def("reset_statistics", &PyTransform::reset_statistics)
      .def("write_trace", &PyTransform::write_trace, nb::call_guard<nb::gil_scoped_release>())
      .def("drop_trace", &PyTransform::drop_trace);
}

}  // namespace weft::python
