// Ends a job of which a test hangs, and has its ranks say where they are.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

namespace weft::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int sanitizer_factor = 3;
#else
inline constexpr int sanitizer_factor = 1;
#endif

/// Seconds that one test may take: WEFT_TEST_LIMIT, or 50.
inline int test_limit() {
  const char* text = std::getenv("WEFT_TEST_LIMIT");
  return (text != nullptr ? std::max(1, std::atoi(text)) : 50) * sanitizer_factor;
}

/// The library's own watchdog looks at every transform, since it knows more of a hang than the guard: it speaks first.
inline void set_watchdog() {
  const int seconds = std::clamp(test_limit() * 3 / 5, 1, 30 * sanitizer_factor);
  setenv("WEFT_WATCHDOG", std::to_string(seconds).c_str(), 0);
}

/// A thread that ends the job when a test takes too long. To be made after MPI_Init.
class Guard : public testing::EmptyTestEventListener {
 public:
  explicit Guard(int rank) : rank_(rank) {
    // Only one rank may be slow: the launcher takes the others down with a signal, at which they speak, too.
    prepare_last_words("");
    signal(SIGTERM, speak_and_end);
    // Signals are the program's own business: its threads get them, not this one.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { watch(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    current_ = this;
  }
  ~Guard() override {
    current_ = nullptr;
    at("");
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
    signal(SIGTERM, SIG_DFL);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  /// What the rank does from now on, for at most the limit; empty: something that has no limit.
  void at(const std::string& place) {
    const std::lock_guard lock(mutex_);
    place_ = place;
    until_ = std::chrono::steady_clock::now() + std::chrono::seconds(test_limit());
    prepare_last_words(place);
  }
  /// For a test that is a long list of cases: which comes next. The limit is for each of them.
  static void next(const std::string& what) {
    if (current_ != nullptr) current_->at(current_->test_ + ", " + what);
  }

 private:
  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
    at(test_);
  }
  void OnTestEnd(const testing::TestInfo&) override { at(""); }

  void watch() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::milliseconds(100), [this] { return stop_; })) {
      if (place_.empty() || std::chrono::steady_clock::now() < until_) continue;
      std::fprintf(stderr, "test guard: rank %d: no end of %s after %d s\n", rank_, place_.c_str(), test_limit());
      std::fflush(stderr);
      // The others began this test at about the same time: they get a moment to speak for themselves.
      std::this_thread::sleep_for(std::chrono::seconds(2));
      // MPI_Abort may itself wait for what hangs.
      std::thread([] {
        std::this_thread::sleep_for(std::chrono::seconds(5));
        std::_Exit(EXIT_FAILURE);
      }).detach();
      MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
      std::_Exit(EXIT_FAILURE);
    }
  }

  /// A signal handler may do little more than write what lies there.
  void prepare_last_words(const std::string& place) const {
    last_length_ = 0;
    if (place.empty()) return;
    const int length = std::snprintf(last_words_.data(), last_words_.size(), "test guard: rank %d: ended during %s\n",
                                     rank_, place.c_str());
    last_length_ = std::min(length, static_cast<int>(last_words_.size()) - 1);
  }
  static void speak_and_end(int) {
    if (write(STDERR_FILENO, last_words_.data(), static_cast<std::size_t>(last_length_)) < 0) _exit(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
  }
  static inline std::array<char, 256> last_words_{};
  static inline volatile sig_atomic_t last_length_ = 0;

  static inline Guard* current_ = nullptr;
  const int rank_;
  std::string test_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string place_;
  std::chrono::steady_clock::time_point until_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace weft::test
