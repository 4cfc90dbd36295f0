#include "run.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>

#include "door.hpp"
#include "guarded.hpp"
#include "weft/weft.hpp"

namespace weft::verify {

namespace {

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

double largest_of(double mine, MPI_Comm comm) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm);
  return all;
}

/// The failures of the lowest rank that has any, on all ranks.
std::vector<std::string> agree(const std::vector<std::string>& mine, MPI_Comm comm) {
  const int rank = rank_of(comm), size = size_of(comm);
  int first = 0;
  const int candidate = mine.empty() ? size : rank;
  MPI_Allreduce(&candidate, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == size) return {};
  std::string text;
  for (const auto& failure : mine) text += "rank " + std::to_string(rank) + ": " + failure + "\n";
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, first, comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, first, comm);
  std::vector<std::string> failures;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) failures.push_back(line);
  return failures;
}

/// One end of a transform as this rank sees it.
struct End {
  bool complex = true;
  bool spectrum = false;
  FieldType type = FieldType::complex;  ///< of the fields that this end may hold
  Extents shape{1, 1, 1};               ///< of what is kept of the grid, or of the whole spectrum
  Extents held{1, 1, 1};                ///< of what arrays hold
  Index row = 1;                        ///< places of the last axis
  Box box;
  Index size = 0;         ///< in elements
  Plan::Strides strides;  ///< the same

  std::size_t width() const { return complex ? 2 : 1; }
};

template <class Real>
class Run {
 public:
  Run(const Case& test, MPI_Comm comm, References& references, const DoorMaker& make)
      : test_(test),
        comm_(comm),
        references_(references),
        problem_(problem_of(test)),
        fft_(make(problem_, comm, options_of(test, size_of(comm)))) {
    const Door::Side in = fft_->input(), out = fft_->output();
    const Kind& kind = problem_.kind;
    const Extents space = problem_.shape.with_first(problem_.kept_points());
    const Extents spectrum = problem_.shape.with_first(problem_.kept_modes());
    const Extents half = problem_.spectrum_shape();
    const std::size_t last = problem_.shape.size() - 1;
    const bool pads = (problem_.padded_rows || test_.options.in_place) && problem_.line(last) == Line::half_dft;
    const Index padded = pads ? 2 * half[last] : space[last];
    const bool real_space = kind.to_space ? problem_.real_output() : problem_.real_input();
    const bool real_spectrum = kind.to_space ? problem_.real_input() : problem_.real_output();
    const FieldType in_space = real_space ? FieldType::real : FieldType::complex;
    const FieldType in_spectrum = real_spectrum ? FieldType::real
                                  : real_space  ? FieldType::hermitian
                                                : FieldType::complex;
    input_ = {!problem_.real_input(),
              kind.to_space,
              kind.to_space ? in_spectrum : in_space,
              kind.to_space ? spectrum : space,
              kind.to_space ? half : space,
              kind.to_space ? half[last] : padded,
              in.box,
              in.size,
              in.strides};
    output_ = {!problem_.real_output(),
               !kind.to_space,
               kind.to_space ? in_space : in_spectrum,
               kind.to_space ? space : spectrum,
               kind.to_space ? space : half,
               kind.to_space ? padded : half[last],
               out.box,
               out.size,
               out.strides};
    if (problem_.one_line) input_.shape = output_.shape = {1, 1, problem_.shape[0] * problem_.shape[2]};
    // Only spectra come back as they were where modes are left out, and only fields where points are: of both, neither.
    const bool fewer_modes = spectrum != problem_.shape, fewer_points = space != problem_.shape;
    if (kind.to_space ? fewer_points : fewer_modes) first_ = Direction::backward;
    comes_back_ = !(fewer_modes && fewer_points);
    numbers_ = std::max(numbers(input_), numbers(output_));
  }

  Result operator()() {
    Result result;
    result.limit = error_limit(problem_);
    check_plan();
    if (plan_) {
      const double wire = plan_->wire_error(Direction::forward) + plan_->wire_error(Direction::backward);
      result.limit += kWireFactor * wire;
    }
    const bool place = test_.options.in_place;
    result.forward_error = place ? alone_in_place(Direction::forward) : alone(Direction::forward);
    result.backward_error = place ? alone_in_place(Direction::backward) : alone(Direction::backward);
    if (comes_back_) result.roundtrip_error = place ? roundtrip_in_place() : roundtrip();
    judge(result.forward_error, result.limit, "forward");
    judge(result.backward_error, result.limit, "backward");
    judge(result.roundtrip_error, result.limit, "round trip");
    result.failures = agree(failures_, comm_);
    return result;
  }

 private:
  using Array = Guarded<Real>;

  static Problem problem_of(const Case& test) {
    Problem problem = test.problem;
    problem.precision = sizeof(Real) == sizeof(float) ? Precision::single_ : Precision::double_;
    return problem;
  }
  static std::size_t numbers(const End& end) { return static_cast<std::size_t>(end.size) * end.width(); }

  void fail(const std::string& text) { failures_.push_back(text); }

  void judge(double error, double limit, const std::string& what) {
    if (error <= limit) return;
    std::ostringstream text;
    text << what << " is off by " << error << "; the limit is " << limit;
    fail(text.str());
  }

  double factor(Direction direction) const {
    if (problem_.normalization == Normalization::ortho) return 1 / std::sqrt(problem_.factor());
    const bool normalized = direction == Direction::forward ? problem_.normalization == Normalization::forward
                                                            : problem_.normalization == Normalization::backward;
    return normalized ? 1 / problem_.factor() : 1;
  }

  Field field(const End& end, std::uint64_t salt, Index number) const {
    Field field{end.type, test_.seed * 8 + salt, number, end.shape};
    for (std::size_t axis = 0; axis < problem_.shape.size(); ++axis) {
      const Line line = problem_.line(axis);
      field.mirrored[axis] = line == Line::dft || line == Line::half_dft;
    }
    return field;
  }
  const End& before(Direction direction) const { return direction == Direction::forward ? input_ : output_; }
  const End& after(Direction direction) const { return direction == Direction::forward ? output_ : input_; }

  /// Calls visit(numbers of the point, its global index) for every point of field `number` at `end`.
  template <class Numbers, class Visit>
  void each_point(const End& end, Numbers* data, Index number, Visit visit) const {
    if (end.box.empty()) return;
    const Index apart = problem_.interleaved ? problem_.batch : 1;
    for_points(end.box, [&](const Shape& point) {
      Index first = number * end.strides.field;
      for (std::size_t axis = 0; axis < 3; ++axis) first += (point[axis] - end.box.lo[axis]) * end.strides.axis[axis];
      Extents at = end.held.with_first(point);
      std::fill(at.begin() + 3, at.end(), 0);
      do {
        Index inner = 0;  // among the numbers of the point
        for (std::size_t axis = 3; axis < at.size(); ++axis) {
          inner = inner * (axis + 1 == at.size() ? end.row : end.held[axis]) + at[axis];
        }
        visit(data + static_cast<std::size_t>(first + inner * apart) * end.width(), place_of(end, at));
      } while (step(at, end.held, 3));
    });
  }
  /// Of one line, its number there.
  Extents place_of(const End& end, const Extents& at) const {
    if (!problem_.one_line) return at;
    const bool reals = problem_.kind.lines[2] == Line::half_dft;
    if (reals && end.spectrum && !test_.options.transposed) return at;
    const bool rows = reals == end.spectrum;
    return {0, 0, rows ? at[0] * problem_.shape[2] + at[2] : at[0] + problem_.shape[0] * at[2]};
  }

  void fill(const End& end, Array& array, std::uint64_t salt) const {
    array.fill();
    for (Index number = 0; number < problem_.batch; ++number) {
      const Field values = field(end, salt, number);
      each_point(end, array.data(), number, [&](Real* at, const Extents& index) {
        const auto value = values(index);
        at[0] = static_cast<Real>(value.real());
        if (end.complex) at[1] = static_cast<Real>(value.imag());
      });
    }
  }

  /// The square of it: a root for each point would take a third of the time of all tests.
  static double squared_difference(const End& end, const Real* at, std::complex<double> wanted) {
    const double re = static_cast<double>(at[0]) - wanted.real();
    const double im = end.complex ? static_cast<double>(at[1]) - wanted.imag() : 0.0;
    const double square = re * re + im * im;
    return std::isnan(square) ? std::numeric_limits<double>::infinity() : square;
  }

  /// The error of what direction made of the fields `salt`.
  double transformed_error(Direction direction, const Array& array, std::uint64_t salt) {
    const End &from = before(direction), &to = after(direction);
    const double scale = factor(direction);
    double worst = 0;
    for (Index number = 0; number < problem_.batch; ++number) {
      const Reference& reference =
          references_.get(field(from, salt, number), static_cast<int>(direction), to.shape, lines_of(problem_),
                          problem_.kind.to_space == (direction == Direction::forward));
      double error = 0;
      each_point(to, array.data(), number, [&](const Real* at, const Extents& index) {
        const auto& wanted = reference.values[static_cast<std::size_t>(place(to.shape, index))];
        error = std::max(error, squared_difference(to, at, wanted * scale));
      });
      worst = std::max(worst, std::sqrt(error) / (reference.largest * scale));
    }
    return largest_of(worst, comm_);
  }

  /// The error of a round trip of the fields `salt`.
  double returned_error(const Array& array, std::uint64_t salt) {
    const double scale = factor(Direction::forward) * factor(Direction::backward) * problem_.factor();
    double error = 0, largest = 0;
    for (Index number = 0; number < problem_.batch; ++number) {
      const End& end = before(first_);
      const Field values = field(end, salt, number);
      each_point(end, array.data(), number, [&](const Real* at, const Extents& index) {
        const std::complex<double> wanted = values(index) * scale;
        largest = std::max(largest, std::norm(wanted));
        error = std::max(error, squared_difference(end, at, wanted));
      });
    }
    largest = largest_of(largest, comm_);
    return std::sqrt(largest_of(error, comm_) / (largest > 0 ? largest : 1));
  }

  void execute(Direction direction, const Array& in, Array& out) { fft_->execute(direction, in.data(), out.data()); }

  /// Runs one execution between looks at the statistics.
  void counted(Direction direction, const std::function<void()>& execute) {
    fft_->reset_statistics();
    execute();
    const Statistics counted = fft_->statistics();
    const Plan::Traffic planned = plan_ ? plan_->traffic(direction) : fft_->traffic(direction);
    const std::string name = direction == Direction::forward ? "forward" : "backward";
    const auto expect = [&](Index got, Index wanted, const std::string& what) {
      if (got != wanted) {
        fail(name + " counted " + std::to_string(got) + " " + what + "; the plan says " + std::to_string(wanted));
      }
    };
    expect(counted.executions, 1, "executions");
    expect(counted.bytes_sent, planned.bytes, "bytes sent");
    expect(counted.messages, planned.messages, "messages");
    const Index mine[] = {planned.bytes, planned.messages};
    Index all[2] = {0, 0};
    MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, comm_);
    expect(all[0], planned.all_bytes, "bytes sent by all ranks together");
    expect(all[1], planned.all_messages, "messages by all ranks together");
  }

  void expect_intact(const Array& array, const std::string& what) {
    if (!array.intact()) fail(what + " wrote outside the arrays");
  }

  double alone(Direction direction) {
    const bool ahead = direction == Direction::forward;
    const End &from = before(direction), &to = after(direction);
    const std::uint64_t salt = ahead ? 1 : 2;
    const std::string name = ahead ? "forward" : "backward";
    Array in(numbers(from), offset()), out(numbers(to), offset());
    fill(from, in, salt);
    const Array before = copy_of(in);
    counted(direction, [&] { execute(direction, in, out); });
    if (!in.same_as(before)) fail(name + " changed its input");
    expect_intact(out, name);
    return transformed_error(direction, out, salt);
  }

  double alone_in_place(Direction direction) {
    const bool ahead = direction == Direction::forward;
    const std::uint64_t salt = ahead ? 1 : 2;
    Array data(numbers_, offset());
    fill(before(direction), data, salt);
    counted(direction, [&] { execute(direction, data, data); });
    expect_intact(data, ahead ? "forward in place" : "backward in place");
    return transformed_error(direction, data, salt);
  }

  Direction back() const { return first_ == Direction::forward ? Direction::backward : Direction::forward; }

  double roundtrip() {
    const End &start = before(first_), &middle = after(first_);
    Array in(numbers(start), offset()), between(numbers(middle), offset()), out(numbers(start), offset());
    fill(start, in, 3);
    execute(first_, in, between);
    execute(back(), between, out);
    expect_intact(between, "the round trip");
    expect_intact(out, "the round trip");
    return returned_error(out, 3);
  }

  double roundtrip_in_place() {
    Array data(numbers_, offset());
    fill(before(first_), data, 3);
    execute(first_, data, data);
    execute(back(), data, data);
    expect_intact(data, "the round trip in place");
    return returned_error(data, 3);
  }

  /// A copy whose bytes lie at the same offset from a boundary.
  Array copy_of(const Array& array) const {
    Array copy(array.size(), offset());
    std::copy(array.data(), array.data() + array.size(), copy.data());
    return copy;
  }

  /// The lowest rank of each rank's node, by asking MPI; of its part of the node, if it is to have `size` ranks.
  std::vector<int> nodes(int size) const {
    MPI_Comm machine = MPI_COMM_NULL, node = MPI_COMM_NULL;
    MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_of(comm_), MPI_INFO_NULL, &machine);
    MPI_Comm_split(machine, size > 0 ? rank_of(comm_) / size : 0, rank_of(comm_), &node);
    int lowest = rank_of(comm_);
    MPI_Bcast(&lowest, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    MPI_Comm_free(&machine);
    std::vector<int> all(static_cast<std::size_t>(size_of(comm_)));
    MPI_Allgather(&lowest, 1, MPI_INT, all.data(), 1, MPI_INT, comm_);
    return all;
  }

  /// A plan made from the case alone, as anybody would make it without a transform, tells what the transform does: its
  /// sizes here, and its traffic where executions are counted.
  void check_plan() {
    Options options = options_of(test_, size_of(comm_));
    options.apply_environment();
    options.nodes = nodes(options.node_size);
    try {
      plan_.emplace(problem_, options, size_of(comm_), rank_of(comm_));
      compare_plan(*plan_);
    } catch (const Error& error) {  // caught here, since it may happen on this rank alone
      fail(std::string("a plan made apart is an error: ") + error.what());
    }
  }

  void compare_plan(const Plan& made) {
    const auto expect = [this](Index got, Index wanted, const std::string& what) {
      if (got != wanted) {
        fail("the plan made apart has " + what + " " + std::to_string(got) + ", the transform's " +
             std::to_string(wanted));
      }
    };
    expect(made.input_size(), input_.size, "input size");
    expect(made.output_size(), output_.size, "output size");
    expect(made.workspace_bytes(), fft_->workspace_bytes(), "workspace bytes");
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      expect(made.traffic(direction).bytes, fft_->traffic(direction).bytes, "traffic bytes");
      expect(made.traffic(direction).messages, fft_->traffic(direction).messages, "traffic messages");
    }
    if (boxes_of(made.input()) != fft_->input().boxes || boxes_of(made.output()) != fft_->output().boxes) {
      fail("the plan made apart has other layouts than the transform's");
    }
    if (test_.options.in_place || problem_.padded_rows) return;
    const auto inner = [](const Extents& held) {
      return std::accumulate(held.begin() + 3, held.end(), Index{1}, std::multiplies<>());
    };
    expect(input_.size, input_.box.count() * inner(input_.held) * problem_.batch, "points of the input box");
    expect(output_.size, output_.box.count() * inner(output_.held) * problem_.batch, "points of the output box");
  }

  std::size_t offset() const { return static_cast<std::size_t>(test_.offset); }

  const Case& test_;
  MPI_Comm comm_;
  References& references_;
  Problem problem_;
  std::unique_ptr<Door> fft_;
  std::optional<Plan> plan_;  ///< made apart
  End input_, output_;
  Direction first_ = Direction::forward;  ///< of a round trip
  bool comes_back_ = true;                ///< a round trip brings back what it began with
  std::size_t numbers_ = 0;               ///< of real numbers that one array for both ends must hold
  std::vector<std::string> failures_;
};

}  // namespace

double Result::worst() const { return std::max({forward_error, backward_error, roundtrip_error}); }

double error_limit(const Problem& problem) {
  const double eps = problem.precision == Precision::double_ ? std::numeric_limits<double>::epsilon()
                                                             : std::numeric_limits<float>::epsilon();
  double bits = 0;
  for (const Index n : problem.shape) bits += std::log2(static_cast<double>(n));
  return kErrorFactor * eps * std::max(1.0, bits);
}

namespace {

/// Groups have communicators of their own, where not every strategy can be used: such a case is run without groups.
Case possible(Case test, MPI_Comm comm) {
  if (test.options.groups == 1) return test;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(comm, rank == 0 ? 0 : 1, rank, &part);
  for (const auto& strategy : describe_strategies(part)) {
    if (strategy.name == test.options.strategy && !strategy.obstacle.empty()) test.options.groups = 1;
  }
  MPI_Comm_free(&part);
  return test;
}

}  // namespace

Result run_case(const Case& given, MPI_Comm comm, References& references, const DoorMaker& make) {
  const Case test = possible(given, comm);
  try {
    if (test.problem.precision == Precision::double_) return Run<double>(test, comm, references, make)();
    return Run<float>(test, comm, references, make)();
  } catch (const Error& error) {
    Result result;
    result.limit = error_limit(test.problem);
    result.failures.push_back(std::string("error: ") + error.what());
    return result;
  }
}

Result run_case(const Case& test, MPI_Comm comm) {
  References references;
  return run_case(test, comm, references);
}

}  // namespace weft::verify
