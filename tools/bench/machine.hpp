// The machine a program runs on, for reports and for not running out of memory.
#pragma once

#include <string>
#include <vector>

#include "program.hpp"

namespace weft::tools {

/// Most bytes that this process has occupied so far.
Index peak_memory();

/// Where a program runs: the MPI library, the machine, and which ranks are on which of its nodes.
class Site {
 public:
  /// Collective. Rank 0 alone knows the nodes.
  explicit Site(const Job& job);

  /// Two lines for people; nothing on the other ranks.
  std::string header() const;
  /// Into a report, as "mpi" and "machine".
  void add_to(Json& report) const;

 private:
  struct Node {
    std::string host;
    int ranks;
  };
  int ranks_;
  std::vector<Node> nodes_;
  std::string library_, standard_, processor_, system_;
  Index processors_, memory_, cache_;
};

/// Versions of what the program was made with.
Json software_json();

}  // namespace weft::tools
