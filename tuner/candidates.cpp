#include "candidates.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <set>

#include "exchange/strategy.hpp"
#include "exchange/wire_format.hpp"
#include "plan/decomposition.hpp"

namespace weft::tuner {

namespace {

using Variants = std::vector<OptionTexts>;

Options with(Options options, const OptionTexts& texts) {
  for (const auto& [name, value] : texts) options.set(name, value);
  return options;
}

/// Those of the variants that change nothing that is kept; the variant without changes if there is none.
Variants allowed(const Variants& all, const SearchSpace& search_space) {
  Variants found;
  for (const OptionTexts& one : all) {
    if (std::all_of(one.begin(), one.end(), [&](const auto& text) { return search_space.free(text.first); })) {
      found.push_back(one);
    }
  }
  if (found.empty()) found.emplace_back();
  return found;
}

std::string grid_text(int rows, int columns) { return std::to_string(rows) + "x" + std::to_string(columns); }

/// Slabs, and pencils on process grids: the squarest, and those whose rows are nodes; all if the choice is wide.
Variants decompositions(const Problem& problem, const SearchSpace& search_space) {
  if (search_space.ranks == 1) return {{}};
  const Shape spectrum = problem.spectrum_shape();
  Variants found;
  if (detail::slab_fits(problem, search_space.ranks)) found.push_back({{"decomposition", "slab"}});
  const auto fits = [&](Index rows, Index columns) {
    return rows <= std::min(spectrum[0], spectrum[1]) && columns <= std::min(spectrum[1], spectrum[2]);
  };
  const auto add = [&](int rows, int columns) {
    const OptionTexts one{{"decomposition", "pencil"}, {"grid", grid_text(rows, columns)}};
    if (fits(rows, columns) && std::find(found.begin(), found.end(), one) == found.end()) found.push_back(one);
  };
  const int root = static_cast<int>(std::sqrt(static_cast<double>(search_space.ranks)) + 0.5);
  int squarest = root;
  while (search_space.ranks % squarest != 0) --squarest;
  if (squarest > 1 || search_space.ranks == 2) {
    add(search_space.ranks / squarest, squarest);
    add(squarest, search_space.ranks / squarest);
  }
  if (search_space.ranks % search_space.ranks_on_node == 0 && search_space.ranks_on_node < search_space.ranks) {
    add(search_space.ranks / search_space.ranks_on_node, search_space.ranks_on_node);
    add(search_space.ranks_on_node, search_space.ranks / search_space.ranks_on_node);
  }
  if (search_space.wide) {
    for (int rows = 1; rows <= search_space.ranks; ++rows) {
      if (search_space.ranks % rows == 0) add(rows, search_space.ranks / rows);
    }
  }
  if (found.empty()) found.emplace_back();  // more ranks than lines: as Weft does it
  return found;
}

/// Tiles, windows and tests that suit a strategy.
Variants pipelines(const detail::StrategyTraits& traits, Index batch, const Options& given,
                   const SearchSpace& search_space) {
  Variants found;
  if (traits.waits(given.window)) {
    // The only reason for tiles is then that what is read was written a short while ago.
    found = {{}};
    if (search_space.wide) found.push_back({{"tile", "4"}});
  } else {
    found = {{{"tile", "1"}}, {{"tile", "2"}}, {{"tile", "4"}}, {{"tile", "4"}, {"tests", "8"}}, {{"tile", "8"}}};
    if (search_space.wide) {
      for (const char* tile : {"2", "4", "8", "16"}) {
        found.push_back({{"tile", tile}, {"tests", "8"}});
        found.push_back({{"tile", tile}, {"window", "3"}});
        found.push_back({{"tile", tile}, {"window", tile}, {"consume", "late"}});
      }
    }
    if (search_space.thread) found.push_back({{"tile", "4"}, {"progress", "thread"}});
  }
  // (More than an option can say are too many to be planned.)
  if (batch > 1 && batch <= INT_MAX && search_space.free("fields")) {
    // Alone, or all together, or halves that overlap.
    const std::string half = std::to_string((batch + 1) / 2), all = std::to_string(batch);
    found.push_back({{"fields", "1"}});
    if (batch > 2) found.push_back({{"fields", half}});
    found.push_back({{"fields", all}, {"tile", "1"}});
  }
  if (traits.node_runs && search_space.ranks_on_node >= 4 && search_space.ranks > search_space.ranks_on_node) {
    const Variants plain = found;
    for (const char* leaders : {"2", "4"}) {
      for (std::size_t i = 0; i < plain.size() && (search_space.wide || i < 2); ++i) {
        found.push_back(plain[i]);
        found.back().emplace_back("leaders", leaders);
      }
    }
  }
  return found;
}

/// The strategy that the options have among these ranks, which may be what `auto` stands for.
const detail::Strategy& strategy_of(const Options& options, Index batch, const SearchSpace& search_space) {
  Options of_ranks;
  of_ranks.strategy = options.strategy;
  of_ranks.node_size = search_space.ranks_on_node;
  const Plan plan({.shape = {1, 1, 1}, .batch = batch}, of_ranks, search_space.ranks);
  return detail::find_strategy(plan.options().strategy);
}

/// Strategies with their pipelines.
Variants exchanges(Index batch, const Options& given, const SearchSpace& search_space) {
  if (search_space.ranks == 1) return {{}};
  Variants found;
  const std::vector<std::string> names = search_space.free("strategy")
                                             ? search_space.strategies
                                             : std::vector{strategy_of(given, batch, search_space).name};
  for (const std::string& name : names) {
    const detail::StrategyTraits& traits = detail::find_strategy(name).traits;
    // With one node there is nothing to gather.
    const bool by_node = traits.node_runs || traits.gathers;
    if (by_node && search_space.ranks <= search_space.ranks_on_node && search_space.free("strategy")) continue;
    // Arrays travel as they are.
    if (traits.arrays && given.wire != Wire::same && search_space.free("strategy")) continue;
    for (OptionTexts& one : allowed(pipelines(traits, batch, given, search_space), search_space)) {
      if (search_space.free("strategy")) one.emplace_back("strategy", name);
      found.push_back(std::move(one));
    }
  }
  return found;
}

Variants groupings(const Problem& problem, const Options& given, const SearchSpace& search_space) {
  Variants found{{}};
  const Index batch = problem.batch;
  if (!problem.plain_arrays() || batch < 2 || search_space.ranks < 2 || given.in_place) return found;
  const int nodes = search_space.ranks / search_space.ranks_on_node;
  for (const int groups : {2, 4, nodes, search_space.ranks}) {
    const OptionTexts one{{"groups", std::to_string(groups)}};
    const bool fits = groups > 1 && groups <= search_space.ranks && search_space.ranks % groups == 0 && groups <= batch;
    const bool likely = search_space.wide || groups == 2 || groups == nodes || groups == search_space.ranks;
    if (fits && likely && std::find(found.begin(), found.end(), one) == found.end()) found.push_back(one);
  }
  return found;
}

/// Formats of a single exchange whose error may be that large.
Variants wires(const SearchSpace& search_space) {
  Variants found{{}};
  for (const detail::WireFormat& format : detail::wire_formats()) {
    if (search_space.ranks == 1 || !search_space.free("wire") || format.wire == Wire::same) continue;
    if (format.error <= search_space.tolerance) found.push_back({{"wire", format.name}});
  }
  return found;
}

Variants backend_variants(const SearchSpace& search_space) {
  Variants found{{}};
  if (!search_space.wide && search_space.ranks > 1) return found;
  for (const std::string& name : backends()) {
    if (name != Options{}.backend && name != "reference") found.push_back({{"backend", name}});
  }
  return found;
}

/// The given options, and all combinations.
std::vector<Options> combined(const Options& given, const std::vector<Variants>& factors,
                              const SearchSpace& search_space) {
  std::vector<Options> all{given};
  for (const Variants& factor : factors) {
    std::vector<Options> longer;
    for (const Options& options : all) {
      for (const OptionTexts& one : allowed(factor, search_space)) longer.push_back(with(options, one));
    }
    all = std::move(longer);
  }
  all.insert(all.begin(), given);
  std::set<OptionTexts> seen;
  std::erase_if(all, [&](const Options& options) {
    // Arrays travel as they are.
    const bool rounded = search_space.free("wire") && options.wire != Wire::same;
    const bool unfit = rounded && strategy_of(options, 1, search_space).traits.arrays;
    return unfit || !seen.insert(differences(options)).second;
  });
  return all;
}

}  // namespace

std::vector<Options> candidates(const Problem& problem, const Options& given, const SearchSpace& search_space) {
  Variants order{{}};
  // With a layout of the caller's own there is nothing to leave as it is.
  if (search_space.may_transpose && search_space.ranks > 1 && !given.output) order.push_back({{"transposed", "true"}});
  const Index apart = problem.interleaved ? 1 : problem.batch;  // fields that need not travel together
  // Kept pencils leave their process grid free, if it was not given.
  Variants shapes = decompositions(problem, search_space);
  if (!search_space.free("decomposition") && given.decomposition == Decomposition::pencil && given.grid[0] == 0) {
    SearchSpace loose = search_space;
    loose.kept.erase("decomposition");
    loose.kept.erase("grid");
    std::erase_if(shapes, [](const OptionTexts& one) { return one.size() < 2; });
    std::vector<Options> all{given};
    for (const OptionTexts& one : shapes) {
      const auto more =
          combined(with(given, one), {order, exchanges(apart, given, search_space), wires(search_space)}, search_space);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }
  return combined(given,
                  {shapes, order, exchanges(apart, given, search_space), groupings(problem, given, search_space),
                   backend_variants(search_space), wires(search_space)},
                  search_space);
}

std::vector<Options> candidates(const SphereProblem& problem, const Options& given, const SearchSpace& search_space) {
  Variants pipes;
  for (OptionTexts& one : exchanges(problem.howmany, given, search_space)) {
    // Lines need all their tiles: bands are what overlaps.
    const bool early = std::any_of(one.begin(), one.end(), [](const auto& text) { return text.first == "consume"; });
    if (!early) pipes.push_back(std::move(one));
  }
  // Groups would change which bands a rank has in space: that is the caller's to say.
  return combined(given, {pipes, backend_variants(search_space), wires(search_space)}, search_space);
}

std::vector<Options> candidates(const Problem& problem, At at, const Options& given, const SearchSpace& search_space) {
  SearchSpace of_operators = search_space;
  of_operators.kept.insert("groups");
  of_operators.may_transpose = search_space.may_transpose && at == At::points;
  const Problem transform{.shape = problem.shape,
                          .kind = problem.kind,
                          .precision = problem.precision,
                          .modes = problem.modes,
                          .batch = problem.batch};
  return candidates(transform, given, of_operators);
}

std::vector<Options> neighbours(const Options& options, Index batch, bool sphere, const SearchSpace& search_space) {
  Variants moves;
  const auto numbers = [&](const char* name, int value, std::initializer_list<int> others) {
    for (const int other : others) {
      if (other != value && other >= 0) moves.push_back({{name, std::to_string(other)}});
    }
  };
  if (search_space.ranks > 1) {
    const detail::StrategyTraits& traits = strategy_of(options, batch, search_space).traits;
    const bool waits = traits.waits(options.window);
    const int tile = options.tile > 0 ? options.tile : (waits ? 1 : 4);
    numbers("tile", options.tile, {tile / 2, tile + tile / 2, tile * 2});
    if (!waits) {
      numbers("window", options.window, {1, 2, 3, tile});
      numbers("tests", options.tests, {0, 2, 8, 32});
      if (!sphere) {
        for (const char* when : {"early", "late"}) moves.push_back({{"consume", when}});
      }
      if (search_space.thread)
        moves.push_back({{"progress", options.progress == Progress::thread ? "none" : "thread"}});
    }
    if (batch > 1) {
      const int fields = std::max(1, options.fields);
      numbers("fields", options.fields, {fields / 2, fields * 2});
    }
  }
  for (OptionTexts& one : wires(search_space)) {
    if (!one.empty() && one[0].second != options.get("wire")) moves.push_back(std::move(one));
  }
  for (const std::string& name : backends()) {
    if (name != options.backend && name != "reference") moves.push_back({{"backend", name}});
  }
  // What fits the cache is asked of the machine, whose answer may be of a cache that others share.
  if (options.cache == 0 && !sphere) {
    for (const char* bytes : {"131072", "524288", "2097152"}) moves.push_back({{"cache", bytes}});
  }
  std::vector<Options> found;
  for (const OptionTexts& move : allowed(moves, search_space)) {
    if (move.empty() || (move[0].first == "tile" && move[0].second == "0")) continue;
    found.push_back(with(options, move));
  }
  return found;
}

}  // namespace weft::tuner
