// Sorted elements that come, are merged and go, chunk by chunk.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kernels.hpp"
#include "requests.hpp"

namespace weft::sort {

class Source;
class Sink;

/// Elements, and where they go.
struct Part {
  const void* data;
  std::size_t count;
  int rank, tag;
};

/// What elements are when they have been merged.
enum class Form {
  keys,     ///< what the next merge wants
  elements  ///< what they were at first
};

/// Tasks of one rank, and the sources and sinks that they work with.
class Work {
 public:
  /// Messages are chunks of so many elements; of each stream at most `window` are on their way.
  Work(Requests& requests, const Kernels& kernels, std::size_t chunk, std::size_t window);
  ~Work();

  /// Sends parts from where they lie, one part after the other.
  void send(std::vector<Part> parts);
  /// Receives elements where they shall lie.
  void receive(void* data, std::size_t count, int rank, int tag);
  /// Hands chunks on as they come: an inner process that only splits need not hold what it splits.
  void forward(std::size_t count, int source, int source_tag, int to, int to_tag);

  /// Sorted keys that are here.
  Source& array(const void* keys, std::size_t count);
  /// Sorted keys that come from another rank.
  Source& received(std::size_t count, int rank, int tag);
  /// What any number of sources, but at least one, become when they are merged two by two.
  Source& merged(const std::vector<Source*>& sources);
  /// The same, into an array of elements.
  void merge_into(void* elements, const std::vector<Source*>& sources);
  /// The same, to another rank.
  void merge_to(int rank, int tag, Form form, const std::vector<Source*>& sources);

  void run();

 private:
  template <class Some, class Base, class... Args>
  Some& keep(std::vector<std::unique_ptr<Base>>& where, Args&&... args);
  void merge(std::vector<Source*> sources, Sink& out);

  Requests& requests_;
  const Kernels& kernels_;
  std::size_t chunk_, window_;
  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<std::unique_ptr<Sink>> sinks_;
  std::vector<std::unique_ptr<Task>> tasks_;
};

}  // namespace weft::sort
