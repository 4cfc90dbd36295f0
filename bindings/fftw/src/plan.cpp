#include "plan.hpp"

#include <dlfcn.h>
#include <fftw3-mpi.h>

#include <array>
#include <cmath>
#include <complex>
#include <string>
#include <utility>

#include "base/mpi.hpp"
#include "base/text.hpp"
#include "blocks.hpp"
#include "line.hpp"
#include "shared.hpp"
#include "transposition.hpp"
#include "weft/weft.hpp"

namespace weft::fftw {

using detail::concat;

namespace {

/// What FFTW's flags say of how hard to look for fast kernels.
Effort effort_of(unsigned flags) {
  if ((flags & FFTW_ESTIMATE) != 0) return Effort::estimate;
  return (flags & (FFTW_PATIENT | FFTW_EXHAUSTIVE)) != 0 ? Effort::patient : Effort::measure;
}

/// What a program has said with fftw_plan_with_nthreads. Weft has threads of its own for that; while this lives, FFTW
/// plans Weft's lines for one thread each. (Only programs that are linked with FFTW's threads have these functions.)
template <class Real>
class Threads {
  static constexpr bool is_double = sizeof(Real) == 8;

 public:
  Threads()
      : asked_(function<int()>(is_double ? "fftw_planner_nthreads" : "fftwf_planner_nthreads")),
        set_(function<void(int)>(is_double ? "fftw_plan_with_nthreads" : "fftwf_plan_with_nthreads")),
        wanted_(asked_ != nullptr && set_ != nullptr ? asked_() : 1) {
    if (wanted_ > 1) set_(1);
  }
  ~Threads() {
    if (wanted_ > 1) set_(wanted_);
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  /// 0: nothing has been said.
  int wanted() const { return wanted_ > 1 ? wanted_ : 0; }

 private:
  template <class Function>
  static Function* function(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  }
  int (*asked_)();
  void (*set_)(int);
  int wanted_;
};

/// A request in Weft's words. Near is the side of space, where forward begins and backward ends.
struct Words {
  Problem problem;
  Direction direction;
  Options options;
};

Line line_of(int kind) {
  switch (kind) {
    case FFTW_R2HC: return Line::r2hc;
    case FFTW_HC2R: return Line::hc2r;
    case FFTW_DHT: return Line::dht;
    case FFTW_REDFT00: return Line::dct1;
    case FFTW_REDFT10: return Line::dct2;
    case FFTW_REDFT01: return Line::dct3;
    case FFTW_REDFT11: return Line::dct4;
    case FFTW_RODFT00: return Line::dst1;
    case FFTW_RODFT10: return Line::dst2;
    case FFTW_RODFT01: return Line::dst3;
    case FFTW_RODFT11: return Line::dst4;
    default: throw Error(concat("a kind is ", kind));
  }
}

/// What flags and threads ask for, of a plan of any dimension.
Options options_of(const Request& request, bool in_place, int threads) {
  Options options;
  options.effort = effort_of(request.flags);
  options.check = false;  // as FFTW does; WEFT_CHECK=1 sets it
  options.threads = threads;
  options.in_place = in_place;
  return options;
}

/// Of one dimension.
Words words_of_line(const Request& request, bool in_place, int threads) {
  const LineOrder order = line_order(request.sign, request.flags);
  const bool forward = request.sign == FFTW_FORWARD;
  Words words{{}, forward ? Direction::forward : Direction::backward, options_of(request, in_place, threads)};
  Problem& problem = words.problem;
  problem.shape = line_grid(request.n[0]);
  problem.one_line = true;
  problem.kind.to_space = forward != order.to_spectrum;
  problem.batch = request.howmany;
  problem.interleaved = request.howmany > 1;
  if (!order.scrambled) (problem.kind.to_space ? problem.input_order : problem.output_order) = {2, 1, 0};
  words.options.transposed = order.scrambled;
  return words;
}

Words words_of(const Request& request, bool in_place, int threads) {
  if (request.n.size() == 1) return words_of_line(request, in_place, threads);
  const bool forward = request.what == What::r2c || request.what == What::r2r ||
                       (request.what == What::c2c && request.sign == FFTW_FORWARD);
  const auto transposed = [&](unsigned flag) { return (request.flags & flag) != 0; };
  const bool near_transposed = transposed(forward ? FFTW_MPI_TRANSPOSED_IN : FFTW_MPI_TRANSPOSED_OUT);
  // Weft's chain begins with slabs along the first axis: what is dealt along the second one becomes that, and the far
  // side changes with it.
  const bool far_transposed = transposed(forward ? FFTW_MPI_TRANSPOSED_OUT : FFTW_MPI_TRANSPOSED_IN) != near_transposed;
  std::vector<Index> n(request.n.begin(), request.n.end());
  if (near_transposed) std::swap(n[0], n[1]);
  const bool flat = n.size() == 2;

  Words words{{}, forward ? Direction::forward : Direction::backward, options_of(request, in_place, threads)};
  Problem& problem = words.problem;
  problem.shape = Extents(n.data(), n.size());
  problem.kind = request.what == What::c2c ? Kind::c2c : Kind::r2c;
  if (request.what == What::r2r) {
    std::vector<Line> lines;
    for (const int kind : request.kinds) lines.push_back(line_of(kind));
    if (near_transposed) std::swap(lines[0], lines[1]);
    problem.kind = kind_of(std::move(lines));
  }
  problem.batch = request.howmany;
  problem.interleaved = request.howmany > 1;
  problem.padded_rows = (request.what == What::r2c || request.what == What::c2r) && !in_place;
  if (far_transposed) problem.output_order = flat ? MemoryOrder{2, 1, 0} : MemoryOrder{1, 0, 2};

  int ranks = 0;
  WEFT_MPI(request.comm, MPI_Comm_size(request.comm, &ranks));
  const auto dealt = [&](const Shape& shape, int axis, Index given) {
    return slabs(shape, axis, block_size(shape[static_cast<std::size_t>(axis)], given, ranks), ranks);
  };
  Options& options = words.options;
  options.input = dealt(problem.shape, 0, forward ? request.in_block : request.out_block);
  options.output = dealt(problem.spectrum_shape(), far_transposed ? (flat ? 2 : 1) : 0,
                         forward ? request.out_block : request.in_block);
  return words;
}

template <class Real>
class TransformPlan final : public WeftPlan {
  using Complex = std::complex<Real>;

 public:
  TransformPlan(const Request& request, const Words& words)
      : transform_(shared_transform<Real>(words.problem, words.options, request.comm)),
        text_(fftw::describe(request, transform_->plan().problem().precision, words.options.in_place)),
        forward_(words.direction == Direction::forward),
        in_place_(words.options.in_place),
        in_(request.in),
        out_(request.out) {}

  void execute() override { execute(in_, out_); }

  void execute(void* in, void* out) override {
    const Index near = transform_->plan().input_size(), far = transform_->plan().output_size();
    require_arrays(in, (forward_ ? near : far) > 0, out, (forward_ ? far : near) > 0, in_place_, text_);
    run(in, out);
  }

  std::string describe() const override {
    const Plan& plan = transform_->plan();
    const int threads = plan.options().threads;
    return concat("(weft ", text_, "; strategy ", plan.options().strategy, ", ", plan.input().describe(), " to ",
                  plan.output().describe(), threads > 0 ? concat(", ", threads, " threads") : "", ")");
  }

  double additions() const override { return 3 * log_points(); }
  double multiplications() const override { return 2 * log_points(); }

 private:
  void run(void* in, void* out) {
    if (in_place_) {
      auto* const data = static_cast<Complex*>(in);
      forward_ ? transform_->forward(data) : transform_->backward(data);
    } else if (real_in_ && real_out_) {
      transform_->forward(static_cast<const Real*>(in), static_cast<Real*>(out));
    } else if (real_in_ && forward_) {
      transform_->forward(static_cast<const Real*>(in), static_cast<Complex*>(out));
    } else if (real_in_) {
      transform_->backward(static_cast<const Complex*>(in), static_cast<Real*>(out));
    } else {
      const auto* const from = static_cast<const Complex*>(in);
      auto* const to = static_cast<Complex*>(out);
      forward_ ? transform_->forward(from, to) : transform_->backward(from, to);
    }
  }

  /// N log2 N of all fields, this rank's share.
  double log_points() const {
    const Problem& problem = transform_->plan().problem();
    double points = 1;
    for (const Index n : problem.shape) points *= static_cast<double>(n);
    const double parts = (real_in_ ? 2 : 1) * transform_->plan().ranks();
    return static_cast<double>(problem.batch) * points * std::log2(points) / parts;
  }

  std::shared_ptr<Transform<Real>> transform_;
  std::string text_;
  /// Of forward.
  bool real_in_ = transform_->plan().problem().real_input(), real_out_ = transform_->plan().problem().real_output();
  bool forward_, in_place_;
  void *in_, *out_;
};

/// Whether this rank has a part of either end.
bool holds_numbers(const Request& request) {
  int ranks = 0, rank = 0;
  WEFT_MPI(request.comm, MPI_Comm_size(request.comm, &ranks));
  WEFT_MPI(request.comm, MPI_Comm_rank(request.comm, &rank));
  if (request.n.size() == 1) {
    const LineShares shares = line_shares(request.n[0], line_order(request.sign, request.flags), ranks, rank);
    return shares.in.hi > shares.in.lo || shares.out.hi > shares.out.lo;
  }
  const auto holds = [&](unsigned transposed, Index given) {
    const bool second =
        request.what == What::transpose ? transposed == FFTW_MPI_TRANSPOSED_OUT : (request.flags & transposed) != 0;
    const Index n = request.n[second ? 1 : 0];
    const Range mine = block(n, block_size(n, given, ranks), rank);
    return mine.hi > mine.lo;
  };
  return holds(FFTW_MPI_TRANSPOSED_IN, request.in_block) || holds(FFTW_MPI_TRANSPOSED_OUT, request.out_block);
}

}  // namespace

template <class Real>
std::unique_ptr<WeftPlan> make_plan(const Request& request) {
  const bool in_place = agree_in_place(request, holds_numbers(request));
  if (request.what == What::transpose) return std::make_unique<Transposition<Real>>(request, in_place);
  const Threads<Real> threads;
  return std::make_unique<TransformPlan<Real>>(request, words_of(request, in_place, threads.wanted()));
}

template std::unique_ptr<WeftPlan> make_plan<float>(const Request& request);
template std::unique_ptr<WeftPlan> make_plan<double>(const Request& request);

}  // namespace weft::fftw
