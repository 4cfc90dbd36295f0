#include "execute/groups.hpp"

#include "execute/engine.hpp"
#include "plan/groups.hpp"

namespace weft::detail {

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

  Options moving = options;
  moving.groups = 1;
  moving.check = false;
  for (End* end : {&input_, &output_}) {
    const bool is_input = end == &input_;
    const Layout& all = is_input ? plan.input() : plan.output();
    const Array& array = is_input ? data.forward.input : data.forward.output;
    end->field_bytes = array.item * array.element_bytes;
    for (int group = 0; group < grouping.size(); ++group) {
      const Range& items = grouping.items[static_cast<std::size_t>(group)];
      end->first_item.push_back(items.lo);
      if (items.lo == items.hi) {
        end->spread.push_back(nullptr);
        end->collect.push_back(nullptr);
        continue;
      }
      const Plan theirs = group_plan(data, grouping, group, 0);
      const Layout layout = spread_layout(is_input ? theirs.input() : theirs.output(),
                                          grouping.ranks[static_cast<std::size_t>(group)], plan.ranks());
      const Index howmany = items.hi - items.lo;
      end->spread.push_back(std::make_unique<Engine>(all, layout, array.element_bytes, comm, howmany, moving, applied));
      end->collect.push_back(
          std::make_unique<Engine>(layout, all, array.element_bytes, comm, howmany, moving, applied));
      if (group == mine) {
        all_or_none(comm,
                    [&] { end->array = Buffer(layout.box(plan.rank()).count() * array.element_bytes * howmany); });
      } else {
        all_or_none(comm, [] {});
      }
    }
  }
}

Groups::~Groups() = default;

void Groups::run(Direction direction, const void* in, void* out, Statistics& statistics) {
  const bool forward = direction == Direction::forward;
  End& from = forward ? input_ : output_;
  End& to = forward ? output_ : input_;
  const auto add = [&](Engine& engine) {
    const Statistics& s = engine.statistics();
    statistics.compute += s.compute;
    statistics.start += s.start;
    statistics.test += s.test;
    statistics.wait += s.wait;
    statistics.bytes_read += s.bytes_read;
    statistics.bytes_written += s.bytes_written;
    statistics.messages += s.messages;
    statistics.bytes_sent += s.bytes_sent;
    engine.reset_statistics();
  };
  for (std::size_t group = 0; group < from.spread.size(); ++group) {
    if (!from.spread[group]) continue;
    from.spread[group]->run(Direction::forward,
                            static_cast<const std::byte*>(in) + from.first_item[group] * from.field_bytes,
                            from.array.data());
    add(*from.spread[group]);
  }
  if (inner_) {
    inner_->run(direction, from.array.data(), to.array.data());
    add(*inner_);
  }
  for (std::size_t group = 0; group < to.collect.size(); ++group) {
    if (!to.collect[group]) continue;
    to.collect[group]->run(Direction::forward, to.array.data(),
                           static_cast<std::byte*>(out) + to.first_item[group] * to.field_bytes);
    add(*to.collect[group]);
  }
}

}  // namespace weft::detail
