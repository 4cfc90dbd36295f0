// What weft-calibrate measures: probes, each of which gives one number at a time, so that they can be measured in
// turns.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "program.hpp"

namespace weft::tools {

/// One quantity of the machine. `once` is collective and gives seconds of one repetition on the slowest rank.
struct Probe {
  Json what;  ///< group, and what tells it from the others of the group
  std::function<double()> once;
  std::vector<double> seconds;
};

/// Seconds of `repeats` calls of `work` begun together, on the slowest rank, of one call. One more goes before, since
/// other probes have filled the caches.
template <class Work>
double timed(const Job& job, Index repeats, Work&& work) {
  work();
  MPI_Barrier(job.comm);
  const double start = MPI_Wtime();
  for (Index i = 0; i < repeats; ++i) work();
  return job.max(MPI_Wtime() - start) / static_cast<double>(repeats);
}

/// Seconds of `work` on what `write` has written just before, as an exchange moves what a pass has produced: what lies
/// in another core's cache is slow to read, and what another core has read is slow to write. That second part is
/// counted, too: how much longer `write` takes than when repeated.
template <class Write, class Work>
double timed_after(const Job& job, Index repeats, Write&& write, Work&& work) {
  double seconds = 0;
  for (Index i = 0; i <= repeats; ++i) {
    const double start = MPI_Wtime();
    write();
    const double written = MPI_Wtime();
    write();
    const double again = MPI_Wtime();
    MPI_Barrier(job.comm);
    const double begun = MPI_Wtime();
    work();
    const double done = MPI_Wtime();
    MPI_Barrier(job.comm);
    if (i > 0) seconds += done - begun + (written - start) - (again - written);
  }
  return std::max(1e-9, job.max(seconds) / static_cast<double>(repeats));
}

/// Copies of arrays, by one rank alone and by all at once, and reads of a neighbour's memory.
void add_memory(std::vector<Probe>& probes, const Job& job);
/// Lines of complex and real numbers in cache, and columns, with the kernels that transforms use.
void add_lines(std::vector<Probe>& probes, const Job& job);
/// Messages between two ranks of a node and of two nodes, bursts of small ones, synchronisation, all-to-alls.
void add_messages(std::vector<Probe>& probes, const Job& job);
/// Whole transforms of each rank by itself, all at once; and, inside one node, of all together with every strategy.
void add_transforms(std::vector<Probe>& probes, const Job& job);

}  // namespace weft::tools
