#include "machine.hpp"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

#include "base/host.hpp"

namespace weft::tools {

Index peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<Index>(usage.ru_maxrss) * 1024;
}

Site::Site(const Job& job)
    : ranks_(job.ranks),
      library_(detail::mpi_library()),
      processor_(detail::processor()),
      processors_(sysconf(_SC_NPROCESSORS_ONLN)),
      memory_(detail::total_memory()),
      cache_(detail::last_level_cache()) {
  int version = 0, subversion = 0;
  MPI_Get_version(&version, &subversion);
  standard_ = text("%d.%d", version, subversion);
  utsname system{};
  uname(&system);
  system_ = text("%s %s %s", system.sysname, system.release, system.machine);

  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  std::vector<char> names(job.root() ? static_cast<std::size_t>(job.ranks) * sizeof(name) : 0);
  MPI_Gather(name, sizeof(name), MPI_CHAR, names.data(), sizeof(name), MPI_CHAR, 0, job.comm);
  for (std::size_t at = 0; at < names.size(); at += sizeof(name)) {
    const std::string host = &names[at];
    const auto known = std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& node) { return node.host == host; });
    if (known != nodes_.end()) {
      ++known->ranks;
    } else {
      nodes_.push_back({host, 1});
    }
  }
}

std::string Site::header() const {
  if (nodes_.empty()) return {};
  int least = ranks_, most = 0;
  for (const Node& node : nodes_) {
    least = std::min(least, node.ranks);
    most = std::max(most, node.ranks);
  }
  const std::string per_node = least == most ? std::to_string(most) : text("%d to %d", least, most);
  return text(" %d rank%s on %zu node%s (%s a node), %s (MPI %s), Weft %s\n %s, %d logical CPUs, %s of memory\n",
              ranks_, ranks_ == 1 ? "" : "s", nodes_.size(), nodes_.size() == 1 ? "" : "s", per_node.c_str(),
              library_.c_str(), standard_.c_str(), version().c_str(), processor_.c_str(), static_cast<int>(processors_),
              bytes_text(memory_).c_str());
}

void Site::add_to(Json& report) const {
  report["mpi"] = {{"library", library_}, {"standard", standard_}};
  Json nodes = Json::list();
  for (const Node& node : nodes_) nodes.push_back({{"host", node.host}, {"ranks", node.ranks}});
  report["machine"] = {{"processor", processor_}, {"logical_cpus", processors_}, {"memory_bytes", memory_},
                       {"cache_bytes", cache_},   {"system", system_},           {"nodes", nodes}};
}

Json software_json() {
  return {{"weft", version()}, {"compiler", __VERSION__}, {"strategies", strategies()}, {"backends", backends()}};
}

}  // namespace weft::tools
