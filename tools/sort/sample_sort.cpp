// Sample sort: what a practitioner would use where the data are spread over the ranks anyway. Here rank 0 has them, so
// they are scattered before and gathered after.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "array.hpp"
#include "base/checked.hpp"
#include "base/clock.hpp"
#include "base/mpi.hpp"
#include "kernels.hpp"
#include "sorting.hpp"
#include "streams.hpp"

namespace weft::sort {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Where a key is: a total order even where keys are equal, so that these are spread too.
struct Place {
  std::int64_t rank = nobody, place = 0;
  static constexpr std::int64_t nobody = -1;  ///< of no key; comes last
  friend bool operator<(const Place& a, const Place& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.place < b.place;
  }
};

/// Keys and where they are, one behind the other, as they are sent.
class Samples {
 public:
  Samples(std::size_t count, const Kernels& kernels)
      : kernels_(kernels),
        stride_(sizeof(Place) + (kernels.bytes + alignof(Place) - 1) / alignof(Place) * alignof(Place)),
        count_(count),
        memory_(count * stride_) {
    for (std::size_t i = 0; i < count; ++i) put_place(i, {});
  }
  std::byte* data() { return memory_.data(); }
  std::size_t bytes() const { return memory_.size(); }
  void put(std::size_t i, const std::byte* key, Place place) {
    put_place(i, place);
    std::memcpy(memory_.data() + i * stride_ + sizeof place, key, kernels_.bytes);
  }
  /// Whether sample i comes after such a key.
  bool follows(std::size_t i, const std::byte* key, Place place) const { return less(key, place, this->key(i), at(i)); }
  /// Their numbers, the least sample's first.
  std::vector<std::size_t> order() const {
    std::vector<std::size_t> numbers(count_);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    std::sort(numbers.begin(), numbers.end(),
              [&](std::size_t a, std::size_t b) { return less(key(a), at(a), key(b), at(b)); });
    return numbers;
  }

 private:
  void put_place(std::size_t i, Place place) { std::memcpy(memory_.data() + i * stride_, &place, sizeof place); }
  Place at(std::size_t i) const {
    Place place;
    std::memcpy(&place, memory_.data() + i * stride_, sizeof place);
    return place;
  }
  const std::byte* key(std::size_t i) const { return memory_.data() + i * stride_ + sizeof(Place); }
  bool less(const std::byte* a, Place at_a, const std::byte* b, Place at_b) const {
    if ((at_a.rank == Place::nobody) != (at_b.rank == Place::nobody)) return at_b.rank == Place::nobody;
    if (kernels_.less(a, b)) return true;
    return !kernels_.less(b, a) && at_a < at_b;
  }

  const Kernels& kernels_;
  std::size_t stride_, count_;
  std::vector<std::byte> memory_;  // aligned for any key, as all of its strides are
};

class SampleSort final : public Sorting {
 public:
  SampleSort(MPI_Comm comm, const ElementType& type, Index n, const Settings& settings)
      : comm_(detail::Communicator::duplicate(comm)),
        back_(detail::Communicator::duplicate(comm)),
        me_(comm_.rank()),
        ranks_(comm_.size()),
        kernels_(kernels_of(type)),
        n_(n),
        chunk_(std::max<std::size_t>(1, static_cast<std::size_t>(settings.chunk_bytes) / kernels_.bytes)),
        window_(at(settings.window)),
        mine_(me_ == 0 ? 0 : static_cast<Index>(share(me_) * kernels_.bytes)) {}

  Parts run(void* data, void* out) override {
    Parts parts;
    const double begin = detail::now();
    std::byte* here = me_ == 0 ? static_cast<std::byte*>(data) : mine_.data();
    scatter(here);
    parts.distribute = detail::now() - begin;
    const double scattered = detail::now();
    kernels_.to_keys(here, share(me_));
    kernels_.leaf_sort(here, share(me_));
    const double sorted = detail::now();
    parts.sort = sorted - scattered;
    exchange(here, static_cast<std::byte*>(out));
    parts.merge = detail::now() - sorted;
    return parts;
  }

 private:
  std::size_t first(int rank) const {
    return static_cast<std::size_t>(n_ / ranks_ * rank + n_ % ranks_ * rank / ranks_);
  }
  std::size_t share(int rank) const { return first(rank + 1) - first(rank); }

  std::size_t bytes(std::size_t count) const { return count * kernels_.bytes; }

  /// From rank 0's elements, or to this rank's.
  void scatter(std::byte* here) {
    Requests requests(comm_.get());
    Work work(requests, kernels_, chunk_, window_);
    if (me_ == 0) {
      std::vector<Part> parts;
      for (int rank = 1; rank < ranks_; ++rank) parts.push_back({here + bytes(first(rank)), share(rank), rank, 0});
      if (!parts.empty()) work.send(std::move(parts));
    } else {
      work.receive(here, share(me_), 0, 0);
    }
    work.run();
  }

  /// Where this rank's sorted keys are cut: ranks + 1 places.
  std::vector<std::size_t> cuts(const std::byte* here) const {
    const std::size_t count = share(me_), each = at(ranks_);
    Samples own(each, kernels_), all(each * each, kernels_);
    for (std::size_t k = 0; k < each; ++k) {
      // The middle one of each of as many parts as there are ranks; an empty rank says nothing.
      const std::size_t place = (count * (2 * k + 1)) / (2 * each);
      if (count > 0) own.put(k, here + bytes(place), {me_, static_cast<std::int64_t>(place)});
    }
    const int size = detail::narrow<int>(own.bytes(), "bytes of samples");
    WEFT_MPI(comm_.get(), MPI_Allgather(own.data(), size, MPI_BYTE, all.data(), size, MPI_BYTE, comm_.get()));
    const std::vector<std::size_t> order = all.order();
    std::vector<std::size_t> out{0};
    for (int part = 1; part < ranks_; ++part) {
      const std::size_t splitter = order[at(part) * each];
      std::size_t lo = 0, hi = count;
      while (lo < hi) {
        const std::size_t middle = lo + (hi - lo) / 2;
        if (all.follows(splitter, here + bytes(middle), {me_, static_cast<std::int64_t>(middle)})) {
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

  void exchange(const std::byte* here, std::byte* out) {
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
    Work work(requests, kernels_, chunk_, window_);
    std::vector<Source*> sources;
    for (int step = 0; step < ranks_; ++step) {
      const int from = (me_ + ranks_ - step) % ranks_, to = (me_ + step) % ranks_;
      if (step == 0) {
        sources.push_back(&work.array(here + bytes(cut[at(me_)]), part(me_, me_)));
        continue;
      }
      sources.push_back(&work.received(part(from, me_), from, 0));
      work.send({{here + bytes(cut[at(to)]), part(me_, to), to, 0}});
    }
    if (me_ == 0) {
      work.merge_into(out, sources);
      for (int rank = 1; rank < ranks_; ++rank) {
        work.receive(out + bytes(result[at(rank)]), result[at(rank) + 1] - result[at(rank)], rank, 1);
      }
    } else {
      work.merge_to(0, 1, Form::elements, sources);
    }
    work.run();
  }

  detail::Communicator comm_, back_;
  int me_, ranks_;
  const Kernels& kernels_;
  Index n_;
  std::size_t chunk_, window_;
  tools::Array<std::byte> mine_;
};

}  // namespace

std::unique_ptr<Sorting> make_sample_sort(MPI_Comm comm, const ElementType& type, Index n, const Settings& settings) {
  return std::make_unique<SampleSort>(comm, type, n, settings);
}

}  // namespace weft::sort
