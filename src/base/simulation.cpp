#include "base/simulation.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace weft::detail {

// A host's memory is a "disk" of that name: SimGrid shares its bandwidth among those who read at the same time, as the
// cores of a node share theirs. A host without one has memory that is never the limit.

void charge(const Work& work) {
  const simgrid::s4u::Host* const host = simgrid::s4u::Host::current();
  double flops = work.flops;
  if (work.bytes >= 1) {
    for (const simgrid::s4u::Disk* memory : host->get_disks()) {
      // What one core can move at most is a bound of its own.
      if (const char* core = memory->get_property("core_bandwidth"); core != nullptr) {
        flops = std::max(flops, work.bytes / std::atof(core) * host->get_speed());
      }
      const simgrid::s4u::IoPtr moving = memory->read_async(static_cast<sg_size_t>(work.bytes));
      if (flops > 0) simgrid::s4u::this_actor::execute(flops);
      moving->wait();
      return;
    }
  }
  if (flops > 0) simgrid::s4u::this_actor::execute(flops);
}

void charge(const char* formula, double units) {
  const simgrid::s4u::Host* const host = simgrid::s4u::Host::current();
  if (const char* rate = host->get_property(std::string("rate.") + formula); rate != nullptr) {
    charge(Work{std::atof(rate) * units * host->get_speed(), 0});
  } else {
    charge(Work{0, 8 * units});
  }
}

bool sizes_only() {
  const char* const data = std::getenv("WEFT_LAB_DATA");
  return data != nullptr && std::string_view(data) == "none";
}

double simulated_now() { return simgrid::s4u::Engine::get_clock(); }

void simulated_sleep(double seconds) { simgrid::s4u::this_actor::sleep_for(seconds); }

}  // namespace weft::detail
