// The one place that waits by looking again and again.
#pragma once

#include <sched.h>

#include <algorithm>

#include "base/clock.hpp"

namespace weft::detail {

/// Returns when `done()` is true, calling `idle()` in between. Gives the processor away after a while, since there may
/// be more ranks than cores.
template <class Done, class Idle>
void wait_until(const Done& done, const Idle& idle) {
#ifdef WEFT_SIMULATED
  // Looking takes no simulated time, and nobody else runs meanwhile: sleep, at most a 16th too long.
  constexpr double glance = 1e-7;
  for (const double begin = now(); !done();) {
    idle();
    if (done()) return;
    simulated_sleep(std::max(glance, (now() - begin) / 16));
  }
#else
  constexpr int patience = 2000;
  for (int looks = 0; !done(); ++looks) {
    if (looks < patience) {
#ifdef __SSE2__
      __builtin_ia32_pause();
#elif defined(__aarch64__)
      asm volatile("isb");  // takes as long as x86's pause; Arm's yield takes no time
#endif
      if (looks % 64 == 63) idle();
    } else {
      idle();
      sched_yield();
    }
  }
#endif
}

}  // namespace weft::detail
