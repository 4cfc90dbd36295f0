// The public functions: what arguments must have in common, and one choice for each part.
#include <cmath>

#include "base/mpi.hpp"
#include "base/text.hpp"
#include "candidates.hpp"
#include "chooser.hpp"
#include "weft/tuner.hpp"

namespace weft {

namespace {

using detail::concat;

/// Everything that the ranks must agree upon, and the environment's word on options.
void agree(MPI_Comm comm, const std::string& problem, Operation operation, std::vector<Options*> options,
           const Tuning& tuning) {
  detail::all_or_none(comm, [&] {
    for (Options* one : options) one->apply_environment(operation);
    if (!(tuning.budget >= 0) || !std::isfinite(tuning.budget)) {
      throw Error(concat("budget is ", tuning.budget, "; allowed are seconds from 0 on (0: as the effort has it)"));
    }
    if (!(tuning.tolerance >= 0) || !std::isfinite(tuning.tolerance)) {
      throw Error(concat("tolerance is ", tuning.tolerance, "; allowed are errors from 0 on (0: none)"));
    }
    static_cast<void>(tuner::kept_names(*options.front(), tuning.keep));
  });
  std::string text = concat("a tuning of ", problem, " with effort ", static_cast<int>(tuning.effort), ", budget ",
                            tuning.budget, ", may_transpose ", tuning.may_transpose, ", tolerance ", tuning.tolerance,
                            ", again ", tuning.again, ", force ", tuning.force, ", keep ", detail::join(tuning.keep));
  for (const Options* one : options) {
    for (const auto& [name, value] : differences(*one)) text += concat(", ", name, " ", value);
  }
  detail::require_same(comm, text, "what is tuned");
}

}  // namespace

OptionTexts differences(const Options& options) {
  OptionTexts texts;
  const Options plain;
  for (const auto& description : Options::describe()) {
    const std::string value = options.get(description.name);
    if (value != plain.get(description.name)) texts.emplace_back(description.name, value);
  }
  return texts;
}

std::vector<Options> candidates(const Problem& problem, int ranks, int ranks_on_node, const Options& options,
                                const Tuning& tuning) {
  return tuner::candidates(problem, options, tuner::imagine_search_space(ranks, ranks_on_node, options, tuning));
}

std::vector<Options> candidates(const SphereProblem& problem, int ranks, int ranks_on_node, const Options& options,
                                const Tuning& tuning) {
  return tuner::candidates(problem, options, tuner::imagine_search_space(ranks, ranks_on_node, options, tuning));
}

std::vector<Options> candidates(const Problem& problem, At at, int ranks, int ranks_on_node, const Options& options,
                                const Tuning& tuning) {
  return tuner::candidates(problem, at, options, tuner::imagine_search_space(ranks, ranks_on_node, options, tuning));
}

Tuned tune(const Problem& problem, MPI_Comm comm, const Options& options, const Tuning& tuning) {
  const detail::Communicator own = detail::Communicator::duplicate(comm);
  Options given = options;
  agree(own.get(),
        concat(to_string(problem.kind), " ", to_string(problem.precision), " ", to_string(problem.shape), " modes ",
               to_string(problem.kept_modes()), " points ", to_string(problem.kept_points()), " batch ", problem.batch,
               problem.interleaved ? " interleaved" : "", " in the orders ", to_string(problem.input_order), " and ",
               to_string(problem.output_order), problem.padded_rows ? " padded" : "",
               problem.one_line ? " one line" : ""),
        Operation::transform, {&given}, tuning);
  const auto what = tuner::make_case(problem, own.get(), given);
  return tuner::Chooser(own.get(), *what, tuning).choose().front();
}

Tuned tune(const Problem& problem, At at, Index inputs, Index outputs, MPI_Comm comm, const Options& options,
           const Tuning& tuning) {
  const detail::Communicator own = detail::Communicator::duplicate(comm);
  Options given = options;
  agree(own.get(),
        concat("an operator of ", inputs, " to ", outputs, " fields at ", to_string(at), " ", to_string(problem.kind),
               " ", to_string(problem.precision), " ", to_string(problem.shape), " modes ",
               to_string(problem.kept_modes()), " batch ", problem.batch),
        Operation::transform, {&given}, tuning);
  const auto what = tuner::make_case(problem, at, inputs, outputs, own.get(), given);
  return tuner::Chooser(own.get(), *what, tuning).choose().front();
}

Tuned tune_poisson(const PoissonProblem& problem, MPI_Comm comm, const Options& options, const Tuning& tuning) {
  Problem transforms;
  detail::all_or_none(comm, [&] { transforms = problem.transforms(); });
  Options of_unknowns = options;
  for (std::optional<Layout>* const layout : {&of_unknowns.input, &of_unknowns.output}) {
    if (*layout && (*layout)->shape() != transforms.kept_points()) layout->reset();
  }
  const Index outputs = problem.derivatives_in_space() ? 1 : problem.outputs();
  Tuned tuned = tune(transforms, At::wavenumbers, problem.inputs(), outputs, comm, of_unknowns, tuning);
  tuned.options.input = options.input;
  tuned.options.output = options.output;
  return tuned;
}

TunedSphere tune(const SphereProblem& problem, std::span<const GVector> waves, MPI_Comm comm, const Options& backward,
                 const std::optional<Options>& forward, std::optional<Index> planes, const Tuning& tuning) {
  const detail::Communicator own = detail::Communicator::duplicate(comm);
  Options there = backward, back = forward.value_or(backward);
  agree(own.get(),
        concat("a sphere in ", problem.grid[0], "x", problem.grid[1], "x", problem.grid[2], " bands ", problem.howmany,
               problem.gamma ? " gamma " : " ", to_string(problem.precision)),
        Operation::sphere, {&there, &back}, tuning);
  const auto what = tuner::make_case(problem, waves, own.get(), there, back, planes);
  std::vector<Tuned> answers = tuner::Chooser(own.get(), *what, tuning).choose();
  return {std::move(answers[0]), std::move(answers[1])};
}

}  // namespace weft
