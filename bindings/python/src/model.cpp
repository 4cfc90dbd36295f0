// weft._core.Machine and predictions: what `weft.model` computes is computed here.
#include "weft/model.hpp"

#include "bindings.hpp"

namespace weft::python {

namespace {

using model::Machine;
using model::Prediction;
using model::Stage;
using model::Table;
using model::Walk;

constexpr std::size_t terms = model::terms;

nb::dict terms_dict(const model::Seconds& seconds) {
  nb::dict out;
  for (std::size_t i = 0; i < terms; ++i) {
    out[model::to_string(model::Term{static_cast<int>(i)}).c_str()] = seconds.by_term[i];
  }
  return out;
}

nb::list rows_list(const Table& table) {
  nb::list rows;
  for (const model::Sample& row : table) rows.append(nb::make_tuple(row.size, row.value, row.spread));
  return rows;
}

nb::dict tables_dict(const std::map<std::string, Table>& tables) {
  nb::dict out;
  for (const auto& [name, table] : tables) out[name.c_str()] = rows_list(table);
  return out;
}

template <Table model::Calibration::*member>
nb::list rows_of(const model::Calibration& calibration) {
  return rows_list(calibration.*member);
}

template <std::map<std::string, Table> model::Calibration::*member>
nb::dict tables_of(const model::Calibration& calibration) {
  return tables_dict(calibration.*member);
}

/// The machine with other values of some fields.
nb::object replaced(const Machine& machine, const nb::kwargs& changes) {
  nb::object other = nb::cast(Machine(machine));
  for (const auto& [name, value] : changes) nb::setattr(other, name, value);
  return other;
}

/// Name and meaning of every term.
std::vector<std::array<std::string, 2>> describe_terms() {
  std::vector<std::array<std::string, 2>> out;
  for (std::size_t i = 0; i < terms; ++i) {
    const model::Term term{static_cast<int>(i)};
    out.push_back({model::to_string(term), model::meaning(term)});
  }
  return out;
}

/// A machine's figures as a machine file has them: values by table and name, those at the top under "".
nb::dict figures(const Machine& machine) {
  nb::dict out;
  for (const model::MachineField& field : model::machine_fields()) {
    if (!out.contains(field.table)) out[field.table] = nb::dict();
    std::visit([&](auto member) { out[field.table][field.name] = machine.*member; }, field.member);
  }
  return out;
}

Options sphere_options(const OptionTexts& texts) {
  Options options = make_options(texts, std::nullopt, std::nullopt);
  options.apply_environment(Operation::sphere);
  return options;
}

void bind_machine(nb::module_& m) {
  using C = model::Calibration;
  nb::class_<C>(m, "Calibration", "What was measured of a machine: tables with rows (size, value, spread).")
      .def_ro("ranks", &C::ranks)
      .def_prop_ro("copy_all", &rows_of<&C::copy_all>)
      .def_prop_ro("copy_one", &rows_of<&C::copy_one>)
      .def_prop_ro("neighbour", &rows_of<&C::neighbour>)
      .def_prop_ro("exchange_node", &rows_of<&C::exchange_node>)
      .def_prop_ro("exchange_network", &rows_of<&C::exchange_network>)
      .def_prop_ro("pieces_node", &rows_of<&C::pieces_node>)
      .def_prop_ro("alltoall", &rows_of<&C::alltoall>)
      .def_prop_ro("alltoall_network", &rows_of<&C::alltoall_network>)
      .def_ro("barrier", &C::barrier)
      .def_ro("allreduce", &C::allreduce)
      .def_prop_ro("lines", &tables_of<&C::lines>)
      .def_prop_ro("backends",
                   [](const C& self) {
                     nb::dict out;
                     for (const auto& [name, lines] : self.backends) out[name.c_str()] = tables_dict(lines);
                     return out;
                   })
      .def_prop_ro("transforms", &tables_of<&C::transforms>)
      .def_prop_ro("strategies", &tables_of<&C::strategies>);

  nb::class_<Machine>(m, "Machine", "Nodes that are alike, with cores that are alike. Rates are per second.")
      .def_rw("name", &Machine::name)
      .def_rw("title", &Machine::title)
      .def_rw("source", &Machine::source)
      .def_rw("year", &Machine::year)
      .def_rw("nodes", &Machine::nodes)
      .def_rw("cores", &Machine::cores)
      .def_rw("flops", &Machine::flops)
      .def_rw("memory_bandwidth", &Machine::memory_bandwidth)
      .def_rw("core_bandwidth", &Machine::core_bandwidth)
      .def_rw("latency", &Machine::latency)
      .def_rw("bandwidth", &Machine::bandwidth)
      .def_rw("shared", &Machine::shared)
      .def_rw("nodes_per_segment", &Machine::nodes_per_segment)
      .def_rw("efficiency", &Machine::efficiency)
      .def_rw("gap", &Machine::gap)
      .def_rw("overhead", &Machine::overhead)
      .def_rw("copy_bandwidth", &Machine::copy_bandwidth)
      .def_rw("node_latency", &Machine::node_latency)
      .def_rw("node_bandwidth", &Machine::node_bandwidth)
      .def_rw("node_gap", &Machine::node_gap)
      .def_rw("eager", &Machine::eager)
      .def_rw("alltoall_short", &Machine::alltoall_short)
      .def_rw("alltoall_pairwise", &Machine::alltoall_pairwise)
      .def_rw("assumed", &Machine::assumed)
      .def_prop_ro("figures", &figures, "What machine files say, by table (\"\" for those at the top) and name.")
      .def_ro("calibration", &Machine::calibration)
      .def_ro("call", &Machine::call)
      .def_prop_ro("pass_factors", [](const Machine& self) { return tables_dict(self.pass_factors); })
      .def_prop_ro("strategy_factors", [](const Machine& self) { return tables_dict(self.strategy_factors); })
      .def("replaced", &replaced, "The machine with other values of the fields that are named.");
  m.def(
      "read_machine", [](const std::filesystem::path& path) { return model::read(path); }, nb::arg("path"),
      "The machine of a file, fitted to its calibration.");
  m.def(
      "parse_machine", [](const std::string& text, const std::string& where) { return model::parse(text, where); },
      nb::arg("text"), nb::arg("where"), "The machine of a file's text, checked.");
  m.def("unmeasured_machine", &model::unmeasured, nb::arg("cores"), nb::arg("nodes"),
        "An ordinary current machine, of which nothing was measured.");
}

}  // namespace

void bind_model(nb::module_& m) {
  bind_machine(m);
  m.def("describe_terms", &describe_terms, "Name and meaning of every part of a predicted time.");

  nb::class_<Stage>(m, "Stage", "A pass or an exchange: seconds by term, and what was hidden behind computation.")
      .def_ro("name", &Stage::name)
      .def_ro("hidden", &Stage::hidden)
      .def_prop_ro("seconds", &Stage::seconds)
      .def_prop_ro("terms", [](const Stage& self) { return terms_dict(self.terms); });
  nb::class_<Walk>(m, "Walk", "One execution in one direction.")
      .def_ro("stages", &Walk::stages)
      .def_ro("hidden", &Walk::hidden)
      .def_ro("wire_error", &Walk::wire_error)
      .def_prop_ro("seconds", &Walk::seconds)
      .def_prop_ro("terms", [](const Walk& self) { return terms_dict(self.terms); });
  nb::class_<Prediction>(m, "Prediction", "Forward plus backward on the slowest rank.")
      .def_ro("forward", &Prediction::forward)
      .def_ro("backward", &Prediction::backward)
      .def_ro("memory_bytes", &Prediction::memory_bytes)
      .def_prop_ro("seconds", &Prediction::seconds)
      .def_prop_ro("hidden", &Prediction::hidden)
      .def_prop_ro("wire_error", &Prediction::wire_error)
      .def_prop_ro("terms", [](const Prediction& self) { return terms_dict(self.terms()); });

  using model::OperatorPrediction;
  nb::class_<OperatorPrediction>(m, "OperatorPrediction", "An operator's execution.")
      .def_ro("walk", &OperatorPrediction::walk)
      .def_ro("memory_bytes", &OperatorPrediction::memory_bytes)
      .def_prop_ro("seconds", &OperatorPrediction::seconds)
      .def_prop_ro("hidden", [](const OperatorPrediction& self) { return self.walk.hidden; })
      .def_prop_ro("wire_error", [](const OperatorPrediction& self) { return self.walk.wire_error; })
      .def_prop_ro("terms", [](const OperatorPrediction& self) { return terms_dict(self.walk.terms); });

  m.def(
      "predict_operator",
      [](const OperatorPlan& plan, const Machine& machine, int ranks_on_node) {
        return model::predict(plan, machine, ranks_on_node);
      },
      nb::arg("plan"), nb::arg("machine"), nb::arg("ranks_on_node"));
  m.def(
      "predict_transform",
      [](const Problem& problem, const OptionTexts& texts, const Machine& machine, int ranks, int ranks_on_node) {
        Options options = make_options(texts, std::nullopt, std::nullopt);
        options.apply_environment();
        return model::predict(problem, options, machine, ranks, ranks_on_node);
      },
      nb::arg("problem"), nb::arg("options"), nb::arg("machine"), nb::arg("ranks"), nb::arg("ranks_on_node"));
  m.def(
      "predict_sphere",
      [](const SpherePlan& sphere, const OptionTexts& backward, const OptionTexts& forward, const Machine& machine,
         int ranks_on_node) {
        return model::predict(sphere, sphere_options(backward), sphere_options(forward), machine, ranks_on_node);
      },
      nb::arg("sphere"), nb::arg("backward"), nb::arg("forward"), nb::arg("machine"), nb::arg("ranks_on_node"),
      "Of a plan's sphere with other options.");
}

}  // namespace weft::python
