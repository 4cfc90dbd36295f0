#include "handles.hpp"

#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::fftw {

void* Handles::add(std::unique_ptr<WeftPlan>& plan) {
  const std::lock_guard lock(adding_);
  // The place of a plan that was destroyed is the last one to be taken again, so that its use is noticed.
  for (std::size_t tried = 0; tried < most; ++tried) {
    auto& place = places_[next_++ % most];
    if (place.load(std::memory_order_relaxed) != nullptr) continue;
    place.store(plan.release(), std::memory_order_release);
    return &place;
  }
  throw Error(detail::concat("there are ", most, " plans already; destroy some of them"));
}

std::unique_ptr<WeftPlan> Handles::take(void* handle) {
  return std::unique_ptr<WeftPlan>(
      static_cast<std::atomic<WeftPlan*>*>(handle)->exchange(nullptr, std::memory_order_acq_rel));
}

Handles& handles() {
  // Constant initialisation, and nothing at the end: functions that look here run before and after main.
  static constinit Handles all;
  return all;
}

}  // namespace weft::fftw
