// weft-alltoall: what an all-to-all of an MPI library takes, blocking and not, and how much of it computation hides:
// the question behind every pipeline (Hoefler & Zerah's first figure).
#include <algorithm>
#include <functional>

#include "base/clock.hpp"
#include "base/mpi.hpp"
#include "base/simulation.hpp"
#include "program.hpp"

namespace weft::tools {

namespace {

class AlltoallProgram final : public Program {
 public:
  std::string name() const override { return "weft-alltoall"; }
  std::string description() const override {
    return "Times MPI_Alltoall, MPI_Ialltoall with an immediate wait, and MPI_Ialltoall behind computation that takes "
           "as "
           "long, with tests and without.";
  }

  void declare(CommandLine& line, Job& job) override {
    line.option("--bytes", sizes_, "Bytes a pair of ranks, one after the other")
        .required()
        .range(Index{1}, Index{1} << 30)
        .type("N...");
    line.option("--tests", tests_, "Calls of MPI_Test in the computation (8)").range(1, 1000000).type("N");
    line.option("--flops", flops_, "In a simulation: operations per second, to compute for a given time").type("RATE");
    line.option("--repeats", repeats_, "Timed repetitions, of which the best counts (1)").range(1, 1000000).type("N");
    job.declare_outputs(line, false);
  }

  int run(Job& job) override {
    if (detail::simulated && flops_ <= 0)
      throw UsageError("--flops is needed in a simulation: the rate of the machine");
    Json json{{"ranks", job.ranks}, {"tests", tests_}, {"rows", Json::list()}};
    job.print(text("%12s %12s %12s %16s %16s  (us)\n", "bytes a pair", "blocking", "non-blocking", "behind, no tests",
                   "behind, tests"));
    for (const Index bytes : sizes_) {
      std::vector<char> out(static_cast<std::size_t>(bytes * job.ranks), 1), in(out.size());
      const int count = static_cast<int>(bytes);
      const auto start = [&](MPI_Request* request) {
        WEFT_MPI(job.comm, MPI_Ialltoall(out.data(), count, MPI_CHAR, in.data(), count, MPI_CHAR, job.comm, request));
      };
      const double blocking = best(job, [&] {
        WEFT_MPI(job.comm, MPI_Alltoall(out.data(), count, MPI_CHAR, in.data(), count, MPI_CHAR, job.comm));
      });
      const auto behind = [&](double computation, int tests) {
        return best(job, [&] {
          MPI_Request request;
          start(&request);
          for (int i = 0; i <= tests && computation > 0; ++i) {
            compute(computation / (tests + 1));
            int done = 0;
            if (i < tests) WEFT_MPI(job.comm, MPI_Test(&request, &done, MPI_STATUS_IGNORE));
          }
          WEFT_MPI(job.comm, MPI_Wait(&request, MPI_STATUS_IGNORE));
        });
      };
      const double immediate = behind(0, 0), none = behind(immediate, 0), some = behind(immediate, tests_);
      job.print(text("%12lld %12.1f %12.1f %16.1f %16.1f\n", static_cast<long long>(bytes), 1e6 * blocking,
                     1e6 * immediate, 1e6 * none, 1e6 * some));
      // Of what could be hidden, the part that was: the communication's time less what was added to the computation.
      const auto hidden = [&](double all) { return std::clamp((2 * immediate - all) / immediate, 0.0, 1.0); };
      json["rows"].push_back({{"bytes", bytes},
                              {"blocking", blocking},
                              {"non_blocking", immediate},
                              {"hidden_without_tests", hidden(none)},
                              {"hidden_with_tests", hidden(some)}});
    }
    job.write_json(json);
    return 0;
  }

 private:
  /// The slowest rank's time, the best of the repetitions.
  double best(const Job& job, const std::function<void()>& work) const {
    double least = 0;
    for (int i = 0; i <= repeats_; ++i) {  // the first warms up
      MPI_Barrier(job.comm);
      const double begin = detail::now();
      work();
      const double seconds = job.max(detail::now() - begin);
      if (i == 1 || (i > 1 && seconds < least)) least = seconds;
    }
    return least;
  }

  void compute(double seconds) const {
    if (detail::simulated) return detail::charge({.flops = seconds * flops_});
    volatile double x = 1;
    for (const double end = detail::now() + seconds; detail::now() < end;) {
      for (int i = 0; i < 100; ++i) x = x * 0.999 + 0.001;
    }
  }

  std::vector<Index> sizes_;
  double flops_ = 0;
  int tests_ = 8, repeats_ = 1;
};

}  // namespace

}  // namespace weft::tools

int main(int argc, char** argv) {
  weft::tools::AlltoallProgram program;
  return weft::tools::run_program(program, argc, argv);
}
