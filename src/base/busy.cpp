#include "base/busy.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <limits>

#include "base/clock.hpp"
#include "base/host.hpp"
#include "base/simulation.hpp"
#include "base/text.hpp"

namespace weft::detail {

namespace {

/// The system counts in ticks, and each of its sums may be one or two off: for what takes milliseconds that is much.
constexpr double blur = 0.03;

/// The same number on all ranks of a machine. Those of emulated nodes have names of their own, but no processors.
int machine_number() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return static_cast<int>(std::hash<std::string>{}(id) % static_cast<std::size_t>(std::numeric_limits<int>::max()));
}

}  // namespace

std::string Busy::text() const {
  return detail::text("other processes used %.0f%% of the processors, and the hypervisor took %.0f%%", 100 * others,
                      100 * stolen);
}

BusyWatch::Use BusyWatch::use() {
  Use now;
  // user, nice, system, idle, waiting for disks, interrupts, soft interrupts, stolen: of all processors together.
  std::ifstream file("/proc/stat");
  std::string label;
  double ticks[8] = {};
  file >> label;
  for (double& one : ticks) file >> one;
  if (!file) return now;
  const auto second = static_cast<double>(sysconf(_SC_CLK_TCK));
  now.wall = detail::now();
  now.everybody = (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) / second;
  now.stolen = ticks[7] / second;
  timespec mine{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &mine);
  now.mine = static_cast<double>(mine.tv_sec) + 1e-9 * static_cast<double>(mine.tv_nsec);
  return now;
}

BusyWatch::BusyWatch(MPI_Comm comm) : comm_(comm), machine_(Communicator::split(comm, machine_number())) {
  before_ = use();
}

Busy BusyWatch::seen() const {
  if (const char* said = std::getenv("WEFT_TEST_BUSY")) return {std::atof(said), 0, true};
  if (simulated) return {};  // its processors are none of this machine's
  const Use now = use();
  double ours = now.mine - before_.mine;
  WEFT_MPI(comm_, MPI_Allreduce(MPI_IN_PLACE, &ours, 1, MPI_DOUBLE, MPI_SUM, machine_.get()));
  const double all = (now.wall - before_.wall) * processors();
  const auto part = [&](double seconds) { return all > 0 ? std::max(0.0, seconds - blur) / all : 0; };
  double shares[] = {part(now.everybody - before_.everybody - ours), part(now.stolen - before_.stolen)};
  WEFT_MPI(comm_, MPI_Allreduce(MPI_IN_PLACE, shares, 2, MPI_DOUBLE, MPI_MAX, comm_));
  return {shares[0], shares[1], false};
}

}  // namespace weft::detail
