// The public plan of a sphere: answers questions about it.
#include <algorithm>
#include <set>

#include "base/checked.hpp"
#include "sphere/sphere.hpp"

namespace weft {

using detail::concat;
using detail::SphereData;

namespace {

using WavesOfRanks = std::vector<std::vector<GVector>>;

std::shared_ptr<const SphereData> plan_alone(const SphereProblem& problem, const WavesOfRanks& waves,
                                             const Options& backward, const Options& forward, int rank,
                                             const WavesOfRanks& results) {
  if (waves.empty()) throw Error("waves is empty; the plane waves of each rank are needed");
  if (rank < 0 || rank >= static_cast<int>(waves.size())) {
    throw Error(concat("rank is ", rank, "; allowed are 0 to ", waves.size() - 1));
  }
  if (!results.empty() && results.size() != waves.size()) {
    throw Error(concat("results has the plane waves of ", results.size(), " ranks, and waves those of ", waves.size(),
                       "; the same number is needed, or no results"));
  }
  const auto lists = [&](std::size_t r) {
    detail::WaveLists mine{waves[r], std::nullopt};
    if (!results.empty()) mine.results = results[r];
    return mine;
  };
  detail::check_problem(problem);
  detail::SphereParts parts;
  parts.rank = rank;
  parts.sticks.grid = problem.grid;
  parts.sticks.real = problem.gamma;
  parts.sticks.first.push_back(0);
  for (std::size_t r = 0; r < waves.size(); ++r) {
    detail::Waves found = detail::find_columns(problem.grid, problem.gamma, lists(r), static_cast<int>(r));
    parts.sticks.all.insert(parts.sticks.all.end(), found.columns.begin(), found.columns.end());
    parts.sticks.first.push_back(static_cast<Index>(parts.sticks.all.size()));
    if (static_cast<int>(r) == rank) parts.waves = std::move(found);
  }
  detail::require_whole_columns(parts.sticks, lists(static_cast<std::size_t>(rank)), parts.waves, rank);
  return detail::make_sphere(problem, backward, forward, std::move(parts));
}

}  // namespace

SpherePlan::SpherePlan(const SphereProblem& problem, const WavesOfRanks& waves, const Options& backward,
                       const Options& forward, int rank, const WavesOfRanks& results)
    : data_(plan_alone(problem, waves, backward, forward, rank, results)) {}

SpherePlan::SpherePlan(std::shared_ptr<const SphereData> data) : data_(std::move(data)) {}

const SphereProblem& SpherePlan::problem() const { return data_->problem; }
const Options& SpherePlan::options(Direction direction) const {
  return direction == Direction::backward ? data_->backward_options : data_->forward_options;
}
int SpherePlan::ranks() const { return data_->sticks.ranks(); }
int SpherePlan::rank() const { return data_->rank; }
Index SpherePlan::waves() const { return static_cast<Index>(data_->waves.places.size()); }
Index SpherePlan::results() const { return static_cast<Index>(data_->waves.results().size()); }
Index SpherePlan::columns() const { return static_cast<Index>(data_->waves.columns.size()); }
Index SpherePlan::all_columns() const { return static_cast<Index>(data_->sticks.all.size()); }
Box SpherePlan::space_box() const { return data_->space.box(data_->rank); }
Shape SpherePlan::space_extents() const { return data_->space_extents; }
Index SpherePlan::space_size() const { return data_->backward.output.item; }

SpherePlan::Lines SpherePlan::lines() const {
  const auto [nx, ny, nz] = data_->problem.grid;
  const Index columns = all_columns(), lines = static_cast<Index>(data_->lines.size());
  if (data_->y_first()) {
    const Index half = data_->problem.gamma ? nx / 2 + 1 : nx;
    return {{2, 1, 0}, {columns, lines * nz, ny * nz}, {half * ny, half * nz, ny * nz}};
  }
  return {{2, 0, 1}, {columns, lines * nz, nx * nz}, {nx * ny, ny * nz, nx * nz}};
}

Plan::Traffic SpherePlan::traffic(Direction direction) const {
  return detail::route_traffic(direction == Direction::backward ? data_->backward : data_->forward, options(direction));
}

Index SpherePlan::workspace_bytes() const { return data_->backward.workspace_bytes + data_->forward.workspace_bytes; }

}  // namespace weft
