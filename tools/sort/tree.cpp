#include "tree.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::sort {

using detail::concat;

namespace {

constexpr Index most_processes = 2048;  // tags and requests stay small

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

std::vector<int> complete_tree(int levels, int arity) {
  if (levels < 1) throw Error(concat("levels is ", levels, "; it must be at least 1"));
  if (arity < 2) throw Error(concat("arity is ", arity, "; it must be at least 2"));
  Index processes = 1, level = 1;
  for (int i = 1; i < levels && processes <= most_processes; ++i) processes += level *= arity;
  if (processes > most_processes) {
    throw Error(
        concat("levels is ", levels, " and arity ", arity, ", which makes more than ", most_processes, " processes"));
  }
  std::vector<int> parent{-1};
  for (int p = 1; p < processes; ++p) parent.push_back((p - 1) / arity);
  return parent;
}

void tree_of_ranks(int ranks, int arity, std::vector<int>& parent, std::vector<int>& rank) {
  if (arity < 2) throw Error(concat("arity is ", arity, "; it must be at least 2"));
  struct Part {
    int process, first, last;
  };
  parent = {-1};
  rank = {0};
  // Level by level; a part of several ranks is cut into as many parts as the arity allows.
  for (std::vector<Part> level{{0, 0, ranks}}, next; !level.empty(); level = std::move(next), next.clear()) {
    for (const Part& part : level) {
      const int size = part.last - part.first, parts = std::min(size, arity);
      if (size == 1) continue;
      for (int k = 0; k < parts; ++k) {
        const int first = part.first + size * k / parts, last = part.first + size * (k + 1) / parts;
        next.push_back({static_cast<int>(parent.size()), first, last});
        parent.push_back(part.process);
        rank.push_back(first);
      }
    }
  }
}

Tree make_tree(const std::vector<int>& parent, std::vector<int> rank, int ranks, Index n) {
  Tree tree;
  tree.parent = parent;
  const int size = tree.size();
  if (size < 1 || size > most_processes) {
    throw Error(concat("parents has ", size, " processes; 1 to ", most_processes, " are possible"));
  }
  tree.children.resize(parent.size());
  for (int p = 0; p < size; ++p) {
    const int up = parent[at(p)];
    if (p == 0 ? up != -1 : up < 0 || up >= p) {
      throw Error(
          concat("parents[", p, "] is ", up, "; ", p == 0 ? "the root has -1" : "a parent comes before its child"));
    }
    if (p > 0) tree.children[at(up)].push_back(p);
  }
  // From left to right: depth first.
  for (std::vector<int> stack{0}; !stack.empty();) {
    const int p = stack.back();
    stack.pop_back();
    if (tree.is_leaf(p)) tree.leaves.push_back(p);
    for (auto child = tree.children[at(p)].rbegin(); child != tree.children[at(p)].rend(); ++child) {
      stack.push_back(*child);
    }
  }
  const auto count = static_cast<Index>(tree.leaves.size());
  tree.lo.assign(parent.size(), n);
  tree.hi.assign(parent.size(), 0);
  for (Index k = 0; k < count; ++k) {
    const int leaf = tree.leaves[static_cast<std::size_t>(k)];
    // n * k / count without n * k, which may overflow.
    tree.lo[at(leaf)] = n / count * k + n % count * k / count;
    tree.hi[at(leaf)] = n / count * (k + 1) + n % count * (k + 1) / count;
  }
  for (int p = size - 1; p > 0; --p) {
    const std::size_t up = at(parent[at(p)]);
    tree.lo[up] = std::min(tree.lo[up], tree.lo[at(p)]);
    tree.hi[up] = std::max(tree.hi[up], tree.hi[at(p)]);
  }
  if (rank.empty()) {
    rank.assign(parent.size(), 0);
    for (Index k = 0; k < count; ++k)
      rank[at(tree.leaves[static_cast<std::size_t>(k)])] = static_cast<int>(k * ranks / count);
    for (int p = size - 1; p >= 0; --p) {
      if (!tree.is_leaf(p)) rank[at(p)] = rank[at(tree.children[at(p)].front())];
    }
  }
  if (static_cast<int>(rank.size()) != size) {
    throw Error(concat("placement has ", rank.size(), " ranks; the tree has ", size, " processes"));
  }
  for (int p = 0; p < size; ++p) {
    if (rank[at(p)] < 0 || rank[at(p)] >= ranks) {
      throw Error(concat("placement[", p, "] is ", rank[at(p)], "; there are ranks 0 to ", ranks - 1));
    }
  }
  if (rank[0] != 0)
    throw Error(concat("placement[0] is ", rank[0], "; the root must be on rank 0, which has the data"));
  tree.rank = std::move(rank);
  return tree;
}

std::vector<Index> tree_traffic(const Tree& tree, int ranks, int element_bytes) {
  std::vector<Index> bytes(at(ranks) * at(ranks));
  for (int p = 1; p < tree.size(); ++p) {
    const int up = tree.rank[at(tree.parent[at(p)])], down = tree.rank[at(p)];
    if (up == down) continue;
    bytes[at(up) * at(ranks) + at(down)] += tree.count(p) * element_bytes;
    bytes[at(down) * at(ranks) + at(up)] += tree.count(p) * element_bytes;
  }
  return bytes;
}

}  // namespace weft::sort
