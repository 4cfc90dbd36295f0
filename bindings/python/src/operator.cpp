// weft._core.Operator, OperatorPlan and PointFunction: a weft::Operator of either precision, on the
// memory of NumPy arrays.
#include <nanobind/ndarray.h>

#include <map>
#include <memory>
#include <tuple>

#include "communicator.hpp"
#include "operators.hpp"

namespace weft::python {

At at_of(const std::string& name) {
  for (const At at : {At::wavenumbers, At::points}) {
    if (name == to_string(at)) return at;
  }
  throw Error(detail::unknown("at", name, {to_string(At::wavenumbers), to_string(At::points)}));
}

namespace {

nb::object as_array(std::span<const double> values) {
  auto* const owned = new std::vector<double>(values.begin(), values.end());
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, double>(owned->data(), {owned->size()}, owner));
}

void* address(std::uintptr_t at) { return reinterpret_cast<void*>(at); }

/// What a function in Python has raised on this rank, until the operator takes it for the cause of its error.
struct Failure {
  nb::object exception;
};

/// A function in Python, and the tiles that it has been called for: they come again in each execution, at the same
/// addresses, and their views are made but once. Used, and ended, with the interpreter's lock.
class Callable {
 public:
  /// `views(inputs, outputs, lo, hi)` makes of two arrays [field][i][j][k] what `function` is called with.
  Callable(nb::object function, nb::object views, std::shared_ptr<Failure> failure)
      : function_(std::move(function)), views_(std::move(views)), failure_(std::move(failure)) {}

  template <class Number>
  void operator()(const PointTile<Number>& tile) {
    const nb::gil_scoped_acquire lock;
    try {
      const nb::object result = function_(find(tile));
      if (!result.is_none()) {
        throw Error("it returned " + std::string(nb::str(result.type().attr("__name__")).c_str()) +
                    "; it must write tile.outputs[...] and return None");
      }
    } catch (nb::python_error& error) {
      const nb::object value = nb::borrow(error.value());
      if (!failure_->exception.is_valid()) failure_->exception = value;
      throw Error(text_of(error));
    }
  }

 private:
  using Key = std::tuple<Shape, Shape, const void*, const void*>;

  template <class Number>
  nb::object find(const PointTile<Number>& tile) {
    nb::object& found = tiles_[Key(tile.box.lo, tile.box.hi, tile.inputs[0], tile.outputs[0])];
    if (!found.is_valid()) {
      found =
          views_(array(const_cast<const Number* const*>(tile.inputs.data()), tile.inputs.size(), tile),
                 array(tile.outputs.data(), tile.outputs.size(), tile), as_tuple(tile.box.lo), as_tuple(tile.box.hi));
    }
    return found;
  }

  /// All fields; they lie equally far apart.
  template <class Number, class Field>
  static nb::object array(const Field* const* fields, std::size_t count, const PointTile<Number>& tile) {
    const std::ptrdiff_t apart = count > 1 ? fields[1] - fields[0] : 0;
    for (std::size_t f = 1; f < count; ++f) {
      if (fields[f] - fields[f - 1] != apart) throw Error("fields of a tile do not lie equally far apart");
    }
    std::array<std::size_t, 4> shape{count};
    std::array<std::int64_t, 4> strides{apart};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      shape[axis + 1] = static_cast<std::size_t>(tile.box.extent(static_cast<int>(axis)));
      strides[axis + 1] = tile.strides[axis];
    }
    auto* const first = const_cast<Number*>(fields[0]);
    return nb::cast(nb::ndarray<nb::numpy, Number>(first, shape.size(), shape.data(), nb::handle(), strides.data()),
                    nb::rv_policy::reference);
  }

  nb::object function_, views_;
  std::shared_ptr<Failure> failure_;
  std::map<Key, nb::object> tiles_;
};

class PyFunction {
 public:
  /// Stands for a function that can be made only when the operator's layouts are known.
  static PyFunction outline(const Problem& problem, const std::string& at, Index inputs, Index outputs,
                            bool overwrites) {
    return {{problem.precision, [&]<class Real>(Real) {
               PointFunction<Real> function{.at = at_of(at), .inputs = inputs, .outputs = outputs};
               function.overwrites = overwrites;
               function.of_complex = [](const auto&) { throw Error("it is not there yet"); };
               function.of_real = [](const auto&) { throw Error("it is not there yet"); };
               return function;
             }}};
  }
  static PyFunction named(const Problem& problem, const std::string& name, const std::vector<double>& values) {
    return {bindings::named_function(problem, name, values)};
  }
  static PyFunction callable(const Problem& problem, const std::string& at, Index inputs, Index outputs,
                             const nb::object& function, const nb::object& views) {
    const auto failure = share(new Failure);
    const auto call = share(new Callable(function, views, failure));
    return {bindings::tile_function(problem.precision, at_of(at), inputs, outputs,
                                    [call](const auto& tile) { (*call)(tile); }),
            failure};
  }
  static PyFunction compiled(const Problem& problem, const std::string& at, Index inputs, Index outputs,
                             std::uintptr_t function, std::uintptr_t context) {
    return {bindings::compiled_function(problem.precision, at_of(at), inputs, outputs,
                                        reinterpret_cast<weft_tile_function>(function), address(context))};
  }
  static PyFunction table(const Problem& problem, const std::string& at, std::uintptr_t table, Index count, bool real) {
    return {bindings::table_function(problem.precision, at_of(at), address(table), count, real)};
  }
  static PyFunction separable(const Problem& problem, const std::vector<std::uintptr_t>& factors,
                              const std::vector<Index>& counts) {
    std::vector<const void*> all;
    for (const std::uintptr_t factor : factors) all.push_back(address(factor));
    return {bindings::separable_function(problem.precision, all, counts)};
  }
  static PyFunction kernel(const Problem& problem, std::uintptr_t kernel, Index count, bool conjugate,
                           const Agreement& agreement, const OptionTexts& texts, const std::optional<Layout>& input) {
    return {bindings::kernel_function(problem, address(kernel), count, conjugate, agreement.comm(),
                                      make_options(texts, input, std::nullopt))};
  }

  const bindings::UntypedFunction& function() const { return function_; }
  const std::shared_ptr<Failure>& failure() const { return failure_; }
  std::string at() const {
    return function_.visit([](const auto& f) { return to_string(f.at); });
  }
  Index inputs() const {
    return function_.visit([](const auto& f) { return f.inputs; });
  }
  Index outputs() const {
    return function_.visit([](const auto& f) { return f.outputs; });
  }

 private:
  PyFunction(bindings::UntypedFunction function, std::shared_ptr<Failure> failure = nullptr)
      : function_(std::move(function)), failure_(std::move(failure)) {}

  bindings::UntypedFunction function_;
  std::shared_ptr<Failure> failure_;  ///< of functions in Python
};

/// Arrays of calls are addresses: the Python side has checked them.
class PyOperator {
 public:
  PyOperator(const Agreement& agreement, const Problem& problem, const PyFunction& function, const OptionTexts& texts,
             const std::optional<Layout>& input, const std::optional<Layout>& output)
      : operator_(problem, function.function(), agreement.comm(), make_options(texts, input, output)),
        failure_(function.failure()) {}

  const OperatorPlan& plan() const { return operator_.plan(); }
  void set_function(const PyFunction& function) {
    operator_.set_function(function.function());
    failure_ = function.failure();
  }
  void execute(std::uintptr_t in, std::uintptr_t out) {
    const nb::gil_scoped_release release;
    operator_.execute(address(in), address(out));
  }
  /// What the function has raised on this rank in the last execution, or None.
  nb::object take_failure() {
    if (!failure_ || !failure_->exception.is_valid()) return nb::none();
    return std::exchange(failure_->exception, nb::object());
  }
  Statistics statistics() const {
    return operator_.visit([](const auto& o) { return o.statistics(); });
  }
  void reset_statistics() {
    operator_.visit([](auto& o) { o.reset_statistics(); });
  }
  void drop_trace() {
    operator_.visit([](auto& o) { o.drop_trace(); });
  }
  void raise_any(const std::string& message) {
    operator_.visit([&](auto& o) { o.raise_any(message); });
  }

 private:
  bindings::UntypedOperator operator_;
  std::shared_ptr<Failure> failure_;
  EndOfProgram end_;
};

/// The plan that an operator on a communicator of that size would have; without MPI.
OperatorPlan dry_operator(const Problem& problem, const PyFunction& function, int ranks, int rank,
                          const OptionTexts& texts, const std::optional<Layout>& input,
                          const std::optional<Layout>& output) {
  Options options = make_options(texts, input, output);
  options.apply_environment();
  return OperatorPlan(problem, at_of(function.at()), function.inputs(), function.outputs(), options, ranks, rank);
}

}  // namespace

void bind_operator(nb::module_& m) {
  using Release = nb::call_guard<nb::gil_scoped_release>;
  m.def(
      "stencil_number", [](const std::string& name) { return static_cast<int>(parse_stencil(name)); }, nb::arg("name"),
      "The number by which functions know a stencil.");
  m.def("dry_operator", &dry_operator, nb::arg("problem"), nb::arg("function"), nb::arg("ranks"), nb::arg("rank"),
        nb::arg("options"), nb::arg("input").none(), nb::arg("output").none());

  nb::class_<PyFunction>(m, "PointFunction", "A function of the fields at a point; `weft.operators` makes them.")
      .def_static("outline", &PyFunction::outline, nb::arg("problem"), nb::arg("at"), nb::arg("inputs"),
                  nb::arg("outputs"), nb::arg("overwrites"))
      .def_static("named", &PyFunction::named, nb::arg("problem"), nb::arg("name"), nb::arg("values"))
      .def_static("callable", &PyFunction::callable, nb::arg("problem"), nb::arg("at"), nb::arg("inputs"),
                  nb::arg("outputs"), nb::arg("function"), nb::arg("views"))
      .def_static("compiled", &PyFunction::compiled, nb::arg("problem"), nb::arg("at"), nb::arg("inputs"),
                  nb::arg("outputs"), nb::arg("address"), nb::arg("context"))
      .def_static("table", &PyFunction::table, nb::arg("problem"), nb::arg("at"), nb::arg("address"), nb::arg("count"),
                  nb::arg("real"))
      .def_static("separable", &PyFunction::separable, nb::arg("problem"), nb::arg("addresses"), nb::arg("counts"))
      .def_static("kernel", &PyFunction::kernel, nb::arg("problem"), nb::arg("address"), nb::arg("count"),
                  nb::arg("conjugate"), nb::arg("agreement"), nb::arg("options"), nb::arg("input").none(), Release())
      .def_prop_ro("at", &PyFunction::at)
      .def_prop_ro("inputs", &PyFunction::inputs)
      .def_prop_ro("outputs", &PyFunction::outputs);

  nb::class_<OperatorPlan>(m, "OperatorPlan",
                           "What one rank of an operator does, as data. Made by `weft.operator_plan`, or asked of a "
                           "`weft.Operator`.")
      .def_prop_ro(
          "shape", [](const OperatorPlan& p) { return as_tuple(p.problem().shape); },
          "Global shape of the grid in space.")
      .def_prop_ro(
          "spectrum_shape", [](const OperatorPlan& p) { return as_tuple(p.problem().spectrum_shape()); },
          "Global shape of the spectrum: of the modes that it keeps, and the half of those for r2c.")
      .def_prop_ro(
          "kind", [](const OperatorPlan& p) { return to_string(p.problem().kind); }, "c2c or r2c.")
      .def_prop_ro(
          "precision", [](const OperatorPlan& p) { return to_string(p.problem().precision); }, "single or double.")
      .def_prop_ro(
          "batch", [](const OperatorPlan& p) { return p.problem().batch; }, "Applications in one call.")
      .def_prop_ro(
          "normalization", [](const OperatorPlan& p) { return to_string(p.problem().normalization); },
          "Where the factor 1/N is put.")
      .def_prop_ro(
          "lengths",
          [](const OperatorPlan& p) {
            nb::list all;
            for (std::size_t axis = 0; axis < p.problem().shape.size(); ++axis) all.append(p.problem().lengths[axis]);
            return nb::tuple(all);
          },
          "Lengths of the box along each axis.")
      .def_prop_ro(
          "at", [](const OperatorPlan& p) { return to_string(p.at()); }, "Where the function is applied.")
      .def_prop_ro("real_ends", &OperatorPlan::real_ends, "Whether the numbers at both ends are real.")
      .def_prop_ro("real_middle", &OperatorPlan::real_middle, "Whether those that the function sees are.")
      .def_prop_ro("inputs", &OperatorPlan::inputs, "Fields that come in.")
      .def_prop_ro("outputs", &OperatorPlan::outputs, "Fields that go out.")
      .def_prop_ro("ranks", &OperatorPlan::ranks, "Number of ranks.")
      .def_prop_ro("rank", &OperatorPlan::rank, "The rank that this plan is for.")
      .def_prop_ro("input_layout", &OperatorPlan::input, nb::rv_policy::copy, "Distribution of the input.")
      .def_prop_ro("output_layout", &OperatorPlan::output, nb::rv_policy::copy, "Distribution of the output.")
      .def_prop_ro("middle_layout", &OperatorPlan::middle, nb::rv_policy::copy,
                   "Distribution of the points that the function is applied at.")
      .def_prop_ro(
          "input_box", [](const OperatorPlan& p) { return corners(bindings::array_box(p.input_boxes(), p.input())); },
          "This rank's part of the input: ``(lo, hi)``.")
      .def_prop_ro(
          "output_box",
          [](const OperatorPlan& p) { return corners(bindings::array_box(p.output_boxes(), p.output())); },
          "This rank's part of the output: ``(lo, hi)``.")
      .def_prop_ro(
          "input_boxes", [](const OperatorPlan& p) { return all_corners(p.input_boxes()); },
          "All boxes of this rank at the input, of the first three axes, with their ghosts.")
      .def_prop_ro(
          "output_boxes", [](const OperatorPlan& p) { return all_corners(p.output_boxes()); },
          "The same at the output.")
      .def_prop_ro(
          "middle_box", [](const OperatorPlan& p) { return corners(p.middle_box()); },
          "This rank's part of the middle layout: ``(lo, hi)``.")
      .def_prop_ro("input_size", &OperatorPlan::input_size, "Numbers that the input array must hold, of all fields.")
      .def_prop_ro("output_size", &OperatorPlan::output_size, "Numbers that the output array must hold, of all fields.")
      .def_prop_ro("workspace_bytes", &OperatorPlan::workspace_bytes,
                   "Bytes of exchange buffers and intermediate arrays on this rank.")
      .def(
          "places",
          [](const OperatorPlan& p, std::size_t axis, bool odd) {
            return as_array(odd ? p.odd(axis) : p.places(axis));
          },
          nb::arg("axis"), nb::arg("odd") = false,
          "Wave numbers, or coordinates, by global index along an axis of the middle layout.")
      .def(
          "option", [](const OperatorPlan& p, const std::string& name) { return p.options().get(name); },
          nb::arg("name"), "The present value of an option, as text.")
      .def(
          "traffic", [](const OperatorPlan& p) { return traffic_dict(p.traffic()); },
          "Messages and bytes of one execution: this rank's, and all ranks'.")
      .def("explain", &OperatorPlan::explain, "Stages, layouts, strategy, tiles, messages and bytes, in words.")
      .def("json", &OperatorPlan::json, "The same as JSON text.")
      .def(
          "as_dict", [](const OperatorPlan& p) { return from_json(p.json()); }, "The same as a dict.")
      .def(
          "_repr_html_", [](const OperatorPlan& p) { return html_of(p.explain()); }, "The same for notebooks.")
      .def("__str__", &OperatorPlan::explain)
      .def("__repr__", [](const OperatorPlan& p) {
        return "<weft.OperatorPlan " + to_string(p.problem().kind) + " " + to_string(p.problem().shape) + ", at " +
               to_string(p.at()) + ", rank " + std::to_string(p.rank()) + " of " + std::to_string(p.ranks()) + ">";
      });

  nb::class_<PyOperator>(m, "Operator", "A plan bound to a communicator and a function; `weft.Operator` wraps it.")
      .def(nb::init<const Agreement&, const Problem&, const PyFunction&, const OptionTexts&,
                    const std::optional<Layout>&, const std::optional<Layout>&>(),
           nb::arg("agreement"), nb::arg("problem"), nb::arg("function"), nb::arg("options"), nb::arg("input").none(),
           nb::arg("output").none(), Release())
      .def_prop_ro("plan", &PyOperator::plan, nb::rv_policy::copy)
      .def("set_function", &PyOperator::set_function, nb::arg("function"))
      .def("execute", &PyOperator::execute)
      .def("take_failure", &PyOperator::take_failure)
      .def("raise_any", &PyOperator::raise_any, Release())
      .def("statistics", [](const PyOperator& o) { return statistics_dict(o.statistics()); })
      .def("reset_statistics", &PyOperator::reset_statistics)
      .def("drop_trace", &PyOperator::drop_trace);
}

}  // namespace weft::python
