// Ghost layers: arguments, and which traffic each call is.
#include "ghosts/engine.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "execute/agreement.hpp"

namespace weft::detail {

namespace {

GhostEngine::Moved told(const PartsTraffic& traffic, bool there) {
  const PartsTraffic::Moved& moved = traffic.moved(there);
  return {moved.bytes_sent, moved.bytes_kept, moved.bytes_sent_all};
}

}  // namespace

GhostEngine::GhostEngine(const Layout& field, const Layout& parts, const Ghosts& ghosts, int real_bytes, Index reals,
                         Index batch, Index numbers, MPI_Comm comm, bool check)
    : comm_(Communicator::duplicate(comm)),
      check_(check),
      batch_(batch),
      numbers_(numbers),
      number_bytes_(static_cast<int>(real_bytes * reals)),
      fields_are_several_(field.has_several()),
      parts_are_several_(parts.has_several()) {
  const MPI_Comm all = comm_.get();
  all_or_none(all, [&] {
    for (const auto& [name, value] : {std::pair{"batch", batch}, std::pair{"numbers", numbers}}) {
      if (value < 1) throw Error(concat(name, " is ", value, "; at least 1 is needed"));
    }
    check_layouts(field, parts, comm_.size());
    check_ghosts(ghosts, field.shape());
    // With ghosts on all sides a box is at most 27 times the grid.
    Index most = 27 * number_bytes_;
    for (int rank = 0; rank < comm_.size() && parts.has_several(); ++rank) {
      most = std::max(most, 27 * number_bytes_ * static_cast<Index>(parts.boxes(rank).size()));
    }
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
  field_ = BoxArray(field.boxes(comm_.rank()));
  part_ = BoxArray(ghosts.around(parts.boxes(comm_.rank())));
  const PartsTraffic::Numbers kind{real_bytes, reals * numbers, batch};
  field_with_ghosts_.emplace(field, parts, ghosts, field_, part_, false, kind, all);
  field_alone_.emplace(field, parts, Ghosts{}, field_, part_, false, kind, all);
  parts_.emplace(parts, parts, ghosts, part_, part_, true, kind, all);
}

Box GhostEngine::only_one(const BoxArray& array, const char* name, bool several) const {
  if (several) {
    throw Error(concat("rank ", comm_.rank(), " has ", array.boxes().size(), " boxes of ", name, ", and not one"));
  }
  return array.box(0);
}

void GhostEngine::agree(std::optional<Call> call, const std::function<void()>& check) const {
  static constexpr std::array<const char*, 5> names{"scatter", "gather", "accumulate", "update", "fold"};
  if (!check_) return check();
  std::optional<std::int64_t> number;
  if (call) number = static_cast<std::int64_t>(*call);
  const Common common = common_call(number, names);
  all_or_none(comm_.get(), check, {&common, 1});
}

void GhostEngine::check_array(const void* array, const BoxArray& boxes, const char* name) const {
  if (array != nullptr || boxes.count() == 0) return;
  throw Error(concat(name, " is null on rank ", comm_.rank(), "; ", bytes_of(boxes), " bytes are needed"));
}

void GhostEngine::check_arrays(const void* field, const void* parts) const {
  check_array(field, field_, "field");
  check_array(parts, part_, "parts");
  if (overlap(field, bytes_of(field_), parts, bytes_of(part_))) {
    throw Error(concat("field and parts overlap on rank ", comm_.rank(), "; give two separate arrays"));
  }
}

GhostEngine::Moved GhostEngine::scatter(const void* field, void* parts) {
  agree(Call::scatter, [&] { check_arrays(field, parts); });
  field_with_ghosts_->there(static_cast<const std::byte*>(field), static_cast<std::byte*>(parts));
  return told(*field_with_ghosts_, true);
}

GhostEngine::Moved GhostEngine::gather(const void* parts, void* field) {
  agree(Call::gather, [&] { check_arrays(field, parts); });
  field_alone_->back(static_cast<const std::byte*>(parts), static_cast<std::byte*>(field), false);
  return told(*field_alone_, false);
}

GhostEngine::Moved GhostEngine::accumulate(const void* parts, void* field) {
  agree(Call::accumulate, [&] { check_arrays(field, parts); });
  if (const Index bytes = bytes_of(field_); bytes > 0) std::memset(field, 0, static_cast<std::size_t>(bytes));
  field_with_ghosts_->back(static_cast<const std::byte*>(parts), static_cast<std::byte*>(field), true);
  return told(*field_with_ghosts_, false);
}

GhostEngine::Moved GhostEngine::update(void* parts) {
  agree(Call::update, [&] { check_array(parts, part_, "parts"); });
  auto* const data = static_cast<std::byte*>(parts);
  parts_->there(data, data);
  return told(*parts_, true);
}

GhostEngine::Moved GhostEngine::fold(void* parts) {
  agree(Call::fold, [&] { check_array(parts, part_, "parts"); });
  auto* const data = static_cast<std::byte*>(parts);
  parts_->back(data, data, true);
  return told(*parts_, false);
}

void GhostEngine::raise_any(const std::string& message) const {
  agree(std::nullopt, [&] {
    if (!message.empty()) throw Error(message);
  });
}

}  // namespace weft::detail
