#include "execute/caches.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <complex>
#include <cstdint>
#include <map>
#include <mutex>
#include <numeric>

#include "base/buffer.hpp"
#include "base/clock.hpp"
#include "base/host.hpp"

namespace weft::detail {

namespace {

/// What the system says of its caches, or `otherwise` where it does not.
Index asked(int name, Index otherwise) {
  const long answer = sysconf(name);
  return answer > 0 ? answer : otherwise;
}

Index second_level() { return asked(_SC_LEVEL2_CACHE_SIZE, Index{1} << 20); }

/// Whether data that goes from array to array to array is faster past the cache: whole rows one after the other, or
/// where rows collide a few numbers of each, then the next few, as columns write them.
bool measure_streaming(Index bytes, bool colliding) {
  using Number = std::complex<double>;
  // Whole rows are runs of 4 KB, and not aligned to pages.
  const Index row = colliding ? 64 : 256, rows = 64, width = colliding ? 8 : row - 1;
  const Index planes = std::max<Index>(1, bytes / (rows * row * static_cast<Index>(sizeof(Number))));
  const Index to_row = colliding ? planes * row : row, to_plane = colliding ? row : rows * row;
  const Buffer arrays[3] = {Buffer::zeroed(bytes), Buffer::zeroed(bytes), Buffer::zeroed(bytes)};
  const auto around = [&](Store store) {
    for (int copy = 0; copy < 3; ++copy) {
      const auto* from = reinterpret_cast<const Number*>(arrays[copy].data());
      auto* const to = reinterpret_cast<Number*>(arrays[(copy + 1) % 3].data());
      for (Index plane = 0; plane < planes; ++plane, from += rows * row) {
        for (Index k = 0; k + width <= row; k += width) {
          copy_box(to + plane * to_plane + k, {0, to_row, 1}, from + k, {0, row, 1}, {1, rows, width}, store);
        }
      }
      finish_streaming();
    }
  };
  double best[2] = {0, 0};
  for (const Store store : {Store::cached, Store::streamed}) {
    double& of_store = best[store == Store::streamed ? 1 : 0];
    for (int round = 0; round < 4; ++round) {
      const double begin = now();
      around(store);
      const double seconds = now() - begin;
      // The first round finds the arrays where the other way has left them, not where this one leaves them.
      of_store = round < 2 ? seconds : std::min(of_store, seconds);
    }
  }
  return best[1] < best[0];
}

}  // namespace

Index chunk_bytes(const Options& options) { return options.cache > 0 ? options.cache : second_level() / 4; }

bool collide(Index rows, Index distance) {
  const Index ways = asked(_SC_LEVEL2_CACHE_ASSOC, 8);
  const Index way = second_level() / ways;
  return distance > 0 && rows > ways * (way / std::gcd(way, distance));
}

bool leaves_caches(Index bytes, int ranks_on_node) {
  // Asked once in a process: the answers are in files.
  static const Index size = last_level_cache();
  static const int processors = processors_of_last_level_cache();
  const Index last = size / std::max(1, std::min(ranks_on_node, processors));
  return bytes > (last > 0 ? last / 4 : Index{8} << 20);
}

Store best_store(Index bytes, bool colliding, int ranks_on_node, Effort effort) {
  if (leaves_caches(bytes, ranks_on_node)) return Store::streamed;
  if (bytes <= second_level() || effort == Effort::estimate || simulated) return Store::cached;
  static std::mutex mutex;
  static std::map<std::pair<Index, bool>, bool> known;
  // The nearest power of two.
  const auto size = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(bytes + bytes / 3)));
  const std::lock_guard lock(mutex);
  auto found = known.find({size, colliding});
  if (found == known.end()) found = known.insert({{size, colliding}, measure_streaming(size, colliding)}).first;
  return found->second ? Store::streamed : Store::cached;
}

}  // namespace weft::detail
