// The rule by which SpFFT's computation is charged: as FFTW-MPI's is (rival_plans.cpp).
//
// SpFFT computes by serial plans of FFTW, of lines along z, along y and along x, and by loops of its own that nobody
// can ask: they put the waves into columns, pack and unpack blocks of messages, and clear planes. scripts/lab_rivals.sh
// renames what its library asks of FFTW, so that it asks for plans here. They do the same, or nothing where only sizes
// are simulated, and then charge it, with the loops that stand beside them on the same side of the messages: 5 n log2 n
// operations a line, and each number read and written once in each trip through memory. A loop is a trip. Lines along y
// and along x are one trip together where the planes of a rank stay in the cache.
#include <fftw3.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "base/simulation.hpp"
#include "rival_spfft.hpp"

namespace {

using weft::detail::Work;

/// Planes up to this size take one trip through memory, as those of Weft's plans do (src/plan/chain.cpp).
constexpr double plane_bytes = 8 << 20;
constexpr double number = sizeof(fftw_complex);

weft::tools::Sphere sphere;

/// What an execution of a plan takes: loops before it, its lines, loops after it. Each by itself, one after the other.
struct Charges {
  Work before{}, lines{}, after{};
};

/// By plan. All ranks are one thread of one process.
std::map<fftw_plan, Charges> charges;

Charges of_columns(double columns, double n, int sign, double flops) {
  const double column_bytes = number * columns * n;
  const double wave_bytes = number * columns * sphere.waves / sphere.columns;
  Charges all{.lines = {flops, 2 * column_bytes}};
  const Work blocks{.bytes = sphere.packed ? 2 * column_bytes : 0};
  if (sign == FFTW_BACKWARD) {  // to space: columns are cleared, and the waves put into them
    all.before.bytes = column_bytes + wave_bytes;
    all.after = blocks;
  } else {
    all.before = blocks;
    all.after.bytes = 2 * wave_bytes;
  }
  return all;
}

/// Lines along y, which are transformed where they lie, for all planes of the rank.
Charges of_lines_in_place(double planes, double lines, double n, double plane, double flops) {
  const bool in_cache = number * planes * plane <= plane_bytes;
  return {.lines = {flops, in_cache ? 0 : 2 * number * lines * n}};
}

/// Lines along x, of one plane, into the other array. What clears, packs and unpacks planes is between them and
/// messages.
Charges of_plane(double lines, double n, int sign, double flops) {
  const double plane = number * lines * n;
  Charges all{.lines = {flops, 2 * plane}};
  const double blocks = sphere.packed ? 2 * number * sphere.columns : 0;
  if (sign == FFTW_BACKWARD) {
    all.before.bytes = plane + blocks;
  } else {
    all.after.bytes = blocks;
  }
  return all;
}

void execute(fftw_plan plan, fftw_complex* in, fftw_complex* out) {
  const auto found = charges.find(plan);
  if (found == charges.end()) throw std::logic_error("SpFFT executes a plan that was not made here");
  const auto& [before, lines, after] = found->second;
  if (!weft::detail::sizes_only()) {
    if (in != nullptr) {
      fftw_execute_dft(plan, in, out);
    } else {
      fftw_execute(plan);
    }
  }
  for (const Work& work : {before, lines, after}) weft::detail::charge(work);
}

}  // namespace

namespace weft::tools {

void charge_for(const Sphere& of) { sphere = of; }

}  // namespace weft::tools

// What SpFFT calls.
extern "C" {

fftw_plan labf_plan_many_dft(int rank, const int* n, int howmany, fftw_complex* in, const int* inembed, int istride,
                             int idist, fftw_complex* out, const int* onembed, int ostride, int odist, int sign,
                             unsigned flags) {
  fftw_plan plan =
      fftw_plan_many_dft(rank, n, howmany, in, inembed, istride, idist, out, onembed, ostride, odist, sign, flags);
  const double points = *n, lines = howmany, flops = 5 * lines * points * std::log2(points);
  charges[plan] = in != out     ? of_plane(lines, points, sign, flops)
                  : idist == *n ? of_columns(lines, points, sign, flops)
                                : of_lines_in_place(lines, lines, points, idist, flops);
  return plan;
}

void labf_execute(fftw_plan plan) { execute(plan, nullptr, nullptr); }
void labf_execute_dft(fftw_plan plan, fftw_complex* in, fftw_complex* out) { execute(plan, in, out); }

void labf_destroy_plan(fftw_plan plan) {
  charges.erase(plan);
  fftw_destroy_plan(plan);
}

int labf_alignment_of(double* at) { return fftw_alignment_of(at); }

// Of real transforms: its library has them, our program makes none.
fftw_plan labf_plan_many_dft_r2c() { throw std::logic_error("a real transform of SpFFT"); }
fftw_plan labf_plan_many_dft_c2r() { throw std::logic_error("a real transform of SpFFT"); }
void labf_execute_dft_r2c() { throw std::logic_error("a real transform of SpFFT"); }
void labf_execute_dft_c2r() { throw std::logic_error("a real transform of SpFFT"); }
}
