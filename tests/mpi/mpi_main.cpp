// main of every test program that runs under mpiexec. Rank 0 reports as usual; the other ranks only speak of failures,
// with their rank in front. Each rank returns its own verdict, and mpiexec fails if any rank does. A test that hangs
// ends the job, see guard.hpp. With WEFT_TEST_THREADS=multiple, MPI is one that all threads may call.
#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "guard.hpp"
#include "ranks.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace {

/// MPI_Init and MPI_Finalize open and close the MPI library's plugins; what these leak cannot be told from our own
/// leaks any more once they are gone. So what MPI_Init allocates is not looked at, and the look is before MPI_Finalize.
void init(int* argc, char*** argv) {
  const char* threads = std::getenv("WEFT_TEST_THREADS");
  const bool multiple = threads != nullptr && std::strcmp(threads, "multiple") == 0;
  int level = MPI_THREAD_SINGLE;
#if defined(__SANITIZE_ADDRESS__)
  __lsan_disable();
#endif
  MPI_Init_thread(argc, argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
#if defined(__SANITIZE_ADDRESS__)
  __lsan_enable();
#endif
  if (multiple && level != MPI_THREAD_MULTIPLE) {
    std::fprintf(stderr, "WEFT_TEST_THREADS is 'multiple', but this MPI does not allow all threads to call it\n");
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
}

void finalize() {
#if defined(__SANITIZE_ADDRESS__)
  // A look may miss a thread that ends just then, and take for lost what that thread still holds; on a busy machine
  // that takes seconds. What is lost stays lost.
  for (int look = 1; look < 20 && __lsan_do_recoverable_leak_check() != 0; ++look) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
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
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // A filter that is asked for holds on any number of ranks.
  if (testing::GTEST_FLAG(filter) == "*") testing::GTEST_FLAG(filter) = weft::test::filter_for(ranks);
  weft::test::set_watchdog();
  weft::test::Guard guard(rank);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  listeners.Append(&guard);
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    delete listeners.Release(listeners.default_xml_generator());  // of --gtest_output: rank 0 writes the file
    listeners.Append(new FailuresOnly(rank));
  }
  const int status = RUN_ALL_TESTS();
  // A rank that leaves early with a failure would have the others killed in the middle of their reports.
  guard.at("the wait for the other ranks after the last test");
  MPI_Barrier(MPI_COMM_WORLD);
  listeners.Release(&guard);
  guard.at("the end of MPI");
  finalize();
  return status;
}
