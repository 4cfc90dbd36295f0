// Sample sort: what a practitioner would use where the data are spread over the ranks anyway. Here rank 0 has them, so
// they are scattered before and gathered after.
#include <algorithm>
#include <numeric>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "base/mpi.hpp"
#include "leaf_sort.hpp"
#include "sorting.hpp"
#include "streams.hpp"

namespace weft::sort {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// An element and where it is: a total order even where elements are equal, so that these are spread too.
template <class T>
struct Sample {
  T key{};
  std::int64_t rank = nobody, place = 0;
  static constexpr std::int64_t nobody = -1;  ///< of no element; comes last
  friend bool operator<(const Sample& a, const Sample& b) {
    if ((a.rank == nobody) != (b.rank == nobody)) return b.rank == nobody;
    if (a.key < b.key || b.key < a.key) return a.key < b.key;
    return a.rank != b.rank ? a.rank < b.rank : a.place < b.place;
  }
};

template <class T>
class SampleSort final : public Sorting {
 public:
  SampleSort(MPI_Comm comm, const ElementType& type, Index n, const Settings& settings)
      : comm_(detail::Communicator::duplicate(comm)),
        back_(detail::Communicator::duplicate(comm)),
        me_(comm_.rank()),
        ranks_(comm_.size()),
        order_(type.order),
        n_(n),
        chunk_(std::max<std::size_t>(1, static_cast<std::size_t>(settings.chunk_bytes) / sizeof(T))),
        window_(at(settings.window)),
        mine_(me_ == 0 ? 0 : static_cast<Index>(share(me_))) {}

  Parts run(void* data, void* out) override {
    Parts parts;
    const double begin = detail::now();
    T* here = me_ == 0 ? static_cast<T*>(data) : mine_.data();
    scatter(static_cast<const T*>(data));
    parts.distribute = detail::now() - begin;
    const double scattered = detail::now();
    to_keys(here, share(me_), order_);
    leaf_sort(here, share(me_));
    const double sorted = detail::now();
    parts.sort = sorted - scattered;
    exchange(here, static_cast<T*>(out));
    parts.merge = detail::now() - sorted;
    return parts;
  }

 private:
  std::size_t first(int rank) const {
    return static_cast<std::size_t>(n_ / ranks_ * rank + n_ % ranks_ * rank / ranks_);
  }
  std::size_t share(int rank) const { return first(rank + 1) - first(rank); }
  Flow flow(std::size_t count) const { return {count, chunk_, window_}; }

  void scatter(const T* data) {
    Requests requests(comm_.get());
    Work<T> work(requests);
    if (me_ == 0) {
      std::vector<typename SendParts<T>::Part> parts;
      for (int rank = 1; rank < ranks_; ++rank) parts.push_back({data + first(rank), share(rank), rank, 0});
      if (!parts.empty()) work.template task<SendParts<T>>(requests, std::move(parts), chunk_, window_);
    } else {
      work.template task<ReceiveInPlace<T>>(requests, mine_.data(), flow(share(me_)), 0, 0);
    }
    work.run();
  }

  /// Where this rank's sorted elements are cut: ranks + 1 places.
  std::vector<std::size_t> cuts(const T* here) const {
    const std::size_t count = share(me_), each = at(ranks_);
    std::vector<Sample<T>> own(each), all(each * each);
    for (std::size_t k = 0; k < each; ++k) {
      // The middle one of each of as many parts as there are ranks; an empty rank says nothing.
      const std::size_t place = (count * (2 * k + 1)) / (2 * each);
      if (count > 0) own[k] = {here[place], me_, static_cast<std::int64_t>(place)};
    }
    const int bytes = detail::narrow<int>(each * sizeof(Sample<T>), "bytes of samples");
    WEFT_MPI(comm_.get(), MPI_Allgather(own.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm_.get()));
    std::sort(all.begin(), all.end());
    std::vector<std::size_t> out{0};
    for (int part = 1; part < ranks_; ++part) {
      const Sample<T>& splitter = all[at(part) * each];
      std::size_t lo = 0, hi = count;
      while (lo < hi) {
        const std::size_t middle = lo + (hi - lo) / 2;
        const Sample<T> sample{here[middle], me_, static_cast<std::int64_t>(middle)};
        if (sample < splitter) {
          lo = middle + 1;
        } else {
          hi = middle;
        }
      }
      out.push_back(lo);
    }
    out.push_back(count);
    return out;
  }

  void exchange(const T* here, T* out) {
    const std::vector<std::size_t> cut = cuts(here);
    std::vector<std::int64_t> sent(at(ranks_)), all(at(ranks_) * at(ranks_));
    for (int rank = 0; rank < ranks_; ++rank) {
      sent[at(rank)] = static_cast<std::int64_t>(cut[at(rank) + 1] - cut[at(rank)]);
    }
    WEFT_MPI(comm_.get(),
             MPI_Allgather(sent.data(), ranks_, MPI_INT64_T, all.data(), ranks_, MPI_INT64_T, comm_.get()));
    const auto part = [&](int from, int to) { return static_cast<std::size_t>(all[at(from) * at(ranks_) + at(to)]); };
    std::vector<std::size_t> result(at(ranks_) + 1);  // where each rank's result begins
    for (int to = 0; to < ranks_; ++to) {
      result[at(to) + 1] = result[at(to)];
      for (int from = 0; from < ranks_; ++from) result[at(to) + 1] += part(from, to);
    }

    Requests requests(back_.get());
    Work<T> work(requests);
    std::vector<Source<T>*> sources;
    std::vector<std::size_t> counts;
    for (int step = 0; step < ranks_; ++step) {
      const int from = (me_ + ranks_ - step) % ranks_, to = (me_ + step) % ranks_;
      counts.push_back(part(from, me_));
      if (step == 0) {
        sources.push_back(
            &work.template source<ArraySource<T>>(std::span<const T>(here + cut[at(me_)], counts.back())));
        continue;
      }
      sources.push_back(&work.template source<ReceiveSource<T>>(requests, flow(counts.back()), from, 0));
      std::vector<typename SendParts<T>::Part> parts{{here + cut[at(to)], part(me_, to), to, 0}};
      work.template task<SendParts<T>>(requests, std::move(parts), chunk_, window_);
    }
    const std::size_t count = result[at(me_) + 1] - result[at(me_)];
    if (me_ == 0) {
      work.merge(sources, counts, chunk_, work.template sink<ArraySink<T>>(std::span<T>(out, count), order_));
      for (int rank = 1; rank < ranks_; ++rank) {
        const std::size_t size = result[at(rank) + 1] - result[at(rank)];
        work.template task<ReceiveInPlace<T>>(requests, out + result[at(rank)], flow(size), rank, 1);
      }
    } else {
      work.merge(sources, counts, chunk_, work.template sink<SendSink<T>>(requests, flow(count), 0, 1, order_));
    }
    work.run();
  }

  detail::Communicator comm_, back_;
  int me_, ranks_;
  Order order_;
  Index n_;
  std::size_t chunk_, window_;
  tools::Array<T> mine_;
};

}  // namespace

std::unique_ptr<Sorting> make_sample_sort(MPI_Comm comm, const ElementType& type, Index n, const Settings& settings) {
  return with_key_type(type, [&](auto key) -> std::unique_ptr<Sorting> {
    return std::make_unique<SampleSort<decltype(key)>>(comm, type, n, settings);
  });
}

}  // namespace weft::sort
