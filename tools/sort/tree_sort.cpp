// The tree merge sort. A rank runs all of its processes at once, as tasks; those that are on the same rank read each
// other's memory.
#include <algorithm>
#include <map>

#include "base/clock.hpp"
#include "base/mpi.hpp"
#include "base/text.hpp"
#include "leaf_sort.hpp"
#include "sorting.hpp"
#include "streams.hpp"
#include "weft/error.hpp"

namespace weft::sort {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

template <class T>
class TreeSort final : public Sorting {
 public:
  TreeSort(MPI_Comm comm, const ElementType& type, const Tree& tree, const Settings& settings)
      : down_(detail::Communicator::duplicate(comm)),
        up_(detail::Communicator::duplicate(comm)),
        me_(down_.rank()),
        order_(type.order),
        tree_(tree),
        chunk_(std::max<std::size_t>(1, static_cast<std::size_t>(settings.chunk_bytes) / sizeof(T))),
        window_(at(settings.window)) {
    for (int leaf : tree_.leaves) {
      routes_.push_back(route(leaf));
      longest_ = std::max(longest_, routes_.back().size());
      // The root's own leaves are sorted where the data lie.
      if (tree_.rank[at(leaf)] == me_ && !in_place(leaf)) arrays_.emplace(leaf, tree_.count(leaf));
    }
    if (longest_ * routes_.size() > 32767) {
      throw Error(detail::concat("a tree of ", routes_.size(), " leaves and ", longest_,
                                 " messages on the way to some is more than MPI has tags for"));
    }
  }

  Parts run(void* data, void* out) override {
    Parts parts;
    data_ = static_cast<T*>(data);
    const double begin = detail::now();
    distribute();
    parts.distribute = detail::now() - begin;
    // Receives are posted before the leaves are sorted: what comes meanwhile lies where it is needed.
    Requests requests(up_.get());
    Work<T> work(requests);
    merges(requests, work, static_cast<T*>(out));
    for (int leaf : tree_.leaves) {
      if (tree_.rank[at(leaf)] != me_) continue;
      const auto n = static_cast<std::size_t>(tree_.count(leaf));
      to_keys(array(leaf), n, order_);
      leaf_sort(array(leaf), n);
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
  T* array(int leaf) { return in_place(leaf) ? data_ + tree_.lo[at(leaf)] : arrays_.at(leaf).data(); }
  Flow flow(int p) const { return {static_cast<std::size_t>(tree_.count(p)), chunk_, window_}; }

  void distribute() {
    Requests requests(down_.get());
    Work<T> work(requests);
    std::vector<typename SendParts<T>::Part> first;
    for (std::size_t k = 0; k < routes_.size(); ++k) {
      const std::vector<int>& ranks = routes_[k];
      const int leaf = tree_.leaves[k];
      for (std::size_t hop = 0; hop < ranks.size(); ++hop) {
        if (ranks[hop] != me_ || ranks.size() == 1) continue;
        // A message has the number of the hop that it ends.
        const int tag = static_cast<int>(k * longest_ + hop);
        const bool last = hop + 1 == ranks.size();
        if (hop == 0) {
          first.push_back({data_ + tree_.lo[at(leaf)], flow(leaf).count, ranks[1], tag + 1});
        } else if (last) {
          work.template task<ReceiveInPlace<T>>(requests, array(leaf), flow(leaf), ranks[hop - 1], tag);
        } else {
          work.template task<Forward<T>>(requests, flow(leaf), ranks[hop - 1], tag, ranks[hop + 1], tag + 1);
        }
      }
    }
    // One leaf after the other: the first can sort while the last still waits.
    if (!first.empty()) work.template task<SendParts<T>>(requests, std::move(first), chunk_, window_);
    work.run();
  }

  void merges(Requests& requests, Work<T>& work, T* out) {
    std::map<int, Source<T>*> made;  // of processes whose parent is here, too
    for (int p = tree_.size() - 1; p >= 0; --p) {
      if (tree_.rank[at(p)] != me_) continue;
      const int parent = tree_.parent[at(p)];
      const bool together = parent >= 0 && tree_.rank[at(parent)] == me_;
      const std::size_t count = flow(p).count;
      if (tree_.is_leaf(p) && parent >= 0) {
        if (together) {
          made[p] = &work.template source<ArraySource<T>>(std::span<const T>(array(p), count));
        } else {
          std::vector<typename SendParts<T>::Part> parts{{array(p), count, tree_.rank[at(parent)], p}};
          work.template task<SendParts<T>>(requests, std::move(parts), chunk_, window_);
        }
        continue;
      }
      std::vector<Source<T>*> sources;
      std::vector<std::size_t> counts;
      for (int child : tree_.children[at(p)]) {
        const int rank = tree_.rank[at(child)];
        sources.push_back(rank == me_ ? made.at(child)
                                      : &work.template source<ReceiveSource<T>>(requests, flow(child), rank, child));
        counts.push_back(flow(child).count);
      }
      if (sources.empty()) {  // the root alone
        sources.push_back(&work.template source<ArraySource<T>>(std::span<const T>(array(p), count)));
        counts.push_back(count);
      }
      if (parent < 0) {
        work.merge(sources, counts, chunk_, work.template sink<ArraySink<T>>(std::span<T>(out, count), order_));
      } else if (together) {
        auto& ring = work.template source<Ring<T>>(flow(p));
        work.merge(sources, counts, chunk_, ring);
        made[p] = &ring;
      } else {
        const int to = tree_.rank[at(parent)];
        work.merge(sources, counts, chunk_, work.template sink<SendSink<T>>(requests, flow(p), to, p, Order::plain));
      }
    }
  }

  detail::Communicator down_, up_;
  int me_;
  Order order_;
  Tree tree_;
  std::size_t chunk_, window_, longest_ = 0;
  std::vector<std::vector<int>> routes_;
  std::map<int, tools::Array<T>> arrays_;
  T* data_ = nullptr;
};

}  // namespace

std::unique_ptr<Sorting> make_tree_sort(MPI_Comm comm, const ElementType& type, const Tree& tree,
                                        const Settings& settings) {
  return with_key_type(type, [&](auto key) -> std::unique_ptr<Sorting> {
    return std::make_unique<TreeSort<decltype(key)>>(comm, type, tree, settings);
  });
}

}  // namespace weft::sort
