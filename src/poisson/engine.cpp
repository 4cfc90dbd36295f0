#include "poisson/engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>
#include <utility>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "execute/agreement.hpp"
#include "plan/parts.hpp"
#include "poisson/derivatives.hpp"

namespace weft::detail {

namespace {

std::string describe(const PoissonProblem& problem) {
  std::string all = concat(
      "shape=", to_string(problem.shape), " precision=", to_string(problem.precision), " batch=", problem.batch,
      " stencil=", to_string(problem.stencil), " green=", to_string(problem.green.kind), ',', problem.green.order,
      text(",%.17g", problem.green.width), " shift=", text("%.17g", problem.shift), " mean=", to_string(problem.mean),
      " result=", to_string(problem.result), " reversed=", problem.reversed_components);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const double spacing : problem.spacings[axis]) append(all, text(" %.17g", spacing));
    append(all, concat(" axis ", axis, ": length=", text("%.17g", problem.lengths[axis]),
                       " sides=", to_string(problem.sides[axis][0]), ',', to_string(problem.sides[axis][1]),
                       " points=", to_string(problem.points[axis])));
  }
  return all;
}

/// Calls `use(u, s)` for the rows of a box of unknowns: places of their first numbers in it, and in the box of
/// stored points.
template <class Use>
void for_rows(const std::array<SidesOfAxis, 3>& axes, const Box& unknowns, const Box& stored, const Use& use) {
  if (unknowns.empty()) return;
  const auto place = [&](std::size_t axis, Index i) { return axes[axis].place(i) - stored.lo[axis]; };
  Index u = 0;
  for (Index i = unknowns.lo[0]; i < unknowns.hi[0]; ++i) {
    for (Index j = unknowns.lo[1]; j < unknowns.hi[1]; ++j, u += unknowns.extent(2)) {
      use(u, (place(0, i) * stored.extent(1) + place(1, j)) * stored.extent(2) + place(2, unknowns.lo[2]));
    }
  }
}

}  // namespace

template <class Real>
PoissonEngine<Real>::PoissonEngine(const PoissonProblem& problem, MPI_Comm comm, Options options)
    : problem_(problem), comm_(Communicator::duplicate(comm)) {
  problem_.precision = sizeof(Real) == 8 ? Precision::double_ : Precision::single_;
  const MPI_Comm all = comm_.get();
  all_or_none(all, [&] {
    problem_.check();
    problem_ = with_lengths(std::move(problem_));
    for (const auto* layout : {&options.input, &options.output}) {
      if (!*layout || (*layout)->shape() == problem_.shape) continue;
      throw Error(concat(layout == &options.input ? "input" : "output", " is a layout of ",
                         to_string((*layout)->shape()), "; it must be one of the points, ", to_string(problem_.shape)));
    }
  });
  require_same(all,
               concat(describe(problem_), " input=", describe_layout(options.input),
                      " output=", describe_layout(options.output), describe_ghosts(options)),
               "the arguments of a Poisson solver");
  axes_ = sides_of(problem_);
  transforms_ = operator_of(problem_, axes_);
  if (has_open_sides(problem_) || own()) {
    table_ = std::make_shared<FreeSpaceTable<Real>>(std::array{axes_[0].free, axes_[1].free, axes_[2].free},
                                                    problem_.stencil, problem_.green);
  }
  PointFunction<Real> made;
  all_or_none(all, [&] { made = function(); });
  const Options asked = options;
  options = without_parts(std::move(options));
  const std::optional<Layout> input = options.input, output = options.output;
  // A copy of the unknowns is nobody else's: one array is enough.
  const bool in_place = std::exchange(options.in_place, options.in_place || copies(axes_));
  if (input) options.input = unknowns_of(axes_, *input);
  if (output) options.output = unknowns_of(axes_, *output);
  operator_ = std::make_unique<Operator<Real>>(transforms_, std::move(made), all, std::move(options));
  input_ = input ? *input : stored_of(axes_, operator_->plan().input());
  output_ = output ? *output : stored_of(axes_, operator_->plan().output());
  const int rank = operator_->plan().rank();
  in_item_ = input_.box(rank).count();
  out_item_ = output_.box(rank).count();
  const bool one_array = copies(axes_) ? in_place : operator_->plan().options().in_place;
  if (one_array) in_item_ = out_item_ = std::max(in_item_, out_item_);
  if (table_) table_->fill(operator_->plan(), all, problem_.shift);
  if (problem_.derivatives_in_space()) {
    all_or_none(all, [&] {
      if (!one_array) return;
      throw Error(concat("in_place is true with the result ", to_string(problem_.result),
                         " between walls, which allows only false"));
    });
    gradient_.emplace(problem_, output_, operator_->plan().options(), all);
  }
  walls_.emplace(problem_, axes_, input_.box(rank), rank, operator_->plan().options());
  all_or_none(all, [&] { parts_ = parts_of(asked, input_, output_, transforms_); });
  arrays_.emplace(std::array<PartsArrays::End, 2>{{
                      {parts_[0], input_, sizeof(Real), problem_.batch * problem_.inputs(), true, false},
                      {parts_[1], output_, sizeof(Real), problem_.batch * problem_.outputs(), false, true},
                  }},
                  static_cast<int>(sizeof(Real)), asked.sum_ghosts, all, nullptr, of_parts_);
}

template <class Real>
std::vector<Box> PoissonEngine<Real>::boxes(std::size_t end) const {
  const int rank = operator_->plan().rank();
  if (parts_[end]) return parts_[end]->boxes(rank);
  return {(end == 0 ? input_ : output_).box(rank)};
}

template <class Real>
Index PoissonEngine<Real>::users_item(std::size_t end) const {
  if (!parts_[end]) return end == 0 ? in_item_ : out_item_;
  return BoxArray(boxes(end)).count();
}

template <class Real>
const Statistics& PoissonEngine<Real>::statistics() const {
  if (!parts_[0] && !parts_[1] && !gradient_) return operator_->statistics();
  all_ = operator_->statistics();
  all_.total += of_parts_.total;
  all_.wait += of_parts_.wait;
  all_.messages += of_parts_.messages;
  all_.bytes_sent += of_parts_.bytes_sent;
  return all_;
}

template <class Real>
void PoissonEngine<Real>::reset_statistics() {
  operator_->reset_statistics();
  of_parts_ = {};
}

template <class Real>
PointFunction<Real> PoissonEngine<Real>::function() {
  return with_result(solution(), problem_, transforms_);
}

template <class Real>
PointFunction<Real> PoissonEngine<Real>::solution() {
  if (table_) return in_free_space<Real>(table_);
  for (const SidesOfAxis& of : axes_) {
    if (of.uneven) return solve_lines<Real>(transforms_, problem_.stencil, of.uneven, problem_.shift);
  }
  return inverse_laplacian<Real>(transforms_, problem_.stencil, problem_.shift);
}

template <class Real>
Real* PoissonEngine<Real>::copied(const Real* f) {
  const OperatorPlan& plan = operator_->plan();
  Real* const all = in_.room_for<Real>(plan.input_size());
  const Box unknowns = unknowns_in(), stored = input_.box(plan.rank());
  const bool backwards = axes_[2].flipped;
  for (Index field = 0; field < problem_.batch; ++field) {
    const Real* const from = f + field * in_item_;
    Real* const to = all + field * operator_item();
    for_rows(axes_, unknowns, stored, [&](Index u, Index s) {
      for (Index k = 0; k < unknowns.extent(2); ++k) to[u + k] = from[backwards ? s - k : s + k];
    });
  }
  walls_->add_to(all, operator_item());
  return all;
}

template <class Real>
void PoissonEngine<Real>::give(const Real* from, Real* u) const {
  const OperatorPlan& plan = operator_->plan();
  const Box unknowns = plan.output_box(), stored = output_.box(plan.rank());
  const bool backwards = axes_[2].flipped;
  for (Index field = 0; field < problem_.batch; ++field) {
    const Real* const source = from + field * (plan.output_size() / problem_.batch);
    Real* const to = u + field * out_item_;
    for_rows(axes_, unknowns, stored, [&](Index i, Index s) {
      for (Index k = 0; k < unknowns.extent(2); ++k) to[backwards ? s - k : s + k] = source[i + k];
    });
    walls_->write(stored, field, to);
  }
}

/// The exchange with the parts comes before the operator's agreement, and that of gradients after it.
template <class Real>
void PoissonEngine<Real>::check_ends(const Real* f, const Real* u) {
  std::string wrong;
  try {
    const auto bytes = [&](std::size_t end) {
      const Index fields = problem_.batch * (end == 0 ? problem_.inputs() : problem_.outputs());
      return fields * users_item(end) * static_cast<Index>(sizeof(Real));
    };
    check_arrays(f, bytes(0), u, u == nullptr ? 0 : bytes(1), operator_->plan().rank());
  } catch (const Error& error) {
    wrong = error.what();
  }
  operator_->raise_any(wrong);
}

template <class Real>
void PoissonEngine<Real>::solve(const Real* f, Real* u) {
  if (parts_[0] || parts_[1] || gradient_) check_ends(f, u);
  if (!parts_[0] && !parts_[1]) return solve_boxes(f, u);
  solve_boxes(static_cast<const Real*>(arrays_->read(0, f, 0)), static_cast<Real*>(arrays_->written(1, u)));
  arrays_->give(1, u, 0);
}

template <class Real>
void PoissonEngine<Real>::solve_boxes(const Real* f, Real* u) {
  if (problem_.mean == Mean::refuse && has_mean()) refuse_mean(f);
  if (!gradient_) return solve_operator(f, u);
  // One solution alone has its place in the result.
  const bool in_place = problem_.batch == 1 && problem_.result == Result::solution_and_gradient;
  Real* const solutions = in_place ? u : solutions_.room_for<Real>(problem_.batch * out_item_);
  solve_operator(f, solutions);
  const double begin = now();
  give_gradients(solutions, u);
  of_parts_.total += now() - begin;
}

template <class Real>
void PoissonEngine<Real>::give_gradients(const Real* solutions, Real* u) {
  const Box box = output_.box(operator_->plan().rank());
  const auto first = static_cast<std::size_t>(problem_.result == Result::gradient ? 0 : 1);
  const Index results = problem_.outputs();
  for (Index field = 0; field < problem_.batch; ++field) {
    const Real* const solution = solutions + field * out_item_;
    std::array<Real*, 4> all{};
    for (Index i = 0; i < results; ++i) all[static_cast<std::size_t>(i)] = u + (field * results + i) * out_item_;
    if (first == 1 && solution != all[0]) std::copy_n(solution, box.count(), all[0]);
    const std::span<Real* const> derivatives(all.data() + first, static_cast<std::size_t>(results) - first);
    gradient_->run(solution, derivatives);
    of_parts_.bytes_sent += gradient_->bytes_sent();
    walls_->add_to_gradient(*gradient_, field, derivatives);
  }
}

template <class Real>
void PoissonEngine<Real>::solve_operator(const Real* f, Real* u) {
  if (!needs_copy()) return (*operator_)(f, u);
  const OperatorPlan& plan = operator_->plan();
  const auto missing = [&](const char* name, const void* array, const Layout& layout) {
    if (array != nullptr || layout.box(plan.rank()).empty()) return false;
    operator_->raise_any(concat(name, " is null on rank ", plan.rank()));
    return true;
  };
  if (missing("f", f, input_) || missing("u", u, output_)) return;
  Real* const in = copied(f);
  Real* result = in;
  if (!plan.options().in_place) {
    result = copies(axes_) ? out_.room_for<Real>(plan.output_size()) : u;
  }
  (*operator_)(in, result);
  if (result != u) give(result, u);
}

template <class Real>
void PoissonEngine<Real>::set_shift(double shift) {
  PoissonProblem changed = problem_;
  changed.shift = shift;
  const MPI_Comm all = comm_.get();
  all_or_none(all, [&] { changed.check(); });
  require_same(all, text("shift=%.17g", shift), "the shift of a Poisson solver");
  std::swap(problem_, changed);
  try {
    PointFunction<Real> made;
    all_or_none(all, [&] { made = function(); });
    operator_->set_function(std::move(made));
    if (table_ && !own()) table_->fill(operator_->plan(), all, shift);
  } catch (...) {
    std::swap(problem_, changed);
    throw;
  }
}

template <class Real>
void PoissonEngine<Real>::set_wall(std::size_t axis, int end, std::span<const Real> values) {
  const int rank = operator_->plan().rank();
  if (input() != input_ || output() != output_) {
    throw Error(
        "values of walls lie over boxes in which no rank has several and which the solver chooses; without an "
        "input or output layout they can have ghosts");
  }
  if (input_.box(rank) != output_.box(rank)) {
    throw Error(concat("the boxes of f and u are ", to_string(input_.box(rank)), " and ", to_string(output_.box(rank)),
                       " on rank ", rank, "; with values at walls they must be the same"));
  }
  walls_->set(axis, end, values);
}

template <class Real>
std::vector<double> PoissonEngine<Real>::mean(const Real* f) {
  const int rank = operator_->plan().rank();
  const bool missing = f == nullptr && users_item(0) > 0;
  operator_->raise_any(missing ? concat("f is null on rank ", rank) : std::string());
  if (!has_mean()) return std::vector<double>(static_cast<std::size_t>(problem_.batch), 0.0);
  const Real* const field = static_cast<const Real*>(arrays_->read(0, f, 0));
  return means(needs_copy() ? copied(field) : field);
}

template <class Real>
std::vector<double> PoissonEngine<Real>::means(const Real* f) const {
  const Box box = unknowns_in();
  const auto weight = [&](std::size_t axis, Index i) { return axes_[axis].volumes[static_cast<std::size_t>(i)]; };
  double points = 1;
  for (const SidesOfAxis& axis : axes_) points *= std::accumulate(axis.volumes.begin(), axis.volumes.end(), 0.0);
  std::vector<double> sums;
  for (Index field = 0; field < problem_.batch; ++field) {
    const Real* at = f + field * operator_item();
    double sum = 0;
    for (Index i = box.lo[0]; i < box.hi[0] && !box.empty(); ++i) {
      for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        double row = 0;
        for (Index k = box.lo[2]; k < box.hi[2]; ++k) row += weight(2, k) * static_cast<double>(*at++);
        sum += weight(0, i) * weight(1, j) * row;
      }
    }
    sums.push_back(sum / points);
  }
  const MPI_Comm all = comm_.get();
  WEFT_MPI(all, MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM, all));
  return sums;
}

template <class Real>
void PoissonEngine<Real>::refuse_mean(const Real* f) {
  const bool missing = f == nullptr && !input_.box(operator_->plan().rank()).empty();
  operator_->raise_any(missing ? concat("f is null on rank ", operator_->plan().rank()) : std::string());
  const Real* const side = needs_copy() ? copied(f) : f;
  const std::vector<double> found = means(side);
  double largest = 0;
  for (Index field = 0; field < problem_.batch; ++field) {
    for (Index i = 0; i < unknowns_in().count(); ++i) {
      largest = std::max(largest, static_cast<double>(std::abs(side[field * operator_item() + i])));
    }
  }
  const MPI_Comm all = comm_.get();
  WEFT_MPI(all, MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, all));
  const double limit = std::sqrt(static_cast<double>(std::numeric_limits<Real>::epsilon())) * largest;
  for (std::size_t field = 0; field < found.size(); ++field) {
    if (std::abs(found[field]) <= limit) continue;
    throw Error(concat("f has the mean ", text("%g", found[field]), found.size() > 1 ? concat(" in field ", field) : "",
                       "; between sides that are periodic or even no u has such a Laplacian, and mean is refuse"));
  }
}

template <class Real>
std::string PoissonEngine<Real>::explain() const {
  std::ostringstream out;
  const PoissonProblem& p = problem_;
  out << (p.shift == 0 ? "Poisson's equation" : text("Helmholtz's equation, shift %g", p.shift)) << ": "
      << to_string(p.shape) << " points, " << text("lengths %g x %g x %g", p.lengths[0], p.lengths[1], p.lengths[2])
      << ", " << to_string(p.stencil) << '\n';
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const SidesOfAxis& of = axes_[axis];
    out << "axis " << axis << "     " << to_string(p.sides[axis][0]) << " to " << to_string(p.sides[axis][1]) << ", "
        << p.shape[axis] << ' ' << to_string(p.points[axis]);
    if (const std::vector<double>& spacings = p.spacings[axis]; !spacings.empty()) {
      const auto [least, most] = std::minmax_element(spacings.begin(), spacings.end());
      out << text(" %g to %g apart; tridiagonal solves of ", *least, *most) << of.unknowns << " points\n";
      continue;
    }
    out << text(" %g apart", of.spacing) << "; " << to_string(of.line) << " of " << of.grid << " points";
    if (of.grid > of.unknowns) out << ", " << of.unknowns << " of which are stored and sent";
    out << '\n';
  }
  if (copies(axes_)) out << "copy       of the points that are unknown, in their order; one array\n";
  if (p.result != Result::solution) out << "result     " << to_string(p.result) << '\n';
  if (gradient_) out << gradient_->explain();
  if (has_mean()) out << "mean       of f: " << (p.mean == Mean::remove ? "removed" : "refused unless 0") << '\n';
  if (table_) {
    out << "table      of " << (own() ? "the caller's kernel" : "the kernel of free space");
    if (p.green.kind == Green::Kind::integrated) out << ", integrated over cells";
    if (p.green.kind == Green::Kind::regularized) {
      out << text(", regularized by a Gaussian of order %d, ", p.green.order)
          << (p.green.width > 0 ? text("%g wide", p.green.width) : "two points wide");
    }
    out << ": " << table_->bytes() << " B on this rank\n";
  }
  out << parts_text(parts_, operator_->plan().rank());
  out << operator_->plan().explain();
  return out.str();
}

template class PoissonEngine<float>;
template class PoissonEngine<double>;

}  // namespace weft::detail
