// main of every test program that runs under mpiexec. Rank 0 reports as usual; the other ranks only speak of failures,
// with their rank in front. Each rank returns its own verdict, and mpiexec fails if any rank does.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <string>

namespace {

class FailuresOnly : public testing::EmptyTestEventListener {
 public:
  explicit FailuresOnly(int rank) : rank_(rank) {}

 private:
  // Kept here, since UnitTest's own record of it is locked while a result is reported.
  void OnTestStart(const testing::TestInfo& test) override {
    name_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (!part.failed()) return;
    std::fprintf(stderr, "rank %d, %s: %s:%d: %s\n", rank_, name_.c_str(),
                 part.file_name() == nullptr ? "?" : part.file_name(), part.line_number(), part.message());
  }
  int rank_;
  std::string name_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly(rank));
  }
  const int status = RUN_ALL_TESTS();
  // A rank that leaves early with a failure would have the others killed in the middle of their reports.
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
