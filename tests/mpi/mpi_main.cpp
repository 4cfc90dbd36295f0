// main of every test program that runs under mpiexec. Rank 0 reports as usual; the other ranks only speak of failures,
// with their rank in front. Each rank returns its own verdict, and mpiexec fails if any rank does.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <string>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace {

/// MPI_Init and MPI_Finalize open and close the MPI library's plugins; what these leak cannot be told from our own
/// leaks any more once they are gone. So what MPI_Init allocates is not looked at, and the look is before MPI_Finalize.
void init(int* argc, char*** argv) {
#if defined(__SANITIZE_ADDRESS__)
  __lsan_disable();
  MPI_Init(argc, argv);
  __lsan_enable();
#else
  MPI_Init(argc, argv);
#endif
}

void finalize() {
#if defined(__SANITIZE_ADDRESS__)
  __lsan_do_leak_check();
#endif
  MPI_Finalize();
}

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
  init(&argc, &argv);
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
  finalize();
  return status;
}
