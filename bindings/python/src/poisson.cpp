// weft._core.Poisson and PoissonProblem: a weft::Poisson of either precision, on the memory of NumPy arrays.
#include "weft/poisson.hpp"

#include <nanobind/ndarray.h>

#include "communicator.hpp"
#include "untyped.hpp"

namespace weft::python {

namespace {

/// A function of NumPy's: values of the kernel for numbers along three axes, of axes that broadcast.
Green::Values values_of(nb::object kernel) {
  // Whoever drops the last copy need not have the interpreter.
  auto shared = share(new nb::object(std::move(kernel)));
  return [shared](const std::array<std::span<const double>, 3>& at, std::span<double> values) {
    const nb::gil_scoped_acquire lock;
    const auto along = [&](std::size_t axis) {
      return nb::ndarray<nb::numpy, const double, nb::ndim<1>>(at[axis].data(), {at[axis].size()}, nb::handle());
    };
    const nb::ndarray<nb::numpy, double, nb::ndim<3>> to(values.data(), {at[0].size(), at[1].size(), at[2].size()},
                                                         nb::handle());
    try {
      // They are this process's memory, which ends with the call: no copies.
      const auto array = [](const auto& of) { return nb::cast(of, nb::rv_policy::reference); };
      (*shared)(array(along(0)), array(along(1)), array(along(2)), array(to));
    } catch (nb::python_error& error) {
      throw Error("the kernel: " + text_of(error));
    }
  };
}

Green green_of(const std::string& kind, int order, double width, nb::object kernel) {
  if (!kernel.is_none()) return Green::own(values_of(std::move(kernel)));
  Green green{parse_green(kind), order, width};
  if (green.kind == Green::Kind::own) throw Error("green is 'own'; the kernel's function is needed in its place");
  return green;
}

PoissonProblem make_poisson_problem(const Shape& shape, const std::array<double, 3>& lengths,
                                    const std::array<std::array<std::string, 2>, 3>& sides,
                                    const std::array<std::string, 3>& points, const std::string& precision, Index batch,
                                    const std::string& stencil, double shift, const std::string& mean,
                                    std::array<std::vector<double>, 3> spacings, const std::string& result,
                                    Green green) {
  PoissonProblem problem;
  problem.shape = shape;
  problem.lengths = lengths;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t end = 0; end < 2; ++end) problem.sides[axis][end] = parse_side(sides[axis][end]);
    problem.points[axis] = parse_points(points[axis]);
  }
  problem.precision = parse_precision(precision);
  problem.batch = batch;
  problem.stencil = parse_stencil(stencil);
  problem.shift = shift;
  problem.mean = parse_mean(mean);
  problem.result = parse_result(result);
  problem.spacings = std::move(spacings);
  problem.green = std::move(green);
  problem.check();
  return problem;
}

template <class Number = void>
Number* address(std::uintptr_t at) {
  return reinterpret_cast<Number*>(at);
}

class PyPoisson {
 public:
  PyPoisson(const Agreement& agreement, const PoissonProblem& problem, const OptionTexts& texts,
            const std::optional<Layout>& input, const std::optional<Layout>& output)
      : solver_(problem.precision, problem, agreement.comm(), make_options(texts, input, output)) {}

  template <class Work>
  decltype(auto) visit(Work&& work) {
    return solver_.visit(std::forward<Work>(work));
  }
  template <class Work>
  decltype(auto) visit(Work&& work) const {
    return solver_.visit(std::forward<Work>(work));
  }

  void execute(std::uintptr_t f, std::uintptr_t u) {
    const nb::gil_scoped_release release;
    visit([&]<class Real>(Poisson<Real>& s) { s(address<const Real>(f), address<Real>(u)); });
  }
  void set_shift(double shift) {
    const nb::gil_scoped_release release;
    visit([&](auto& s) { s.set_shift(shift); });
  }
  void set_wall(std::size_t axis, int end, std::uintptr_t values, std::size_t count) {
    visit([&]<class Real>(Poisson<Real>& s) { s.set_wall(axis, end, std::span(address<const Real>(values), count)); });
  }
  std::vector<double> mean(std::uintptr_t f) {
    const nb::gil_scoped_release release;
    return visit([&]<class Real>(Poisson<Real>& s) { return s.mean(address<const Real>(f)); });
  }

 private:
  bindings::OfEitherPrecision<Poisson> solver_;
  EndOfProgram end_;
};

}  // namespace

void bind_poisson(nb::module_& m) {
  using Release = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<PoissonProblem>(m, "PoissonProblem", "What is solved.")
      .def(
          "__init__",
          [](PoissonProblem* self, const Shape& shape, const std::array<double, 3>& lengths,
             const std::array<std::array<std::string, 2>, 3>& sides, const std::array<std::string, 3>& points,
             const std::string& precision, Index batch, const std::string& stencil, double shift,
             const std::string& mean, std::array<std::vector<double>, 3> spacings, const std::string& result,
             const std::string& green, int green_order, double green_width, nb::object kernel) {
            new (self) PoissonProblem(make_poisson_problem(
                shape, lengths, sides, points, precision, batch, stencil, shift, mean, std::move(spacings), result,
                green_of(green, green_order, green_width, std::move(kernel))));
          },
          nb::arg("shape"), nb::arg("lengths"), nb::arg("sides"), nb::arg("points"), nb::arg("precision"),
          nb::arg("batch"), nb::arg("stencil"), nb::arg("shift"), nb::arg("mean"), nb::arg("spacings"),
          nb::arg("result") = "solution", nb::arg("green") = "automatic", nb::arg("green_order") = 2,
          nb::arg("green_width") = 0.0, nb::arg("kernel") = nb::none())
      .def_prop_ro("inputs", &PoissonProblem::inputs)
      .def_prop_ro("outputs", &PoissonProblem::outputs)
      .def(
          "coordinates", [](const PoissonProblem& p, std::size_t axis) { return coordinates(p, axis); },
          nb::arg("axis"));

  nb::class_<PyPoisson>(m, "Poisson", "A solver on a communicator; `weft.Poisson` wraps it.")
      .def(nb::init<const Agreement&, const PoissonProblem&, const OptionTexts&, const std::optional<Layout>&,
                    const std::optional<Layout>&>(),
           nb::arg("agreement"), nb::arg("problem"), nb::arg("options"), nb::arg("input").none(),
           nb::arg("output").none(), Release())
      .def_prop_ro("plan", [](const PyPoisson& p) { return p.visit([](const auto& s) { return s.plan(); }); })
      .def_prop_ro("shift", [](const PyPoisson& p) { return p.visit([](const auto& s) { return s.problem().shift; }); })
      .def_prop_ro("lengths",
                   [](const PyPoisson& p) { return p.visit([](const auto& s) { return s.problem().lengths; }); })
      .def_prop_ro("singular",
                   [](const PyPoisson& p) { return p.visit([](const auto& s) { return s.problem().singular(); }); })
      .def_prop_ro(
          "input_box",
          [](const PyPoisson& p) {
            return corners(p.visit([](const auto& s) { return bindings::array_box(s.input_boxes(), s.input()); }));
          })
      .def_prop_ro(
          "output_box",
          [](const PyPoisson& p) {
            return corners(p.visit([](const auto& s) { return bindings::array_box(s.output_boxes(), s.output()); }));
          })
      .def_prop_ro(
          "input_boxes",
          [](const PyPoisson& p) { return all_corners(p.visit([](const auto& s) { return s.input_boxes(); })); })
      .def_prop_ro(
          "output_boxes",
          [](const PyPoisson& p) { return all_corners(p.visit([](const auto& s) { return s.output_boxes(); })); })
      .def_prop_ro("input_layout", [](const PyPoisson& p) { return p.visit([](const auto& s) { return s.input(); }); })
      .def_prop_ro("output_layout",
                   [](const PyPoisson& p) { return p.visit([](const auto& s) { return s.output(); }); })
      .def_prop_ro("input_size",
                   [](const PyPoisson& p) { return p.visit([](const auto& s) { return s.input_size(); }); })
      .def_prop_ro("output_size",
                   [](const PyPoisson& p) { return p.visit([](const auto& s) { return s.output_size(); }); })
      .def("execute", &PyPoisson::execute)
      .def("set_shift", &PyPoisson::set_shift, nb::arg("shift"))
      .def("set_wall", &PyPoisson::set_wall)
      .def(
          "wall_size",
          [](const PyPoisson& p, std::size_t axis, int end) {
            return p.visit([&](const auto& s) { return s.wall_size(axis, end); });
          },
          nb::arg("axis"), nb::arg("end"))
      .def("mean", &PyPoisson::mean)
      .def("explain", [](const PyPoisson& p) { return p.visit([](const auto& s) { return s.explain(); }); })
      .def("raise_any",
           [](PyPoisson& p, const std::string& message) {
             const nb::gil_scoped_release release;
             p.visit([&](auto& s) { s.raise_any(message); });
           })
      .def("statistics",
           [](const PyPoisson& p) { return statistics_dict(p.visit([](const auto& s) { return s.statistics(); })); })
      .def("reset_statistics", [](PyPoisson& p) { p.visit([](auto& s) { s.reset_statistics(); }); })
      .def("drop_trace", [](PyPoisson& p) { p.visit([](auto& s) { s.drop_trace(); }); });
}

}  // namespace weft::python
