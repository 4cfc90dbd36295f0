// The parallel sorts. Rank 0 has the elements, and gets them sorted.
#pragma once

#include <mpi.h>

#include <memory>

#include "elements.hpp"
#include "tree.hpp"
#include "weft/index.hpp"

namespace weft::sort {

struct Settings {
  Index chunk_bytes = 0;  ///< of messages that are merged as they come
  int window = 0;         ///< chunks on their way at once, of each stream
};

/// Seconds of the parts of one sort on this rank.
struct Parts {
  double distribute = 0, sort = 0, merge = 0;
  double all() const { return distribute + sort + merge; }
};

/// One sort, made ready to run again and again.
class Sorting {
 public:
  virtual ~Sorting() = default;
  /// Sorts `data`, which is overwritten, into `out`; rank 0 has both, the others give nullptr. Collective.
  virtual Parts run(void* data, void* out) = 0;
};

/// The tree merge sort: elements go down the tree, leaves sort, and sorted chunks stream upward through merges.
std::unique_ptr<Sorting> make_tree_sort(MPI_Comm comm, const ElementType& type, const Tree& tree,
                                        const Settings& settings);

/// Sample sort with regular sampling (Shi & Schaeffer 1992): all ranks sort, cut what they have at common splitters,
/// exchange, and merge while it comes.
std::unique_ptr<Sorting> make_sample_sort(MPI_Comm comm, const ElementType& type, Index n, const Settings& settings);

}  // namespace weft::sort
