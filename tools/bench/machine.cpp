#include "machine.hpp"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

#include "host.hpp"

namespace weft::tools {

Index peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<Index>(usage.ru_maxrss) * 1024;
}

Json mpi_json() {
  int version = 0, subversion = 0;
  MPI_Get_version(&version, &subversion);
  return {{"library", tuner::mpi_library()}, {"standard", text("%d.%d", version, subversion)}};
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
  return {{"processor", tuner::processor()},
          {"logical_cpus", sysconf(_SC_NPROCESSORS_ONLN)},
          {"memory_bytes", tuner::total_memory()},
          {"cache_bytes", tuner::last_level_cache()},
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
