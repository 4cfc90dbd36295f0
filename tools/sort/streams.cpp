#include "streams.hpp"

#include <algorithm>
#include <cstring>

#include "array.hpp"
#include "charge.hpp"
#include "merge.hpp"

namespace weft::sort {

namespace {

/// What is cut into chunks, and how many of them may be on their way at once.
struct Flow {
  std::size_t bytes = 1;  ///< of an element
  std::size_t count = 0;  ///< elements
  std::size_t chunk = 1;  ///< elements of a chunk; the last may have less
  std::size_t window = 1;

  std::size_t chunks() const { return (count + chunk - 1) / chunk; }
  std::size_t slots() const { return std::min(window, chunks()); }
  std::size_t size(std::size_t k) const { return std::min(chunk, count - k * chunk); }
};

struct Run {
  const std::byte* data = nullptr;
  std::size_t count = 0;
};

struct Room {
  std::byte* data = nullptr;
  std::size_t count = 0;
};

/// Memory for so many elements.
tools::Array<std::byte> memory(std::size_t count, std::size_t bytes) {
  return tools::Array<std::byte>(static_cast<Index>(count * bytes));
}

bool any_busy(const Requests& requests, std::size_t first, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    if (requests.busy(first + k)) return true;
  }
  return false;
}

}  // namespace

class Source {
 public:
  explicit Source(std::size_t count) : count_(count) {}
  virtual ~Source() = default;
  std::size_t count() const { return count_; }
  /// What is there now; empty if nothing has come yet.
  virtual Run front() const = 0;
  virtual void take(std::size_t n) = 0;
  /// Everything has been taken.
  virtual bool ended() const = 0;

 private:
  std::size_t count_;
};

class Sink {
 public:
  virtual ~Sink() = default;
  /// Where the next elements go; empty if there is no room now.
  virtual Room room() = 0;
  virtual void put(std::size_t n) = 0;
  /// Nothing of it is on its way.
  virtual bool settled() const { return true; }
};

namespace {

class ArraySource final : public Source {
 public:
  ArraySource(const void* data, std::size_t count, std::size_t bytes)
      : Source(count), left_{static_cast<const std::byte*>(data), count}, bytes_(bytes) {}
  Run front() const override { return left_; }
  void take(std::size_t n) override { left_ = {left_.data + n * bytes_, left_.count - n}; }
  bool ended() const override { return left_.count == 0; }

 private:
  Run left_;
  std::size_t bytes_;
};

/// Chunks from another rank, received into a ring.
class ReceiveSource final : public Source {
 public:
  ReceiveSource(Requests& requests, Flow flow, int rank, int tag)
      : Source(flow.count),
        requests_(requests),
        flow_(flow),
        rank_(rank),
        tag_(tag),
        first_(requests.add(flow.slots())),
        ring_(memory(flow.slots() * flow.chunk, flow.bytes)) {
    for (std::size_t k = 0; k < flow_.slots(); ++k) post(k);
  }
  Run front() const override {
    if (ended() || requests_.busy(first_ + next_ % flow_.slots())) return {};
    return {ring_.data() + offset(next_) + taken_ * flow_.bytes, flow_.size(next_) - taken_};
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
  std::size_t offset(std::size_t k) const { return k % flow_.slots() * flow_.chunk * flow_.bytes; }
  void post(std::size_t k) {
    requests_.receive(first_ + k % flow_.slots(), ring_.data() + offset(k), flow_.size(k) * flow_.bytes, rank_, tag_);
  }

  Requests& requests_;
  Flow flow_;
  int rank_, tag_;
  std::size_t first_, next_ = 0, taken_ = 0;
  tools::Array<std::byte> ring_;
};

/// An array that is filled; elements take their final form while they are in cache.
class ArraySink final : public Sink {
 public:
  ArraySink(void* data, std::size_t count, const Kernels& kernels)
      : left_{static_cast<std::byte*>(data), count}, kernels_(kernels) {}
  Room room() override { return left_; }
  void put(std::size_t n) override {
    kernels_.from_keys(left_.data, n);
    left_ = {left_.data + n * kernels_.bytes, left_.count - n};
  }

 private:
  Room left_;
  const Kernels& kernels_;
};

/// Chunks for another rank, each sent when it is full.
class SendSink final : public Sink {
 public:
  SendSink(Requests& requests, Flow flow, int rank, int tag, Form form, const Kernels& kernels)
      : requests_(requests),
        flow_(flow),
        rank_(rank),
        tag_(tag),
        form_(form),
        kernels_(kernels),
        first_(requests.add(flow.slots())),
        ring_(memory(flow.slots() * flow.chunk, flow.bytes)) {}
  Room room() override {
    if (next_ == flow_.chunks() || requests_.busy(place())) return {};
    return {slot() + filled_ * flow_.bytes, flow_.size(next_) - filled_};
  }
  void put(std::size_t n) override {
    if (form_ == Form::elements) kernels_.from_keys(slot() + filled_ * flow_.bytes, n);
    filled_ += n;
    if (filled_ < flow_.size(next_)) return;
    requests_.send(place(), slot(), filled_ * flow_.bytes, rank_, tag_);
    ++next_;
    filled_ = 0;
  }
  bool settled() const override { return !any_busy(requests_, first_, flow_.slots()); }

 private:
  std::size_t place() const { return first_ + next_ % flow_.slots(); }
  std::byte* slot() { return ring_.data() + next_ % flow_.slots() * flow_.chunk * flow_.bytes; }

  Requests& requests_;
  Flow flow_;
  int rank_, tag_;
  Form form_;
  const Kernels& kernels_;
  std::size_t first_, next_ = 0, filled_ = 0;
  tools::Array<std::byte> ring_;
};

/// From one merge to the next on the same rank.
class Ring final : public Source, public Sink {
 public:
  explicit Ring(Flow flow)
      : Source(flow.count),
        bytes_(flow.bytes),
        size_(std::max<std::size_t>(1, std::min(flow.count, 2 * flow.chunk))),
        ring_(memory(size_, flow.bytes)) {}
  Room room() override {
    const std::size_t at = put_ % size_, free = size_ - (put_ - taken_);
    return {ring_.data() + at * bytes_, std::min({free, size_ - at, count() - put_})};
  }
  void put(std::size_t n) override { put_ += n; }
  Run front() const override {
    const std::size_t at = taken_ % size_;
    return {ring_.data() + at * bytes_, std::min(put_ - taken_, size_ - at)};
  }
  void take(std::size_t n) override { taken_ += n; }
  bool ended() const override { return taken_ == count(); }

 private:
  std::size_t bytes_, size_, put_ = 0, taken_ = 0;
  tools::Array<std::byte> ring_;
};

/// Two sources into a sink; or one, which is copied.
class Merge final : public Task {
 public:
  Merge(Source& a, Source* b, Sink& out, const Kernels& kernels) : a_(a), b_(b), out_(out), kernels_(kernels) {}
  bool step() override {
    const Room room = out_.room();
    if (room.count == 0) return false;
    if (b_ == nullptr || b_->ended()) return copy(a_, room);
    if (a_.ended()) return copy(*b_, room);
    const Run a = a_.front(), b = b_->front();
    if (a.count == 0 || b.count == 0) return false;
    const Taken taken = kernels_.merge(a.data, a.count, b.data, b.count, room.data, room.count);
    charge_merge(taken.both());
    a_.take(taken.a);
    b_->take(taken.b);
    out_.put(taken.both());
    return true;
  }
  bool done() const override { return a_.ended() && (b_ == nullptr || b_->ended()) && out_.settled(); }

 private:
  bool copy(Source& source, Room room) {
    const Run there = source.front();
    const std::size_t n = std::min(there.count, room.count);
    if (n == 0) return false;
    std::memcpy(room.data, there.data, n * kernels_.bytes);
    charge_copy(n * kernels_.bytes);
    source.take(n);
    out_.put(n);
    return true;
  }

  Source& a_;
  Source* b_;
  Sink& out_;
  const Kernels& kernels_;
};

class SendParts final : public Task {
 public:
  SendParts(Requests& requests, std::vector<Part> parts, std::size_t bytes, std::size_t chunk, std::size_t window)
      : requests_(requests),
        parts_(std::move(parts)),
        bytes_(bytes),
        chunk_(chunk),
        window_(window),
        first_(requests.add(window)) {
    skip_empty();
  }
  bool step() override {
    bool any = false;
    for (std::size_t slot = 0; slot < window_ && part_ < parts_.size(); ++slot) {
      if (requests_.busy(first_ + slot)) continue;
      const Part& part = parts_[part_];
      const std::size_t n = std::min(chunk_, part.count - sent_);
      requests_.send(first_ + slot, static_cast<const std::byte*>(part.data) + sent_ * bytes_, n * bytes_, part.rank,
                     part.tag);
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
  bool done() const override { return part_ == parts_.size() && !any_busy(requests_, first_, window_); }

 private:
  void skip_empty() {
    while (part_ < parts_.size() && parts_[part_].count == 0) ++part_;
  }

  Requests& requests_;
  std::vector<Part> parts_;
  std::size_t bytes_, chunk_, window_, first_, part_ = 0, sent_ = 0;
};

/// Receives chunks in the order of their places.
class ReceiveInPlace final : public Task {
 public:
  ReceiveInPlace(Requests& requests, void* data, Flow flow, int rank, int tag)
      : requests_(requests),
        data_(static_cast<std::byte*>(data)),
        flow_(flow),
        rank_(rank),
        tag_(tag),
        first_(requests.add(flow.slots())) {
    step();
  }
  bool step() override {
    bool any = false;
    // In order: messages of the same tag do not overtake each other.
    while (next_ < flow_.chunks() && !requests_.busy(first_ + next_ % flow_.slots())) {
      requests_.receive(first_ + next_ % flow_.slots(), data_ + next_ * flow_.chunk * flow_.bytes,
                        flow_.size(next_) * flow_.bytes, rank_, tag_);
      ++next_;
      any = true;
    }
    return any;
  }
  bool done() const override { return next_ == flow_.chunks() && !any_busy(requests_, first_, flow_.slots()); }

 private:
  Requests& requests_;
  std::byte* data_;
  Flow flow_;
  int rank_, tag_;
  std::size_t first_, next_ = 0;
};

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
      const Run chunk = chunks_.front();
      if (chunk.count > 0) {
        requests_.send(first_ + sent_ % flow_.slots(), chunk.data, chunk.count * flow_.bytes, to_, to_tag_);
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
  ReceiveSource chunks_;
  std::size_t first_, sent_ = 0, freed_ = 0;
};

std::size_t total(const std::vector<Source*>& sources) {
  std::size_t count = 0;
  for (const Source* source : sources) count += source->count();
  return count;
}

}  // namespace

Work::Work(Requests& requests, const Kernels& kernels, std::size_t chunk, std::size_t window)
    : requests_(requests), kernels_(kernels), chunk_(chunk), window_(window) {}

Work::~Work() = default;

template <class Some, class Base, class... Args>
Some& Work::keep(std::vector<std::unique_ptr<Base>>& where, Args&&... args) {
  auto made = std::make_unique<Some>(std::forward<Args>(args)...);
  Some& reference = *made;
  where.push_back(std::move(made));
  return reference;
}

void Work::send(std::vector<Part> parts) {
  keep<SendParts>(tasks_, requests_, std::move(parts), kernels_.bytes, chunk_, window_);
}

void Work::receive(void* data, std::size_t count, int rank, int tag) {
  keep<ReceiveInPlace>(tasks_, requests_, data, Flow{kernels_.bytes, count, chunk_, window_}, rank, tag);
}

void Work::forward(std::size_t count, int source, int source_tag, int to, int to_tag) {
  keep<Forward>(tasks_, requests_, Flow{kernels_.bytes, count, chunk_, window_}, source, source_tag, to, to_tag);
}

Source& Work::array(const void* keys, std::size_t count) {
  return keep<ArraySource>(sources_, keys, count, kernels_.bytes);
}

Source& Work::received(std::size_t count, int rank, int tag) {
  return keep<ReceiveSource>(sources_, requests_, Flow{kernels_.bytes, count, chunk_, window_}, rank, tag);
}

Source& Work::merged(const std::vector<Source*>& sources) {
  Ring& ring = keep<Ring>(sources_, Flow{kernels_.bytes, total(sources), chunk_, window_});
  merge(sources, ring);
  return ring;
}

void Work::merge_into(void* elements, const std::vector<Source*>& sources) {
  merge(sources, keep<ArraySink>(sinks_, elements, total(sources), kernels_));
}

void Work::merge_to(int rank, int tag, Form form, const std::vector<Source*>& sources) {
  const Flow flow{kernels_.bytes, total(sources), chunk_, window_};
  merge(sources, keep<SendSink>(sinks_, requests_, flow, rank, tag, form, kernels_));
}

void Work::merge(std::vector<Source*> sources, Sink& out) {
  while (sources.size() > 2) {
    std::vector<Source*> halved;
    for (std::size_t i = 0; i + 1 < sources.size(); i += 2) halved.push_back(&merged({sources[i], sources[i + 1]}));
    if (sources.size() % 2 == 1) halved.push_back(sources.back());
    sources = std::move(halved);
  }
  keep<Merge>(tasks_, *sources[0], sources.size() > 1 ? sources[1] : nullptr, out, kernels_);
}

void Work::run() { run_tasks(requests_, tasks_); }

}  // namespace weft::sort
