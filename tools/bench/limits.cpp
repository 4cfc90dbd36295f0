#include "limits.hpp"

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

#include "array.hpp"

namespace weft::tools {

namespace {

/// Seconds of `work` on the slowest rank, the best of several rounds begun together.
template <class Work>
double best_time(const Job& job, int rounds, Work&& work) {
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    MPI_Barrier(job.comm);
    const double start = MPI_Wtime();
    work();
    const double seconds = job.max(MPI_Wtime() - start);
    best = round == 0 ? seconds : std::min(best, seconds);
  }
  return best;
}

}  // namespace

double operations(double points, Index n) { return 5 * points * std::log2(static_cast<double>(n)); }

double measure_copy_rate(const Job& job, Index bytes) {
  constexpr Index at_once = Index{64} << 20;  // enough to be timed well
  const Index size = std::max<Index>(4096, job.max(bytes));
  const Index copies = std::max<Index>(1, at_once / size);
  Array<char> from(size), to(size);
  std::fill(from.begin(), from.end(), '\1');
  std::fill(to.begin(), to.end(), '\0');
  const double seconds = best_time(job, 6, [&] {
    for (Index i = 0; i < copies; ++i) {
      std::memcpy(to.data(), from.data(), static_cast<std::size_t>(size));
      // Keeps the compiler from seeing that every copy is the same.
      asm volatile("" : : "r"(to.data()) : "memory");
    }
  });
  return 2 * static_cast<double>(size * copies) / seconds;
}

namespace {

// FFTW's names for one precision. It is used directly, because the limit is what the serial library can do and not
// what Weft makes of it.
struct DoubleFftw {
  static fftw_plan plan(int n, int lines, std::complex<double>* in, std::complex<double>* out) {
    return fftw_plan_many_dft(1, &n, lines, reinterpret_cast<fftw_complex*>(in), nullptr, 1, n,
                              reinterpret_cast<fftw_complex*>(out), nullptr, 1, n, FFTW_FORWARD, FFTW_MEASURE);
  }
  static void execute(fftw_plan plan) { fftw_execute(plan); }
  static void destroy(fftw_plan plan) { fftw_destroy_plan(plan); }
};
struct SingleFftw {
  static fftwf_plan plan(int n, int lines, std::complex<float>* in, std::complex<float>* out) {
    return fftwf_plan_many_dft(1, &n, lines, reinterpret_cast<fftwf_complex*>(in), nullptr, 1, n,
                               reinterpret_cast<fftwf_complex*>(out), nullptr, 1, n, FFTW_FORWARD, FFTW_MEASURE);
  }
  static void execute(fftwf_plan plan) { fftwf_execute(plan); }
  static void destroy(fftwf_plan plan) { fftwf_destroy_plan(plan); }
};

}  // namespace

template <class Real>
double measure_line_rate(const Job& job, Index n) {
  using Fftw = std::conditional_t<std::is_same_v<Real, double>, DoubleFftw, SingleFftw>;
  using Complex = std::complex<Real>;
  if (n > std::numeric_limits<int>::max()) return 0;  // FFTW's plain interface goes no further
  constexpr Index cache_bytes = 32 << 10;             // input and output together fit any second-level cache
  const Index lines = std::max<Index>(1, cache_bytes / (n * static_cast<Index>(sizeof(Complex))));
  Array<Complex> in(lines * n), out(lines * n);
  const auto plan = Fftw::plan(static_cast<int>(n), static_cast<int>(lines), in.data(), out.data());
  std::fill(in.begin(), in.end(), Complex(1, 1));
  const double once = operations(static_cast<double>(lines * n), n);
  const int calls = std::max(4, static_cast<int>(2e7 / once));
  const double seconds = best_time(job, 5, [&] {
    for (int i = 0; i < calls; ++i) Fftw::execute(plan);
  });
  Fftw::destroy(plan);
  return calls * once / seconds;
}

template double measure_line_rate<float>(const Job&, Index);
template double measure_line_rate<double>(const Job&, Index);

}  // namespace weft::tools
