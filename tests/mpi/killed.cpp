// Not a test: a small transform, in the middle of which WEFT_TEST_KILL_AT has a rank die (killed.py).
//
//   killed                            the strategies, each with the numbers of steps of both directions on 3 ranks
//   mpiexec -n 3 killed STRATEGY      a round trip of a transform, with a trace
#include <mpi.h>

#include <complex>
#include <cstdio>
#include <string>
#include <vector>

#include "plan/stages.hpp"
#include "weft/weft.hpp"

namespace {

const weft::Problem problem{.shape = {12, 9, 8}, .kind = weft::Kind::r2c};

weft::Options options_for(const std::string& strategy) {
  weft::Options options;
  options.strategy = strategy;
  options.tile = 2;
  // Two nodes as well, one with two ranks, for those that do other things there.
  options.node_size = strategy.rfind("node", 0) == 0 ? 2 : 0;
  options.trace = "trace.json";
  options.watchdog = 5;
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    for (const std::string& strategy : weft::strategies()) {
      const weft::Plan plan(problem, options_for(strategy), 3);
      std::printf("%s %zu %zu\n", strategy.c_str(), plan.data().forward.schedule.size(),
                  plan.data().backward.schedule.size());
    }
    return 0;
  }
  MPI_Init(&argc, &argv);
  {
    weft::Transform<double> fft(problem, MPI_COMM_WORLD, options_for(argv[1]));
    std::vector<double> x(static_cast<std::size_t>(fft.input_size()), 1.0);
    std::vector<std::complex<double>> y(static_cast<std::size_t>(fft.output_size()));
    fft.forward(x.data(), y.data());
    fft.backward(y.data(), x.data());
  }
  MPI_Finalize();
  return 0;
}
