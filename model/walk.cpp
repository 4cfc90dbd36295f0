#include "walk.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace weft::model {

namespace {

class Walker {
 public:
  Walker(const Site& site, const detail::Route& route, const std::vector<LinkTraffic>& links, const Pace& pace)
      : route_(route), links_(links), site_(site), pace_(pace), known_(route.passes.size()) {
    for (std::size_t i = 0; i < route.passes.size(); ++i) passes_.push_back({"pass " + std::to_string(i), {}});
    for (std::size_t i = 0; i < links.size(); ++i) {
      exchanges_.push_back({"exchange " + std::to_string(i), {}});
      auto& tiles = tiles_.emplace_back();
      for (const TileTraffic& tile : links[i].tiles) tiles.push_back({tile_cost(site, links[i], tile)});
      neighbours_.push_back(links[i].from_neighbours());
    }
  }

  void compute(std::size_t pass, std::size_t unit) {
    const detail::Unit& u = route_.passes[pass].units[unit];
    const auto [at, is_new] =
        known_[pass].try_emplace(Key{u.in.extents(), u.out.extents(), {u.items.count(), u.sharing, u.left}});
    if (is_new) {
      double near = pass > 0 ? neighbours_[pass - 1] : 0;
      // What the threads of a rank write others of them read.
      if (pass > 0) near += (1 - near) * (site_.threads - 1) / site_.threads;
      at->second = unit_cost(site_, cost_of(route_.passes[pass], u), pace_.footprint, near);
    }
    const double begin = clock_, longer = pace_.inside * pace_.factor;
    spend(passes_[pass], Term::computation, longer * at->second.computation);
    spend(passes_[pass], Term::memory, longer * at->second.memory);
    spend(passes_[pass], Term::synchronisation, at->second.region);
    computed_ += clock_ - begin;
  }

  void start(std::size_t link, std::size_t index) {
    TileOnItsWay& tile = tiles_[link][index];
    // The first message leaves when it has been handled; while it is on its way, the others are.
    const double begun = clock_ + tile.cost.one * tile.cost.sending;
    tile.computed = computed_;
    tile.late = late_;
    spend(exchanges_[link], Term::overhead, tile.cost.sending);
    const double way = tile.cost.network.sum();
    link_free_ = tile.arrives = std::max(std::max(begun, link_free_) + way, clock_ + tile.cost.one * way);
    if (links_[link].waits()) {
      // Round by round: what comes is handled before the next round.
      wait(link, tile, tile.arrives - clock_);
      spend(exchanges_[link], Term::overhead, tile.cost.receiving);
    }
  }

  void finish(std::size_t link, std::size_t index) {
    TileOnItsWay& tile = tiles_[link][index];
    if (!links_[link].waits()) {
      if (!pace_.thread && !tile.cost.eager) {
        // Large messages move on only inside MPI calls: of what computation could hide, tests reach a part.
        const double lost = std::min(computed_ - tile.computed, tile.cost.network.sum()) / (pace_.tests + 1);
        late_ += lost;
        link_free_ += lost;
      }
      tile.arrives += late_ - tile.late;
      // What has come is handled while the rest is on its way.
      wait(link, tile, tile.arrives - clock_ - (1 - tile.cost.one) * tile.cost.receiving);
      spend(exchanges_[link], Term::overhead, tile.cost.receiving);
    }
    for (std::size_t i = 0; i < terms; ++i) {
      const Term term{static_cast<int>(i)};
      spend(exchanges_[link], term, pace_.inside * tile.cost.processor[term]);
    }
  }

  Walk result() && {
    Walk walk;
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      walk.stages.push_back(std::move(passes_[i]));
      if (i < links_.size() && links_[i].peers > 1) walk.stages.push_back(std::move(exchanges_[i]));
    }
    for (const Stage& stage : walk.stages) {
      walk.terms += stage.terms;
      walk.hidden += stage.hidden;
    }
    return walk;
  }

 private:
  struct TileOnItsWay {
    TileCost cost;
    double computed = 0, late = 0;  ///< as they were when it was started
    double arrives = 0;             ///< if nothing before it is late
  };

  void spend(Stage& stage, Term term, double seconds) {
    stage.terms[term] += seconds;
    clock_ += seconds;
  }

  /// What computation does not hide of a tile's way, shared out among its terms.
  void wait(std::size_t link, const TileOnItsWay& tile, double left) {
    const double way = tile.cost.network.sum(), exposed = std::max(0.0, left);
    exchanges_[link].hidden += std::max(0.0, way - exposed);
    if (way <= 0) return;
    for (std::size_t i = 0; i < terms; ++i) {
      const Term term{static_cast<int>(i)};
      spend(exchanges_[link], term, exposed * tile.cost.network[term] / way);
    }
  }

  const detail::Route& route_;
  const std::vector<LinkTraffic>& links_;
  const Site& site_;
  const Pace& pace_;
  std::vector<Stage> passes_, exchanges_;
  std::vector<std::vector<TileOnItsWay>> tiles_;
  std::vector<double> neighbours_;
  using Key = std::array<Shape, 3>;             ///< all that makes units of a pass differ
  std::vector<std::map<Key, UnitCost>> known_;  ///< most units of a pass are alike
  double clock_ = 0, link_free_ = 0;
  double computed_ = 0;  ///< seconds of computation until now
  double late_ = 0;      ///< by which what is on its way comes later, since nobody looked after it
};

}  // namespace

Walk walk(const Site& site, const detail::Route& route, const std::vector<LinkTraffic>& links, const Pace& pace) {
  Walker walker(site, route, links, pace);
  for (const detail::Action& action : route.schedule) {
    const auto stage = static_cast<std::size_t>(action.stage), index = static_cast<std::size_t>(action.index);
    switch (action.what) {
      case detail::Action::What::compute: walker.compute(stage, index); break;
      case detail::Action::What::start: walker.start(stage, index); break;
      case detail::Action::What::finish: walker.finish(stage, index); break;
      case detail::Action::What::acquire:
      case detail::Action::What::release: break;
    }
  }
  Walk found = std::move(walker).result();
  found.wire_error = detail::wire_error(route);
  return found;
}

}  // namespace weft::model
