#include "execute/sphere_engine.hpp"

#include <cstdint>
#include <filesystem>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "base/nodes.hpp"
#include "execute/statistics.hpp"

namespace weft::detail {

namespace {

std::string describe(const SphereProblem& problem, const Options& backward, const Options& forward) {
  std::string text = concat("grid=", problem.grid[0], " x ", problem.grid[1], " x ", problem.grid[2],
                            " gamma=", problem.gamma ? "true" : "false", " precision=", to_string(problem.precision),
                            " howmany=", problem.howmany, " normalization=", to_string(problem.normalization));
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

/// "trace.json" -> "trace.apply.json": each route writes a trace of its own.
std::string trace_name(const std::string& file, const char* route) {
  if (file.empty()) return file;
  std::filesystem::path path(file);
  const std::string extension = path.extension().string();
  return path.replace_extension(route + extension).string();
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

SphereEngine::SphereEngine(const SphereProblem& problem, std::span<const GVector> waves, MPI_Comm comm,
                           Options backward, Options forward, std::optional<Index> planes)
    : comm_(Communicator::duplicate(comm)), waves_(static_cast<Index>(waves.size())) {
  all_or_none(comm_.get(), [&] {
    backward.apply_environment();
    forward.apply_environment();
  });
  check_ = backward.check;
  const Nodes nodes = find_nodes(comm_.get(), backward.nodes, backward.node_size);
  backward.nodes = forward.nodes = nodes.node;
  require_same(comm_.get(), describe(problem, backward, forward), "the arguments of a sphere");
  SphereParts parts;
  parts.rank = comm_.rank();
  all_or_none(comm_.get(), [&] {
    check_problem(problem);
    parts.waves = find_columns(problem.grid, problem.gamma, waves, parts.rank);
  });
  parts.sticks = gather_sticks(comm_.get(), problem, parts.waves.columns);
  all_or_none(comm_.get(), [&] { require_whole_columns(parts.sticks, waves, parts.waves, parts.rank); });
  if (backward.groups > 1 || forward.groups > 1) {
    groups_.emplace(problem, waves, comm_.get(), backward, forward, planes);
    data_ = groups_->inner().data_;
    plan_.emplace(data_);
    return;
  }
  parts.planes = gather_planes(comm_.get(), planes);
  all_or_none(comm_.get(), [&] {
    data_ = make_sphere(problem, backward, forward, std::move(parts));
    plan_.emplace(data_);
  });
  backward_ = make_engine("backward", data_->backward, backward);
  forward_ = make_engine("forward", data_->forward, forward);
}

std::unique_ptr<Engine> SphereEngine::make_engine(const char* name, const Route& route, Options options) const {
  options.trace = traced_ ? trace_name(options.trace, name) : "";
  const auto& grid = data_->problem.grid;
  return std::make_unique<Engine>(name, route, data_->problem.precision,
                                  concat("a sphere on ", grid[0], " x ", grid[1], " x ", grid[2]), comm_.get(),
                                  std::move(options));
}

SphereEngine::Side SphereEngine::waves_side(const char* name, const void* data, const Bands& bands) const {
  return {name, data, bands.waves_apart != 0 ? bands.waves_apart : waves_, waves_, data_->backward.input.element_bytes};
}

SphereEngine::Side SphereEngine::space_side(const char* name, const void* data, const Bands& bands) const {
  const Array& array = data_->backward.output;
  return {name, data, bands.points_apart != 0 ? bands.points_apart : array.item, array.item, array.element_bytes};
}

SphereEngine::Side SphereEngine::field_side(const char* name, const void* data) const {
  const Array& array = data_->backward.output;
  return {name, data, 0, array.item, data_->problem.precision == Precision::double_ ? 8 : 4, false};
}

template <class Check>
void SphereEngine::agree(const Bands& bands, const Check& check) {
  const auto check_bands = [&] {
    if (bands.count < 0) throw Error(concat("bands is ", bands.count, "; at least 0 is needed"));
    check();
  };
  if (!check_) {
    check_bands();
    return;
  }
  const double begin = now();
  const auto end = [&] {
    const double seconds = now() - begin;
    own_.check += seconds;
    own_.total += seconds;
  };
  try {
    // Ranks with different numbers of bands would wait for each other for ever.
    Index most = bands.count;
    WEFT_MPI(comm_.get(), MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, comm_.get()));
    all_or_none(comm_.get(), [&] {
      if (bands.count != most) {
        throw Error(concat("bands is ", bands.count, " on rank ", comm_.rank(), " and ", most,
                           " on another; all ranks must give the same number"));
      }
      check_bands();
    });
  } catch (...) {
    end();
    throw;
  }
  end();
}

namespace {

Bands counted(Bands bands, const SphereProblem& problem) {
  if (bands.count == -1) bands.count = problem.howmany;
  return bands;
}

}  // namespace

void SphereEngine::raise_any(const std::string& message) {
  agree({0, 0, 0}, [&] {
    if (!message.empty()) throw Error(message);
  });
}

void SphereEngine::check_side(const Side& side, Index bands) const {
  if (side.apart < side.numbers && side.steps) {
    throw Error(concat("bands of ", side.name, " are ", side.apart, " numbers apart on rank ", comm_.rank(),
                       "; at least ", side.numbers, " are needed"));
  }
  if (side.data == nullptr && side.span(bands) > 0) {
    throw Error(concat(side.name, " is null on rank ", comm_.rank(), "; ", side.span(bands), " bytes are needed"));
  }
}

void SphereEngine::check_apart(const Side& a, Index a_bands, const Side& b, Index b_bands) const {
  if (overlap(a.data, a.span(a_bands), b.data, b.span(b_bands))) {
    throw Error(concat(a.name, " and ", b.name, " overlap on rank ", comm_.rank(), "; two separate arrays are needed"));
  }
}

void SphereEngine::transform(Direction direction, const void* in, void* out, Number in_space, const Bands& given) {
  const Bands bands = counted(given, data_->problem);
  const bool backward = direction == Direction::backward;
  const Side waves = waves_side("waves", backward ? in : out, bands);
  const Side space = space_side("space", backward ? out : in, bands);
  agree(bands, [&] {
    const bool real = in_space == Number::real;
    if (real != data_->problem.gamma) {
      throw Error(concat(backward ? "backward" : "forward", " was given ", real ? "real" : "complex",
                         " numbers in space; with gamma ", data_->problem.gamma ? "true" : "false", " they are ",
                         real ? "complex" : "real"));
    }
    const Range here = bands_here(bands.count);
    check_side(waves, bands.count);
    check_side(space, here.hi - here.lo);
    check_apart(waves, bands.count, space, here.hi - here.lo);
  });
  run_transform(direction, waves, space, bands);
}

void SphereEngine::apply(const void* field, const void* waves, void* out, const Bands& given) {
  const Bands bands = counted(given, data_->problem);
  const Side from = waves_side("waves", waves, bands), to = waves_side("out", out, bands), v = field_side("v", field);
  agree(bands, [&] {
    check_side(from, bands.count);
    check_side(to, bands.count);
    check_side(v, 1);
    check_apart(to, bands.count, v, 1);
    if (waves != out) check_apart(from, bands.count, to, bands.count);
  });
  run_apply(v, from, to, bands);
}

void SphereEngine::density(const void* waves, const double* weights, void* sum, const Bands& given) {
  const Bands bands = counted(given, data_->problem);
  const Side from = waves_side("waves", waves, bands), rho = field_side("rho", sum);
  agree(bands, [&] {
    check_side(from, bands.count);
    check_side(rho, 1);
    check_apart(from, bands.count, rho, 1);
  });
  run_density(from, weights, rho, bands);
}

void SphereEngine::run_transform(Direction direction, const Side& waves, const Side& space, const Bands& bands) {
  if (groups_) {
    const Timer timer(own_);
    const Range here = bands_here(bands.count);
    const Bands inside{here.hi - here.lo, 0, space.apart};
    SphereEngine& inner = groups_->inner();
    const bool backward = direction == Direction::backward;
    const void* const together =
        backward ? groups_->spread(waves.data, waves.apart, bands.count) : groups_->together(bands.count);
    inner.run_transform(direction, inner.waves_side("waves", together, inside), space, inside);
    if (!backward) groups_->collect(waves.target(), waves.apart, bands.count);
    return;
  }
  if (direction == Direction::backward) {
    run(*backward_, waves, space, {}, bands);
  } else {
    run(*forward_, space, waves, {}, bands);
  }
}

void SphereEngine::run_apply(const Side& field, const Side& from, const Side& to, const Bands& bands) {
  if (groups_) {
    const Timer timer(own_);
    const Range here = bands_here(bands.count);
    const Bands inside{here.hi - here.lo, 0, 0};
    SphereEngine& inner = groups_->inner();
    const Side all = inner.waves_side("waves", groups_->spread(from.data, from.apart, bands.count), inside);
    inner.run_apply(field, all, all, inside);
    groups_->collect(to.target(), to.apart, bands.count);
    return;
  }
  if (!apply_) apply_ = make_engine("apply", make_apply_route(*data_), data_->backward_options);
  UserArrays others;
  others.field = static_cast<const std::byte*>(field.data);
  run(*apply_, from, to, others, bands);
}

void SphereEngine::run_density(const Side& from, const double* weights, const Side& sum, const Bands& bands) {
  if (groups_) {
    const Timer timer(own_);
    const Range here = bands_here(bands.count);
    const Bands inside{here.hi - here.lo, 0, 0};
    SphereEngine& inner = groups_->inner();
    const Side all = inner.waves_side("waves", groups_->spread(from.data, from.apart, bands.count), inside);
    const Side part = inner.field_side("rho", groups_->zeroes(points()));
    inner.run_density(all, weights == nullptr ? nullptr : weights + here.lo, part, inside);
    groups_->add_up(part.data, sum.target(), points());
    return;
  }
  if (!density_) density_ = make_engine("density", make_density_route(*data_), data_->backward_options);
  UserArrays others;
  others.weights = weights;
  run(*density_, from, sum, others, bands);
}

void SphereEngine::run(Engine& engine, const Side& in, const Side& out, const UserArrays& others, const Bands& bands) {
  const Timer timer(own_);
  UserArrays arrays = others;
  arrays.input = static_cast<const std::byte*>(in.data);
  arrays.output = static_cast<std::byte*>(out.target());
  arrays.input_item = in.apart;
  arrays.output_item = out.apart;
  for (Index band = 0; band < bands.count; band += data_->problem.howmany) {
    arrays.items = std::min(data_->problem.howmany, bands.count - band);
    engine.run(Direction::forward, arrays);
    arrays.input += arrays.items * in.apart * in.bytes;
    arrays.output += arrays.items * out.apart * out.bytes;
    if (arrays.weights != nullptr) arrays.weights += arrays.items;
  }
}

Statistics SphereEngine::statistics() const {
  Statistics all = own_;
  if (groups_) {
    // What the groups' transforms take is part of the time of the calls.
    const Statistics inside = groups_->inner().statistics();
    add_costs(all, inside);
    all.reshapes = inside.reshapes;
    return all;
  }
  for (const auto* engine : {&backward_, &forward_, &apply_, &density_}) {
    if (!*engine) continue;
    const Statistics& part = (*engine)->statistics();
    add_costs(all, part);
    all.reshapes.insert(all.reshapes.end(), part.reshapes.begin(), part.reshapes.end());
  }
  return all;
}

void SphereEngine::reset_statistics() {
  own_ = {};
  if (groups_) groups_->inner().reset_statistics();
  for (auto* engine : {&backward_, &forward_, &apply_, &density_}) {
    if (*engine) (*engine)->reset_statistics();
  }
}

void SphereEngine::drop_trace() {
  traced_ = false;
  if (groups_) groups_->inner().drop_trace();
  for (auto* engine : {&backward_, &forward_, &apply_, &density_}) {
    if (*engine) (*engine)->drop_trace();
  }
}

}  // namespace weft::detail
