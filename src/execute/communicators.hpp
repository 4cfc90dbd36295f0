// Communicators of exchanges.
#pragma once

#include <vector>

#include "base/mpi.hpp"
#include "exchange/tiles.hpp"

namespace weft::detail {

/// Communicators of the exchanges of a transform: exchanges among the same ranks share one.
class ExchangeCommunicators {
 public:
  explicit ExchangeCommunicators(MPI_Comm all) : all_(all) {}
  /// The communicator of the peers of `plan`; MPI_COMM_NULL for a rank that has none. Collective over all ranks.
  MPI_Comm of(const ExchangePlan& plan);

 private:
  struct Entry {
    Layout a, b;
    Communicator comm;
  };
  MPI_Comm all_;
  std::vector<Entry> entries_;
};

}  // namespace weft::detail
