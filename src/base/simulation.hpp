// Running inside a simulator (SimGrid's SMPI, option WEFT_SIMULATED), where time does not pass by itself: messages take
// what the simulated network gives, and work takes what is charged here. In ordinary builds all of this is nothing.
#pragma once

#include <cstdint>

namespace weft::detail {

/// What a piece of work takes of a machine.
struct Work {
  double flops = 0;
  double bytes = 0;  ///< read from and written to memory, through all caches
};

/// One of so many equal parts of it.
constexpr Work operator/(const Work& work, std::int64_t parts) {
  const auto divisor = static_cast<double>(parts < 1 ? 1 : parts);
  return {work.flops / divisor, work.bytes / divisor};
}

#ifdef WEFT_SIMULATED

constexpr bool simulated = true;
/// Lets the time pass that this rank's host needs for `work`: floating point operations by its speed, bytes by the
/// bandwidth of its memory, which its ranks share; both at once. The same on every run.
void charge(const Work& work);
/// The same for so many units of a work whose cost is a rate of the machine ([rates] of its file: seconds a unit); 8
/// bytes of memory a unit where it has none.
void charge(const char* formula, double units);
/// Whether only sizes are simulated (WEFT_LAB_DATA=none): no pass computes, and what arrives means nothing.
bool sizes_only();
/// Seconds since the simulation began.
double simulated_now();
/// Lets time pass.
void simulated_sleep(double seconds);

#else

constexpr bool simulated = false;
constexpr void charge(const Work&) {}
constexpr void charge(const char*, double) {}
constexpr bool sizes_only() { return false; }

#endif

}  // namespace weft::detail
