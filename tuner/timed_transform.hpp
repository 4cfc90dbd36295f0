// What is timed: a transform with its arrays, in one candidate's options.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "weft/operator.hpp"
#include "weft/sphere.hpp"
#include "weft/weft.hpp"

namespace weft::tuner {

/// A candidate that was planned. Everything is collective.
class TimedTransform {
 public:
  virtual ~TimedTransform() = default;
  /// Runs what is timed once: `part` is the direction of a sphere's transforms (0 backward, 1 forward), else 0.
  virtual void run(int part) = 0;
  /// Bytes of its workspace on this rank.
  virtual Index workspace_bytes() const = 0;
};

/// Arrays that candidates share, as large as any of them needs; zeroes, which take as long to transform as any numbers.
class Scratch {
 public:
  void* input(Index bytes) { return grown(input_, bytes); }
  void* output(Index bytes) { return grown(output_, bytes); }

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  struct Array {
    std::unique_ptr<void, Free> memory;
    Index bytes = 0;
  };
  static void* grown(Array& array, Index bytes);
  Array input_, output_;
};

/// Forward and backward of a transform. `scratch` outlives it.
std::unique_ptr<TimedTransform> make_timed_transform(const Problem& problem, MPI_Comm comm, Options options,
                                                     Scratch& scratch);
/// Each direction of a sphere's transforms.
std::unique_ptr<TimedTransform> make_timed_transform(const SphereProblem& problem, std::span<const GVector> waves,
                                                     MPI_Comm comm, Options backward, Options forward,
                                                     std::optional<Index> planes, Scratch& scratch);
/// An operator, with a function that does little.
std::unique_ptr<TimedTransform> make_timed_transform(const Problem& problem, At at, Index inputs, Index outputs,
                                                     MPI_Comm comm, Options options, Scratch& scratch);

}  // namespace weft::tuner
