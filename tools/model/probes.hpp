// What weft-calibrate measures: probes, each of which gives one number at a time, so that they can be measured in
// turns.
#pragma once

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

/// Seconds of `repeats` calls of `work` begun together, on the slowest rank, of one call.
template <class Work>
double timed(const Job& job, Index repeats, Work&& work) {
  MPI_Barrier(job.comm);
  const double start = MPI_Wtime();
  for (Index i = 0; i < repeats; ++i) work();
  return job.max(MPI_Wtime() - start) / static_cast<double>(repeats);
}

/// Copies of arrays, by one rank alone and by all at once, and reads of a neighbour's memory.
void add_memory(std::vector<Probe>& probes, const Job& job);
/// Lines of complex and real numbers in cache, and columns, with the kernels that transforms use.
void add_lines(std::vector<Probe>& probes, const Job& job);
/// Messages between two ranks of a node and of two nodes, bursts of small ones, synchronisation, all-to-alls.
void add_messages(std::vector<Probe>& probes, const Job& job);
/// Whole transforms of each rank by itself, all at once.
void add_transforms(std::vector<Probe>& probes, const Job& job);

}  // namespace weft::tools
