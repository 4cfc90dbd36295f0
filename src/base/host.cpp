#include "base/host.hpp"

#include <sched.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include "base/mpi.hpp"
#include "base/simulation.hpp"
#include "base/text.hpp"

namespace weft::detail {

namespace {

constexpr Index unlimited = std::numeric_limits<Index>::max();

/// The number in a file that holds one, or `otherwise` ("max", or no such file).
Index number_in(const std::string& path, Index otherwise) {
  std::ifstream file(path);
  Index value = 0;
  return file >> value ? value : otherwise;
}

/// The value of "Name: value unit" in /proc/meminfo and /proc/cpuinfo; empty if there is none.
std::string field_in(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.compare(0, name.size(), name) != 0) continue;
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? std::string() : line.substr(start);
  }
  return {};
}

Index kibibytes(const std::string& field) {
  Index value = 0;
  return std::istringstream(field) >> value ? value * 1024 : unlimited;
}

/// What a file of Linux says of the first processor's last cache; empty where there is none.
std::string last_cache(const std::string& name) {
  std::string value;
  // They come in the order of their levels; the first has two.
  for (int index = 0;; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/" + name);
    if (!(file >> value)) return value;
  }
}

/// Bytes that processes may have: all together, and more than they have now.
struct Memory {
  Index most = unlimited, available = unlimited;
};

/// What a control group and those above it leave. Memory that the group uses for cached files can be had back, so it
/// is not counted as used.
Memory control_group_memory() {
  struct Names {
    const char *root, *limit, *used, *controller;
  };
  constexpr Names version_1{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "memory"};
  constexpr Names version_2{"/sys/fs/cgroup", "memory.max", "memory.current", ""};

  Memory memory;
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {  // "id:controllers:path"
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool memory_of_1 = ("," + controllers + ",").find(",memory,") != std::string::npos;
    if (!memory_of_1 && !controllers.empty()) continue;
    const Names& names = memory_of_1 ? version_1 : version_2;
    for (std::string path = line.substr(second + 1);; path.erase(path.find_last_of('/'))) {
      const std::string folder = names.root + path + (path.ends_with('/') ? "" : "/");
      const Index limit = number_in(folder + names.limit, unlimited);
      if (limit < unlimited / 2) {  // version 1 says "no limit" with a huge number
        std::ifstream stat(folder + "memory.stat");
        std::string key;
        Index value = 0, cached = 0;
        while (stat >> key >> value) {
          if (key == "inactive_file" || key == "active_file") cached += value;
        }
        const Index used = std::max<Index>(0, number_in(folder + names.used, 0) - cached);
        memory.most = std::min(memory.most, limit);
        memory.available = std::min(memory.available, std::max<Index>(0, limit - used));
      }
      if (path.find_last_of('/') == std::string::npos) break;
    }
  }
  return memory;
}

/// In floating point, so that it does not overflow.
double sum_over(MPI_Comm node, Index bytes) {
  auto sum = static_cast<double>(bytes);
  WEFT_MPI(node, MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, node));
  return sum;
}

}  // namespace

Index available_memory() {
  return std::min(kibibytes(field_in("/proc/meminfo", "MemAvailable")), control_group_memory().available);
}

Index total_memory() {
  const Index memory = kibibytes(field_in("/proc/meminfo", "MemTotal"));
  return memory == unlimited ? 0 : memory;
}

Index most_memory() {
  const Index memory = total_memory(), swap = kibibytes(field_in("/proc/meminfo", "SwapTotal"));
  if (memory == 0) return unlimited;
  return std::min(memory + (swap == unlimited ? 0 : swap), control_group_memory().most);
}

std::string lack_of_memory(MPI_Comm node, Index bytes) {
  if constexpr (simulated) return {};  // sizes are simulated that no machine has
  int rank = 0, ranks = 1;
  WEFT_MPI(node, MPI_Comm_rank(node, &rank));
  WEFT_MPI(node, MPI_Comm_size(node, &ranks));
  const double needed = sum_over(node, bytes);
  static const Index most = most_memory();
  const auto need = [&] {
    return concat("this rank needs ", bytes, " bytes of workspace, and the ", ranks, " of its node ",
                  text("%.0f", needed), " together; ");
  };
  if (needed > static_cast<double>(most)) {
    return concat("out of memory: ", need(), "the node has ", most,
                  ". Use more nodes, or a strategy or options (tile, window, fields) with less workspace");
  }
  // What is available now is no reason to refuse: arrays may be freed before the first execution, and file systems have
  // caches that Linux does not count as available. To look there takes some microseconds.
  static std::atomic<bool> said = false;
  if (rank != 0 || needed < static_cast<double>(most) / 64) return {};
  const Index available = available_memory();
  if (needed <= static_cast<double>(available) || said.exchange(true)) return {};
  const std::string words = concat("weft: ", need(), available, " are available on the node now\n");
  std::fputs(words.c_str(), stderr);
  return {};
}

std::string lack_of_window_memory([[maybe_unused]] MPI_Comm node, [[maybe_unused]] Index bytes) {
#if defined(OPEN_MPI) && !defined(WEFT_SIMULATED)
  // Open MPI 4.1 keeps it in a file. If it cannot make the file it says so, and waits for ever.
  const double needed = sum_over(node, bytes);
  constexpr const char* folder = "/dev/shm";
  struct statvfs space {};
  if (std::getenv("OMPI_MCA_osc_sm_backing_store") != nullptr || statvfs(folder, &space) != 0) return {};
  const double left = static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize);
  if (needed <= left) return {};
  return concat("out of memory for windows: the ranks of this node need ", text("%.0f", needed), " bytes in ", folder,
                ", where ", text("%.0f", left), " are left. Make it larger, or use another strategy than rma");
#else
  return {};
#endif
}

Index last_level_cache() {
  // What the C library says is the sum over a socket on some AMD processors, whose cores share a part of it each.
  Index size = 0;
  char unit = 'K';
  if (std::istringstream(last_cache("size")) >> size >> unit) return size * (unit == 'M' ? 1 << 20 : 1 << 10);
  long bytes = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  bytes = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
#endif
  return std::max<Index>(0, bytes);
}

int count_processors(const std::string& list) {
  std::istringstream ranges(list);
  int count = 0;
  for (std::string range; std::getline(ranges, range, ',');) {
    int first = 0, last = 0;
    char to = 0;
    std::istringstream text(range);
    if (!(text >> first)) return 0;
    if (!(text >> to >> last)) last = first;
    count += last - first + 1;
  }
  return count;
}

int processors_of_last_level_cache() { return count_processors(last_cache("shared_cpu_list")); }

int processors() { return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))); }

int usable_processors() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return processors();  // more than the set has room for
}

void warn_of_crowded_threads(MPI_Comm comm, int threads) {
#ifndef WEFT_SIMULATED
  static std::atomic<bool> said = false;
  const int usable = usable_processors();
  if (threads <= usable || said.exchange(true)) return;
  int rank = 0;
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank));
  if (rank != 0) return;
  const std::string words = text(
      "weft: each rank computes in %d threads, and this one may use %d processor%s. Start it with `weft COMMAND -n N "
      "--threads %d`, "
      "mpiexec --map-by slot:PE=%d --bind-to core (Open MPI; --bind-to none where there are fewer cores), mpiexec "
      "-bind-to core:%d (MPICH) or srun --cpus-per-task=%d\n",
      threads, usable, usable == 1 ? "" : "s", threads, threads, threads, threads);
  std::fputs(words.c_str(), stderr);
#else
  static_cast<void>(comm);
  static_cast<void>(threads);
#endif
}

std::string processor() {
  std::string name = field_in("/proc/cpuinfo", "model name");
  if (!name.empty()) return name;
  utsname system{};
  uname(&system);
  // Arm's have numbers: 0x41 and 0xd40 are Arm's Neoverse V1.
  const std::string maker = field_in("/proc/cpuinfo", "CPU implementer"), part = field_in("/proc/cpuinfo", "CPU part");
  return maker.empty() ? system.machine : concat(system.machine, " of maker ", maker, ", part ", part);
}

std::string mpi_library() {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(library, &length);
  std::string name = library;
  name.erase(std::min(name.find_first_of("\r\n"), name.size()));
  // MPICH separates words by tabs; Open MPI goes on about who built it.
  std::replace(name.begin(), name.end(), '\t', ' ');
  name.erase(std::min(name.find(", package:"), name.size()));
  return name;
}

}  // namespace weft::detail
