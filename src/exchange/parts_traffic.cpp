// Parts that overlap: what is packed, sent, and unpacked.
//
// A call posts its receives, packs and sends a message to each peer, the next rank's first, copies what stays on the
// rank while they travel, and unpacks what has come by ascending rank: so sums have the same bits every time.
#include "exchange/parts_traffic.hpp"

#include <algorithm>
#include <climits>

namespace weft::detail {

namespace {

constexpr int tag = 0;

/// Calls `use(a, b, n)` for each run of neighbours of a piece: where it begins in two arrays of these boxes, in reals.
template <class Use>
void for_each_run(const Box& piece_a, const Box& a, const Box& piece_b, const Box& b, Index reals, const Use& use) {
  const auto at = [reals](const Box& array, const Box& piece, Index i, Index j) {
    return (((piece.lo[0] + i - array.lo[0]) * array.extent(1) + piece.lo[1] + j - array.lo[1]) * array.extent(2) +
            piece.lo[2] - array.lo[2]) *
           reals;
  };
  for (Index i = 0; i < piece_a.extent(0); ++i) {
    for (Index j = 0; j < piece_a.extent(1); ++j) {
      use(at(a, piece_a, i, j), at(b, piece_b, i, j), piece_a.extent(2) * reals);
    }
  }
}

/// Copies, or adds. Runs may be a few numbers, which a loop is quicker for than a call of memcpy.
template <class Real>
void put(const Real* from, Real* to, Index n, bool add) {
  if (add) {
    for (Index k = 0; k < n; ++k) to[k] += from[k];
  } else {
    for (Index k = 0; k < n; ++k) to[k] = from[k];
  }
}

}  // namespace

BoxArray::BoxArray(std::vector<Box> boxes) : boxes_(std::move(boxes)) {
  for (const Box& box : boxes_) {
    offsets_.push_back(count_);
    count_ += box.count();
  }
}

std::size_t BoxArray::holder_of(const Box& box) const {
  const auto holds = [&](const Box& one) { return !intersect(one, box).empty(); };
  return static_cast<std::size_t>(std::find_if(boxes_.begin(), boxes_.end(), holds) - boxes_.begin());
}

PartsTraffic::Side PartsTraffic::side_of(std::map<int, std::vector<Piece>> pieces) const {
  Side side;
  for (auto& [peer, of_peer] : pieces) {
    Index count = 0;
    for (const Piece& piece : of_peer) count += numbers_.batch * reals_of(piece);
    side.channels.push_back(
        {peer, std::move(of_peer), side.count, Datatype::block(count, numbers_.real_bytes, 0, INT_MAX)});
    side.count += count;
  }
  return side;
}

PartsTraffic::PartsTraffic(const Layout& owners, const Layout& parts, const Ghosts& ghosts, BoxArray owned,
                           BoxArray around, bool others_only, const Numbers& numbers, MPI_Comm comm)
    : numbers_(numbers), comm_(comm), owned_(std::move(owned)), around_(std::move(around)) {
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank_));
  all_or_none(comm, [&] {
    const BoxArray own(owners.boxes(rank_));
    const auto seen_by = [&](int viewer, const auto& use) {
      const std::vector<Box> boxes = parts.boxes(viewer);
      for (const GhostPiece& piece : ghost_pieces(owners, ghosts.around(boxes), ghosts.periodic)) {
        const bool itself = piece.owner == viewer && piece.shift == Shape{0, 0, 0} &&
                            !intersect(piece.box, boxes[piece.seen_in]).empty();
        if (itself && others_only) continue;
        use(Piece{piece, piece.owner == rank_ ? own.holder_of(piece.box) : 0});
      }
    };
    std::map<int, std::vector<Piece>> inward, outward;
    seen_by(rank_, [&](const Piece& piece) {
      const int owner = piece.seen.owner;
      (owner == rank_ ? mine_ : inward[owner]).push_back(piece);
    });
    for (const int viewer : ghost_viewers(parts, ghosts, own.boxes())) {
      if (viewer == rank_) continue;
      seen_by(viewer, [&](const Piece& piece) {
        if (piece.seen.owner == rank_) outward[viewer].push_back(piece);
      });
    }
    outward_ = side_of(std::move(outward));
    inward_ = side_of(std::move(inward));
    buffer_ = Buffer((outward_.count + inward_.count) * numbers.real_bytes);
    requests_.resize(outward_.channels.size() + inward_.channels.size());
  });
  for (const Piece& piece : mine_) there_.bytes_kept += numbers.batch * reals_of(piece) * numbers.real_bytes;
  back_.bytes_kept = there_.bytes_kept;
  there_.messages = static_cast<Index>(outward_.channels.size());
  back_.messages = static_cast<Index>(inward_.channels.size());
  there_.bytes_sent = outward_.count * numbers.real_bytes;
  back_.bytes_sent = inward_.count * numbers.real_bytes;
  for (Moved* moved : {&there_, &back_}) {
    WEFT_MPI(comm, MPI_Allreduce(&moved->bytes_sent, &moved->bytes_sent_all, 1, MPI_INT64_T, MPI_SUM, comm));
  }
}

void PartsTraffic::run(const std::byte* from, std::byte* to, bool there, bool add) {
  if (numbers_.real_bytes == 8) {
    run_in(reinterpret_cast<const double*>(from), reinterpret_cast<double*>(to), there, add);
  } else {
    run_in(reinterpret_cast<const float*>(from), reinterpret_cast<float*>(to), there, add);
  }
}

template <class Real>
void PartsTraffic::run_in(const Real* from, Real* to, bool there, bool add) {
  const Side &sent = there ? outward_ : inward_, &got = there ? inward_ : outward_;
  // Where a piece lies: its box, that of the array that it is in, and where this begins.
  struct Place {
    Box box, array;
    Index offset;
  };
  const auto place_of = [&](const Piece& piece, bool owner) {
    const BoxArray& array = owner ? owned_ : around_;
    const std::size_t i = owner ? piece.owned_in : piece.seen.seen_in;
    return Place{owner ? piece.seen.box : piece.seen.seen(), array.box(i), array.offset(i) * numbers_.reals};
  };
  const Index owned_item = owned_.count() * numbers_.reals, seen_item = around_.count() * numbers_.reals;
  const Index from_item = there ? owned_item : seen_item, to_item = there ? seen_item : owned_item;
  auto* const sending = reinterpret_cast<Real*>(buffer_.data());
  auto* const receiving = sending + sent.count;
  std::size_t request = 0;
  for (const Channel& channel : got.channels) {
    WEFT_MPI(comm_, MPI_Irecv(receiving + channel.offset, 1, channel.type.get(), channel.peer, tag, comm_,
                              &requests_[request++]));
  }
  // All begin with the rank after their own, so that no rank is everybody's first.
  const auto after = std::find_if(sent.channels.begin(), sent.channels.end(),
                                  [&](const Channel& channel) { return channel.peer > rank_; });
  const auto first = static_cast<std::size_t>(after - sent.channels.begin());
  for (std::size_t i = 0; i < sent.channels.size(); ++i) {
    const Channel& channel = sent.channels[(first + i) % sent.channels.size()];
    Real* next = sending + channel.offset;
    for (Index item = 0; item < numbers_.batch; ++item) {
      for (const Piece& piece : channel.pieces) {
        const Place at = place_of(piece, there);
        const Real* const source = from + item * from_item + at.offset;
        for_each_run(at.box, at.array, at.box, at.box, numbers_.reals,
                     [&](Index a, Index b, Index n) { put(source + a, next + b, n, false); });
        next += reals_of(piece);
      }
    }
    WEFT_MPI(comm_, MPI_Isend(sending + channel.offset, 1, channel.type.get(), channel.peer, tag, comm_,
                              &requests_[request++]));
  }
  for (Index item = 0; item < numbers_.batch; ++item) {
    for (const Piece& piece : mine_) {
      const Place in = place_of(piece, there), out = place_of(piece, !there);
      const Real* const source = from + item * from_item + in.offset;
      Real* const target = to + item * to_item + out.offset;
      for_each_run(in.box, in.array, out.box, out.array, numbers_.reals,
                   [&](Index a, Index b, Index n) { put(source + a, target + b, n, add); });
    }
  }
  for (std::size_t i = 0; i < got.channels.size(); ++i) {
    WEFT_MPI(comm_, MPI_Wait(&requests_[i], MPI_STATUS_IGNORE));
    const Channel& channel = got.channels[i];
    const Real* next = receiving + channel.offset;
    for (Index item = 0; item < numbers_.batch; ++item) {
      for (const Piece& piece : channel.pieces) {
        const Place at = place_of(piece, !there);
        Real* const target = to + item * to_item + at.offset;
        for_each_run(at.box, at.box, at.box, at.array, numbers_.reals,
                     [&](Index a, Index b, Index n) { put(next + a, target + b, n, add); });
        next += reals_of(piece);
      }
    }
  }
  const auto sends = static_cast<int>(request - got.channels.size());
  WEFT_MPI(comm_, MPI_Waitall(sends, requests_.data() + got.channels.size(), MPI_STATUSES_IGNORE));
}

}  // namespace weft::detail
