#include "sphere/engine.hpp"

#include <array>
#include <cstdint>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "execute/statistics.hpp"
#include "plan/options.hpp"
#include "plan/settle.hpp"

namespace weft::detail {

namespace {

std::string describe(const SphereProblem& problem, bool other_results, const Options& backward,
                     const Options& forward) {
  std::string text = concat("grid=", problem.grid[0], " x ", problem.grid[1], " x ", problem.grid[2],
                            " gamma=", problem.gamma ? "true" : "false", " precision=", to_string(problem.precision),
                            " spinors=", problem.spinors ? "true" : "false", " howmany=", problem.howmany,
                            " normalization=", to_string(problem.normalization), " padded=", problem.padded[0], " x ",
                            problem.padded[1], " results=", other_results ? "others" : "same");
  for (const auto& [name, options] : {std::pair{"backward", &backward}, std::pair{"forward", &forward}}) {
    text += concat("; ", name, ':');
    for (const auto& option : Options::describe()) text += concat(' ', option.name, '=', options->get(option.name));
  }
  return text;
}

/// The columns of all ranks. Collective.
Sticks gather_sticks(MPI_Comm comm, const SphereProblem& problem, const std::vector<Stick>& mine) {
  static_assert(sizeof(Stick) == 8);
  int ranks = 0;
  WEFT_MPI(comm, MPI_Comm_size(comm, &ranks));
  std::vector<int> counts(static_cast<std::size_t>(ranks)), starts;
  int count = 0;
  all_or_none(comm, [&] { count = narrow<int>(mine.size(), "the number of columns of a rank"); });
  WEFT_MPI(comm, MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm));
  Sticks sticks;
  sticks.grid = problem.grid;
  sticks.real = problem.gamma;
  sticks.first.push_back(0);
  for (const int n : counts) sticks.first.push_back(sticks.first.back() + n);
  all_or_none(comm, [&] {
    narrow<int>(sticks.first.back(), "the number of columns");
    sticks.all.resize(static_cast<std::size_t>(sticks.first.back()));
  });
  for (std::size_t rank = 0; rank < counts.size(); ++rank) starts.push_back(static_cast<int>(sticks.first[rank]));
  WEFT_MPI(comm, MPI_Allgatherv(mine.data(), count, MPI_INT64_T, sticks.all.data(), counts.data(), starts.data(),
                                MPI_INT64_T, comm));
  return sticks;
}

/// The planes of each rank; none if no rank says. Collective.
std::vector<Index> gather_planes(MPI_Comm comm, std::optional<Index> mine) {
  int ranks = 0;
  WEFT_MPI(comm, MPI_Comm_size(comm, &ranks));
  std::vector<Index> planes(static_cast<std::size_t>(ranks));
  constexpr Index none = INT64_MIN;
  const Index value = mine.value_or(none);
  WEFT_MPI(comm, MPI_Allgather(&value, 1, MPI_INT64_T, planes.data(), 1, MPI_INT64_T, comm));
  const auto silent = std::count(planes.begin(), planes.end(), none);
  if (silent == ranks) return {};
  if (silent > 0) {
    const auto rank = std::find(planes.begin(), planes.end(), none) - planes.begin();
    throw Error(concat("planes is not given on rank ", rank, " but on others; all ranks or none must give it"));
  }
  return planes;
}

void skip_weights(UserArrays& arrays, Index bands) {
  for (const double** const weights : {&arrays.weights, &arrays.imaginary_weights}) {
    if (*weights != nullptr) *weights += bands;
  }
}

/// What watches all routes: what either direction asks for.
Options watching_options(const Options& backward, const Options& forward) {
  Options options = backward;
  if (forward.progress == Progress::thread) options.progress = Progress::thread;
  if (options.trace.empty()) options.trace = forward.trace;
  if (!forward.trace.empty() && forward.trace != options.trace) {
    throw Error(concat("trace is '", options.trace, "' backward and '", forward.trace, "' forward; one is needed"));
  }
  if (options.watchdog == 0) options.watchdog = forward.watchdog;
  if (forward.watchdog != 0 && forward.watchdog != options.watchdog) {
    throw Error(
        concat("watchdog is ", options.watchdog, " backward and ", forward.watchdog, " forward; one is needed"));
  }
  return options;
}

/// Columns of all ranks, and this rank's waves in them. Collective.
SphereParts gather_columns(const Communicators& communicators, const SphereProblem& problem, const WaveLists& waves) {
  SphereParts parts;
  parts.rank = communicators.rank();
  const MPI_Comm all = communicators.all();
  all_or_none(all, [&] {
    check_problem(problem);
    parts.waves = find_columns(problem.grid, problem.gamma, waves, parts.rank);
  });
  parts.sticks = gather_sticks(all, problem, parts.waves.columns);
  all_or_none(all, [&] { require_whole_columns(parts.sticks, waves, parts.waves, parts.rank); });
  return parts;
}

/// Counts an execution, and its time from here to the end of a scope.
class Timer {
 public:
  explicit Timer(Statistics& statistics) : statistics_(statistics) {}
  ~Timer() {
    statistics_.total += now() - begin_;
    ++statistics_.executions;
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  Statistics& statistics_;
  double begin_ = now();
};

}  // namespace

SphereEngine::SphereEngine(const SphereProblem& problem, const SphereWaves& waves, std::shared_ptr<Shared> shared,
                           Options backward, Options forward, std::optional<Index> planes)
    : shared_(std::move(shared)),
      communicators_(shared_->communicators),
      waves_(static_cast<Index>(waves.given.size())),
      results_(static_cast<Index>(waves.results.value_or(waves.given).size())) {
  const MPI_Comm all = communicators_.all();
  all_or_none(all, [&] {
    for (Options* options : {&backward, &forward}) {
      options->apply_environment(Operation::sphere);
      check_options(*options, Operation::sphere, communicators_.size());
    }
  });
  const bool check = backward.check;
  find_nodes(backward);
  forward.nodes = backward.nodes;
  require_same(all, describe(problem, waves.results.has_value(), backward, forward), "the arguments of a sphere");
  SphereParts parts = gather_columns(communicators_, problem, {waves.given, waves.results});
  Options watching;
  all_or_none(all, [&] { watching = watching_options(backward, forward); });
  const auto& grid = problem.grid;
  watchers_.emplace(communicators_, watching, concat("a sphere on ", grid[0], " x ", grid[1], " x ", grid[2]));
  const auto make_engines = [&] {
    parts.planes = gather_planes(runners().all(), planes);
    all_or_none(runners().all(), [&] {
      data_ = make_sphere(problem, backward, forward, std::move(parts));
      plan_.emplace(data_);
    });
    make_engine(backward_, "backward", {data_, &data_->backward}, data_->backward_options);
    make_engine(forward_, "forward", {data_, &data_->forward}, data_->forward_options);
  };
  if (backward.groups > 1 || forward.groups > 1) {
    all_or_none(all, [&] {
      check_groups(backward, forward, communicators_.size());
      for (Options* options : {&backward, &forward}) *options = settled(std::move(*options), communicators_.size());
    });
    groups_.emplace(problem, waves, communicators_, backward, *watchers_);
    for (Options* options : {&backward, &forward}) {
      options->groups = 1;
      options->nodes.clear();
    }
    const std::vector<GVector> given = groups_->bring_together(Way::to_space, waves.given);
    std::vector<GVector> results;
    WaveLists waves_inside{given, {}};
    if (waves.results) {
      results = groups_->bring_together(Way::to_spectrum, *waves.results);
      waves_inside.results = results;
    }
    all_or_none(all, [&] {  // a group's ranks fail alike
      groups_->inside().find_nodes(backward);
      forward.nodes = backward.nodes;
      parts = gather_columns(groups_->inside(), problem, waves_inside);
      make_engines();
    });
  } else {
    make_engines();
  }
  agreement_.emplace(communicators_, check, *watchers_, own_);
}

void SphereEngine::find_nodes(Options& options) {
  const std::vector<int>& known = communicators_.nodes().node;
  if (known.empty()) {
    shared_->nodes = options.nodes;
    shared_->node_size = options.node_size;
    communicators_.find_nodes(options);
    return;
  }
  all_or_none(communicators_.all(), [&] {
    if (options.node_size != shared_->node_size || options.nodes != shared_->nodes) {
      throw Error(concat("node_size is ", options.node_size, " and nodes has ", options.nodes.size(),
                         " entries; a sphere that shares memory must have what the first one had: ", shared_->node_size,
                         ", and the same ", shared_->nodes.size(), " entries"));
    }
  });
  options.nodes = known;
}

void SphereEngine::make_engine(std::optional<Engine>& engine, const char* name, std::shared_ptr<const Route> route,
                               const Options& options) {
  Problem problem;
  problem.precision = data_->problem.precision;
  engine.emplace(std::vector<NamedRoutes>{{name, {std::move(route)}}}, problem, options, runners(), *watchers_,
                 groups_ ? groups_->ranks_inside() : PartOfRanks{}, shared_->memory);
}

void SphereEngine::make_later(std::optional<Engine>& engine, const char* name, Route route) {
  all_or_none(communicators_.all(), [&] {  // a group's ranks fail alike
    make_engine(engine, name, std::make_shared<const Route>(std::move(route)), data_->backward_options);
  });
}

SphereEngine::Side SphereEngine::waves_side(const char* name, const void* data, const Bands& bands, Way way) const {
  const bool given = way == Way::to_space;
  const Index numbers = given ? waves_ : results_;
  Index apart = bands.waves_apart != 0 ? bands.waves_apart : numbers;
  if (!given && bands.results_apart != 0) apart = bands.results_apart;
  return {name, data, apart, numbers, data_->backward.input.element_bytes};
}

SphereEngine::Side SphereEngine::together_side(Way way, const Bands& bands) {
  const Array& array = way == Way::to_space ? data_->backward.input : data_->forward.output;
  return {"waves", groups_->together(way, bands.count), array.item, array.item, array.element_bytes};
}

SphereEngine::Side SphereEngine::space_side(const char* name, const void* data, const Bands& bands) const {
  const Array& array = data_->backward.output;
  return {name, data, bands.points_apart != 0 ? bands.points_apart : array.item, array.item, array.element_bytes};
}

SphereEngine::Side SphereEngine::field_side(const char* name, const void* data, Number numbers) const {
  const int bytes = data_->problem.precision == Precision::double_ ? 8 : 4;
  return {name, data, 0, numbers_of_fields(), numbers == Number::complex ? 2 * bytes : bytes, false};
}

namespace {

/// What a rank may call, as long as the others call the same; in the order of Call.
constexpr std::array<const char*, 6> calls{
    "backward", "forward", "forward with accumulate", "apply", "apply with accumulate", "density"};

/// Ranks with different calls, or numbers of bands, would wait for each other for ever.
std::array<Common, 2> common_of(std::optional<std::int64_t> call, std::optional<std::int64_t> bands) {
  return {common_call(call, calls), {"bands", bands}};
}

Bands counted(Bands bands, const SphereProblem& problem) {
  if (bands.count == -1) bands.count = problem.howmany;
  return bands;
}

}  // namespace

template <class Check>
void SphereEngine::agree(const Engine& engine, Call call, const Bands& bands, const Check& check) {
  (*agreement_)(engine.number(0), common_of(static_cast<std::int64_t>(call), bands.count), [&] {
    if (bands.count < 0) throw Error(concat("bands is ", bands.count, "; at least 0 is needed"));
    check();
  });
}

void SphereEngine::raise_any(const std::string& message) {
  // Others may be in an execution of which this rank knows nothing.
  (*agreement_)(backward_->number(0), common_of({}, {}), [&] {
    if (!message.empty()) throw Error(message);
  });
}

Index SphereEngine::bands_of(const Bands& bands) const { return counted(bands, data_->problem).count; }

Index SphereEngine::waves_needed(const Bands& bands) const {
  return waves_side("waves", nullptr, bands, Way::to_space).reach(bands_of(bands));
}

Index SphereEngine::results_needed(const Bands& bands) const {
  return waves_side("waves", nullptr, bands, Way::to_spectrum).reach(bands_of(bands));
}

Index SphereEngine::space_needed(const Bands& bands) const {
  return space_side("space", nullptr, bands).reach(bands_inside(counted(bands, data_->problem)));
}

void SphereEngine::require_spinors_whole(Index bands) const {
  if (!data_->problem.spinors || bands % 2 == 0) return;
  throw Error(concat("bands is ", bands, "; with spinors, of two bands each, an even number is needed"));
}

void SphereEngine::check_side(const Side& side, Index bands) const {
  if (side.apart < side.numbers && side.steps) {
    throw Error(concat("bands of ", side.name, " are ", side.apart, " numbers apart on rank ", communicators_.rank(),
                       "; at least ", side.numbers, " are needed"));
  }
  if (side.data == nullptr && side.span(bands) > 0) {
    throw Error(
        concat(side.name, " is null on rank ", communicators_.rank(), "; ", side.span(bands), " bytes are needed"));
  }
}

void SphereEngine::check_apart(const Side& a, Index a_bands, const Side& b, Index b_bands) const {
  if (overlap(a.data, a.span(a_bands), b.data, b.span(b_bands))) {
    throw Error(concat(a.name, " and ", b.name, " overlap on rank ", communicators_.rank(),
                       "; two separate arrays are needed"));
  }
}

void SphereEngine::transform(Direction direction, const void* in, void* out, Number in_space, const Bands& given) {
  const Bands bands = counted(given, data_->problem);
  const bool backward = direction == Direction::backward;
  const Side waves = waves_side("waves", backward ? in : out, bands, backward ? Way::to_space : Way::to_spectrum);
  const Side space = space_side("space", backward ? out : in, bands);
  const Call call = backward ? Call::backward : bands.accumulate ? Call::forward_sum : Call::forward;
  agree(backward ? *backward_ : *forward_, call, bands, [&] {
    const bool real = in_space == Number::real;
    if (real != data_->problem.gamma) {
      throw Error(concat(backward ? "backward" : "forward", " was given ", real ? "real" : "complex",
                         " numbers in space; with gamma ", data_->problem.gamma ? "true" : "false", " they are ",
                         real ? "complex" : "real"));
    }
    if (backward && bands.accumulate) {
      throw Error("accumulate is true; it is for forward and apply, backward allows only false");
    }
    check_side(waves, bands.count);
    check_side(space, bands_inside(bands));
    check_apart(waves, bands.count, space, bands_inside(bands));
  });
  run_transform(direction, waves, space, bands);
}

void SphereEngine::apply(const void* field, Number numbers, const void* waves, void* out, const Bands& given) {
  const Bands bands = counted(given, data_->problem);
  const Side from = waves_side("waves", waves, bands, Way::to_space);
  const Side to = waves_side("out", out, bands, Way::to_spectrum);
  const Side v = field_side("v", field, numbers);
  agree(apply_ ? *apply_ : *backward_, bands.accumulate ? Call::apply_sum : Call::apply, bands, [&] {
    require_spinors_whole(bands.count);
    if (numbers == Number::complex && data_->problem.spinors) {
      throw Error("apply was given complex numbers in v; with spinors true they are real: V11, V22, Re V12 and Im V12");
    }
    if (numbers == Number::complex && data_->problem.gamma) {
      throw Error("apply was given complex numbers in v; with gamma true they must be real, as functions in space are");
    }
    check_side(from, bands.count);
    check_side(to, bands.count);
    check_side(v, 1);
    check_apart(to, bands.count, v, 1);
    // Bands come back where they were, or next to them.
    if (waves != out || (bands.count > 1 && from.apart != to.apart)) check_apart(from, bands.count, to, bands.count);
  });
  run_apply(v, numbers, from, to, bands);
}

void SphereEngine::density(const void* waves, const Weights& weights, void* sum, const Bands& given) {
  const Bands bands = counted(given, data_->problem);
  const Side from = waves_side("waves", waves, bands, Way::to_space), rho = field_side("rho", sum);
  agree(density_ ? *density_ : *backward_, Call::density, bands, [&] {
    require_spinors_whole(bands.count);
    if (weights.imaginary != nullptr && data_->problem.spinors) {
      throw Error("density was given weights of imaginary parts; with spinors true squares have one weight");
    }
    if (weights.imaginary != nullptr && data_->problem.gamma) {
      throw Error("density was given weights of imaginary parts; with gamma true functions in space are real");
    }
    check_side(from, bands.count);
    check_side(rho, 1);
    check_apart(from, bands.count, rho, 1);
  });
  run_density(from, weights, rho, bands);
}

void SphereEngine::run_transform(Direction direction, const Side& waves, const Side& space, const Bands& bands) {
  const Timer timer(own_);
  const bool backward = direction == Direction::backward;
  Side here = waves;
  if (groups_) {
    here = together_side(backward ? Way::to_space : Way::to_spectrum, bands);
    if (backward) groups_->spread(waves.data, waves.apart, bands.count);
  }
  if (backward) {
    run(*backward_, here, space, {}, bands_inside(bands));
  } else {
    UserArrays others;
    others.accumulate = bands.accumulate && !groups_;
    run(*forward_, space, here, others, bands_inside(bands));
    if (groups_) groups_->collect(waves.target(), waves.apart, bands.count, bands.accumulate);
  }
}

void SphereEngine::run_apply(const Side& field, Number numbers, const Side& from, const Side& to, const Bands& bands) {
  if (!apply_) make_later(apply_, "apply", make_apply_route(*data_));
  const Timer timer(own_);
  UserArrays others;
  others.field = static_cast<const std::byte*>(field.data);
  others.field_is_complex = numbers == Number::complex;
  if (!groups_) {
    others.accumulate = bands.accumulate;
    run(*apply_, from, to, others, bands.count);
    return;
  }
  const Side here = together_side(Way::to_space, bands), back = together_side(Way::to_spectrum, bands);
  groups_->spread(from.data, from.apart, bands.count);
  run(*apply_, here, back, others, bands_inside(bands));
  groups_->collect(to.target(), to.apart, bands.count, bands.accumulate);
}

void SphereEngine::run_density(const Side& from, const Weights& weights, const Side& sum, const Bands& bands) {
  if (!density_) make_later(density_, "density", make_density_route(*data_));
  const Timer timer(own_);
  UserArrays others;
  others.weights = weights.real;
  others.imaginary_weights = weights.imaginary;
  if (!groups_) {
    run(*density_, from, sum, others, bands.count);
    return;
  }
  skip_weights(others, bands_here(bands.count).lo);
  const Side here = together_side(Way::to_space, bands);
  groups_->spread(from.data, from.apart, bands.count);
  const Side part = field_side("rho", groups_->zeroes(numbers_of_fields()));
  run(*density_, here, part, others, bands_inside(bands));
  for (Index field = 0; field < data_->fields(); ++field) {
    const Index first = field * data_->field_numbers() * part.bytes;
    groups_->add_up(density_->number(0), static_cast<std::byte*>(part.target()) + first,
                    static_cast<std::byte*>(sum.target()) + first, plan_->space_box(), plan_->space_extents());
  }
}

void SphereEngine::run(Engine& engine, const Side& in, const Side& out, const UserArrays& others, Index bands) {
  UserArrays arrays = others;
  arrays.input = static_cast<const std::byte*>(in.data);
  arrays.output = static_cast<std::byte*>(out.target());
  arrays.input_item = in.apart;
  arrays.output_item = out.apart;
  for (Index band = 0; band < bands; band += data_->problem.howmany) {
    arrays.items = std::min(data_->problem.howmany, bands - band);
    engine.execute(0, arrays);
    arrays.input += arrays.items * in.apart * in.bytes;
    arrays.output += arrays.items * out.apart * out.bytes;
    skip_weights(arrays, arrays.items);
  }
}

Statistics SphereEngine::statistics() {
  if (groups_) groups_->take_costs(own_);
  Statistics all = own_;
  for (auto* engine : {&backward_, &forward_, &apply_, &density_}) {
    if (!*engine) continue;
    const Statistics& part = (*engine)->statistics();
    add_costs(all, part);
    all.exchanges.insert(all.exchanges.end(), part.exchanges.begin(), part.exchanges.end());
  }
  return all;
}

void SphereEngine::reset_statistics() {
  if (groups_) groups_->take_costs(own_);
  own_ = {};
  for (auto* engine : {&backward_, &forward_, &apply_, &density_}) {
    if (*engine) (*engine)->reset_statistics();
  }
  watchers_->clear();
}

void SphereEngine::drop_trace() {
  watchers_->drop_trace();
  for (auto* engine : {&backward_, &forward_, &apply_, &density_}) {
    if (*engine) (*engine)->leave();
  }
}

}  // namespace weft::detail
