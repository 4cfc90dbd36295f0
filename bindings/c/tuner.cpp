// The tuner, and the model.
#include "names.hpp"

namespace weft::c {

namespace {

Options effort_option(const Tuning& tuning) {
  Options word;  // the same words
  word.effort = tuning.effort;
  return word;
}

/// "tile, window"
std::vector<std::string> parse_list(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

const std::vector<Named<Tuning>>& tuning_names() {
  using T = Tuning;
  static const std::vector<Named<T>> table{
      {"effort",
       [](T& t, std::string_view text) {
         Options word;
         word.set("effort", text);
         t.effort = word.effort;
       },
       [](const T& t) { return effort_option(t).get("effort"); }},
      {"budget", [](T& t, std::string_view text) { t.budget = parse_number(text, "budget"); },
       [](const T& t) { return concat(t.budget); }},
      {"file", [](T& t, std::string_view text) { t.file = text; }, [](const T& t) { return t.file; }},
      {"machine", [](T& t, std::string_view text) { t.machine = text; }, [](const T& t) { return t.machine; }},
      {"keep", [](T& t, std::string_view text) { t.keep = parse_list(text); },
       [](const T& t) { return detail::join(t.keep); }},
      {"may_transpose", [](T& t, std::string_view text) { t.may_transpose = parse_truth(text, "may_transpose"); },
       [](const T& t) { return truth(t.may_transpose); }},
      {"tolerance", [](T& t, std::string_view text) { t.tolerance = parse_number(text, "tolerance"); },
       [](const T& t) { return concat(t.tolerance); }},
      {"again", [](T& t, std::string_view text) { t.again = parse_truth(text, "again"); },
       [](const T& t) { return truth(t.again); }},
      {"force", [](T& t, std::string_view text) { t.force = parse_truth(text, "force"); },
       [](const T& t) { return truth(t.force); }},
  };
  return table;
}

Tuning tuning_of(weft_tuning tuning) { return tuning != nullptr ? tuning->tuning : Tuning{}; }

template <class Comm>
int tune_transform(weft_problem problem, weft_options options, weft_tuning tuning, Comm comm, weft_tuned* tuned) {
  return create_among(
      comm, tuned, [&] { need(problem, "problem"); },
      [&](MPI_Comm all) {
        return weft_tuned_impl{tune(problem->problem, all, options_of(options), tuning_of(tuning))};
      });
}

template <class Comm>
int tune_sphere(weft_sphere_problem problem, int64_t count, const int64_t* waves, int64_t planes, weft_options backward,
                weft_options forward, weft_tuning tuning, Comm comm, weft_tuned* tuned_backward,
                weft_tuned* tuned_forward) {
  for (weft_tuned* const out : {tuned_backward, tuned_forward}) {
    if (out != nullptr) *out = nullptr;
  }
  return among(
      comm,
      [&] {
        need(tuned_backward, "the address of backward's answer"),
            need(tuned_forward, "the address of forward's answer");
        need(problem, "problem"), waves_of(count, waves);
      },
      [&](MPI_Comm all) {
        TunedSphere found = tune(problem->problem, waves_of(count, waves), all, options_of(backward),
                                 forward_of(forward), planes_of(planes), tuning_of(tuning));
        auto first = std::make_unique<weft_tuned_impl>(weft_tuned_impl{std::move(found.backward)});
        *tuned_forward = new weft_tuned_impl{std::move(found.forward)};
        *tuned_backward = first.release();
      });
}

template <class Comm>
int tune_operator(weft_problem problem, weft_function function, weft_options options, weft_tuning tuning, Comm comm,
                  weft_tuned* tuned) {
  return create_among(
      comm, tuned, [&] { need(problem, "problem"), need(function, "function"); },
      [&](MPI_Comm all) {
        return function->function.visit([&](const auto& f) {
          return weft_tuned_impl{
              tune(problem->problem, f.at, f.inputs, f.outputs, all, options_of(options), tuning_of(tuning))};
        });
      });
}

template <class Comm>
int tune_solver(weft_poisson_problem problem, weft_options options, weft_tuning tuning, Comm comm, weft_tuned* tuned) {
  return create_among(
      comm, tuned, [&] { need(problem, "problem"); },
      [&](MPI_Comm all) {
        return weft_tuned_impl{tune_poisson(problem->problem, all, options_of(options), tuning_of(tuning))};
      });
}

/// `work` with a tuning file and a place for its warnings, which are for people and not told.
template <class Work>
int with_file(const char* path, const Work& work) {
  return guarded([&] {
    TuningFile file(path != nullptr ? path : "");
    std::vector<std::string> warnings;
    work(file, warnings);
  });
}

/// What walks were predicted.
weft_prediction prediction_of(const model::Prediction& p) {
  return {p.forward.seconds(), p.backward.seconds(), p.forward.hidden, p.backward.hidden, p.memory_bytes};
}

model::Machine machine_of(const char* machine, int ranks, int ranks_on_node) {
  Tuning tuning;
  if (machine != nullptr) tuning.machine = machine;
  return find_machine(tuning, ranks, ranks_on_node).machine;
}

}  // namespace

}  // namespace weft::c

using namespace weft;
using namespace weft::c;

int weft_tuning_create(weft_tuning* tuning) {
  return create(tuning, [] { return weft_tuning_impl{Tuning{}}; });
}

int weft_tuning_destroy(weft_tuning* tuning) { return destroy(tuning); }

int weft_tuning_set(weft_tuning tuning, const char* name, const char* value) {
  return set_named(tuning, &weft_tuning_impl::tuning, "tuning", tuning_names(), name, value);
}
int weft_tuning_get(weft_tuning tuning, const char* name, const char** value) {
  return get_named(tuning, &weft_tuning_impl::tuning, "tuning", tuning_names(), name, value);
}

int weft_tuning_set_progress(weft_tuning tuning, void (*progress)(const char* line, void* data), void* data) {
  return guarded([&] {
    auto& call = need(tuning, "tuning").tuning.progress;
    call = nullptr;
    if (progress != nullptr) call = [=](const std::string& line) { progress(line.c_str(), data); };
  });
}

int weft_tune_on(weft_problem problem, weft_options options, weft_tuning tuning, const weft_comm* comm,
                 weft_tuned* tuned) {
  return tune_transform(problem, options, tuning, comm, tuned);
}
int weft_tune_f(weft_problem problem, weft_options options, weft_tuning tuning, int comm, weft_tuned* tuned) {
  return tune_transform(problem, options, tuning, comm, tuned);
}

int weft_tune_sphere_on(weft_sphere_problem problem, int64_t count, const int64_t* waves, int64_t planes,
                        weft_options backward, weft_options forward, weft_tuning tuning, const weft_comm* comm,
                        weft_tuned* tuned_backward, weft_tuned* tuned_forward) {
  return tune_sphere(problem, count, waves, planes, backward, forward, tuning, comm, tuned_backward, tuned_forward);
}
int weft_tune_sphere_f(weft_sphere_problem problem, int64_t count, const int64_t* waves, int64_t planes,
                       weft_options backward, weft_options forward, weft_tuning tuning, int comm,
                       weft_tuned* tuned_backward, weft_tuned* tuned_forward) {
  return tune_sphere(problem, count, waves, planes, backward, forward, tuning, comm, tuned_backward, tuned_forward);
}

int weft_tune_operator_on(weft_problem problem, weft_function function, weft_options options, weft_tuning tuning,
                          const weft_comm* comm, weft_tuned* tuned) {
  return tune_operator(problem, function, options, tuning, comm, tuned);
}
int weft_tune_operator_f(weft_problem problem, weft_function function, weft_options options, weft_tuning tuning,
                         int comm, weft_tuned* tuned) {
  return tune_operator(problem, function, options, tuning, comm, tuned);
}

int weft_tune_poisson_on(weft_poisson_problem problem, weft_options options, weft_tuning tuning, const weft_comm* comm,
                         weft_tuned* tuned) {
  return tune_solver(problem, options, tuning, comm, tuned);
}
int weft_tune_poisson_f(weft_poisson_problem problem, weft_options options, weft_tuning tuning, int comm,
                        weft_tuned* tuned) {
  return tune_solver(problem, options, tuning, comm, tuned);
}

int weft_tuned_destroy(weft_tuned* tuned) { return destroy(tuned); }

int weft_tuned_options(weft_tuned tuned, weft_options* options) {
  return create(options, [&] { return weft_options_impl{need(tuned, "tuned").tuned.options}; });
}

int weft_tuned_get_summary(weft_tuned tuned, size_t size, weft_tuned_summary* summary) {
  return guarded([&] {
    const Tuned& t = need(tuned, "tuned").tuned;
    give(size, summary,
         weft_tuned_summary{t.seconds, t.default_seconds, t.sureness, t.spent, static_cast<int64_t>(t.tried.size())});
  });
}

int weft_tuned_source(weft_tuned tuned, const char** source) {
  return give_text(tuned, "tuned", source, [](auto& mine) { return mine.tuned.source; });
}
int weft_tuned_text(weft_tuned tuned, const char** text) {
  return give_text(tuned, "tuned", text, [](auto& mine) { return mine.tuned.text(); });
}
int weft_tuned_json(weft_tuned tuned, const char** text) {
  return give_text(tuned, "tuned", text, [](auto& mine) { return mine.tuned.json(); });
}

int weft_tuning_file_entries(const char* path, const char** json) {
  return with_file(path, [&](TuningFile& file, auto& warnings) {
    need(json, "json");
    give(thread_text(), json, file.entries(warnings));
  });
}

int weft_tuning_file_merge(const char* path, const char* other, int* taken) {
  return with_file(path, [&](TuningFile& file, auto& warnings) {
    int& count = need(taken, "taken");
    count = file.merge(std::string(need_text(other, "other")), warnings);
  });
}

int weft_tuning_file_forget(const char* path, int count, const int* places) {
  return with_file(path, [&](TuningFile& file, auto& warnings) {
    const auto all = need_array(places, count, "places");
    file.forget({all.begin(), all.end()}, warnings);
  });
}

int weft_predict(weft_problem problem, weft_options options, const char* machine, int ranks, int ranks_on_node,
                 size_t size, weft_prediction* prediction) {
  return guarded([&] {
    const Problem& mine = need(problem, "problem").problem;
    give(size, prediction,
         prediction_of(model::predict(mine, options_of(options), machine_of(machine, ranks, ranks_on_node), ranks,
                                      ranks_on_node)));
  });
}

int weft_sphere_predict(weft_sphere_plan plan, const char* machine, int ranks_on_node, size_t size,
                        weft_prediction* prediction) {
  return guarded([&] {
    const SpherePlan& mine = need(plan, "plan").plan;
    give(size, prediction,
         prediction_of(model::predict(mine, mine.options(Direction::backward), mine.options(Direction::forward),
                                      machine_of(machine, mine.ranks(), ranks_on_node), ranks_on_node)));
  });
}

int weft_operator_predict(weft_operator_plan plan, const char* machine, int ranks_on_node, size_t size,
                          weft_prediction* prediction) {
  return guarded([&] {
    const OperatorPlan& mine = need(plan, "plan").plan;
    const auto found = model::predict(mine, machine_of(machine, mine.ranks(), ranks_on_node), ranks_on_node);
    give(size, prediction, weft_prediction{found.seconds(), 0, found.walk.hidden, 0, found.memory_bytes});
  });
}
