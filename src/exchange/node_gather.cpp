// Strategy `node-gather`: a leader gathers what its node sends, sorts it by receiving node, exchanges it with the other
// leaders, sorts what has come by receiving rank, and scatters it. Bethune's MPI_Gatherv and MPI_Scatterv.
#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/simulation.hpp"
#include "exchange/message_buffers.hpp"
#include "exchange/nodes.hpp"

namespace weft::detail {

namespace {

/// Elements that a leader moves within its staging area.
struct Move {
  Index from, to, count;
};

/// One tile's share of a leader (of the others: their own part in the collectives only).
struct TileSteps {
  std::vector<int> gather_counts, gather_places, scatter_counts, scatter_places;
  std::vector<Move> before, after;                          ///< the exchange of leaders
  std::vector<AlltoallArguments> gather, leaders, scatter;  ///< one each; gather and scatter where counts are large
  Index sorted = 0, arrived = 0, scattered = 0;  ///< where these parts of the staging area begin; gathered: at 0
};

class NodeGather final : public MessageExchange {
 public:
  explicit NodeGather(const ExchangeContext& context) : MessageExchange(context) {
    const NodeMap map(plan().nodes);
    const int node = map.node(plan().me);
    const bool leads = map.members(node).front() == plan().me;
    element_.push_back(Datatype::element(plan().element_bytes));
    for (std::size_t t = 0; t < plan().tiles.size(); ++t) {
      steps_.push_back(make_steps(static_cast<Index>(t), map, node, leads));
    }
  }

  void start(Index tile) override {
    const auto k = static_cast<std::size_t>(tile);
    const Tile& t = plan().tiles[k];
    const TileSteps& steps = steps_[k];
    const bool large = !steps.gather.empty();
    const MPI_Datatype type = element_.front().get();
    const auto staging = [&](Index elements) {
      return t.staging_count == 0 ? &nothing_
                                  : context_.workspace + t.staging_offset_bytes + elements * plan().element_bytes;
    };
    const MPI_Comm node = context_.node;
    if (large) {
      WEFT_MPI(node, steps.gather.front().blocking(send_buffer(tile), staging(0), node));
    } else {
      WEFT_MPI(node, MPI_Gatherv(send_buffer(tile), static_cast<int>(t.send_count), type, staging(0),
                                 steps.gather_counts.data(), steps.gather_places.data(), type, 0, node));
    }
    if (!steps.leaders.empty()) {
      move(steps.before, staging(0));
      const MPI_Comm leaders = context_.leaders;
      // Not the same address where nothing is sent: MPI libraries take that for MPI_IN_PLACE.
      const std::byte* sorted = steps.arrived > steps.sorted ? staging(steps.sorted) : &nothing_;
      WEFT_MPI(leaders, steps.leaders.front().blocking(sorted, staging(steps.arrived), leaders));
      move(steps.after, staging(0));
    }
    if (large) {
      WEFT_MPI(node, steps.scatter.front().blocking(staging(steps.scattered), recv_buffer(tile), node));
    } else {
      WEFT_MPI(node, MPI_Scatterv(staging(steps.scattered), steps.scatter_counts.data(), steps.scatter_places.data(),
                                  type, recv_buffer(tile), static_cast<int>(t.recv_count), type, 0, node));
    }
  }
  void finish(Index) override {}

 private:
  void move(const std::vector<Move>& moves, std::byte* staging) const {
    const Index bytes = plan().element_bytes;
    for (const Move& m : moves) {
      charge({.bytes = 2 * static_cast<double>(m.count * bytes)});
      std::memcpy(staging + m.to * bytes, staging + m.from * bytes, static_cast<std::size_t>(m.count * bytes));
    }
  }

  static void add(std::vector<Move>& moves, const Move& next) {
    if (!moves.empty()) {
      Move& last = moves.back();
      if (last.from + last.count == next.from && last.to + last.count == next.to) {
        last.count += next.count;
        return;
      }
    }
    moves.push_back(next);
  }

  TileSteps make_steps(Index tile, const NodeMap& map, int node, bool leads) {
    const Tile& t = plan().tiles[static_cast<std::size_t>(tile)];
    const Index items = t.items.count();
    const auto& members = map.members(node);
    const std::size_t size = members.size();
    TileSteps steps;
    std::vector<Run> to_gather, to_scatter, gathered, scattered;
    if (t.send_count > 0) to_gather.push_back({0, 0, t.send_count});
    if (t.recv_count > 0) to_scatter.push_back({0, 0, t.recv_count});
    if (leads) {
      const NodeRuns runs = node_runs(plan(), map, node, tile % plan().tiles_per_group);
      // A part on its way: by run (and sender, receiver), by sender's buffer, by receiver's buffer.
      struct Piece {
        NodeRun::Part part;
        bool inside;
        Index in_run = 0, in_buffer = 0;
      };
      const auto pieces_of = [&](const std::vector<NodeRun>& list, bool out, std::vector<Run>& between) {
        std::vector<Piece> pieces;
        Index place = 0;
        for (const NodeRun& run : list) {
          const bool inside = run.from == run.to;
          if (!inside) between.push_back({out ? run.to : run.from, place, run.points * items});
          for (const auto& part : run.parts) {
            pieces.push_back({part, inside, inside ? 0 : place, 0});
            if (!inside) place += part.points * items;
          }
        }
        // Ranks' buffers have their blocks by ascending peer.
        std::sort(pieces.begin(), pieces.end(), [&](const Piece& a, const Piece& b) {
          return out ? std::tie(a.part.from, a.part.to) < std::tie(b.part.from, b.part.to)
                     : std::tie(a.part.to, a.part.from) < std::tie(b.part.to, b.part.from);
        });
        Index in_buffer = 0;
        for (Piece& piece : pieces) {
          piece.in_buffer = in_buffer;
          in_buffer += piece.part.points * items;
        }
        return pieces;
      };
      std::vector<Run> sent, received;
      const std::vector<Piece> out = pieces_of(runs.out, true, sent), in = pieces_of(runs.in, false, received);
      const auto total = [](const std::vector<Run>& list) {
        return list.empty() ? 0 : list.back().offset + list.back().count;
      };
      const auto end = [&](const std::vector<Piece>& list) {
        return list.empty() ? 0 : list.back().in_buffer + list.back().part.points * items;
      };
      steps.sorted = end(out);
      steps.arrived = steps.sorted + total(sent);
      steps.scattered = steps.arrived + total(received);
      for (const Piece& piece : out) {
        const Index count = piece.part.points * items;
        if (!piece.inside) {
          add(steps.before, {piece.in_buffer, steps.sorted + piece.in_run, count});
          continue;
        }
        const auto there = std::lower_bound(in.begin(), in.end(), piece, [](const Piece& a, const Piece& b) {
          return std::tie(a.part.to, a.part.from) < std::tie(b.part.to, b.part.from);
        });
        add(steps.before, {piece.in_buffer, steps.scattered + there->in_buffer, count});
      }
      for (const Piece& piece : in) {
        if (!piece.inside) {
          add(steps.after,
              {steps.arrived + piece.in_run, steps.scattered + piece.in_buffer, piece.part.points * items});
        }
      }
      const auto by_member = [&](const std::vector<Piece>& pieces, bool is_out) {
        std::vector<Run> list;
        for (std::size_t m = 0; m < size; ++m) list.push_back({static_cast<int>(m), 0, 0});
        for (const Piece& piece : pieces) {
          const int peer = is_out ? piece.part.from : piece.part.to;
          const auto m =
              static_cast<std::size_t>(std::lower_bound(members.begin(), members.end(), peer) - members.begin());
          if (list[m].count == 0) list[m].offset = piece.in_buffer;
          list[m].count += piece.part.points * items;
        }
        return list;
      };
      gathered = by_member(out, true);
      scattered = by_member(in, false);
      steps.leaders.emplace_back(sent, received, static_cast<std::size_t>(map.count()), context_);
    }
    if (context_.large_counts) {
      const auto drop_empty = [](std::vector<Run>& list) {
        std::erase_if(list, [](const Run& run) { return run.count == 0; });
      };
      drop_empty(gathered);
      drop_empty(scattered);
      steps.gather.emplace_back(to_gather, gathered, size, context_);
      steps.scatter.emplace_back(scattered, to_scatter, size, context_);
      return steps;
    }
    for (const Run& run : gathered) {
      steps.gather_counts.push_back(static_cast<int>(run.count));
      steps.gather_places.push_back(static_cast<int>(run.offset));
    }
    for (const Run& run : scattered) {
      steps.scatter_counts.push_back(static_cast<int>(run.count));
      steps.scatter_places.push_back(static_cast<int>(run.offset));
    }
    return steps;
  }

  std::vector<Datatype> element_;  ///< one
  std::vector<TileSteps> steps_;
  std::byte nothing_{};
};

}  // namespace

Strategy node_gather_strategy() {
  return {"node-gather",
          "gathered, sorted, exchanged and scattered by one leader a node",
          {.gathers = true},
          [](const ExchangeContext& context) -> std::unique_ptr<Exchange> {
            return std::make_unique<NodeGather>(context);
          }};
}

}  // namespace weft::detail
