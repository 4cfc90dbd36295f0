// The passes of a sphere along z: plane waves of any order on one side, blocks of an exchange on the other.
//
//   waves -> lanes [z][columns] -> FFT -> blocks            blocks -> FFT -> lanes -> waves
//
// As many columns as fit two cache lines go through together. Points that no column of the rank has are read from one
// row of zeroes, and written to one row that nobody reads.
#include "base/checked.hpp"
#include "sphere/pass.hpp"

namespace weft::detail {

namespace {

template <class Complex>
struct ColumnsScratch {
  Complex* lines = nullptr;   ///< [z][lane]
  Complex* copies = nullptr;  ///< [z][lane], where blocks are encoded
  EdgeRows<Complex> edge;
  std::byte* kernel = nullptr;
  Rows<Complex> near, far;  ///< of the lanes, and of the blocks
};

template <class Real>
class SphereColumns final : public SphereRunner<ColumnsScratch<std::complex<Real>>> {
  using Complex = std::complex<Real>;
  using Scratch = ColumnsScratch<Complex>;
  using Base = SphereRunner<Scratch>;
  using Base::in_, Base::out_, Base::pass_, Base::sphere_;
  static constexpr Index lanes = lanes_together<Real>;
  /// Columns of a chunk: enough work to be worth a look at the clock.
  static constexpr Index chunk_columns = 4 * lanes;
  /// Waves lie anywhere in the caller's array: the cache is asked for them so many ahead.
  static constexpr Index ahead = 16;

 public:
  SphereColumns(const SphereData& sphere, const Pass& pass, View in, View out, const Options& options)
      : Base(sphere, pass, std::move(in), std::move(out)),
        to_blocks_(to_space(pass)),
        n_(sphere_.problem.grid[2]),
        first_column_(pass.in.lo[2]) {
    if (pass.in.empty()) return;
    kernel_ = make_column_kernel(find_backend(options.backend), n_, pass.transforms.front().sign,
                                 sphere.problem.precision, options.effort);
    make_entries();
  }

  Index chunks(Index number) const override {
    const Unit& u = this->unit(number);
    return u.in.empty() ? 0 : ceil_divide(u.in.extent(2), chunk_columns) * this->items_of(u);
  }

  void run(Index number, Turn turn, int thread, MemoryTraffic& traffic) override {
    Scratch& scratch = this->scratch_[static_cast<std::size_t>(thread)];
    const Unit& u = this->unit(number);
    const Index per_item = ceil_divide(u.in.extent(2), chunk_columns);
    const Index item = u.items.lo + turn.chunk / per_item;
    const Index lo = u.in.lo[2] + turn.chunk % per_item * chunk_columns, hi = std::min(u.in.hi[2], lo + chunk_columns);
    // The memory is other passes', too.
    if (to_blocks_) std::fill_n(scratch.edge.zero, lanes, Complex(0));
    for (Index column = lo, count = 0; column < hi; column += count) {
      count = together(u, column, std::min(hi, column + lanes)) - column;
      to_blocks_ ? produce(scratch, u, item, column, count) : consume(scratch, u, item, column, count);
    }
    const Index waves = static_cast<Index>(entries(hi) - entries(lo)) * static_cast<Index>(sizeof(Complex));
    const Index points = n_ * (hi - lo);
    traffic.read += to_blocks_ ? waves : pass_.bytes_read(points);
    traffic.written += to_blocks_ ? pass_.bytes_written(points) : waves;
  }

 private:
  /// A wave, and z in its column.
  struct Entry {
    std::int32_t wave, z;
    bool conjugate;
  };

  /// Waves by column. On the way to space: each point once, with the mirror images of a column that is its own. On the
  /// way back: each wave once.
  void make_entries() {
    const auto& places = sphere_.waves_of(pass_.transforms.front().way);
    const auto& columns = sphere_.waves.columns;
    const auto own_mirror = [&](const WavePlace& place) {
      const Stick& stick = columns[static_cast<std::size_t>(place.column)];
      return sphere_.problem.gamma && is_own_mirror(stick.x, sphere_.problem.grid[0]) &&
             is_own_mirror(stick.y, sphere_.problem.grid[1]) && !is_own_mirror(place.z, n_);
    };
    std::vector<std::vector<Entry>> by_column(columns.size());
    std::vector<char> present(static_cast<std::size_t>(n_));
    const auto add = [&](const WavePlace& place, std::size_t wave, std::int32_t z, bool conjugate) {
      by_column[static_cast<std::size_t>(place.column)].push_back(
          {narrow<std::int32_t>(wave, "the number of plane waves of a rank"), z, conjugate});
      present[static_cast<std::size_t>(z)] = 1;
    };
    for (std::size_t wave = 0; wave < places.size(); ++wave) {
      const WavePlace& place = places[wave];
      add(place, wave, place.z, place.conjugate);
      if (to_blocks_ && own_mirror(place)) add(place, wave, static_cast<std::int32_t>(n_ - place.z), !place.conjugate);
    }
    present_ = PresentRows(std::move(present));
    first_.push_back(0);
    for (auto& entries : by_column) {
      // Of G and -G, if both are given, the one that is not the conjugate counts.
      if (to_blocks_) {
        std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
          return a.z != b.z ? a.z < b.z : a.conjugate < b.conjugate;
        });
        const auto same = [](const Entry& a, const Entry& b) { return a.z == b.z; };
        entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
      }
      entries_.insert(entries_.end(), entries.begin(), entries.end());
      first_.push_back(static_cast<Index>(entries_.size()));
    }
    // What is asked for ahead of the last ones.
    entries_.insert(entries_.end(), ahead, Entry{0, 0, false});
  }

  Scratch lay_out(ScratchParts& parts) const override {
    Scratch scratch;
    if (!kernel_) return scratch;
    scratch.lines = parts.take<Complex>(n_ * lanes);
    scratch.edge = {parts.take<Complex>(lanes), parts.take<Complex>(lanes)};
    scratch.kernel = parts.take<std::byte>(kernel_->scratch_bytes());
    Complex* const absent = to_blocks_ ? scratch.edge.zero : scratch.edge.waste;
    for (Index z = 0; z < n_; ++z) {
      scratch.near.push_back(present_[z] ? scratch.lines + z * lanes : absent);
    }
    scratch.far.resize(static_cast<std::size_t>(n_));
    if (copies()) {
      scratch.copies = parts.take<Complex>(n_ * lanes);
      for (Index z = 0; z < n_; ++z) scratch.far[static_cast<std::size_t>(z)] = scratch.copies + z * lanes;
    }
    return scratch;
  }

  void produce(Scratch& scratch, const Unit& u, Index item, Index column, Index count) {
    const auto* const waves = in_.array().template at<const Complex>(item, {0, 0, 0});
    present_.clear(scratch.lines, lanes);
    for (Index lane = 0; lane < count; ++lane) {
      for (const Entry* entry = entries(column + lane); entry != entries(column + lane + 1); ++entry) {
        __builtin_prefetch(waves + entry[ahead].wave);
        Complex* const to = scratch.lines + entry->z * lanes + lane;
        move_number(to, waves + entry->wave);
        if (entry->conjugate) *to = std::conj(*to);
      }
    }
    if (!copies()) find_rows(out_, u.out_tile, u.out_tile + 1, item, {0, 0, column}, 0, scratch.far);
    ColumnRun run = column_run(scratch.near, scratch.far, count);
    run.fetch_out = !copies();
    kernel_->run(run, scratch.kernel);
    if (copies()) {
      scatter<Complex>(out_, u.out_tile, item, columns(column, count), scratch.copies, {lanes, 0, 1}, Unscaled{});
    }
  }

  void consume(Scratch& scratch, const Unit& u, Index item, Index column, Index count) {
    if (copies()) {
      gather<Complex>(in_, u.first_in, u.last_in, item, columns(column, count), scratch.copies, {lanes, 0, 1});
    } else {
      find_rows(in_, u.first_in, u.last_in, item, {0, 0, column}, 0, scratch.far);
    }
    ColumnRun run = column_run(scratch.far, scratch.near, count);
    run.fetch_in = !copies();
    run.scale = pass_.scale;
    kernel_->run(run, scratch.kernel);
    auto* const waves = out_.array().template at<Complex>(item, {0, 0, 0});
    const bool accumulate = this->arrays_.accumulate;
    for (Index lane = 0; lane < count; ++lane) {
      for (const Entry* entry = entries(column + lane); entry != entries(column + lane + 1); ++entry) {
        __builtin_prefetch(waves + entry[ahead].wave, 1);
        Complex* const to = waves + entry->wave;
        const Complex* const from = scratch.lines + entry->z * lanes + lane;
        if (accumulate) {
          add_number(to, entry->conjugate ? std::conj(*from) : *from);
          continue;
        }
        move_number(to, from);
        if (entry->conjugate) *to = std::conj(*to);
      }
    }
  }

  /// On a grid of processes neighbours may go to different ranks, whose blocks have no rows in common.
  Index together(const Unit& u, Index column, Index last) const {
    if (!sphere_.on_grid() || copies()) return last;
    return to_blocks_ ? same_pieces_until(out_, u.out_tile, u.out_tile + 1, column, last)
                      : same_pieces_until(in_, u.first_in, u.last_in, column, last);
  }

  /// Whether columns go through copies in cache.
  bool copies() const { return (to_blocks_ ? out_ : in_).encoded(); }
  Box columns(Index first, Index count) const { return {{0, 0, first}, {n_, 1, first + count}}; }

  const Entry* entries(Index column) const {
    return entries_.data() + first_[static_cast<std::size_t>(column - first_column_)];
  }

  bool to_blocks_;
  Index n_, first_column_;
  std::unique_ptr<ColumnKernel> kernel_;
  std::vector<Entry> entries_;
  std::vector<Index> first_;  ///< entry of each column, and the end
  PresentRows present_;       ///< z that some column has
};

}  // namespace

std::unique_ptr<PassRunner> make_sphere_columns(const SphereData& sphere, const Pass& pass, View in, View out,
                                                const Options& options) {
  return make_sphere_runner<SphereColumns>(sphere, pass, std::move(in), std::move(out), options);
}

}  // namespace weft::detail
