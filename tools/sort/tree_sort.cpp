// The tree merge sort. A rank runs all of its processes at once, as tasks; those that are on the same rank read each
// other's memory.
#include <algorithm>
#include <map>

#include "array.hpp"
#include "base/clock.hpp"
#include "base/mpi.hpp"
#include "base/text.hpp"
#include "kernels.hpp"
#include "sorting.hpp"
#include "streams.hpp"
#include "weft/error.hpp"

namespace weft::sort {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

class TreeSort final : public Sorting {
 public:
  TreeSort(MPI_Comm comm, const ElementType& type, const Tree& tree, const Settings& settings)
      : down_(detail::Communicator::duplicate(comm)),
        up_(detail::Communicator::duplicate(comm)),
        me_(down_.rank()),
        kernels_(kernels_of(type)),
        tree_(tree),
        chunk_(std::max<std::size_t>(1, static_cast<std::size_t>(settings.chunk_bytes) / kernels_.bytes)),
        window_(at(settings.window)) {
    for (int leaf : tree_.leaves) {
      routes_.push_back(route(leaf));
      longest_ = std::max(longest_, routes_.back().size());
      // The root's own leaves are sorted where the data lie.
      if (tree_.rank[at(leaf)] == me_ && !in_place(leaf)) arrays_.emplace(leaf, tree_.count(leaf) * type.bytes);
    }
    if (longest_ * routes_.size() > 32767) {
      throw Error(detail::concat("a tree of ", routes_.size(), " leaves and ", longest_,
                                 " messages on the way to some is more than MPI has tags for"));
    }
  }

  Parts run(void* data, void* out) override {
    Parts parts;
    data_ = static_cast<std::byte*>(data);
    const double begin = detail::now();
    distribute();
    parts.distribute = detail::now() - begin;
    // Receives are posted before the leaves are sorted: what comes meanwhile lies where it is needed.
    Requests requests(up_.get());
    Work work(requests, kernels_, chunk_, window_);
    merges(work, out);
    for (int leaf : tree_.leaves) {
      if (tree_.rank[at(leaf)] != me_) continue;
      kernels_.to_keys(array(leaf), count(leaf));
      kernels_.leaf_sort(array(leaf), count(leaf));
    }
    const double sorted = detail::now();
    parts.sort = sorted - begin - parts.distribute;
    work.run();
    parts.merge = detail::now() - sorted;
    return parts;
  }

 private:
  /// The ranks that a leaf's elements pass on their way from the root; neighbours differ.
  std::vector<int> route(int leaf) const {
    std::vector<int> ranks;
    for (int p = leaf; p >= 0; p = tree_.parent[at(p)]) {
      if (ranks.empty() || ranks.back() != tree_.rank[at(p)]) ranks.push_back(tree_.rank[at(p)]);
    }
    std::reverse(ranks.begin(), ranks.end());
    return ranks;
  }
  bool in_place(int leaf) const {
    for (int p = leaf; p >= 0; p = tree_.parent[at(p)]) {
      if (tree_.rank[at(p)] != 0) return false;
    }
    return true;
  }
  std::byte* in_data(int leaf) { return data_ + static_cast<std::size_t>(tree_.lo[at(leaf)]) * kernels_.bytes; }
  std::byte* array(int leaf) { return in_place(leaf) ? in_data(leaf) : arrays_.at(leaf).data(); }
  std::size_t count(int p) const { return static_cast<std::size_t>(tree_.count(p)); }

  void distribute() {
    Requests requests(down_.get());
    Work work(requests, kernels_, chunk_, window_);
    std::vector<Part> first;
    for (std::size_t k = 0; k < routes_.size(); ++k) {
      const std::vector<int>& ranks = routes_[k];
      const int leaf = tree_.leaves[k];
      for (std::size_t hop = 0; hop < ranks.size(); ++hop) {
        if (ranks[hop] != me_ || ranks.size() == 1) continue;
        // A message has the number of the hop that it ends.
        const int tag = static_cast<int>(k * longest_ + hop);
        const bool last = hop + 1 == ranks.size();
        if (hop == 0) {
          first.push_back({in_data(leaf), count(leaf), ranks[1], tag + 1});
        } else if (last) {
          work.receive(array(leaf), count(leaf), ranks[hop - 1], tag);
        } else {
          work.forward(count(leaf), ranks[hop - 1], tag, ranks[hop + 1], tag + 1);
        }
      }
    }
    // One leaf after the other: the first can sort while the last still waits.
    if (!first.empty()) work.send(std::move(first));
    work.run();
  }

  void merges(Work& work, void* out) {
    std::map<int, Source*> made;  // of processes whose parent is here, too
    for (int p = tree_.size() - 1; p >= 0; --p) {
      if (tree_.rank[at(p)] != me_) continue;
      const int parent = tree_.parent[at(p)];
      const bool together = parent >= 0 && tree_.rank[at(parent)] == me_;
      if (tree_.is_leaf(p) && parent >= 0) {
        if (together) {
          made[p] = &work.array(array(p), count(p));
        } else {
          work.send({{array(p), count(p), tree_.rank[at(parent)], p}});
        }
        continue;
      }
      std::vector<Source*> sources;
      for (int child : tree_.children[at(p)]) {
        const int rank = tree_.rank[at(child)];
        sources.push_back(rank == me_ ? made.at(child) : &work.received(count(child), rank, child));
      }
      if (sources.empty()) sources.push_back(&work.array(array(p), count(p)));  // the root alone
      if (parent < 0) {
        work.merge_into(out, sources);
      } else if (together) {
        made[p] = &work.merged(sources);
      } else {
        work.merge_to(tree_.rank[at(parent)], p, Form::keys, sources);
      }
    }
  }

  detail::Communicator down_, up_;
  int me_;
  const Kernels& kernels_;
  Tree tree_;
  std::size_t chunk_, window_, longest_ = 0;
  std::vector<std::vector<int>> routes_;
  std::map<int, tools::Array<std::byte>> arrays_;
  std::byte* data_ = nullptr;
};

}  // namespace

std::unique_ptr<Sorting> make_tree_sort(MPI_Comm comm, const ElementType& type, const Tree& tree,
                                        const Settings& settings) {
  return std::make_unique<TreeSort>(comm, type, tree, settings);
}

}  // namespace weft::sort
