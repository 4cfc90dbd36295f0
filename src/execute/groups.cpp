#include "execute/groups.hpp"

#include <utility>

#include "execute/statistics.hpp"

namespace weft::detail {

Groups::Groups(const Plan& plan, Communicators& communicators, Watchers& watchers) {
  const PlanData& data = plan.data();
  const Options& options = plan.options();
  const Grouping grouping = make_grouping(plan.problem(), options, plan.ranks());
  const int mine = grouping.group_of(plan.rank());
  const MPI_Comm all = communicators.all();
  Communicator group = Communicator::split(all, mine);
  const Problem problem = group_problem(plan.problem(), grouping, mine);
  if (problem.batch > 0) inside_.emplace(std::move(group));
  all_or_none(all, [&] {
    routes_ = group_moves(data);
    input_bytes_ = data.forward.input.bytes(1);
    output_bytes_ = data.forward.output.bytes(1);
  });
  all_or_none(all, [&] {  // a group's ranks fail alike
    if (!inside_) return;
    Options inner = group_options(options, grouping, mine);
    inside_->communicators.find_nodes(inner);
    all_or_none(inside_->communicators.all(), [&] {
      inside_->plan =
          std::make_shared<const Plan>(problem, inner, inside_->communicators.size(), inside_->communicators.rank());
      const Route& forward = inside_->plan->data().forward;
      inside_->input = Buffer(forward.input.bytes(problem.batch));
      inside_->output = Buffer(forward.output.bytes(problem.batch));
    });
    const auto route = [&](const Route& one) { return std::shared_ptr<const Route>(inside_->plan, &one); };
    const PlanData& theirs = inside_->plan->data();
    const Range& ranks = grouping.ranks[static_cast<std::size_t>(mine)];
    inside_->engine.emplace(
        std::vector<NamedRoutes>{{"forward", {route(theirs.forward)}}, {"backward", {route(theirs.backward)}}}, problem,
        inner, inside_->communicators, watchers, PartOfRanks{static_cast<int>(ranks.lo), 1});
  });
  const auto& runs = routes_.runs;
  moves_.emplace(std::vector<NamedRoutes>{{"forward to groups", runs[0]},
                                          {"forward from groups", runs[1]},
                                          {"backward to groups", runs[2]},
                                          {"backward from groups", runs[3]}},
                 Problem{}, moving_options(options), communicators, watchers);
  moved_.resize(routes_.items.size());
}

void Groups::run(Direction direction, const UserArrays& arrays) {
  const bool forward = direction == Direction::forward;
  std::byte* from = nullptr;
  std::byte* to = nullptr;
  if (inside_) {
    from = forward ? inside_->input.data() : inside_->output.data();
    to = forward ? inside_->output.data() : inside_->input.data();
  }
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    moved_[i].input = arrays.input + routes_.items[i].lo * (forward ? input_bytes_ : output_bytes_);
    moved_[i].output = from;
  }
  moves_->execute(first_run(direction), moved_);
  if (inside_) {
    UserArrays inside;
    inside.input = from;
    inside.output = to;
    inside_->engine->execute(forward ? 0 : 1, inside);
  }
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    moved_[i].input = to;
    moved_[i].output = arrays.output + routes_.items[i].lo * (forward ? output_bytes_ : input_bytes_);
  }
  moves_->execute(first_run(direction) + 1, moved_);
}

void Groups::take_costs(Statistics& statistics) {
  const auto take = [&](Engine& engine) {
    add_costs(statistics, engine.statistics());
    engine.reset_statistics();
  };
  take(*moves_);
  if (inside_) take(*inside_->engine);
}

Index Groups::workspace_bytes() const {
  Index bytes = moves_->workspace_bytes();
  if (inside_) bytes += inside_->engine->workspace_bytes() + inside_->input.bytes() + inside_->output.bytes();
  return bytes;
}

}  // namespace weft::detail
