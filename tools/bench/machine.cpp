#include "machine.hpp"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

namespace weft::tools {

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

/// What a control group and those above it leave. Memory that the group uses for cached files can be had back, so it
/// is not counted as used.
Index control_group_memory() {
  struct Names {
    const char *root, *limit, *used, *controller;
  };
  constexpr Names version_1{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "memory"};
  constexpr Names version_2{"/sys/fs/cgroup", "memory.max", "memory.current", ""};

  Index available = unlimited;
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
        available = std::min(available, std::max<Index>(0, limit - used));
      }
      if (path.find_last_of('/') == std::string::npos) break;
    }
  }
  return available;
}

std::string first_line(std::string text) {
  text.erase(std::min(text.find_first_of("\r\n"), text.size()));
  return text;
}

}  // namespace

Index available_memory() {
  return std::min(kibibytes(field_in("/proc/meminfo", "MemAvailable")), control_group_memory());
}

Index last_level_cache() {
  long bytes = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  bytes = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
#endif
  return std::max<Index>(0, bytes);
}

Index peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<Index>(usage.ru_maxrss) * 1024;
}

Json mpi_json() {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0, version = 0, subversion = 0;
  MPI_Get_library_version(library, &length);
  MPI_Get_version(&version, &subversion);
  std::string name = first_line(library);
  // MPICH separates words by tabs; Open MPI goes on about who built it.
  std::replace(name.begin(), name.end(), '\t', ' ');
  name.erase(std::min(name.find(", package:"), name.size()));
  return {{"library", name}, {"standard", text("%d.%d", version, subversion)}};
}

Json machine_json(const Job& job) {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  std::vector<char> names(job.root() ? static_cast<std::size_t>(job.ranks) * sizeof(name) : 0);
  MPI_Gather(name, sizeof(name), MPI_CHAR, names.data(), sizeof(name), MPI_CHAR, 0, job.comm);

  Json nodes = Json::array();
  for (std::size_t at = 0; at < names.size(); at += sizeof(name)) {
    const std::string host = &names[at];
    const auto known = std::find_if(nodes.begin(), nodes.end(), [&](const Json& node) { return node["host"] == host; });
    if (known != nodes.end()) {
      (*known)["ranks"] = (*known)["ranks"].get<int>() + 1;
    } else {
      nodes.push_back({{"host", host}, {"ranks", 1}});
    }
  }
  utsname system{};
  uname(&system);
  std::string processor = field_in("/proc/cpuinfo", "model name");
  if (processor.empty()) processor = system.machine;
  const Index memory = kibibytes(field_in("/proc/meminfo", "MemTotal"));
  return {{"processor", processor},
          {"logical_cpus", sysconf(_SC_NPROCESSORS_ONLN)},
          {"memory_bytes", memory == unlimited ? 0 : memory},
          {"cache_bytes", last_level_cache()},
          {"system", text("%s %s %s", system.sysname, system.release, system.machine)},
          {"nodes", nodes}};
}

Json software_json() {
  return {{"weft", version()}, {"compiler", __VERSION__}, {"strategies", strategies()}, {"backends", backends()}};
}

std::string header(const Job& job, const Json& mpi, const Json& machine) {
  if (!job.root()) return {};
  int least = job.ranks, most = 0;
  for (const Json& node : machine["nodes"]) {
    least = std::min(least, node["ranks"].get<int>());
    most = std::max(most, node["ranks"].get<int>());
  }
  const std::string per_node = least == most ? std::to_string(most) : text("%d to %d", least, most);
  const auto nodes = machine["nodes"].size();
  return text(" %d rank%s on %zu node%s (%s a node), %s (MPI %s), Weft %s\n %s, %d logical CPUs, %s of memory\n",
              job.ranks, job.ranks == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s", per_node.c_str(),
              mpi["library"].get<std::string>().c_str(), mpi["standard"].get<std::string>().c_str(), version().c_str(),
              machine["processor"].get<std::string>().c_str(), machine["logical_cpus"].get<int>(),
              bytes_text(machine["memory_bytes"].get<double>()).c_str());
}

}  // namespace weft::tools
