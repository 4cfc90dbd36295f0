// weft.Plan and the options: planning without MPI.
#include <algorithm>

#include "bindings.hpp"
#include "untyped.hpp"

namespace weft::python {

Problem make_problem(const Extents& shape, const std::string& kind, const std::string& precision, Index batch,
                     const std::string& normalization) {
  Problem problem;
  problem.shape = shape;
  problem.kind = parse_kind(kind);
  problem.precision = parse_precision(precision);
  problem.batch = batch;
  problem.normalization = parse_normalization(normalization);
  return problem;
}

Options make_options(const OptionTexts& texts, const std::optional<Layout>& input,
                     const std::optional<Layout>& output) {
  Options options;
  for (const auto& [name, value] : texts) options.set(name, value);
  options.input = input;
  options.output = output;
  return options;
}

nb::object from_json(const std::string& text) { return nb::module_::import_("json").attr("loads")(text); }

nb::object html_of(const std::string& text) { return nb::module_::import_("weft._html").attr("of_plan")(text); }

Direction direction_of(const std::string& name) {
  if (name == "forward") return Direction::forward;
  if (name == "backward") return Direction::backward;
  throw Error("direction is '" + name + "'; allowed are forward, backward");
}

nb::dict traffic_dict(const Plan::Traffic& t) {
  nb::dict out;
  out["messages"] = t.messages;
  out["bytes"] = t.bytes;
  out["data_messages"] = t.data_messages;
  out["all_messages"] = t.all_messages;
  out["all_data_messages"] = t.all_data_messages;
  out["all_bytes"] = t.all_bytes;
  out["network_messages"] = t.network_messages;
  out["network_data_messages"] = t.network_data_messages;
  out["network_bytes"] = t.network_bytes;
  return out;
}

namespace {

/// The plan that a transform on a communicator of that size would run, WEFT_* environment variables included.
Plan dry_plan(const Problem& problem, int ranks, int rank, const OptionTexts& texts, const std::optional<Layout>& input,
              const std::optional<Layout>& output) {
  Options options = make_options(texts, input, output);
  options.apply_environment();
  return Plan(problem, options, ranks, rank);
}

Extents extents_of(const std::vector<Index>& shape) { return {shape.data(), shape.size()}; }

/// The shape of an end, of all axes.
Extents shape_of(const Plan& plan, bool input) {
  const Problem& problem = plan.problem();
  if (input == problem.kind.to_space) return problem.spectrum_shape();
  return problem.shape.with_first(problem.kept_points());
}

/// This rank's part of an end, as arrays hold it. (Axes after the third are whole.)
nb::tuple corners_of(const Plan& plan, bool input) {
  const Box box = input ? bindings::array_box(plan.input_boxes(), plan.input())
                        : bindings::array_box(plan.output_boxes(), plan.output());
  const Extents shape = shape_of(plan, input);
  Extents lo = shape;
  std::fill(lo.begin(), lo.end(), 0);
  return nb::make_tuple(as_tuple(lo.with_first(box.lo)), as_tuple(shape.with_first(box.hi)));
}

nb::tuple order_of(const Plan& plan, const MemoryOrder& order) {
  Extents all = plan.problem().shape;
  for (std::size_t axis = 0; axis < all.size(); ++axis) all[axis] = static_cast<Index>(axis);
  return as_tuple(all.with_first({order[0], order[1], order[2]}));
}

nb::tuple strides_of(const Plan& plan, bool input) {
  const Plan::Strides strides = input ? plan.input_strides() : plan.output_strides();
  const Problem& problem = plan.problem();
  Extents all = problem.shape.with_first(strides.axis);
  Index step = problem.interleaved ? problem.batch : 1;
  for (std::size_t axis = all.size(); axis-- > 3;) {
    all[axis] = step;
    step *= axis + 1 == all.size() ? (input ? plan.input_row() : plan.output_row()) : problem.shape[axis];
  }
  return nb::make_tuple(as_tuple(all), strides.field);
}

/// Throws for words and options that are not known. What remains to be said of them is the plan's.
void check_words(const std::string& kind, const std::string& precision, const std::string& normalization,
                 const OptionTexts& texts) {
  make_problem({1, 1, 1}, kind, precision, 1, normalization);
  make_options(texts, std::nullopt, std::nullopt);
}

nb::dict traffic(const Plan& plan, const std::string& direction) {
  return traffic_dict(plan.traffic(direction_of(direction)));
}

std::vector<std::array<Index, 4>> flows(const Plan& plan, const std::string& direction) {
  std::vector<std::array<Index, 4>> out;
  for (const Plan::Flow& flow : plan.flows(direction_of(direction))) {
    out.push_back({flow.exchange, flow.from, flow.to, flow.bytes});
  }
  return out;
}

/// Name, allowed values, meaning and default of every option, and what it applies to.
std::vector<std::array<std::string, 5>> describe_options() {
  std::vector<std::array<std::string, 5>> out;
  const Options defaults;
  for (const auto& item : Options::describe()) {
    out.push_back({item.name, item.values, item.help, defaults.get(item.name), item.applies_to});
  }
  return out;
}

/// Name, summary and obstacle of every strategy.
std::vector<std::array<std::string, 3>> describe_all_strategies() {
  std::vector<std::array<std::string, 3>> out;
  for (const auto& item : describe_strategies()) out.push_back({item.name, item.summary, item.obstacle});
  return out;
}

}  // namespace

void bind_plan(nb::module_& m) {
  m.def("describe_options", &describe_options,
        "Name, allowed values, meaning and default of every option, and what it applies to.");
  m.def("describe_strategies", &describe_all_strategies,
        "Name and summary of every exchange strategy, and what keeps it from being used in this build.");
  m.def("check_words", &check_words, nb::arg("kind"), nb::arg("precision"), nb::arg("normalization"),
        nb::arg("options"), "Error for words and options that are not known.");
  m.def(
      "lines_of",
      [](const std::string& kind, std::size_t axes) {
        Problem problem = make_problem(extents_of(std::vector<Index>(axes, 2)), kind, "double", 1, "none");
        nb::list lines;
        for (std::size_t axis = 0; axis < axes; ++axis) lines.append(to_string(problem.line(axis)));
        return nb::make_tuple(nb::tuple(lines), problem.kind.to_space);
      },
      nb::arg("kind"), nb::arg("axes"), "The line along each axis, and whether forward leads to space.");
  m.def("dry_plan", &dry_plan, nb::arg("problem"), nb::arg("ranks"), nb::arg("rank"), nb::arg("options"),
        nb::arg("input").none(), nb::arg("output").none());

  m.def("line_grid", [](Index n) { return as_tuple(line_grid(n)); }, nb::arg("n"));
  m.def("three_halves", [](const Shape& modes) { return as_tuple(three_halves(modes)); }, nb::arg("modes"));
  m.def("two_thirds", [](const Shape& shape) { return as_tuple(two_thirds(shape)); }, nb::arg("shape"));

  nb::class_<Problem>(m, "Problem", "What to transform.")
      .def(
          "__init__",
          [](Problem* self, const std::vector<Index>& shape, const std::string& kind, const std::string& precision,
             Index batch, const std::string& normalization, bool interleaved, const MemoryOrder& input_order,
             const MemoryOrder& output_order, bool padded_rows, const Shape& modes, const Shape& points,
             const std::vector<double>& lengths, bool one_line) {
            Problem problem = make_problem(extents_of(shape), kind, precision, batch, normalization);
            problem.interleaved = interleaved;
            problem.input_order = input_order;
            problem.output_order = output_order;
            problem.padded_rows = padded_rows;
            problem.modes = modes;
            problem.points = points;
            std::copy_n(lengths.begin(), std::min(lengths.size(), problem.lengths.size()), problem.lengths.begin());
            if (one_line) problem = line_problem(problem.shape[0] * problem.shape[2], problem);
            new (self) Problem(problem);
          },
          nb::arg("shape"), nb::arg("kind"), nb::arg("precision"), nb::arg("batch"), nb::arg("normalization"),
          nb::arg("interleaved"), nb::arg("input_order"), nb::arg("output_order"), nb::arg("padded_rows"),
          nb::arg("modes"), nb::arg("points"), nb::arg("lengths") = std::vector<double>(), nb::arg("one_line") = false);

  nb::class_<Plan>(m, "Plan",
                   "What one rank of a transform will do, as data. Made by `weft.plan`; it neither communicates nor "
                   "allocates field memory.")
      .def_prop_ro(
          "shape", [](const Plan& self) { return as_tuple(self.problem().shape); },
          "Global shape of the real-space grid.")
      .def_prop_ro(
          "spectrum_shape", [](const Plan& self) { return as_tuple(self.problem().spectrum_shape()); },
          "Global shape of the spectrum: of the modes that it keeps, and the half of those for r2c and c2r.")
      .def_prop_ro(
          "modes",
          [](const Plan& self) { return as_tuple(self.problem().shape.with_first(self.problem().kept_modes())); },
          "Modes of each axis that the spectrum keeps: all of `shape`, or fewer.")
      .def_prop_ro(
          "points",
          [](const Plan& self) { return as_tuple(self.problem().shape.with_first(self.problem().kept_points())); },
          "The first points of each axis that fields in space hold: all of `shape`, or fewer.")
      .def_prop_ro(
          "kind", [](const Plan& self) { return to_string(self.problem().kind); },
          "c2c, r2c, c2r, or the lines of the axes: dct2-dst1-r2c.")
      .def_prop_ro(
          "precision", [](const Plan& self) { return to_string(self.problem().precision); }, "single or double.")
      .def_prop_ro(
          "batch", [](const Plan& self) { return self.problem().batch; }, "Fields transformed by one call.")
      .def_prop_ro(
          "normalization", [](const Plan& self) { return to_string(self.problem().normalization); },
          "none, forward, backward or ortho.")
      .def_prop_ro(
          "interleaved", [](const Plan& self) { return self.problem().interleaved; },
          "Whether the numbers of all fields at a point lie side by side.")
      .def_prop_ro(
          "input_order", [](const Plan& self) { return order_of(self, self.problem().input_order); },
          "Axes of forward's input in memory, from slowest to fastest.")
      .def_prop_ro(
          "output_order", [](const Plan& self) { return order_of(self, self.problem().output_order); },
          "Axes of forward's output in memory, from slowest to fastest.")
      .def_prop_ro(
          "padded_rows", [](const Plan& self) { return self.problem().padded_rows; },
          "Whether rows of a real field are padded out of place, too.")
      .def_prop_ro("ranks", &Plan::ranks, "Number of ranks.")
      .def_prop_ro("rank", &Plan::rank, "The rank that this plan is for.")
      .def_prop_ro("input_layout", &Plan::input, nb::rv_policy::copy, "Distribution of forward's input.")
      .def_prop_ro("output_layout", &Plan::output, nb::rv_policy::copy, "Distribution of forward's output.")
      .def_prop_ro(
          "input_box", [](const Plan& self) { return corners_of(self, true); },
          "This rank's part of forward's input as arrays hold it, ghosts included: ``(lo, hi)``; of several boxes a "
          "row "
          "of as many points.")
      .def_prop_ro(
          "output_box", [](const Plan& self) { return corners_of(self, false); },
          "This rank's part of forward's output, in the same way.")
      .def_prop_ro(
          "input_boxes", [](const Plan& self) { return all_corners(self.input_boxes()); },
          "All boxes of this rank at forward's input, of the first three axes, with their ghosts.")
      .def_prop_ro(
          "output_boxes", [](const Plan& self) { return all_corners(self.output_boxes()); },
          "The same at forward's output.")
      .def_prop_ro(
          "factor", [](const Plan& self) { return self.problem().factor(); },
          "What forward and backward together multiply by where nothing is normalised.")
      .def_prop_ro(
          "real_input", [](const Plan& self) { return self.problem().real_input(); },
          "Whether forward's input is real.")
      .def_prop_ro(
          "real_output", [](const Plan& self) { return self.problem().real_output(); },
          "Whether forward's output is real.")
      .def_prop_ro("input_size", &Plan::input_size,
                   "Elements that the input array must hold, batch and in-place padding included.")
      .def_prop_ro("output_size", &Plan::output_size,
                   "Elements that the output array must hold, batch and in-place padding included.")
      .def_prop_ro("input_row", &Plan::input_row, "Points from one row of the input to the next.")
      .def_prop_ro("output_row", &Plan::output_row, "Points from one row of the output to the next.")
      .def_prop_ro(
          "input_strides", [](const Plan& self) { return strides_of(self, true); },
          "Elements of the input from point to point along each axis, and from field to field.")
      .def_prop_ro(
          "output_strides", [](const Plan& self) { return strides_of(self, false); },
          "Elements of the output from point to point along each axis, and from field to field.")
      .def_prop_ro("workspace_bytes", &Plan::workspace_bytes,
                   "Bytes of exchange buffers, intermediate arrays and scratch on this rank.")
      .def(
          "option", [](const Plan& self, const std::string& name) { return self.options().get(name); }, nb::arg("name"),
          "The present value of an option, as text.")
      .def("traffic", &traffic, nb::arg("direction") = "forward",
           "Messages and bytes of one direction (``forward`` or ``backward``): this rank's, and all ranks'.")
      .def("flows", &flows, nb::arg("direction") = "forward",
           "What moves from rank to rank in one direction, however it travels: [exchange, from, to, bytes] of each "
           "pair.")
      .def("explain", &Plan::explain, "Stages, layouts, strategy, tiles, messages, bytes and buffers, in words.")
      .def("json", &Plan::json, "The same as JSON text.")
      .def(
          "as_dict", [](const Plan& self) { return from_json(self.json()); }, "The same as a dict.")
      .def(
          "_repr_html_", [](const Plan& self) { return html_of(self.explain()); }, "The same for notebooks.")
      .def("__str__", &Plan::explain)
      .def("__repr__", [](const Plan& self) {
        return "<weft.Plan " + to_string(self.problem().kind) + " " + to_string(self.problem().shape) + ", rank " +
               std::to_string(self.rank()) + " of " + std::to_string(self.ranks()) + ">";
      });
}

}  // namespace weft::python
