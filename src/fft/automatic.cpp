// Backend `auto`: the faster of Weft's own kernels and FFTW's for each kind and length of lines.
//
// Which that is depends on the processor: columns are ours where vectors are wide; rows that are in the first level are
// FFTW's at most lengths, and those from further away, as passes have them, ours at many. So both are timed so, a few
// milliseconds once in a process.
#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/buffer.hpp"
#include "base/clock.hpp"
#include "base/simulation.hpp"
#include "fft/serial.hpp"

namespace weft::detail {

namespace {

/// More than what is near a core holds.
constexpr Index far_bytes = Index{4} << 20;

constexpr Index complex_bytes(Precision precision) { return precision == Precision::double_ ? 16 : 8; }

/// Whether `ours` is faster than `theirs`; they take turns, and the shortest of their turns counts.
template <class Ours, class Theirs>
bool faster(const Ours& ours, const Theirs& theirs) {
  constexpr int rounds = 6;
  constexpr double enough = 50e-6;  // seconds of a turn
  const auto turn = [&](const auto& work) {
    int runs = 0;
    const double begin = now();
    double end = begin;
    do {
      work();
      ++runs;
      end = now();
    } while (end - begin < enough);
    return (end - begin) / runs;
  };
  double best_ours = std::numeric_limits<double>::infinity(), best_theirs = best_ours;
  for (int round = 0; round < rounds; ++round) {
    best_ours = std::min(best_ours, turn(ours));
    best_theirs = std::min(best_theirs, turn(theirs));
  }
  return best_ours < best_theirs;
}

/// What was found for a key, or what `find` finds now.
template <class Key, class Find>
bool remembered(const Key& key, const Find& find) {
  static std::mutex mutex;
  static std::map<Key, bool> known;
  const std::lock_guard lock(mutex);
  auto found = known.find(key);
  if (found == known.end()) found = known.emplace(key, find()).first;
  return found->second;
}

std::unique_ptr<LineKernel> make_lines(const LineBatch& batch, Precision precision, Effort effort) {
  const auto make_theirs = [&] { return find_backend("fftw").make(batch, precision, effort); };
  const bool complex = batch.type == LineType::c2c, guess = effort == Effort::estimate || simulated;
  if (guess && complex && !has_long_primes(batch.n)) return make_theirs();
  const auto by = [&](const LineBatch& others) { return make_lines(others, precision, effort); };
  auto ours = complex ? make_lanes(batch, precision)
              : traits_of(batch.type).between_reals()
                  ? make_lines_as_columns(find_backend("auto"), batch, precision, effort)
                  : make_real_lines(batch, precision, by);
  if (!ours) return make_theirs();
  if (guess) return ours;
  const auto key = std::tuple(batch.type, batch.n, batch.count, batch.in_stride, batch.in_distance, batch.out_stride,
                              batch.out_distance, batch.in_place, precision);
  const bool take_ours = remembered(key, [&] {
    const auto theirs = make_theirs();
    const LineTraits& traits = traits_of(batch.type);
    const auto bytes = [&](Number number, Index distance, Index stride, Index points) {
      return ((batch.count - 1) * distance + (points - 1) * stride + 1) * bytes_of(number, precision);
    };
    // Passes read rows that no cache near the core has, and write to a block that is there. (In place: both.)
    const Index of_batch =
        round_up(bytes(traits.in, batch.in_distance, batch.in_stride, traits.in_points(batch.n)), cache_line);
    const Index batches = batch.in_place ? 1 : std::max<Index>(1, far_bytes / of_batch);
    // Zeros: nothing overflows, however often they are transformed.
    const Buffer in = Buffer::zeroed(batches * of_batch);
    const Buffer out = Buffer::zeroed(
        batch.in_place ? 0 : bytes(traits.out, batch.out_distance, batch.out_stride, traits.out_points(batch.n)));
    std::byte* const to = batch.in_place ? in.data() : out.data();
    Index next = 0;
    const auto run = [&](const LineKernel& kernel) {
      kernel.run(in.data() + next * of_batch, to);
      next = next + 1 < batches ? next + 1 : 0;
    };
    return faster([&] { run(*ours); }, [&] { run(*theirs); });
  });
  return take_ours ? std::move(ours) : make_theirs();
}

std::unique_ptr<ColumnKernel> make_columns(Index n, int sign, Precision precision, Effort effort) {
  auto ours = find_backend("lanes").make_columns(n, sign, precision, effort);
  if (!ours || effort == Effort::estimate || simulated) return ours;
  const auto make_theirs = [&] { return make_column_kernel(find_backend("fftw"), n, sign, precision, effort); };
  const bool take_ours = remembered(std::tuple(n, precision), [&] {
    const auto theirs = make_theirs();
    constexpr Index columns = 32;
    const Index distance = columns * complex_bytes(precision) + cache_line;
    const Buffer in = Buffer::zeroed(n * distance), out = Buffer::zeroed(n * distance);
    const Buffer scratch(std::max({Index{1}, ours->scratch_bytes(), theirs->scratch_bytes()}));
    std::vector<const void*> from;
    std::vector<void*> to;
    for (Index row = 0; row < n; ++row) {
      from.push_back(in.data() + row * distance);
      to.push_back(out.data() + row * distance);
    }
    const ColumnRun run{.in = from.data(), .out = to.data(), .columns = columns};
    return faster([&] { ours->run(run, scratch.data()); }, [&] { theirs->run(run, scratch.data()); });
  });
  return take_ours ? std::move(ours) : make_theirs();
}

}  // namespace

Backend automatic_backend() {
  return {"auto", "for each kind and length of lines the faster of lanes and fftw, timed once in a process", make_lines,
          make_columns};
}

}  // namespace weft::detail
