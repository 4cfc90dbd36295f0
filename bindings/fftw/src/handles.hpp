// Plans of Weft behind handles of the type fftw_plan.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace weft::fftw {

/// What a handle means.
class WeftPlan {
 public:
  virtual ~WeftPlan() = default;
  /// With the arrays that the plan was made for, and with others that are in place where those are.
  virtual void execute() = 0;
  virtual void execute(void* in, void* out) = 0;
  /// One line for people.
  virtual std::string describe() const = 0;
  /// Additions and multiplications of this rank, estimated.
  virtual double additions() const = 0;
  virtual double multiplications() const = 0;
};

/// FFTW's own plans and Weft's come to the same functions. They are told apart by their address: a handle of Weft's is
/// a place in an array of this library, where FFTW can have nothing. That takes neither a lock nor a search, so that
/// Weft itself can call FFTW's serial functions through the same door, from any thread.
class Handles {
 public:
  static constexpr std::size_t most = 1 << 16;

  bool mine(const void* handle) const {
    return reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(places_.data()) <
           sizeof(places_);
  }
  /// Null if the plan has been destroyed.
  WeftPlan* plan(const void* handle) const {
    return static_cast<const std::atomic<WeftPlan*>*>(handle)->load(std::memory_order_acquire);
  }
  /// Takes over the plan. Error if there are too many plans already, and the plan is as it was.
  void* add(std::unique_ptr<WeftPlan>& plan);
  /// Nothing if it has been taken before.
  std::unique_ptr<WeftPlan> take(void* handle);

 private:
  std::array<std::atomic<WeftPlan*>, most> places_{};
  std::mutex adding_;
  std::size_t next_ = 0;
};

/// Those of this process. Plans that are alive at its end stay: MPI, which their end needs, is gone before.
Handles& handles();

}  // namespace weft::fftw
