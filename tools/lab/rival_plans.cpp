// The rule by which FFTW-MPI's computation is charged: as Weft's own passes are (src/plan/cost.cpp).
//
// FFTW-MPI makes a serial plan of FFTW for every piece of work between two messages: the transforms of its planes and
// of its lines, the local transpositions by which it packs and unpacks. scripts/lab_rivals.sh compiles it such that it
// asks for them here. It gets plans that do the same and then charge it: 5 n log2 n operations a complex line, half of
// that a real one, and every number read and written once in each trip through memory. A copy is a trip, and so is a
// transform of lines, or of planes that stay in the cache.
#include "rival_plans.hpp"

#include <cmath>
#include <cstring>

#include "base/simulation.hpp"

// FFTW's own headers.
#include <kernel/ifftw.h>
// They need the one before.
#include <dft/dft.h>
#include <ifftw-mpi.h>
#include <mpi-transpose.h>
#include <rdft/rdft.h>

namespace {

using weft::detail::Work;

/// Planes up to this size take one trip through memory, as those of Weft's plans do (src/plan/chain.cpp).
constexpr double plane_bytes = 8 << 20;

/// A serial plan, and what it takes of the machine.
struct Charged {
  union {
    plan_dft dft;
    plan_rdft rdft;
    plan_rdft2 rdft2;
  } as;
  plan* inner;
  Work work;
};

const Charged& charged(const plan* ego) { return *reinterpret_cast<const Charged*>(ego); }

template <class Plan, class... Arrays>
void run(const plan* ego, Arrays... arrays) {
  const auto& [as, inner, work] = charged(ego);
  if (!weft::detail::sizes_only()) reinterpret_cast<const Plan*>(inner)->apply(inner, arrays...);
  weft::detail::charge(work);
}

void awake(plan* ego, wakefulness how) { fftw_plan_awake(charged(ego).inner, how); }
void print(const plan* ego, printer* to) { charged(ego).inner->adt->print(charged(ego).inner, to); }
void destroy(plan* ego) { fftw_plan_destroy_internal(charged(ego).inner); }

/// Of a transform along the axes of `size`: numbers that are no fewer at either end have `in` and `out` bytes in all,
/// and `between` where both ends are in the middle of it.
Work of_transform(const tensor* size, double times, double flops_a_point, double in, double out, double between) {
  const auto points = static_cast<double>(fftw_tensor_sz(size));
  Work work{.flops = times * flops_a_point * points * std::log2(points), .bytes = in + out};
  int trips = size->rnk;
  if (trips > 1) {
    const double plane = points * 2 * sizeof(R) / (trips > 2 ? static_cast<double>(size->dims[0].n) : 1);
    if (plane <= plane_bytes) --trips;
  }
  if (trips > 1) work.bytes += 2 * (trips - 1) * between;
  return work;
}

/// What a serial problem of FFTW takes.
Work work_of(const problem* asked) {
  const auto bytes = [](double numbers) { return numbers * sizeof(R); };
  switch (asked->adt->problem_kind) {
    case PROBLEM_DFT: {
      const auto* const p = reinterpret_cast<const problem_dft*>(asked);
      const auto times = static_cast<double>(fftw_tensor_sz(p->vecsz));
      const double field = bytes(2 * times * static_cast<double>(fftw_tensor_sz(p->sz)));
      return of_transform(p->sz, times, 5, field, field, field);
    }
    case PROBLEM_RDFT2: {
      const auto* const p = reinterpret_cast<const problem_rdft2*>(asked);
      const auto times = static_cast<double>(fftw_tensor_sz(p->vecsz));
      const auto points = static_cast<double>(fftw_tensor_sz(p->sz));
      const auto n = static_cast<double>(p->sz->rnk > 0 ? p->sz->dims[p->sz->rnk - 1].n : 1);
      const double real = bytes(times * points), complex = bytes(2 * times * points / n * (std::floor(n / 2) + 1));
      return of_transform(p->sz, times, 2.5, real, complex, complex);
    }
    default: {  // a copy, if it has no axes to transform
      const auto* const p = reinterpret_cast<const problem_rdft*>(asked);
      const auto times = static_cast<double>(fftw_tensor_sz(p->vecsz));
      const double field = bytes(times * static_cast<double>(fftw_tensor_sz(p->sz)));
      if (p->sz->rnk == 0) return {.bytes = 2 * field};
      return of_transform(p->sz, times, 2.5, field, field, field);
    }
  }
}

/// The plan in which `inner` is charged; itself if it is none, does nothing, or is a plan of FFTW-MPI's.
plan* charging(plan* inner, int kind, Work work) {
  if (inner == nullptr || (inner->ops.add == 0 && inner->ops.mul == 0 && inner->ops.fma == 0 && inner->ops.other == 0))
    return inner;
  plan* made = nullptr;
  if (kind == PROBLEM_DFT) {
    static const plan_adt adt{fftw_dft_solve, awake, print, destroy};
    made = fftw_mkplan_dft(sizeof(Charged), &adt, run<plan_dft, R*, R*, R*, R*>);
  } else if (kind == PROBLEM_RDFT2) {
    static const plan_adt adt{fftw_rdft2_solve, awake, print, destroy};
    made = fftw_mkplan_rdft2(sizeof(Charged), &adt, run<plan_rdft2, R*, R*, R*, R*>);
  } else {
    static const plan_adt adt{fftw_rdft_solve, awake, print, destroy};
    made = fftw_mkplan_rdft(sizeof(Charged), &adt, run<plan_rdft, R*, R*>);
  }
  made->ops = inner->ops;
  made->pcost = inner->pcost;
  made->could_prune_now_p = inner->could_prune_now_p;
  auto& both = *reinterpret_cast<Charged*>(made);
  both.inner = inner;
  both.work = work;
  return made;
}

bool serial(const problem* asked) {
  const int kind = asked->adt->problem_kind;
  return kind == PROBLEM_DFT || kind == PROBLEM_RDFT || kind == PROBLEM_RDFT2;
}

/// `make` makes the plan, and the problem is no more after it.
template <class Make>
plan* planned(const problem* asked, Make make) {
  if (!serial(asked)) return make();
  const int kind = asked->adt->problem_kind;
  const Work work = work_of(asked);
  return charging(make(), kind, work);
}

std::string allowed = "any";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A solver for the transpositions of a part of the ranks alone.
struct OfParts {
  solver super;
  const solver* inner;
};

plan* plan_of_parts(const solver* ego, const problem* asked, planner* by) {
  int ranks = 0, all = 0;
  MPI_Comm_size(reinterpret_cast<const problem_mpi_transpose*>(asked)->comm, &ranks);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  if (ranks == all) return nullptr;
  const solver* const inner = reinterpret_cast<const OfParts*>(ego)->inner;
  return inner->adt->mkplan(inner, asked, by);
}

}  // namespace

// What FFTW-MPI calls.
extern "C" {

plan* weft_rival_plan(planner* by, problem* asked) {
  return planned(asked, [&] { return fftw_mkplan_d(by, asked); });
}

plan* weft_rival_plan_with_flags(planner* by, problem* asked, unsigned l_set, unsigned u_set, unsigned u_reset) {
  return planned(asked, [&] { return fftw_mkplan_f_d(by, asked, l_set, u_set, u_reset); });
}

/// Of a block that stays on its rank.
void* weft_rival_copy(void* to, const void* from, std::size_t bytes) {
  if (!weft::detail::sizes_only()) std::memcpy(to, from, bytes);
  weft::detail::charge(Work{.bytes = 2 * static_cast<double>(bytes)});
  return to;
}

/// Of what solves problems of FFTW-MPI, transpositions that are not allowed are left out. A recursive one needs others
/// for its parts; that of all ranks is its own.
void weft_rival_register(planner* to, solver* one) {
  const std::string name = to->cur_reg_nam;
  if (allowed == "any" || !has(name, "mpi_transpose_") || has(name, allowed)) {
    fftw_solver_register(to, one);
  } else if (allowed == "recurse") {
    static const solver_adt adt{PROBLEM_MPI_TRANSPOSE, plan_of_parts, nullptr};
    solver* const made = fftw_mksolver(sizeof(OfParts), &adt);
    reinterpret_cast<OfParts*>(made)->inner = one;
    fftw_solver_register(to, made);
  } else {
    fftw_ifree(one);
  }
}
}

namespace weft::tools {

void allow_transposition(const std::string& name) { allowed = name; }

}  // namespace weft::tools
