// Ghost layers: what is packed, sent, and unpacked.
//
// A call posts its receives, packs and sends a message to each peer, the next rank's first, copies what stays on the
// rank while they travel, and unpacks what has come by ascending rank: so sums have the same bits every time.
#include "ghosts/engine.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "execute/agreement.hpp"

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

GhostTraffic::Side GhostTraffic::side_of(std::map<int, std::vector<GhostPiece>> pieces) const {
  Side side;
  for (auto& [peer, of_peer] : pieces) {
    Index count = 0;
    for (const GhostPiece& piece : of_peer) count += numbers_.batch * reals_of(piece.box);
    side.channels.push_back(
        {peer, std::move(of_peer), side.count, Datatype::block(count, numbers_.real_bytes, 0, INT_MAX)});
    side.count += count;
  }
  return side;
}

GhostTraffic::GhostTraffic(const Layout& owners, const Layout& parts, const Ghosts& ghosts, const Box& owned,
                           const Box& around, bool others_only, const Numbers& numbers, MPI_Comm comm)
    : numbers_(numbers), comm_(comm), owned_(owned), around_(around) {
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank_));
  all_or_none(comm, [&] {
    const auto seen_by = [&](int viewer, const auto& use) {
      for (const GhostPiece& piece : ghost_pieces(owners, ghosts.around(parts.box(viewer)), ghosts.periodic)) {
        const bool itself = piece.owner == viewer && piece.shift == Shape{0, 0, 0};
        if (!itself || !others_only) use(piece);
      }
    };
    std::map<int, std::vector<GhostPiece>> inward, outward;
    seen_by(rank_,
            [&](const GhostPiece& piece) { (piece.owner == rank_ ? mine_ : inward[piece.owner]).push_back(piece); });
    for (const int viewer : ghost_viewers(parts, ghosts, owners.box(rank_))) {
      if (viewer == rank_) continue;
      seen_by(viewer, [&](const GhostPiece& piece) {
        if (piece.owner == rank_) outward[viewer].push_back(piece);
      });
    }
    outward_ = side_of(std::move(outward));
    inward_ = side_of(std::move(inward));
    buffer_ = Buffer((outward_.count + inward_.count) * numbers.real_bytes);
    requests_.resize(outward_.channels.size() + inward_.channels.size());
  });
  for (const GhostPiece& piece : mine_) {
    there_.bytes_kept += numbers.batch * reals_of(piece.box) * numbers.real_bytes;
  }
  back_.bytes_kept = there_.bytes_kept;
  there_.bytes_sent = outward_.count * numbers.real_bytes;
  back_.bytes_sent = inward_.count * numbers.real_bytes;
  for (Moved* moved : {&there_, &back_}) {
    WEFT_MPI(comm, MPI_Allreduce(&moved->bytes_sent, &moved->bytes_sent_all, 1, MPI_INT64_T, MPI_SUM, comm));
  }
}

void GhostTraffic::run(const std::byte* from, std::byte* to, bool there, bool add) {
  if (numbers_.real_bytes == 8) {
    run_in(reinterpret_cast<const double*>(from), reinterpret_cast<double*>(to), there, add);
  } else {
    run_in(reinterpret_cast<const float*>(from), reinterpret_cast<float*>(to), there, add);
  }
}

template <class Real>
void GhostTraffic::run_in(const Real* from, Real* to, bool there, bool add) {
  const Side &sent = there ? outward_ : inward_, &got = there ? inward_ : outward_;
  const Box &source = there ? owned_ : around_, &target = there ? around_ : owned_;
  const Index from_item = source.count() * numbers_.reals, to_item = target.count() * numbers_.reals;
  const auto piece_at = [](const GhostPiece& piece, bool owner) { return owner ? piece.box : piece.seen(); };
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
      for (const GhostPiece& piece : channel.pieces) {
        const Box box = piece_at(piece, there);
        for_each_run(box, source, box, box, numbers_.reals,
                     [&](Index a, Index b, Index n) { put(from + item * from_item + a, next + b, n, false); });
        next += reals_of(box);
      }
    }
    WEFT_MPI(comm_, MPI_Isend(sending + channel.offset, 1, channel.type.get(), channel.peer, tag, comm_,
                              &requests_[request++]));
  }
  for (Index item = 0; item < numbers_.batch; ++item) {
    for (const GhostPiece& piece : mine_) {
      for_each_run(
          piece_at(piece, there), source, piece_at(piece, !there), target, numbers_.reals,
          [&](Index a, Index b, Index n) { put(from + item * from_item + a, to + item * to_item + b, n, add); });
    }
  }
  for (std::size_t i = 0; i < got.channels.size(); ++i) {
    WEFT_MPI(comm_, MPI_Wait(&requests_[i], MPI_STATUS_IGNORE));
    const Channel& channel = got.channels[i];
    const Real* next = receiving + channel.offset;
    for (Index item = 0; item < numbers_.batch; ++item) {
      for (const GhostPiece& piece : channel.pieces) {
        const Box box = piece_at(piece, !there);
        for_each_run(box, box, box, target, numbers_.reals,
                     [&](Index a, Index b, Index n) { put(next + a, to + item * to_item + b, n, add); });
        next += reals_of(box);
      }
    }
  }
  const auto sends = static_cast<int>(request - got.channels.size());
  WEFT_MPI(comm_, MPI_Waitall(sends, requests_.data() + got.channels.size(), MPI_STATUSES_IGNORE));
}

GhostEngine::GhostEngine(const Layout& field, const Layout& parts, const Ghosts& ghosts, int real_bytes, Index reals,
                         Index batch, Index numbers, MPI_Comm comm, bool check)
    : comm_(Communicator::duplicate(comm)),
      check_(check),
      batch_(batch),
      numbers_(numbers),
      number_bytes_(static_cast<int>(real_bytes * reals)) {
  const MPI_Comm all = comm_.get();
  all_or_none(all, [&] {
    for (const auto& [name, value] : {std::pair{"batch", batch}, std::pair{"numbers", numbers}}) {
      if (value < 1) throw Error(concat(name, " is ", value, "; at least 1 is needed"));
    }
    check_layouts(field, parts, comm_.size());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const auto& [name, points] : {std::pair{"below", &ghosts.below}, std::pair{"above", &ghosts.above}}) {
        const Index value = (*points)[axis], most = field.shape()[axis];
        if (value < 0 || value > most) {
          throw Error(concat(name, " is ", value, " along axis ", axis, "; allowed are 0 to ", most,
                             ", the points of the axis"));
        }
      }
    }
    // With ghosts on all sides a part is at most 27 times the grid.
    Index most = 27 * number_bytes_;
    for (const Index factor : {field.shape()[0], field.shape()[1], field.shape()[2], batch, numbers}) {
      most = multiply(most, factor, "the number of bytes of all fields, with ghosts,");
    }
  });
  const auto flags = [&] {
    std::string text;
    for (const bool along : ghosts.periodic) text += along ? '1' : '0';
    return text;
  };
  require_same(all,
               concat("field=", describe_layout(field), " parts=", describe_layout(parts),
                      " below=", to_string(ghosts.below), " above=", to_string(ghosts.above), " periodic=", flags(),
                      " number_bytes=", number_bytes_, " batch=", batch, " numbers=", numbers, " check=", check),
               "the arguments of a ghost exchange");
  field_box_ = field.box(comm_.rank());
  const Box own = parts.box(comm_.rank());
  part_box_ = ghosts.around(own);
  const GhostTraffic::Numbers kind{real_bytes, reals * numbers, batch};
  field_with_ghosts_.emplace(field, parts, ghosts, field_box_, part_box_, false, kind, all);
  field_alone_.emplace(field, parts, Ghosts{}, field_box_, part_box_, false, kind, all);
  parts_.emplace(parts, parts, ghosts, part_box_, part_box_, true, kind, all);
}

void GhostEngine::agree(std::optional<Call> call, const std::function<void()>& check) const {
  static constexpr std::array<const char*, 5> names{"scatter", "gather", "accumulate", "update", "fold"};
  if (!check_) return check();
  std::optional<std::int64_t> number;
  if (call) number = static_cast<std::int64_t>(*call);
  const Common common = common_call(number, names);
  all_or_none(comm_.get(), check, {&common, 1});
}

void GhostEngine::check_array(const void* array, const Box& box, const char* name) const {
  if (array != nullptr || box.empty()) return;
  throw Error(concat(name, " is null on rank ", comm_.rank(), "; ", bytes_of(box), " bytes are needed"));
}

void GhostEngine::check_arrays(const void* field, const void* parts) const {
  check_array(field, field_box_, "field");
  check_array(parts, part_box_, "parts");
  if (overlap(field, bytes_of(field_box_), parts, bytes_of(part_box_))) {
    throw Error(concat("field and parts overlap on rank ", comm_.rank(), "; give two separate arrays"));
  }
}

GhostEngine::Moved GhostEngine::scatter(const void* field, void* parts) {
  agree(Call::scatter, [&] { check_arrays(field, parts); });
  field_with_ghosts_->there(static_cast<const std::byte*>(field), static_cast<std::byte*>(parts));
  return field_with_ghosts_->moved(true);
}

GhostEngine::Moved GhostEngine::gather(const void* parts, void* field) {
  agree(Call::gather, [&] { check_arrays(field, parts); });
  field_alone_->back(static_cast<const std::byte*>(parts), static_cast<std::byte*>(field), false);
  return field_alone_->moved(false);
}

GhostEngine::Moved GhostEngine::accumulate(const void* parts, void* field) {
  agree(Call::accumulate, [&] { check_arrays(field, parts); });
  if (const Index bytes = bytes_of(field_box_); bytes > 0) std::memset(field, 0, static_cast<std::size_t>(bytes));
  field_with_ghosts_->back(static_cast<const std::byte*>(parts), static_cast<std::byte*>(field), true);
  return field_with_ghosts_->moved(false);
}

GhostEngine::Moved GhostEngine::update(void* parts) {
  agree(Call::update, [&] { check_array(parts, part_box_, "parts"); });
  auto* const data = static_cast<std::byte*>(parts);
  parts_->there(data, data);
  return parts_->moved(true);
}

GhostEngine::Moved GhostEngine::fold(void* parts) {
  agree(Call::fold, [&] { check_array(parts, part_box_, "parts"); });
  auto* const data = static_cast<std::byte*>(parts);
  parts_->back(data, data, true);
  return parts_->moved(false);
}

void GhostEngine::raise_any(const std::string& message) const {
  agree(std::nullopt, [&] {
    if (!message.empty()) throw Error(message);
  });
}

}  // namespace weft::detail
