#include "execute/caches.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <vector>

#include "base/buffer.hpp"
#include "base/clock.hpp"
#include "base/host.hpp"
#include "base/shared_mapping.hpp"
#include "execute/gather.hpp"

namespace weft::detail {

namespace {

/// What the system says of its caches, or `otherwise` where it does not.
Index asked(int name, Index otherwise) {
  const long answer = sysconf(name);
  return answer > 0 ? answer : otherwise;
}

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

std::vector<int> world_ranks(MPI_Comm comm) {
  MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
  WEFT_MPI(comm, MPI_Comm_group(MPI_COMM_WORLD, &world));
  WEFT_MPI(comm, MPI_Comm_group(comm, &group));
  int size = 0;
  WEFT_MPI(comm, MPI_Group_size(group, &size));
  std::vector<int> mine(static_cast<std::size_t>(size)), theirs(mine.size());
  std::iota(mine.begin(), mine.end(), 0);
  WEFT_MPI(comm, MPI_Group_translate_ranks(group, size, mine.data(), world, theirs.data()));
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  return theirs;
}

/// Each rank writes an array, which another one reads.
bool measure_passing_on(MPI_Comm node, int rank, int size) {
  using Number = Opaque<16>;
  // More than a second level holds: what is in the reader's is slow to write even where both share the last level.
  const Index bytes = std::min(2 * second_level_cache(), Index{2} << 20);
  const SharedMapping shared(node, size * bytes);
  if (!shared.valid()) return false;
  constexpr Index run = page_bytes / static_cast<Index>(sizeof(Number));
  const Number numbers[run] = {};
  std::byte* const mine = shared.data() + rank * bytes;
  // Neighbours in number are neighbours on the processor: half of the others are at least as far away as this one.
  const std::byte* const theirs = shared.data() + (rank + size / 2) % size * bytes;
  double best[2];  // seconds by store
  std::fill(best, best + 2, std::numeric_limits<double>::infinity());
  for (int round = 0; round < 3; ++round) {
    for (const Store store : {Store::cached, Store::streamed}) {
      WEFT_MPI(node, MPI_Barrier(node));
      double seconds = -now();
      for (Index byte = 0; byte + page_bytes <= bytes; byte += page_bytes) {
        copy_box(reinterpret_cast<Number*>(mine + byte), {0, 0, 1}, numbers, {0, 0, 1}, {1, 1, run}, store);
      }
      finish_streaming();
      seconds += now();
      WEFT_MPI(node, MPI_Barrier(node));
      seconds -= now();
      read_ahead(theirs, bytes);
      seconds += now();
      double& of_store = best[store == Store::streamed ? 1 : 0];
      of_store = std::min(of_store, seconds);
    }
  }
  WEFT_MPI(node, MPI_Allreduce(MPI_IN_PLACE, best, 2, MPI_DOUBLE, MPI_SUM, node));
  // By far or not at all: nothing in between was seen.
  return best[1] < 0.7 * best[0];
}

/// For tests: small fields go the ways of those that no cache holds.
bool as_if_large() {
  static const bool set = std::getenv("WEFT_TEST_LARGE") != nullptr;
  return set;
}

}  // namespace

Index second_level_cache() { return asked(_SC_LEVEL2_CACHE_SIZE, Index{1} << 20); }

Index chunk_bytes(const Options& options) { return options.cache > 0 ? options.cache : second_level_cache() / 4; }

bool collide(Index rows, Index distance) {
  if (as_if_large()) return rows > 1;
  const Index ways = asked(_SC_LEVEL2_CACHE_ASSOC, 8);
  const Index way = second_level_cache() / ways;
  return distance > 0 && rows > ways * (way / std::gcd(way, distance));
}

bool leaves_caches(Index bytes, int ranks_on_node) {
  if (as_if_large()) return true;
  // Asked once in a process: the answers are in files.
  static const Index size = last_level_cache();
  static const int processors = processors_of_last_level_cache();
  const Index last = size / std::max(1, std::min(ranks_on_node, processors));
  return bytes > (last > 0 ? last / 4 : Index{8} << 20);
}

Store best_store(Index bytes, bool colliding, int ranks_on_node, Effort effort) {
  if (leaves_caches(bytes, ranks_on_node)) return Store::streamed;
  if (bytes <= second_level_cache() || effort == Effort::estimate || simulated) return Store::cached;
  static std::mutex mutex;
  static std::map<std::pair<Index, bool>, bool> known;
  // The nearest power of two.
  const auto size = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(bytes + bytes / 3)));
  const std::lock_guard lock(mutex);
  auto found = known.find({size, colliding});
  if (found == known.end()) found = known.insert({{size, colliding}, measure_streaming(size, colliding)}).first;
  return found->second ? Store::streamed : Store::cached;
}

bool pass_on_past_caches(MPI_Comm node) {
  // For tests: what is found depends on the machine.
  if (const char* found = std::getenv("WEFT_TEST_PAST_CACHES")) return *found == '1';
  int rank = 0, size = 0;
  WEFT_MPI(node, MPI_Comm_rank(node, &rank));
  WEFT_MPI(node, MPI_Comm_size(node, &size));
  if (size == 1) return false;
  // Found once for the same ranks, if all of them remember it.
  static std::mutex mutex;
  static std::map<std::vector<int>, bool> known;
  const std::vector<int> ranks = world_ranks(node);
  int remembered = 0;
  bool past_caches = false;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(ranks); found != known.end()) {
      remembered = 1;
      past_caches = found->second;
    }
  }
  WEFT_MPI(node, MPI_Allreduce(MPI_IN_PLACE, &remembered, 1, MPI_INT, MPI_MIN, node));
  if (remembered == 0) {
    past_caches = measure_passing_on(node, rank, size);
    const std::lock_guard lock(mutex);
    known.insert_or_assign(ranks, past_caches);
  }
  return past_caches;
}

}  // namespace weft::detail
