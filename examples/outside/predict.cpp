// How long a transform would take on machines of which nothing is known but their size. No MPI is used.
#include <weft/model.hpp>

#include <cstdio>

int main() {
  for (const int nodes : {1, 4, 16}) {
    const int cores = 16, ranks = cores * nodes;
    const auto machine = weft::model::unmeasured(cores, nodes);
    const auto found = weft::model::predict({.shape = {256, 256, 256}}, {}, machine, ranks, cores);
    std::printf("%d ranks: %.1f ms predicted, %.1f MB a rank\n", ranks, 1e3 * found.seconds(),
                1e-6 * static_cast<double>(found.memory_bytes));
  }
}
