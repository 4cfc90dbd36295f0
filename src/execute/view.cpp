#include "execute/view.hpp"

namespace weft::detail {

View View::of_array(const Array& array, Index howmany, std::byte* workspace) {
  View view;
  view.bytes_ = array.bytes(howmany);
  view.where_ = array.where;
  Piece piece;
  piece.box = array.box;
  piece.strides = array_strides(array);
  if (array.where == Array::Where::work) piece.base = workspace + array.offset_bytes;
  view.pieces_ = {{piece}};
  return view;
}

namespace {

Piece block_piece(const ExchangePlan& plan, const Tile& tile, const Block& block, std::byte* base) {
  Piece piece;
  piece.box = block.box;
  piece.strides = block_strides(block.box, plan.order);
  piece.first_item = tile.items.lo;
  piece.base = base;
  return piece;
}

/// The pieces of every tile: `blocks` of it at the places that `place(tile, block)` gives, and the block that is kept.
template <class Place>
std::vector<std::vector<Piece>> block_pieces(const ExchangePlan& plan, std::vector<Block> Tile::*blocks,
                                             std::byte* workspace, const Place& place) {
  std::vector<std::vector<Piece>> all;
  for (std::size_t k = 0; k < plan.tiles.size(); ++k) {
    const Tile& tile = plan.tiles[k];
    std::vector<Piece> pieces;
    for (std::size_t b = 0; b < (tile.*blocks).size(); ++b) {
      pieces.push_back(block_piece(plan, tile, (tile.*blocks)[b], place(static_cast<Index>(k), b)));
    }
    for (const Block& block : tile.kept) {
      std::byte* const kept = workspace + tile.kept_offset_bytes + block.offset * plan.element_bytes;
      pieces.push_back(block_piece(plan, tile, block, kept));
    }
    all.push_back(std::move(pieces));
  }
  return all;
}

}  // namespace

View View::of_sent(const ExchangePlan& plan, Exchange& exchange, std::byte* workspace) {
  View view;
  view.is_array_ = false;
  view.number_bytes_ = plan.element_bytes;
  view.pieces_ = block_pieces(plan, &Tile::send, workspace,
                              [&](Index tile, std::size_t block) { return exchange.send_block(tile, block); });
  return view;
}

View View::of_received(const ExchangePlan& plan, Exchange& exchange, std::byte* workspace) {
  View view;
  view.is_array_ = false;
  view.number_bytes_ = plan.element_bytes;
  // Received blocks are only read.
  view.pieces_ = block_pieces(plan, &Tile::recv, workspace, [&](Index tile, std::size_t block) {
    return const_cast<std::byte*>(exchange.recv_block(tile, block));
  });
  return view;
}

void View::choose_store(Index most_cached) {
  Index bytes = bytes_;
  if (!is_array_) {
    // Tiles may take turns on the same memory: what counts is how far apart they lie.
    const std::byte *lo = nullptr, *hi = nullptr;
    for (const auto& tile : pieces_) {
      for (const Piece& piece : tile) {
        const std::byte* end = piece.base + piece.box.count() * number_bytes_;
        if (lo == nullptr || piece.base < lo) lo = piece.base;
        if (hi == nullptr || end > hi) hi = end;
      }
    }
    bytes = hi - lo;
  }
  store_ = bytes > most_cached ? Store::streamed : Store::cached;
}

void View::bind(const UserArrays& arrays) {
  if (!is_array_ || where_ == Array::Where::work) return;
  Piece& piece = pieces_.front().front();
  // The input is only read, unless it is the output, too.
  piece.base = where_ == Array::Where::input ? const_cast<std::byte*>(arrays.input) : arrays.output;
}

Index View::row_distance() const {
  Index distance = 0;
  for (const auto& tile : pieces_) {
    for (const Piece& piece : tile) {
      const Index mine = piece.strides.axis[1];
      if (distance != 0 && mine != distance) return 0;
      distance = mine;
    }
  }
  return distance;
}

const Piece* View::piece_of(Index first, Index last, const Box& box) const {
  for (const auto& tile : tiles(first, last)) {
    for (const Piece& piece : tile) {
      if (intersect(piece.box, box) == box) return &piece;
    }
  }
  return nullptr;
}

std::span<const std::vector<Piece>> View::tiles(Index first, Index last) const {
  if (is_array_) return {pieces_.data(), 1};
  return {pieces_.data() + first, static_cast<std::size_t>(last - first)};
}

}  // namespace weft::detail
