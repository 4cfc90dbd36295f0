// The tree of processes, and which rank does what.
#pragma once

#include <string>
#include <vector>

#include "weft/index.hpp"

namespace weft::sort {

/// A tree of processes. Process 0 is the root; parents come before their children.
struct Tree {
  std::vector<int> parent;  ///< -1 of the root
  std::vector<std::vector<int>> children;
  std::vector<int> rank;      ///< that runs each process
  std::vector<Index> lo, hi;  ///< the elements of each process: [lo, hi) of all
  std::vector<int> leaves;    ///< from left to right

  int size() const { return static_cast<int>(parent.size()); }
  Index count(int p) const { return hi[static_cast<std::size_t>(p)] - lo[static_cast<std::size_t>(p)]; }
  bool is_leaf(int p) const { return children[static_cast<std::size_t>(p)].empty(); }
};

/// The parents of a complete tree, numbered level by level: the children of p are arity * p + 1 and following.
std::vector<int> complete_tree(int levels, int arity);

/// A tree with a leaf for each rank, on that rank; an inner process is where its first leaf is, and has up to `arity`
/// children with about as many leaves each.
void tree_of_ranks(int ranks, int arity, std::vector<int>& parent, std::vector<int>& rank);

/// The tree over n elements, as many for each leaf. Without `rank`, leaves are dealt to `ranks` ranks in order, and
/// inner processes are where their first leaf is. Error for what is no tree.
Tree make_tree(const std::vector<int>& parent, std::vector<int> rank, int ranks, Index n);

/// Bytes that go from each rank to each other one: (from, to) at from * ranks + to. Down and up.
std::vector<Index> tree_traffic(const Tree& tree, int ranks, int element_bytes);

}  // namespace weft::sort
