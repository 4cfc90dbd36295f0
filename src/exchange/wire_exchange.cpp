#include "exchange/wire_exchange.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/simulation.hpp"
#include "exchange/wire_format.hpp"

namespace weft::detail {

namespace {

class WireExchange final : public Exchange {
 public:
  WireExchange(const ExchangePlan& plan, std::unique_ptr<Exchange> inner, std::byte* workspace, int threads)
      : plan_(plan), inner_(std::move(inner)), workspace_(workspace), threads_(threads) {
    for (const Tile& tile : plan.tiles) {
      sent_.push_back(offsets(tile.send));
      received_.push_back(offsets(tile.recv));
      sent_parts_.push_back(parts_of(tile.send));
      received_parts_.push_back(parts_of(tile.recv));
    }
  }

  std::byte* send_block(Index tile, std::size_t block) override {
    const auto k = static_cast<std::size_t>(tile);
    return workspace_ + plan_.tiles[k].written_offset_bytes + sent_[k][block];
  }
  const std::byte* recv_block(Index tile, std::size_t block) override { return read_block(tile, block); }

  void begin(const std::byte* input, std::byte* output) override { inner_->begin(input, output); }
  void acquire(Index tile) override { inner_->acquire(tile); }
  void start(Index tile) override {
    for_parts(sent_parts_[static_cast<std::size_t>(tile)], [&](std::size_t block, Index first, Index count) {
      to_wire(plan_.wire, plan_.real_bytes, send_block(tile, block) + first * plan_.local_bytes,
              inner_->send_block(tile, block) + first * plan_.element_bytes, count * reals());
    });
    inner_->start(tile);
  }
  void test() override { inner_->test(); }
  void finish(Index tile) override {
    inner_->finish(tile);
    for_parts(received_parts_[static_cast<std::size_t>(tile)], [&](std::size_t block, Index first, Index count) {
      from_wire(plan_.wire, plan_.real_bytes, inner_->recv_block(tile, block) + first * plan_.element_bytes,
                read_block(tile, block) + first * plan_.local_bytes, count * reals());
    });
    // What came may be overwritten from now on; passes read what it was converted to.
    inner_->release(tile);
  }

 private:
  /// Bytes from the first block to each, where passes write or read them.
  std::vector<Index> offsets(const std::vector<Block>& blocks) const {
    std::vector<Index> all;
    Index next = 0;
    for (const Block& block : blocks) {
      all.push_back(next);
      next += block.count * plan_.local_bytes;
    }
    return all;
  }

  std::byte* read_block(Index tile, std::size_t block) {
    const auto k = static_cast<std::size_t>(tile);
    return workspace_ + plan_.tiles[k].read_offset_bytes + received_[k][block];
  }

  /// Real numbers of an element.
  Index reals() const { return plan_.local_bytes / plan_.real_bytes; }

  /// Elements of a block that are converted by one thread.
  struct Part {
    std::size_t block;
    Index first, count;
  };

  static std::vector<Part> parts_of(const std::vector<Block>& blocks) {
    constexpr Index most = 4096;
    std::vector<Part> parts;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (Index first = 0; first < blocks[b].count; first += most) {
        parts.push_back({b, first, std::min(most, blocks[b].count - first)});
      }
    }
    return parts;
  }

  /// Calls `work(block, first element, elements)` for all parts.
  template <class Work>
  void for_parts(const std::vector<Part>& parts, const Work& work) const {
    const Index elements = std::accumulate(parts.begin(), parts.end(), Index{0},
                                           [](Index sum, const Part& part) { return sum + part.count; });
    charge({.bytes = static_cast<double>(elements) * (plan_.local_bytes + plan_.element_bytes)});
    if (sizes_only()) return;
#pragma omp parallel for num_threads(threads_) if (threads_ > 1)
    for (std::size_t i = 0; i < parts.size(); ++i) work(parts[i].block, parts[i].first, parts[i].count);
  }

  const ExchangePlan& plan_;
  std::unique_ptr<Exchange> inner_;
  std::byte* workspace_;
  int threads_;
  std::vector<std::vector<Index>> sent_, received_;             ///< by tile and block
  std::vector<std::vector<Part>> sent_parts_, received_parts_;  ///< by tile
};

}  // namespace

std::unique_ptr<Exchange> make_wire_exchange(const ExchangePlan& plan, std::unique_ptr<Exchange> inner,
                                             std::byte* workspace, int threads) {
  return std::make_unique<WireExchange>(plan, std::move(inner), workspace, threads);
}

}  // namespace weft::detail
