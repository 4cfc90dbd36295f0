#include "execute/parts_arrays.hpp"

#include <cstring>

#include "base/checked.hpp"
#include "base/clock.hpp"

namespace weft::detail {

PartsArrays::PartsArrays(const std::array<End, 2>& ends, int real_bytes, bool sum, MPI_Comm comm, Watchers* watchers,
                         Statistics& statistics)
    : sum_(sum), watchers_(watchers), statistics_(statistics) {
  if (!ends[0].parts && !ends[1].parts) return;
  comm_ = Communicator::duplicate(comm);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const End& end = ends[i];
    if (!end.parts) continue;
    const int rank = comm_.rank();
    const Ghosts& ghosts = end.parts->ghosts;
    const BoxArray field({end.layout.box(rank)}), parts(end.parts->boxes(rank));
    const PartsTraffic::Numbers numbers{real_bytes, end.element_bytes / real_bytes, end.fields};
    bound_[i] = std::make_unique<Bound>();
    Bound& bound = *bound_[i];
    const auto traffic = [&](const Ghosts& around) {
      return PartsTraffic(end.layout, end.parts->layout, around, field, parts, false, numbers, comm_.get());
    };
    if (end.written || sum) bound.with_ghosts.emplace(traffic(ghosts));
    if (end.read && !sum) bound.alone.emplace(traffic({}));
    all_or_none(comm_.get(), [&] {
      bound.bytes = multiply(field.count() * end.element_bytes, end.fields, "the bytes of all fields");
      bound.field = Buffer::zeroed(bound.bytes);
    });
  }
}

template <class Work>
void PartsArrays::watched(const PartsTraffic& traffic, bool there, int route, const Work& work) {
  const double before = statistics_.wait;
  if (watchers_ != nullptr) {
    const WatchedCall call(*watchers_, Event::What::parts, route, statistics_.wait);
    work();
  } else {
    const double begin = now();
    work();
    statistics_.wait += now() - begin;
  }
  statistics_.total += statistics_.wait - before;
  const PartsTraffic::Moved& moved = traffic.moved(there);
  statistics_.messages += moved.messages;
  statistics_.bytes_sent += moved.bytes_sent;
}

const void* PartsArrays::read(std::size_t end, const void* array, int route) {
  if (!bound_[end]) return array;
  Bound& bound = *bound_[end];
  const auto* const parts = static_cast<const std::byte*>(array);
  PartsTraffic& traffic = sum_ ? *bound.with_ghosts : *bound.alone;
  watched(traffic, false, route, [&] {
    if (sum_ && bound.bytes > 0) std::memset(bound.field.data(), 0, static_cast<std::size_t>(bound.bytes));
    traffic.back(parts, bound.field.data(), sum_);
  });
  return bound.field.data();
}

void* PartsArrays::written(std::size_t end, void* array) { return bound_[end] ? bound_[end]->field.data() : array; }

void PartsArrays::give(std::size_t end, void* array, int route) {
  if (!bound_[end]) return;
  Bound& bound = *bound_[end];
  watched(*bound.with_ghosts, true, route,
          [&] { bound.with_ghosts->there(bound.field.data(), static_cast<std::byte*>(array)); });
}

}  // namespace weft::detail
