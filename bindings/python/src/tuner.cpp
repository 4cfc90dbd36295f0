// The tuner: answers come as JSON text and are dicts in Python.
#include "weft/tuner.hpp"

#include "base/busy.hpp"
#include "base/text.hpp"
#include "communicator.hpp"
#include "sphere.hpp"

namespace weft::python {
namespace {

/// How to choose, as Python has it: checked words and numbers.
struct Wishes {
  std::string effort;
  double budget;
  std::string file, machine;
  std::vector<std::string> keep;
  bool may_transpose;
  double tolerance;
  bool again, force;
  nb::object progress;
};

Tuning tuning_of(const Wishes& wishes) {
  Tuning tuning;
  Options word;
  word.set("effort", wishes.effort);  // the same words
  tuning.effort = word.effort;
  tuning.budget = wishes.budget;
  tuning.file = wishes.file;
  tuning.machine = wishes.machine;
  tuning.keep = wishes.keep;
  tuning.may_transpose = wishes.may_transpose;
  tuning.tolerance = wishes.tolerance;
  tuning.again = wishes.again;
  tuning.force = wishes.force;
  if (!wishes.progress.is_none()) {
    tuning.progress = [progress = wishes.progress](const std::string& line) {
      const nb::gil_scoped_acquire acquire;
      progress(detail::printable(line));
    };
  }
  return tuning;
}

nb::dict answer(const Tuned& tuned) {
  nb::dict out = nb::cast<nb::dict>(from_json(tuned.json()));
  out["text"] = detail::printable(tuned.text());
  return out;
}

nb::dict tune_transform(const Agreement& agreement, const Problem& problem, const OptionTexts& texts,
                        const std::optional<Layout>& input, const std::optional<Layout>& output, const Wishes& wishes) {
  const Options options = make_options(texts, input, output);
  const Tuning tuning = tuning_of(wishes);
  const Tuned tuned = [&] {
    const nb::gil_scoped_release release;
    return tune(problem, agreement.comm(), options, tuning);
  }();
  return answer(tuned);
}

nb::tuple tune_sphere(const Agreement& agreement, const SphereProblem& problem, const WaveList& waves,
                      const OptionTexts& backward, const OptionTexts& forward, std::optional<Index> planes,
                      const Wishes& wishes) {
  const Options there = make_options(backward, std::nullopt, std::nullopt);
  const Options back = make_options(forward, std::nullopt, std::nullopt);
  const Tuning tuning = tuning_of(wishes);
  const TunedSphere tuned = [&] {
    const nb::gil_scoped_release release;
    return tune(problem, span_of(waves), agreement.comm(), there, back, planes, tuning);
  }();
  return nb::make_tuple(answer(tuned.backward), answer(tuned.forward));
}

nb::dict tune_operator(const Agreement& agreement, const Problem& problem, const std::string& at, Index inputs,
                       Index outputs, const OptionTexts& texts, const std::optional<Layout>& input,
                       const std::optional<Layout>& output, const Wishes& wishes) {
  const Options options = make_options(texts, input, output);
  const Tuning tuning = tuning_of(wishes);
  const Tuned tuned = [&] {
    const nb::gil_scoped_release release;
    return tune(problem, at_of(at), inputs, outputs, agreement.comm(), options, tuning);
  }();
  return answer(tuned);
}

nb::dict tune_poisson(const Agreement& agreement, const PoissonProblem& problem, const OptionTexts& texts,
                      const std::optional<Layout>& input, const std::optional<Layout>& output, const Wishes& wishes) {
  const Options options = make_options(texts, input, output);
  const Tuning tuning = tuning_of(wishes);
  const Tuned tuned = [&] {
    const nb::gil_scoped_release release;
    return weft::tune_poisson(problem, agreement.comm(), options, tuning);
  }();
  return answer(tuned);
}

/// What differs from the defaults.
std::vector<OptionTexts> texts_of(const std::vector<Options>& options) {
  std::vector<OptionTexts> all;
  for (const Options& one : options) {
    const auto differing = differences(one);
    all.emplace_back(differing.begin(), differing.end());
  }
  return all;
}

Tuning search_of(const std::vector<std::string>& keep, bool wide, double tolerance) {
  Tuning tuning;
  tuning.tolerance = tolerance;
  tuning.effort = wide ? Effort::patient : Effort::measure;
  tuning.keep = keep;
  return tuning;
}

/// Candidates without MPI, each by what differs from the defaults.
std::vector<OptionTexts> dry_candidates(const Problem& problem, const OptionTexts& texts, int ranks, int ranks_on_node,
                                        const std::vector<std::string>& keep, bool wide, double tolerance) {
  Options options = make_options(texts, std::nullopt, std::nullopt);
  options.apply_environment();
  return texts_of(candidates(problem, ranks, ranks_on_node, options, search_of(keep, wide, tolerance)));
}

/// The same for a sphere.
std::vector<OptionTexts> dry_sphere_candidates(const SphereProblem& problem, const OptionTexts& texts, int ranks,
                                               int ranks_on_node, const std::vector<std::string>& keep, bool wide,
                                               double tolerance) {
  Options options = make_options(texts, std::nullopt, std::nullopt);
  options.apply_environment(Operation::sphere);
  return texts_of(candidates(problem, ranks, ranks_on_node, options, search_of(keep, wide, tolerance)));
}

/// The same for the operator that a plan is of.
std::vector<OptionTexts> dry_operator_candidates(const OperatorPlan& plan, const OptionTexts& texts, int ranks,
                                                 int ranks_on_node, const std::vector<std::string>& keep, bool wide,
                                                 double tolerance) {
  Options options = make_options(texts, std::nullopt, std::nullopt);
  options.apply_environment();
  return texts_of(
      candidates(plan.problem(), plan.at(), ranks, ranks_on_node, options, search_of(keep, wide, tolerance)));
}

/// The result of `work(file, warnings)`, and the warnings.
template <class Work>
nb::tuple with_file(const std::filesystem::path& path, const Work& work) {
  TuningFile file(path.string());
  std::vector<std::string> warnings;
  nb::object result = work(file, warnings);
  for (std::string& warning : warnings) warning = detail::printable(warning);
  return nb::make_tuple(nb::steal(PyUnicode_DecodeFSDefault(file.path().c_str())), result, warnings);
}

}  // namespace

void bind_tuner(nb::module_& m) {
  nb::class_<Wishes>(m, "Wishes", "How to choose; `weft.tune` makes it.")
      .def(
          "__init__",
          [](Wishes* self, const std::string& effort, double budget, const std::filesystem::path& file,
             const std::filesystem::path& machine, const std::vector<std::string>& keep, bool may_transpose,
             double tolerance, bool again, bool force, nb::object progress) {
            new (self) Wishes{effort,    budget, file.string(), machine.string(),   keep, may_transpose,
                              tolerance, again,  force,         std::move(progress)};
          },
          nb::arg("effort"), nb::arg("budget"), nb::arg("file"), nb::arg("machine"), nb::arg("keep"),
          nb::arg("may_transpose"), nb::arg("tolerance"), nb::arg("again"), nb::arg("force"),
          nb::arg("progress").none());
  m.attr("BUSY_LIMIT") = detail::busy_limit;
  m.attr("SPREAD_LIMIT") = detail::spread_limit;
  m.def("tune", &tune_transform, nb::arg("agreement"), nb::arg("problem"), nb::arg("options"), nb::arg("input").none(),
        nb::arg("output").none(), nb::arg("wishes"));
  m.def("tune_sphere", &tune_sphere, nb::arg("agreement"), nb::arg("problem"), nb::arg("waves"), nb::arg("backward"),
        nb::arg("forward"), nb::arg("planes").none(), nb::arg("wishes"));
  m.def("tune_poisson", &tune_poisson, nb::arg("agreement"), nb::arg("problem"), nb::arg("options"),
        nb::arg("input").none(), nb::arg("output").none(), nb::arg("wishes"));
  m.def("tune_operator", &tune_operator, nb::arg("agreement"), nb::arg("problem"), nb::arg("at"), nb::arg("inputs"),
        nb::arg("outputs"), nb::arg("options"), nb::arg("input").none(), nb::arg("output").none(), nb::arg("wishes"));
  m.def("operator_candidates", &dry_operator_candidates, nb::arg("plan"), nb::arg("options"), nb::arg("ranks"),
        nb::arg("ranks_on_node"), nb::arg("keep"), nb::arg("wide"), nb::arg("tolerance"));
  m.def("candidates", &dry_candidates, nb::arg("problem"), nb::arg("options"), nb::arg("ranks"),
        nb::arg("ranks_on_node"), nb::arg("keep"), nb::arg("wide"), nb::arg("tolerance"));
  m.def("sphere_candidates", &dry_sphere_candidates, nb::arg("problem"), nb::arg("options"), nb::arg("ranks"),
        nb::arg("ranks_on_node"), nb::arg("keep"), nb::arg("wide"), nb::arg("tolerance"));
  m.def(
      "default_machine",
      [](const std::filesystem::path& asked, const std::filesystem::path& file, int ranks, int ranks_on_node,
         int cores) {
        Tuning tuning;
        tuning.machine = asked.string();
        tuning.file = file.string();
        PricedMachine found = find_machine(tuning, ranks, ranks_on_node, cores);
        return std::make_pair(std::move(found.machine), detail::printable(found.source));
      },
      nb::arg("asked"), nb::arg("file"), nb::arg("ranks"), nb::arg("ranks_on_node"), nb::arg("cores"),
      "The machine that the tuner prices candidates on, and where its figures come from.");
  m.def("usual_machine_file", &usual_machine_file,
        "Where machine files are looked for if none is named; empty: nowhere.");
  m.def(
      "tuning_entries",
      [](const std::filesystem::path& path) {
        return with_file(path, [](TuningFile& file, auto& warnings) { return from_json(file.entries(warnings)); });
      },
      nb::arg("path"), "Path, entries and warnings of a tuning file.");
  m.def(
      "tuning_merge",
      [](const std::filesystem::path& path, const std::filesystem::path& other) {
        return with_file(
            path, [&](TuningFile& file, auto& warnings) { return nb::cast(file.merge(other.string(), warnings)); });
      },
      nb::arg("path"), nb::arg("other"), "Path, entries taken over, and warnings.");
  m.def(
      "tuning_forget",
      [](const std::filesystem::path& path, const std::vector<int>& places) {
        return with_file(path, [&](TuningFile& file, auto& warnings) -> nb::object {
          file.forget(places, warnings);
          return nb::none();
        });
      },
      nb::arg("path"), nb::arg("places"));
}

}  // namespace weft::python
