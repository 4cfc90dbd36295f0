#include "search_space.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/mpi.hpp"
#include "base/nodes.hpp"
#include "base/text.hpp"
#include "words.hpp"

namespace weft::tuner {

using detail::concat;

namespace {

/// "4x24": nodes and ranks on each where consecutive ranks share a node; else ranks by node, one after the other.
std::string layout_text(const std::vector<int>& node) {
  std::vector<std::pair<int, int>> runs;  // node, ranks
  for (const int one : node) {
    if (runs.empty() || runs.back().first != one) runs.emplace_back(one, 0);
    ++runs.back().second;
  }
  const bool alike_nodes =
      std::all_of(runs.begin(), runs.end(), [&](const auto& run) { return run.second == runs[0].second; });
  std::vector<int> names;
  for (const auto& run : runs) names.push_back(run.first);
  std::sort(names.begin(), names.end());
  const bool apart = std::adjacent_find(names.begin(), names.end()) == names.end();
  if (alike_nodes && apart) return concat(runs.size(), "x", runs[0].second);
  std::string text;
  for (const auto& [name, ranks] : runs) text += concat(text.empty() ? "" : " ", name, ":", ranks);
  return text;
}

/// What does not depend on the ranks.
SearchSpace search_space_of(std::span<const Options> given, const Tuning& tuning) {
  SearchSpace search_space;
  search_space.may_transpose = tuning.may_transpose;
  search_space.wide = tuning.effort == Effort::patient;
  for (const Options& one : given) search_space.kept.merge(kept_names(one, tuning.keep));
  search_space.tolerance = tuning.tolerance;
  if (!tuning.may_transpose) search_space.kept.insert("transposed");
  if (tuning.tolerance == 0) search_space.kept.insert("wire");
  // A sphere's are the caller's to say.
  if (given.size() > 1) search_space.kept.insert("groups");
  return search_space;
}

}  // namespace

std::set<std::string> kept_names(const Options& given, const std::vector<std::string>& keep) {
  std::set<std::string> kept;
  for (const std::string& name : keep) {
    static_cast<void>(given.get(name));  // an Error if there is no such option
    kept.insert(name);
  }
  const Options plain;
  for (const std::string& name : tuned_names()) {
    std::string variable = "WEFT_" + name;
    std::transform(variable.begin(), variable.end(), variable.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (given.get(name) != plain.get(name) || std::getenv(variable.c_str()) != nullptr) kept.insert(name);
  }
  // The two say one thing.
  if (kept.contains("decomposition") || kept.contains("grid")) kept.insert({"decomposition", "grid"});
  return kept;
}

SearchSpace find_search_space(MPI_Comm comm, std::span<const Options> given, const Tuning& tuning) {
  SearchSpace search_space = search_space_of(given, tuning);
  const detail::Nodes nodes = detail::find_nodes(comm, given[0].nodes, given[0].node_size);
  search_space.ranks = static_cast<int>(nodes.node.size());
  search_space.nodes = layout_text(nodes.node);
  for (const int node : nodes.node) {
    const auto here = std::count(nodes.node.begin(), nodes.node.end(), node);
    search_space.ranks_on_node = std::max(search_space.ranks_on_node, static_cast<int>(here));
  }
  for (const auto& strategy : describe_strategies(comm)) {
    if (strategy.obstacle.empty()) search_space.strategies.push_back(strategy.name);
  }
  int level = 0;
  WEFT_MPI(comm, MPI_Query_thread(&level));
  search_space.thread = level == MPI_THREAD_MULTIPLE;
  return search_space;
}

SearchSpace imagine_search_space(int ranks, int ranks_on_node, const Options& given, const Tuning& tuning) {
  if (ranks < 1) throw Error(concat("ranks is ", ranks, "; it must be at least 1"));
  if (ranks_on_node < 1) throw Error(concat("ranks_on_node is ", ranks_on_node, "; it must be at least 1"));
  SearchSpace search_space = search_space_of({&given, 1}, tuning);
  search_space.ranks = ranks;
  search_space.ranks_on_node = std::min(ranks, ranks_on_node);
  search_space.strategies = strategies();
  return search_space;
}

}  // namespace weft::tuner
