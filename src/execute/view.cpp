#include "execute/view.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/buffer.hpp"

namespace weft::detail {

Box with_rows_joined(const Box& box) {
  const Index row = box.extent(2);
  return {{box.lo[0], 0, box.lo[1] * row}, {box.hi[0], 1, box.hi[1] * row}};
}

Box with_planes_as_rows(const Box& box) {
  return {{box.lo[1], box.lo[0], box.lo[2]}, {box.hi[1], box.hi[0], box.hi[2]}};
}

View View::of_array(const Array& array, Index batch, std::byte* workspace) {
  View view;
  view.bytes_ = array.bytes(batch);
  view.number_bytes_ = array.element_bytes;
  view.where_ = array.where;
  Piece piece;
  piece.box = array.box;
  piece.strides = array_strides(array);
  piece.items = batch * array.fields;
  if (array.where == Array::Where::work) {
    piece.base = workspace + array.offset_bytes;
  } else {
    view.of_user_ = {{0, 0, 0, piece.strides.item}};
  }
  view.pieces_ = {{piece}};
  return view;
}

namespace {

/// The pieces of every tile: `blocks` of it at the places that `place(tile, block)` gives, and the block that is kept,
/// of which nothing is known yet if it lies in an array of the user.
template <class Place>
std::vector<std::vector<Piece>> block_pieces(const ExchangePlan& plan, std::vector<Block> Tile::*blocks,
                                             std::byte* workspace, const Place& place) {
  std::vector<std::vector<Piece>> all;
  for (std::size_t k = 0; k < plan.tiles.size(); ++k) {
    const Tile& tile = plan.tiles[k];
    std::vector<Piece> pieces;
    pieces.reserve((tile.*blocks).size() + tile.kept.size());
    for (std::size_t b = 0; b < (tile.*blocks).size(); ++b) {
      const Block& block = (tile.*blocks)[b];
      const Strides strides =
          blocks == &Tile::send ? sent_strides(plan, tile, block) : received_strides(plan, tile, block);
      pieces.push_back(
          {block.box, strides, tile.items.lo, place(static_cast<Index>(k), b), tile.items.count(), block.encoded});
    }
    for (const Block& block : tile.kept) {
      std::byte* const kept = plan.kept == ExchangePlan::Kept::work
                                  ? workspace + tile.kept_offset_bytes + block.offset * plan.local_bytes
                                  : nullptr;
      pieces.push_back({block.box, kept_strides(plan, tile, block), tile.items.lo, kept, tile.items.count()});
    }
    all.push_back(std::move(pieces));
  }
  return all;
}

/// None if no piece is encoded.
WireCodec codec_of(const ExchangePlan& plan, const std::vector<std::vector<Piece>>& pieces) {
  for (const auto& tile : pieces) {
    if (std::none_of(tile.begin(), tile.end(), [](const Piece& piece) { return piece.encoded; })) continue;
    return wire_codec(plan.wire, plan.local_bytes, plan.element_bytes, plan.real_bytes);
  }
  return {};
}

}  // namespace

View View::of_sent(const ExchangePlan& plan, Exchange& exchange, std::byte* workspace) {
  View view;
  view.is_array_ = false;
  view.number_bytes_ = plan.local_bytes;
  if (!plan.arrays) {
    view.pieces_ = block_pieces(plan, &Tile::send, workspace,
                                [&](Index tile, std::size_t block) { return exchange.send_block(tile, block); });
    view.codec_ = codec_of(plan, view.pieces_);
    view.place_kept(plan, ExchangePlan::Kept::output, Array::Where::output);
    return view;
  }
  // One array holds all blocks of a tile. What the user's input holds is not written.
  for (std::size_t k = 0; k < plan.tiles.size(); ++k) {
    const Tile& tile = plan.tiles[k];
    const int rank = plan.peers[static_cast<std::size_t>(plan.me)];
    const Box part = tile_parts(plan, rank, static_cast<Index>(k) % plan.tiles_per_group).front();
    view.pieces_.emplace_back();
    if (plan.from_input) continue;
    view.pieces_.back().push_back(
        {part, tile.send_strides, tile.items.lo, workspace + tile.send_offset_bytes, tile.items.count()});
  }
  return view;
}

View View::of_received(const ExchangePlan& plan, Exchange& exchange, std::byte* workspace) {
  View view;
  view.is_array_ = false;
  view.number_bytes_ = plan.local_bytes;
  // Received blocks are only read.
  view.pieces_ = block_pieces(plan, &Tile::recv, workspace, [&](Index tile, std::size_t block) {
    return const_cast<std::byte*>(exchange.recv_block(tile, block));
  });
  view.codec_ = codec_of(plan, view.pieces_);
  for (std::size_t k = 0; k < plan.tiles.size() && plan.into_output; ++k) {
    // What has come to the user's output is there.
    auto& pieces = view.pieces_[k];
    pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(plan.tiles[k].recv.size()));
  }
  view.place_kept(plan, ExchangePlan::Kept::input, Array::Where::input);
  return view;
}

void View::place_kept(const ExchangePlan& plan, ExchangePlan::Kept mine, Array::Where where) {
  if (plan.kept == ExchangePlan::Kept::work) return;
  for (std::size_t k = 0; k < plan.tiles.size(); ++k) {
    const Tile& tile = plan.tiles[k];
    auto& pieces = pieces_[k];
    for (const Block& kept : tile.kept) {
      if (plan.kept == mine) {
        of_user_.push_back({k, pieces.size() - 1, kept.offset * plan.local_bytes, plan.kept_strides.item});
      } else {
        pieces.pop_back();
      }
    }
  }
  where_ = where;
}

void View::widen(Index numbers) {
  if (numbers == 1) return;
  number_bytes_ = static_cast<int>(number_bytes_ / numbers);
  codec_.bytes /= numbers;
  codec_.reals /= numbers;
  std::vector<OfUser> of_user;
  auto next = of_user_.begin();
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    std::vector<Piece> wide;
    for (std::size_t p = 0; p < pieces_[k].size(); ++p) {
      const Piece& piece = pieces_[k][p];
      const bool users = next != of_user_.end() && next->tile == k && next->piece == p;
      // Points that do not lie side by side are boxes of their own.
      const bool whole = piece.box.empty() || piece.strides.axis[2] == 1;
      const Index parts = whole ? 1 : piece.box.extent(2), points = whole ? piece.box.extent(2) : 1;
      Piece part = piece;
      for (Index& stride : part.strides.axis) stride *= numbers;
      part.strides.item *= numbers;
      const Index step = part.strides.axis[2] * number_bytes_;  // only of user's arrays, which are not encoded
      part.strides.axis[2] = 1;
      for (Index i = 0; i < parts; ++i) {
        part.box.lo[2] = (piece.box.lo[2] + i) * numbers;
        part.box.hi[2] = part.box.lo[2] + points * numbers;
        if (piece.base != nullptr) part.base = piece.base + i * step;
        if (users) of_user.push_back({k, wide.size(), next->offset + i * step, part.strides.item});
        wide.push_back(part);
      }
      if (users) ++next;
    }
    pieces_[k] = std::move(wide);
  }
  of_user_ = std::move(of_user);
}

bool View::rows_follow(Index lo, Index hi) const {
  for (const auto& tile : pieces_) {
    for (const Piece& piece : tile) {
      const Box& box = piece.box;
      if (box.empty()) continue;
      if (piece.encoded || box.lo[2] != lo || box.hi[2] != hi) return false;
      if (piece.strides.axis[2] != 1 || piece.strides.axis[1] != hi - lo) return false;
    }
  }
  return true;
}

void View::join_rows() {
  for (auto& tile : pieces_) {
    for (Piece& piece : tile) piece.box = with_rows_joined(piece.box);
  }
}

void View::swap_planes_and_rows() {
  for (auto& tile : pieces_) {
    for (Piece& piece : tile) {
      piece.box = with_planes_as_rows(piece.box);
      std::swap(piece.strides.axis[0], piece.strides.axis[1]);
    }
  }
}

bool View::has_rows() const {
  for (const auto& tile : pieces_) {
    for (const Piece& piece : tile) {
      if (piece.strides.axis[2] != 1 && piece.box.extent(2) > 1) return false;
    }
  }
  return true;
}

Index View::bytes() const {
  if (is_array_) return bytes_;
  // Tiles may take turns on the same memory: what counts is how far apart they lie, in the workspace and in an array of
  // the user.
  struct Span {
    Index lo = std::numeric_limits<Index>::max(), hi = 0;
    void add(Index begin, Index end) {
      lo = std::min(lo, begin);
      hi = std::max(hi, end);
    }
    Index bytes() const { return std::max<Index>(0, hi - lo); }
  };
  Span work, user;
  auto next = of_user_.begin();
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    for (std::size_t p = 0; p < pieces_[k].size(); ++p) {
      const Piece& piece = pieces_[k][p];
      const bool users = next != of_user_.end() && next->tile == k && next->piece == p;
      const Index begin = users ? next->offset + piece.first_item * next->item * number_bytes_
                                : static_cast<Index>(reinterpret_cast<std::intptr_t>(piece.base));
      if (users) ++next;
      if (piece.box.empty()) continue;
      Index last = (piece.items - 1) * piece.strides.item;
      for (int axis = 0; axis < 3; ++axis) {
        last += (piece.box.extent(axis) - 1) * piece.strides.axis[static_cast<std::size_t>(axis)];
      }
      const Index bytes = piece.encoded ? codec_.bytes : Index{number_bytes_};
      (users ? user : work).add(begin, begin + (last + 1) * bytes);
    }
  }
  return work.bytes() + user.bytes();
}

void View::bind(const UserArrays& arrays) {
  const bool input = where_ == Array::Where::input;
  // The input is only read, unless it is the output, too.
  std::byte* const array = input ? const_cast<std::byte*>(arrays.input) : arrays.output;
  const Index asked = input ? arrays.input_item : arrays.output_item;
  for (const auto& [tile, place, offset, planned] : of_user_) {
    Piece& piece = pieces_[tile][place];
    piece.strides.item = asked > 0 ? asked : planned;
    piece.base = array + offset + piece.first_item * piece.strides.item * number_bytes_;
  }
}

Index View::distance(int axis) const {
  Index distance = 0;
  for (const auto& tile : pieces_) {
    for (const Piece& piece : tile) {
      const Index mine = piece.strides.axis[static_cast<std::size_t>(axis)];
      if (distance != 0 && mine != distance) return 0;
      distance = mine;
    }
  }
  return distance;
}

Index View::most_distance(int axis) const {
  Index most = 0;
  for (const auto& tile : pieces_) {
    for (const Piece& piece : tile) most = std::max(most, piece.strides.axis[static_cast<std::size_t>(axis)]);
  }
  return most;
}

bool View::streams(int axis) const { return far_ && most_distance(axis) * number_bytes_ <= page_bytes; }

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
