// The timed part of weft-npb: NPB's kernel FT on a transform, and where its time goes.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "array.hpp"
#include "base/mpi.hpp"
#include "npb_kernel.hpp"
#include "program.hpp"

namespace weft::npb {

/// Where one rank's time went, in seconds. The first four are the whole run; the others are parts of `calculation`.
struct Breakdown {
  double calculation = 0, send_receive = 0, waiting = 0, synchronisation = 0;
  double transforms = 0, random_numbers = 0, evolution = 0, checksums = 0, planning = 0, other = 0;

  struct Part {
    const char *key, *label;
    double Breakdown::*seconds;
    bool whole;
  };
  static constexpr Part parts[] = {
      {"calculation", "Calculation", &Breakdown::calculation, true},
      {"transforms", "local transforms", &Breakdown::transforms, false},
      {"evolution", "evolution", &Breakdown::evolution, false},
      {"random_numbers", "random numbers", &Breakdown::random_numbers, false},
      {"checksums", "checksums", &Breakdown::checksums, false},
      {"planning", "making the plan", &Breakdown::planning, false},
      {"other", "not accounted for", &Breakdown::other, false},
      {"send_receive", "Send/receive", &Breakdown::send_receive, true},
      {"waiting", "Waiting", &Breakdown::waiting, true},
      {"synchronisation", "Synchronisation", &Breakdown::synchronisation, true},
  };
};

/// One timed run.
struct Run {
  double seconds = 0;
  Breakdown mean, max;
  std::vector<Complex> sums;           ///< checksums
  std::vector<double> errors;          ///< of the checksums
  Index bytes_sent = 0, messages = 0;  ///< of all ranks

  bool verified() const {
    // Written so that an error that is not a number is not verified either.
    return std::all_of(errors.begin(), errors.end(), [](double error) { return error <= checksum_tolerance; });
  }
};

class Stopwatch;

/// The kernel with its arrays. With several groups of consecutive ranks (Shimizu's network segments), each makes the
/// spectrum for itself, and then its share of the iterations, which do not depend on each other.
class Kernel {
 public:
  /// `plan` is this rank's in its group, `job` outlives the kernel; `groups` divides its ranks. Collective.
  Kernel(const Class& grid, const Plan& plan, const tools::Job& job, int groups);

  /// Bytes of a rank's arrays.
  static Index array_bytes(const Plan& plan);

  /// Not timed: everything is touched once, and the serial FFT library finds its kernels. Collective.
  void warm_up();
  /// Collective; the same on all ranks.
  Run timed();

 private:
  void begin(Breakdown& breakdown, Stopwatch& watch);
  void inverse(int before, int t, Evolution& evolution, Breakdown& breakdown, Stopwatch& watch);

  Class grid_;
  Options options_;
  const tools::Job& job_;
  int groups_ = 1, mine_ = 0;
  detail::Communicator group_;
  tools::Array<Complex> spectrum_, field_;
  std::optional<Transform<double>> fft_;
};

}  // namespace weft::npb
