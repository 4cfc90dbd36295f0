// Sorted elements that come, are merged and go, chunk by chunk.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "array.hpp"
#include "charge.hpp"
#include "elements.hpp"
#include "merge.hpp"
#include "requests.hpp"

namespace weft::sort {

/// What is cut into chunks, and how many of them may be on their way at once.
struct Flow {
  std::size_t count = 0;  ///< elements
  std::size_t chunk = 1;  ///< elements of a chunk; the last may have less
  std::size_t window = 1;

  std::size_t chunks() const { return (count + chunk - 1) / chunk; }
  std::size_t slots() const { return std::min(window, chunks()); }
  std::size_t size(std::size_t k) const { return std::min(chunk, count - k * chunk); }
};

template <class T>
class Source {
 public:
  virtual ~Source() = default;
  /// What is there now; empty if nothing has come yet.
  virtual std::span<const T> front() const = 0;
  virtual void take(std::size_t n) = 0;
  /// Everything has been taken.
  virtual bool ended() const = 0;
};

template <class T>
class Sink {
 public:
  virtual ~Sink() = default;
  /// Where the next elements go; empty if there is no room now.
  virtual std::span<T> room() = 0;
  virtual void put(std::size_t n) = 0;
  /// Nothing of it is on its way.
  virtual bool settled() const { return true; }
};

template <class T>
class ArraySource final : public Source<T> {
 public:
  explicit ArraySource(std::span<const T> data) : left_(data) {}
  std::span<const T> front() const override { return left_; }
  void take(std::size_t n) override { left_ = left_.subspan(n); }
  bool ended() const override { return left_.empty(); }

 private:
  std::span<const T> left_;
};

/// Chunks from another rank, received into a ring.
template <class T>
class ReceiveSource final : public Source<T> {
 public:
  ReceiveSource(Requests& requests, Flow flow, int rank, int tag)
      : requests_(requests),
        flow_(flow),
        rank_(rank),
        tag_(tag),
        first_(requests.add(flow.slots())),
        ring_(static_cast<Index>(flow.slots() * flow.chunk)) {
    for (std::size_t k = 0; k < flow_.slots(); ++k) post(k);
  }
  std::span<const T> front() const override {
    if (ended() || requests_.busy(first_ + next_ % flow_.slots())) return {};
    return {slot(next_) + taken_, flow_.size(next_) - taken_};
  }
  void take(std::size_t n) override {
    taken_ += n;
    if (ended() || taken_ < flow_.size(next_)) return;
    if (next_ + flow_.slots() < flow_.chunks()) post(next_ + flow_.slots());
    ++next_;
    taken_ = 0;
  }
  bool ended() const override { return next_ == flow_.chunks(); }

 private:
  const T* slot(std::size_t k) const { return ring_.data() + k % flow_.slots() * flow_.chunk; }
  void post(std::size_t k) {
    requests_.receive(first_ + k % flow_.slots(), const_cast<T*>(slot(k)), flow_.size(k) * sizeof(T), rank_, tag_);
  }

  Requests& requests_;
  Flow flow_;
  int rank_, tag_;
  std::size_t first_, next_ = 0, taken_ = 0;
  tools::Array<T> ring_;
};

/// An array that is filled; elements take their final form while they are in cache.
template <class T>
class ArraySink final : public Sink<T> {
 public:
  ArraySink(std::span<T> data, Order order) : left_(data), order_(order) {}
  std::span<T> room() override { return left_; }
  void put(std::size_t n) override {
    from_keys(left_.data(), n, order_);
    left_ = left_.subspan(n);
  }

 private:
  std::span<T> left_;
  Order order_;
};

/// Chunks for another rank, each sent when it is full.
template <class T>
class SendSink final : public Sink<T> {
 public:
  SendSink(Requests& requests, Flow flow, int rank, int tag, Order order)
      : requests_(requests),
        flow_(flow),
        rank_(rank),
        tag_(tag),
        order_(order),
        first_(requests.add(flow.slots())),
        ring_(static_cast<Index>(flow.slots() * flow.chunk)) {}
  std::span<T> room() override {
    if (next_ == flow_.chunks() || requests_.busy(place())) return {};
    return {slot() + filled_, flow_.size(next_) - filled_};
  }
  void put(std::size_t n) override {
    from_keys(slot() + filled_, n, order_);
    filled_ += n;
    if (filled_ < flow_.size(next_)) return;
    requests_.send(place(), slot(), filled_ * sizeof(T), rank_, tag_);
    ++next_;
    filled_ = 0;
  }
  bool settled() const override {
    for (std::size_t k = 0; k < flow_.slots(); ++k) {
      if (requests_.busy(first_ + k)) return false;
    }
    return true;
  }

 private:
  std::size_t place() const { return first_ + next_ % flow_.slots(); }
  T* slot() { return ring_.data() + next_ % flow_.slots() * flow_.chunk; }

  Requests& requests_;
  Flow flow_;
  int rank_, tag_;
  Order order_;
  std::size_t first_, next_ = 0, filled_ = 0;
  tools::Array<T> ring_;
};

/// From one merge to the next on the same rank.
template <class T>
class Ring final : public Source<T>, public Sink<T> {
 public:
  explicit Ring(Flow flow) : count_(flow.count), ring_(static_cast<Index>(std::min(flow.count, 2 * flow.chunk))) {}
  std::span<T> room() override {
    const std::size_t at = put_ % size(), free = size() - (put_ - taken_);
    return {ring_.data() + at, std::min({free, size() - at, count_ - put_})};
  }
  void put(std::size_t n) override { put_ += n; }
  std::span<const T> front() const override {
    const std::size_t at = taken_ % size();
    return {ring_.data() + at, std::min(put_ - taken_, size() - at)};
  }
  void take(std::size_t n) override { taken_ += n; }
  bool ended() const override { return taken_ == count_; }

 private:
  std::size_t size() const { return std::max<std::size_t>(1, static_cast<std::size_t>(ring_.size())); }
  std::size_t count_, put_ = 0, taken_ = 0;
  tools::Array<T> ring_;
};

/// Two sources into a sink; or one, which is copied.
template <class T>
class Merge final : public Task {
 public:
  Merge(Source<T>& a, Source<T>* b, Sink<T>& out) : a_(a), b_(b), out_(out) {}
  bool step() override {
    const std::span<T> room = out_.room();
    if (room.empty()) return false;
    if (b_ == nullptr || b_->ended()) return copy(a_, room);
    if (a_.ended()) return copy(*b_, room);
    const std::span<const T> a = a_.front(), b = b_->front();
    if (a.empty() || b.empty()) return false;
    const Taken taken = merge_known(a.data(), a.size(), b.data(), b.size(), room.data(), room.size());
    charge_merge(taken.both());
    a_.take(taken.a);
    b_->take(taken.b);
    out_.put(taken.both());
    return true;
  }
  bool done() const override { return a_.ended() && (b_ == nullptr || b_->ended()) && out_.settled(); }

 private:
  bool copy(Source<T>& source, std::span<T> room) {
    const std::span<const T> there = source.front();
    const std::size_t n = std::min(there.size(), room.size());
    if (n == 0) return false;
    std::copy_n(there.data(), n, room.data());
    charge_copy(n * sizeof(T));
    source.take(n);
    out_.put(n);
    return true;
  }

  Source<T>& a_;
  Source<T>* b_;
  Sink<T>& out_;
};

/// Sends parts of arrays from where they lie, one part after the other.
template <class T>
class SendParts final : public Task {
 public:
  struct Part {
    const T* data;
    std::size_t count;
    int rank, tag;
  };
  SendParts(Requests& requests, std::vector<Part> parts, std::size_t chunk, std::size_t window)
      : requests_(requests), parts_(std::move(parts)), chunk_(chunk), window_(window), first_(requests.add(window)) {
    skip_empty();
  }
  bool step() override {
    bool any = false;
    for (std::size_t slot = 0; slot < window_ && part_ < parts_.size(); ++slot) {
      if (requests_.busy(first_ + slot)) continue;
      const Part& part = parts_[part_];
      const std::size_t n = std::min(chunk_, part.count - sent_);
      requests_.send(first_ + slot, part.data + sent_, n * sizeof(T), part.rank, part.tag);
      sent_ += n;
      any = true;
      if (sent_ == part.count) {
        ++part_;
        sent_ = 0;
        skip_empty();
      }
    }
    return any;
  }
  bool done() const override {
    if (part_ < parts_.size()) return false;
    for (std::size_t slot = 0; slot < window_; ++slot) {
      if (requests_.busy(first_ + slot)) return false;
    }
    return true;
  }

 private:
  void skip_empty() {
    while (part_ < parts_.size() && parts_[part_].count == 0) ++part_;
  }

  Requests& requests_;
  std::vector<Part> parts_;
  std::size_t chunk_, window_, first_, part_ = 0, sent_ = 0;
};

/// Receives chunks in the order of their places, where they shall lie.
template <class T>
class ReceiveInPlace final : public Task {
 public:
  ReceiveInPlace(Requests& requests, T* data, Flow flow, int rank, int tag)
      : requests_(requests), data_(data), flow_(flow), rank_(rank), tag_(tag), first_(requests.add(flow.slots())) {
    step();
  }
  bool step() override {
    bool any = false;
    // In order: messages of the same tag do not overtake each other.
    while (next_ < flow_.chunks() && !requests_.busy(first_ + next_ % flow_.slots())) {
      requests_.receive(first_ + next_ % flow_.slots(), data_ + next_ * flow_.chunk, flow_.size(next_) * sizeof(T),
                        rank_, tag_);
      ++next_;
      any = true;
    }
    return any;
  }
  bool done() const override {
    if (next_ < flow_.chunks()) return false;
    for (std::size_t slot = 0; slot < flow_.slots(); ++slot) {
      if (requests_.busy(first_ + slot)) return false;
    }
    return true;
  }

 private:
  Requests& requests_;
  T* data_;
  Flow flow_;
  int rank_, tag_;
  std::size_t first_, next_ = 0;
};

/// Hands chunks on as they come: an inner process that only splits need not hold what it splits.
template <class T>
class Forward final : public Task {
 public:
  Forward(Requests& requests, Flow flow, int source, int source_tag, int to, int to_tag)
      : requests_(requests),
        flow_(flow),
        to_(to),
        to_tag_(to_tag),
        chunks_(requests, flow, source, source_tag),
        first_(requests.add(flow.slots())) {}
  bool step() override {
    bool any = false;
    // What has been sent makes room for what is to come.
    while (freed_ < sent_ && !requests_.busy(first_ + freed_ % flow_.slots())) {
      chunks_.take(flow_.size(freed_));
      ++freed_;
      any = true;
    }
    if (sent_ == freed_ && sent_ < flow_.chunks()) {
      const std::span<const T> chunk = chunks_.front();
      if (!chunk.empty()) {
        requests_.send(first_ + sent_ % flow_.slots(), chunk.data(), chunk.size_bytes(), to_, to_tag_);
        ++sent_;
        any = true;
      }
    }
    return any;
  }
  bool done() const override { return freed_ == flow_.chunks(); }

 private:
  Requests& requests_;
  Flow flow_;
  int to_, to_tag_;
  ReceiveSource<T> chunks_;
  std::size_t first_, sent_ = 0, freed_ = 0;
};

/// Tasks and what they work with, all of one rank.
template <class T>
class Work {
 public:
  explicit Work(Requests& requests) : requests_(requests) {}

  template <class Some, class... Args>
  Some& task(Args&&... args) {
    auto made = std::make_unique<Some>(std::forward<Args>(args)...);
    Some& reference = *made;
    tasks_.push_back(std::move(made));
    return reference;
  }
  template <class Some, class... Args>
  Some& source(Args&&... args) {
    return keep<Some>(sources_, std::forward<Args>(args)...);
  }
  template <class Some, class... Args>
  Some& sink(Args&&... args) {
    return keep<Some>(sinks_, std::forward<Args>(args)...);
  }
  /// Merges any number of sources into a sink, two by two; `counts` are their lengths.
  void merge(std::vector<Source<T>*> sources, std::vector<std::size_t> counts, std::size_t chunk, Sink<T>& out) {
    while (sources.size() > 2) {
      std::vector<Source<T>*> merged;
      std::vector<std::size_t> lengths;
      for (std::size_t i = 0; i + 1 < sources.size(); i += 2) {
        lengths.push_back(counts[i] + counts[i + 1]);
        auto& ring = source<Ring<T>>(Flow{lengths.back(), chunk, 1});
        task<Merge<T>>(*sources[i], sources[i + 1], ring);
        merged.push_back(&ring);
      }
      if (sources.size() % 2 == 1) {
        merged.push_back(sources.back());
        lengths.push_back(counts.back());
      }
      sources = std::move(merged);
      counts = std::move(lengths);
    }
    task<Merge<T>>(*sources[0], sources.size() > 1 ? sources[1] : nullptr, out);
  }
  void run() { run_tasks(requests_, tasks_); }

 private:
  template <class Some, class Base, class... Args>
  Some& keep(std::vector<std::unique_ptr<Base>>& where, Args&&... args) {
    auto made = std::make_unique<Some>(std::forward<Args>(args)...);
    Some& reference = *made;
    where.push_back(std::move(made));
    return reference;
  }

  Requests& requests_;
  std::vector<std::unique_ptr<Source<T>>> sources_;
  std::vector<std::unique_ptr<Sink<T>>> sinks_;
  std::vector<std::unique_ptr<Task>> tasks_;
};

}  // namespace weft::sort
