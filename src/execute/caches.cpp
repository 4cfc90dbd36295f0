#include "execute/caches.hpp"

#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "base/buffer.hpp"
#include "base/clock.hpp"
#include "base/host.hpp"
#include "base/shared_mapping.hpp"
#include "execute/gather.hpp"
#include "execute/round_trip.hpp"
#include "plan/threads.hpp"

namespace weft::detail {

namespace {

/// What the system says of its caches, or `otherwise` where it does not.
Index asked(int name, Index otherwise) {
  const long answer = sysconf(name);
  return answer > 0 ? answer : otherwise;
}

/// Chunks of a thread, which make up for threads that are not equally fast; and bytes from which on a pass is worth
/// waking threads for: they take some microseconds (benchmarks/decisions/threads.md).
constexpr Index chunks_of_thread = 4, least_shared = Index{192} << 10;

/// What a few processors can use of a last level, however large it is: the rest is meant for its many other processors,
/// of which a virtual machine sees none (benchmarks/decisions/passes-and-caches.md).
constexpr Index cache_of_few = Index{44} << 20;

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

/// Of arrays that are passed on to time it: more than a second level holds, since what is in the reader's is slow to
/// write even where both share the last level.
Index passed_on_bytes() { return std::min(2 * second_level_cache(), Index{2} << 20); }

/// Whoever takes part writes `mine`, waits for the others in `meet`, and reads what another one has written. The best
/// seconds of each way to store.
template <class Meet>
std::array<double, 2> time_passing_on(std::byte* mine, const std::byte* theirs, const Meet& meet) {
  using Number = Opaque<16>;
  constexpr Index run = page_bytes / static_cast<Index>(sizeof(Number));
  const Number numbers[run] = {};
  const Index bytes = passed_on_bytes();
  std::array<double, 2> best;
  best.fill(std::numeric_limits<double>::infinity());
  for (int round = 0; round < 3; ++round) {
    for (const Store store : {Store::cached, Store::streamed}) {
      meet();
      double seconds = -now();
      for (Index byte = 0; byte + page_bytes <= bytes; byte += page_bytes) {
        copy_box(reinterpret_cast<Number*>(mine + byte), {0, 0, 1}, numbers, {0, 0, 1}, {1, 1, run}, store);
      }
      finish_streaming();
      seconds += now();
      meet();
      seconds -= now();
      read_ahead(theirs, bytes);
      seconds += now();
      double& of_store = best[store == Store::streamed ? 1 : 0];
      of_store = std::min(of_store, seconds);
    }
  }
  return best;
}

/// By far or not at all: nothing in between was seen.
bool faster_past_caches(const std::array<double, 2>& seconds) { return seconds[1] < 0.7 * seconds[0]; }

/// The shortest round trip between this one of `size` and its partner; 0 without one, and where they have missed each
/// other. All come together in `meet`.
template <class WordOf, class Meet>
double nearest_meeting(int rank, int size, const WordOf& word_of, const Meet& meet) {
  const std::optional<int> partner = partner_of(rank, size);
  double best = 0;
  for (Index number = 1; number <= 4; ++number) {
    meet();
    if (!partner) continue;
    const auto seconds = round_trip({word_of(rank), word_of(*partner), rank < *partner}, number);
    if (seconds && (best == 0 || *seconds < best)) best = *seconds;
  }
  return best;
}

PassingOn measure_between_ranks(MPI_Comm node, int rank, int size) {
  const Index bytes = passed_on_bytes();
  const SharedMapping shared(node, size * (bytes + page_bytes));
  if (!shared.valid()) return {};
  // Neighbours in number are neighbours on the processor: half of the others are at least as far away as this one.
  auto best = time_passing_on(shared.data() + rank * bytes, shared.data() + (rank + size / 2) % size * bytes,
                              [&] { WEFT_MPI(node, MPI_Barrier(node)); });
  WEFT_MPI(node, MPI_Allreduce(MPI_IN_PLACE, best.data(), 2, MPI_DOUBLE, MPI_SUM, node));
  const auto word = [&](int of) {
    return std::atomic_ref(*reinterpret_cast<Index*>(shared.data() + size * bytes + of * page_bytes));
  };
  const double seconds = nearest_meeting(rank, size, word, [&] { WEFT_MPI(node, MPI_Barrier(node)); });
  return {.past_caches = faster_past_caches(best), .round_trip = seconds};
}

PassingOn measure_between_threads([[maybe_unused]] int threads) {
#ifdef _OPENMP
  const Index bytes = passed_on_bytes();
  const Buffer arrays = Buffer::zeroed(threads * bytes);
  std::array<double, 2> all{0, 0};
  std::atomic<int> came = 0;
  std::vector<Word> words(static_cast<std::size_t>(threads));
  PassingOn found;
#pragma omp parallel num_threads(threads)
  {
    // There may be fewer than were asked for.
    const int count = omp_get_num_threads(), thread = omp_get_thread_num();
    int met = 0;
    const auto meet = [&] {
      met += count;
      ++came;
      while (came < met) std::this_thread::yield();
    };
    const auto best =
        time_passing_on(arrays.data() + thread * bytes, arrays.data() + (thread + count / 2) % count * bytes, meet);
#pragma omp critical(weft_passing_on)
    for (std::size_t store = 0; store < 2; ++store) all[store] += best[store];
    const double seconds =
        nearest_meeting(thread, count, [&](int of) { return words[static_cast<std::size_t>(of)].shared(); }, meet);
    if (thread == 0) found.round_trip = seconds;
  }
  found.past_caches = faster_past_caches(all);
  return found;
#else
  return {};
#endif
}

/// What tests say, 0, 1 or turns: what is found depends on the machine.
std::optional<PassingOn> said_of_past_caches() {
  const char* said = std::getenv("WEFT_TEST_PAST_CACHES");
  if (said == nullptr) return std::nullopt;
  return PassingOn{.past_caches = *said == '1', .in_turns = *said == 't'};
}

/// For tests: small fields go the ways of those that no cache holds. "apart": whose rows do not want the same sets.
const char* as_if_large() {
  static const char* const set = std::getenv("WEFT_TEST_LARGE");
  return set;
}

}  // namespace

Index second_level_cache() { return asked(_SC_LEVEL2_CACHE_SIZE, Index{1} << 20); }

Index chunk_bytes(const Pass& pass, const Options& options) {
  const Index cache = options.cache > 0 ? options.cache : second_level_cache() / 4;
  const int threads = number_of_threads(options);
  if (threads == 1) return cache;
  Index unit = 0;
  for (const Unit& u : pass.units) {
    unit = std::max(unit, u.items.count() * std::max(u.in.count() * pass.in_bytes, u.out.count() * pass.out_bytes));
  }
  return unit < least_shared ? cache : std::min(cache, unit / (chunks_of_thread * threads));
}

bool collide(Index rows, Index distance) {
  if (as_if_large() != nullptr && std::string_view(as_if_large()) != "apart") return rows > 1;
  const Index ways = asked(_SC_LEVEL2_CACHE_ASSOC, 8);
  const Index way = second_level_cache() / ways;
  return distance > 0 && rows > ways * (way / std::gcd(way, distance));
}

CacheLimits cache_limits(Index largest, Index together, int ranks_on_node) {
  if (as_if_large() != nullptr) return {0, 0};
  // Asked once in a process: the answers are in files.
  static const Index size = last_level_cache();
  static const int processors = processors_of_last_level_cache();
  const int ranks = std::max(1, std::min(ranks_on_node, processors));
  // A quarter, since other arrays and other rows come between.
  const Index quarter = size > 0 ? size / ranks / 4 : Index{8} << 20;
  const auto times = static_cast<double>(largest) / static_cast<double>(std::max<Index>(1, together));
  const auto of_few = static_cast<Index>(times * static_cast<double>(cache_of_few / ranks));
  return {std::min(quarter, of_few), std::min(quarter / 2, of_few)};
}

Store best_store(Index bytes, bool colliding, const CacheLimits& limits, Effort effort) {
  if (bytes > limits.stays) return Store::streamed;
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

bool PassingOn::past_caches_at(double now) const {
  // Cores with a common cache are never so far apart: a round trip takes 50 ns on a chiplet, 320 to 400 between two.
  constexpr double apart = 200e-9;
  if (now > 2 * round_trip && now > apart) return true;
  return past_caches && 2 * now > round_trip;
}

PassingOn how_to_pass_on(MPI_Comm node) {
  if (const auto said = said_of_past_caches()) return *said;
  int rank = 0, size = 0;
  WEFT_MPI(node, MPI_Comm_rank(node, &rank));
  WEFT_MPI(node, MPI_Comm_size(node, &size));
  if (size == 1) return {};
  // Found once for the same ranks, if all of them remember it.
  static std::mutex mutex;
  static std::map<std::vector<int>, PassingOn> known;
  const std::vector<int> ranks = world_ranks(node);
  int remembered = 0;
  PassingOn passing;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(ranks); found != known.end()) {
      remembered = 1;
      passing = found->second;
    }
  }
  WEFT_MPI(node, MPI_Allreduce(MPI_IN_PLACE, &remembered, 1, MPI_INT, MPI_MIN, node));
  if (remembered == 0) {
    passing = measure_between_ranks(node, rank, size);
    const std::lock_guard lock(mutex);
    known.insert_or_assign(ranks, passing);
  }
  return passing;
}

PassingOn how_threads_pass_on(int threads) {
  if (threads == 1) return {};
  if (const auto said = said_of_past_caches()) return *said;
  static std::mutex mutex;
  static std::map<int, PassingOn> known;
  const std::lock_guard lock(mutex);
  auto found = known.find(threads);
  if (found == known.end()) found = known.emplace(threads, measure_between_threads(threads)).first;
  return found->second;
}

}  // namespace weft::detail
