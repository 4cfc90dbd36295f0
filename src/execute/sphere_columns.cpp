// The passes of a sphere along z: plane waves of any order on one side, blocks of an exchange on the other.
//
//   waves -> lanes [z][columns] -> FFT -> blocks            blocks -> FFT -> lanes -> waves
//
// As many columns as fit two cache lines go through together. Points that no column of the rank has are read from one
// row of zeroes, and written to one row that nobody reads.
#include "base/checked.hpp"
#include "execute/sphere_pass.hpp"

namespace weft::detail {

namespace {

template <class Real>
class SphereColumns final : public PassRunner {
  using Complex = std::complex<Real>;
  static constexpr Index lanes = lanes_together<Real>;
  /// Columns of a chunk: enough work to be worth a look at the clock.
  static constexpr Index chunk_columns = 4 * lanes;

 public:
  SphereColumns(const Pass& pass, View in, View out, const Backend& backend, Precision precision, Effort effort)
      : pass_(pass),
        sphere_(*pass.sphere.sphere),
        in_(std::move(in)),
        out_(std::move(out)),
        to_blocks_(pass.sphere.work == SphereWork::waves_to_blocks),
        n_(sphere_.problem.grid[2]),
        first_column_(pass.in.lo[2]) {
    if (pass.in.empty()) return;
    kernel_ = make_column_kernel(backend, n_, pass.sign, precision, effort);
    make_entries();
  }

  Index scratch_bytes() const override {
    ScratchParts parts;
    lay_out(parts);
    return parts.used();
  }
  void use_scratch(std::byte* memory, Index of_thread, int threads) override {
    scratch_.clear();
    for (int thread = 0; thread < threads; ++thread, memory += of_thread) {
      ScratchParts parts(memory);
      scratch_.push_back(lay_out(parts));
    }
  }
  void bind(const UserArrays& arrays) override {
    arrays_ = arrays;
    in_.bind(arrays);
    out_.bind(arrays);
  }
  Index chunks(Index unit) const override {
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    return u.in.empty() ? 0 : ceil_divide(u.in.extent(2), chunk_columns) * items_of(u, arrays_);
  }

  void run(Index unit, Index chunk, int thread, MemoryTraffic& traffic) override {
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    const Index per_item = ceil_divide(u.in.extent(2), chunk_columns);
    const Index item = u.items.lo + chunk / per_item;
    const Index lo = u.in.lo[2] + chunk % per_item * chunk_columns, hi = std::min(u.in.hi[2], lo + chunk_columns);
    // The threads' scratch is shared with other passes.
    if (to_blocks_) std::fill_n(scratch.edge.zero, lanes, Complex(0));
    for (Index column = lo; column < hi; column += lanes) {
      const Index count = std::min(lanes, hi - column);
      to_blocks_ ? produce(scratch, u, item, column, count) : consume(scratch, u, item, column, count);
    }
    const auto waves = static_cast<Index>(sizeof(Complex)) *
                       (first_[static_cast<std::size_t>(hi - first_column_)] -
                        first_[static_cast<std::size_t>(lo - first_column_)]);
    const Index points = n_ * (hi - lo) * static_cast<Index>(sizeof(Complex));
    traffic.read += to_blocks_ ? waves : points;
    traffic.written += to_blocks_ ? points : waves;
  }

 private:
  struct Scratch {
    Complex* lines = nullptr;  ///< [z][lane]
    EdgeRows<Complex> edge;
    std::byte* kernel = nullptr;
    std::vector<Complex*> near, far;  ///< rows: of the lanes, and of the blocks
  };
  /// A wave, and z in its column.
  struct Entry {
    std::int32_t wave, z;
    bool conjugate;
  };

  /// Waves by column. On the way to space: each point once, with the mirror images of a column that is its own. On the
  /// way back: each wave once.
  void make_entries() {
    const auto& places = sphere_.waves.places;
    const auto& columns = sphere_.waves.columns;
    const auto own_mirror = [&](const WavePlace& place) {
      const Stick& stick = columns[static_cast<std::size_t>(place.column)];
      return sphere_.problem.gamma && is_own_mirror(stick.x, sphere_.problem.grid[0]) &&
             is_own_mirror(stick.y, sphere_.problem.grid[1]) && !is_own_mirror(place.z, n_);
    };
    std::vector<std::vector<Entry>> by_column(columns.size());
    present_.assign(static_cast<std::size_t>(n_), false);
    const auto add = [&](const WavePlace& place, std::size_t wave, std::int32_t z, bool conjugate) {
      by_column[static_cast<std::size_t>(place.column)].push_back(
          {narrow<std::int32_t>(wave, "the number of plane waves of a rank"), z, conjugate});
      present_[static_cast<std::size_t>(z)] = true;
    };
    for (std::size_t wave = 0; wave < places.size(); ++wave) {
      const WavePlace& place = places[wave];
      add(place, wave, place.z, place.conjugate);
      if (to_blocks_ && own_mirror(place)) add(place, wave, static_cast<std::int32_t>(n_ - place.z), !place.conjugate);
    }
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
  }

  Scratch lay_out(ScratchParts& parts) const {
    Scratch scratch;
    if (!kernel_) return scratch;
    scratch.lines = parts.take<Complex>(n_ * lanes);
    scratch.edge = {parts.take<Complex>(lanes), parts.take<Complex>(lanes)};
    scratch.kernel = parts.take<std::byte>(kernel_->scratch_bytes());
    Complex* const absent = to_blocks_ ? scratch.edge.zero : scratch.edge.waste;
    for (Index z = 0; z < n_; ++z) {
      scratch.near.push_back(present_[static_cast<std::size_t>(z)] ? scratch.lines + z * lanes : absent);
    }
    scratch.far.resize(static_cast<std::size_t>(n_));
    return scratch;
  }

  void produce(Scratch& scratch, const Unit& u, Index item, Index column, Index count) {
    const auto* const waves = in_.array().at<const Complex>(item, {0, 0, 0});
    for (Index z = 0; z < n_; ++z) {
      if (present_[static_cast<std::size_t>(z)]) std::fill_n(scratch.lines + z * lanes, lanes, Complex(0));
    }
    for (Index lane = 0; lane < count; ++lane) {
      for (const Entry* entry = entries(column + lane); entry != entries(column + lane + 1); ++entry) {
        const Complex value = waves[entry->wave];
        scratch.lines[entry->z * lanes + lane] = entry->conjugate ? std::conj(value) : value;
      }
    }
    find_rows(out_, u.out_tile, u.out_tile + 1, item, {0, 0, column}, 0, scratch.far);
    ColumnRun run;
    run.in = reinterpret_cast<const void* const*>(scratch.near.data());
    run.out = reinterpret_cast<void* const*>(scratch.far.data());
    run.columns = count;
    run.fetch_out = true;
    kernel_->run(run, scratch.kernel);
  }

  void consume(Scratch& scratch, const Unit& u, Index item, Index column, Index count) {
    find_rows(in_, u.first_in, u.last_in, item, {0, 0, column}, 0, scratch.far);
    ColumnRun run;
    run.in = reinterpret_cast<const void* const*>(scratch.far.data());
    run.out = reinterpret_cast<void* const*>(scratch.near.data());
    run.columns = count;
    run.fetch_in = true;
    run.scale = pass_.scale;
    kernel_->run(run, scratch.kernel);
    auto* const waves = out_.array().at<Complex>(item, {0, 0, 0});
    for (Index lane = 0; lane < count; ++lane) {
      for (const Entry* entry = entries(column + lane); entry != entries(column + lane + 1); ++entry) {
        const Complex value = scratch.lines[entry->z * lanes + lane];
        waves[entry->wave] = entry->conjugate ? std::conj(value) : value;
      }
    }
  }

  const Entry* entries(Index column) const {
    return entries_.data() + first_[static_cast<std::size_t>(column - first_column_)];
  }

  const Pass& pass_;
  const SphereData& sphere_;
  View in_, out_;
  UserArrays arrays_;
  bool to_blocks_;
  Index n_, first_column_;
  std::unique_ptr<ColumnKernel> kernel_;
  std::vector<Entry> entries_;
  std::vector<Index> first_;   ///< entry of each column, and the end
  std::vector<bool> present_;  ///< z that some column has
  std::vector<Scratch> scratch_;
};

}  // namespace

std::unique_ptr<PassRunner> make_sphere_columns(const Pass& pass, View in, View out, Precision precision,
                                                const Options& options) {
  const Backend& backend = find_backend(options.backend);
  if (precision == Precision::double_) {
    return std::make_unique<SphereColumns<double>>(pass, std::move(in), std::move(out), backend, precision,
                                                   options.effort);
  }
  return std::make_unique<SphereColumns<float>>(pass, std::move(in), std::move(out), backend, precision,
                                                options.effort);
}

}  // namespace weft::detail
