#include "front/padded_line_runs.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <vector>

#include "base/buffer.hpp"
#include "base/checked.hpp"
#include "execute/engine.hpp"
#include "operator/operator.hpp"
#include "operator/rows.hpp"
#include "plan/padded_line.hpp"

namespace weft::detail {

namespace {

template <class Real>
class PaddedLineRunsOf final : public PaddedLineRuns {
  using Complex = std::complex<Real>;

 public:
  explicit PaddedLineRunsOf(const Plan& plan) : problem_(plan.problem()), line_(*plan.data().padded_line) {
    for (std::size_t end = 0; end < 2; ++end) {
      scale_[end] = scale_of(problem_, end == 1 ? Direction::forward : Direction::backward);
      const Range mine = line_.of_rank(end, plan.rank());
      first_[end] = mine.lo;
      for (const std::complex<double>& factor : line_.chirp(mine, Direction::forward)) {
        chirp_[end].emplace_back(factor);
      }
      points_[end] = line_.points_of_rank(end, plan.rank());
      apart_[end] = (end == 0 ? plan.data().input_array : plan.data().output_array).item;
    }
    // Arrays in place: fields are as far apart as the longer ones are long.
    item_ = std::max(points_[0], points_[1]);
    grid_ = Buffer::zeroed(multiply(item_ * bytes, problem_.batch, "the bytes of all fields"));
    for (std::size_t i = 0; i < 2; ++i) functions_[i] = multiplies(i == 1);
    Options options = line_.options(plan.options());
    options.wire = Wire::same;
    options.trace.clear();
    const Problem whole = line_.whole_grid();
    all_points_ = make_convolution(whole, whole, options, plan.ranks(), plan.rank());
    kernel_ = Buffer::zeroed(all_points_->route.input.bytes(1));
    spectrum_.resize(static_cast<std::size_t>(all_points_->whole.count()));
  }

  void find_spectrum(Communicators& communicators) override {
    const OperatorData& data = *all_points_;
    Watchers watchers(communicators, data.options, "the kernel of a padded line");
    Engine engine({{"spectrum", {std::shared_ptr<const Route>(all_points_, &data.route)}}}, data.problem, data.options,
                  communicators, watchers);
    const Box& box = data.route.input.box;
    const Index column = data.problem.shape[0];
    std::ranges::transform(line_.kernel({box.lo[2] * column, box.hi[2] * column}),
                           reinterpret_cast<Complex*>(kernel_.data()),
                           [](const std::complex<double>& x) { return Complex(x); });
    const auto keep = built_in<Real>("kernel", 1, 1, [this](const Spectra<Real>& tile) {
      each_row(tile,
               [](const Complex* in, Complex*, Complex* spectrum, Index count) { std::copy_n(in, count, spectrum); });
    });
    PointCall call;
    call.function = &keep;
    UserArrays arrays;
    arrays.input = arrays.output = kernel_.data();
    arrays.call = &call;
    engine.execute(0, arrays);
    kernel_ = {};
    all_points_ = {};
  }

  void read(std::size_t from, Direction direction, const void* numbers) override {
    const bool real = from == 0 ? problem_.real_input() : problem_.real_output();
    const bool half = line_.half(from);
    each_field(from, [&](Index field, Index distance, Index apart, Index count) {
      Complex* const to = points() + field * item_;
      const auto* const all = static_cast<const Real*>(numbers);
      for (Index i = 0; i < count; ++i) {
        const Index at = field * apart + i * distance;
        Complex x = real ? Complex(all[at]) : Complex(all[2 * at], all[2 * at + 1]);
        if (half) x *= weight(first_[from] + i);
        to[i] = times(x, factor(from, direction, i));
      }
      std::fill(to + count, to + points_[from], Complex(0));
    });
  }

  void write(std::size_t to, Direction direction, void* numbers) const override {
    const bool real = to == 0 ? problem_.real_input() : problem_.real_output();
    const auto scale = static_cast<Real>(scale_[to]);
    each_field(to, [&](Index field, Index distance, Index apart, Index count) {
      const Complex* const from = points() + field * item_;
      auto* const all = static_cast<Real*>(numbers);
      for (Index i = 0; i < count; ++i) {
        const Index at = field * apart + i * distance;
        const Complex y = times(from[i], factor(to, direction, i)) * scale;
        if (real) {
          all[at] = y.real();
        } else {
          all[2 * at] = y.real();
          all[2 * at + 1] = y.imag();
        }
      }
    });
  }

  std::byte* grid() const override { return grid_.data(); }
  const void* function(Direction direction) const override {
    return &functions_[direction == Direction::forward ? 0 : 1];
  }

 private:
  static constexpr Index bytes = sizeof(Complex);

  Complex* points() const { return reinterpret_cast<Complex*>(grid_.data()); }

  Complex factor(std::size_t end, Direction direction, Index i) const {
    const Complex& forward = chirp_[end][static_cast<std::size_t>(i)];
    return direction == Direction::forward ? forward : std::conj(forward);
  }

  /// Modes 1 to (n-1)/2 of real numbers stand for their conjugates, too, whose sum with them is real.
  Real weight(Index mode) const {
    const Index n = problem_.shape[2];
    return mode == 0 || 2 * mode == n ? Real(1) : Real(2);
  }

  /// Calls `use(field, distance, apart, count)`: how far apart the numbers of a field, and fields, are in the user's
  /// array at an end, and how many numbers this rank has there.
  template <class Use>
  void each_field(std::size_t end, const Use& use) const {
    const auto count = static_cast<Index>(chirp_[end].size());
    for (Index field = 0; field < problem_.batch; ++field) {
      problem_.interleaved ? use(field, problem_.batch, Index{1}, count) : use(field, Index{1}, apart_[end], count);
    }
  }

  /// Calls `use(in, out, spectrum, count)` for the rows of a tile.
  template <class Use>
  void each_row(const Spectra<Real>& tile, const Use& use) {
    for_each_row(tile, [&](Index i, Index j) {
      use(tile.in(0, i, j), tile.out(0, i, j), spectrum_.data() + row_in_table(tile, i, j), tile.box.extent(2));
    });
  }

  PointFunction<Real> multiplies(bool conjugated) {
    return built_in<Real>("chirp", 1, 1, [this, conjugated](const Spectra<Real>& tile) {
      each_row(tile, [conjugated](const Complex* in, Complex* out, const Complex* spectrum, Index count) {
        const Real sign = conjugated ? Real(-1) : Real(1);
        for (Index i = 0; i < count; ++i) out[i] = times(in[i], Complex(spectrum[i].real(), sign * spectrum[i].imag()));
      });
    });
  }

  const Problem problem_;
  const PaddedLine& line_;
  std::array<double, 2> scale_{};
  std::array<Index, 2> first_{}, points_{};
  std::array<Index, 2> apart_{};               ///< numbers from field to field in the user's arrays
  std::array<std::vector<Complex>, 2> chirp_;  ///< of forward
  Index item_ = 0;
  Buffer grid_;
  std::shared_ptr<const OperatorData> all_points_;  ///< until the spectrum is found
  Buffer kernel_;
  std::vector<Complex> spectrum_;  ///< of this rank's part of the middle layout, the last axis the fastest
  std::array<PointFunction<Real>, 2> functions_;
};

}  // namespace

std::unique_ptr<PaddedLineRuns> make_padded_line_runs(const Plan& plan) {
  if (plan.problem().precision == Precision::double_) return std::make_unique<PaddedLineRunsOf<double>>(plan);
  return std::make_unique<PaddedLineRunsOf<float>>(plan);
}

}  // namespace weft::detail
