#include "execute/groups.hpp"

#include "execute/engine.hpp"
#include "execute/statistics.hpp"
#include "plan/groups.hpp"

namespace weft::detail {

namespace {

/// The thread works for as long as this is there: an Error ends that, too.
class Driven {
 public:
  explicit Driven(std::optional<ProgressThread>& thread) : thread_(thread) {
    if (thread_) thread_->on_their_way(1);
  }
  ~Driven() {
    if (thread_) thread_->on_their_way(0);
  }
  Driven(const Driven&) = delete;
  Driven& operator=(const Driven&) = delete;

 private:
  std::optional<ProgressThread>& thread_;
};

}  // namespace

Groups::Groups(const Plan& plan, MPI_Comm comm, const Options& options) {
  const Grouping grouping = make_grouping(plan.problem(), options, plan.ranks());
  const int mine = grouping.group_of(plan.rank());
  group_ = Communicator::split(comm, mine);
  const PlanData& data = plan.data();
  const Problem problem = group_problem(plan.problem(), grouping, mine);
  constexpr auto applied = Engine::Environment::applied;
  all_or_none(comm, [&] {  // a group's ranks fail alike
    if (problem.howmany == 0) return;
    inner_ = std::make_unique<Engine>(problem, group_.get(), group_options(options, grouping, mine), applied);
  });

  Options moving = moving_options(options);
  moving.progress = Progress::none;
  if (options.progress == Progress::thread) progress_.emplace(comm);
  for (int group = 0; group < grouping.size(); ++group) {
    const Range& items = grouping.items[static_cast<std::size_t>(group)];
    const Range& ranks = grouping.ranks[static_cast<std::size_t>(group)];
    const Index howmany = items.hi - items.lo;
    if (howmany == 0) continue;
    const Plan theirs = group_plan(data, grouping, group);
    const auto share = [&](End& end, const Layout& all, const Layout& inside, const Array& array) {
      const Layout layout = spread_layout(inside, ranks, plan.ranks());
      const int bytes = array.element_bytes;
      end.shares.push_back({items.lo * array.item * bytes,
                            std::make_unique<Engine>(all, layout, bytes, comm, howmany, moving, applied),
                            std::make_unique<Engine>(layout, all, bytes, comm, howmany, moving, applied)});
      all_or_none(comm, [&] {
        if (group == mine) end.array = Buffer(layout.box(plan.rank()).count() * bytes * howmany);
      });
    };
    share(input_, plan.input(), theirs.input(), data.forward.input);
    share(output_, plan.output(), theirs.output(), data.forward.output);
  }
}

Groups::~Groups() = default;

void Groups::run(Direction direction, const void* in, void* out, Statistics& statistics) {
  const bool forward = direction == Direction::forward;
  End& from = forward ? input_ : output_;
  End& to = forward ? output_ : input_;
  const auto add = [&](Engine& engine) {
    add_costs(statistics, engine.statistics());
    engine.reset_statistics();
  };
  const auto move = [&](const End& end, std::unique_ptr<Engine> Share::*way, const auto& arrays_of) {
    std::vector<Engine*> engines;
    std::vector<UserArrays> arrays;
    for (const Share& share : end.shares) {
      engines.push_back((share.*way).get());
      arrays.push_back(arrays_of(share));
    }
    {
      const Driven driven(progress_);
      Engine::run_together(engines, arrays);
    }
    for (Engine* engine : engines) add(*engine);
  };
  move(from, &Share::spread, [&](const Share& share) {
    return UserArrays{static_cast<const std::byte*>(in) + share.offset_bytes, from.array.data()};
  });
  if (inner_) {
    inner_->run(direction, from.array.data(), to.array.data());
    add(*inner_);
  }
  move(to, &Share::collect, [&](const Share& share) {
    return UserArrays{to.array.data(), static_cast<std::byte*>(out) + share.offset_bytes};
  });
}

}  // namespace weft::detail
