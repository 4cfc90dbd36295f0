// A pass between two views, each of whose threads works in a scratch of its own.
#pragma once

#include <utility>
#include <vector>

#include "execute/pass.hpp"
#include "execute/scratch.hpp"

namespace weft::detail {

/// `Scratch` is what a thread works in.
template <class Scratch>
class ScratchRunner : public PassRunner {
 public:
  ScratchRunner(const Pass& pass, View in, View out) : pass_(pass), in_(std::move(in)), out_(std::move(out)) {}

  Index scratch_bytes() const override {
    ScratchParts parts;
    lay_out(parts);
    return parts.used();
  }
  void use_scratch(std::byte* memory, Index of_thread, int threads) override {
    scratch_.clear();
    for (int thread = 0; thread < threads; ++thread, memory += of_thread) {
      ScratchParts parts(memory);
      scratch_.push_back(lay_out(parts));
    }
  }
  void bind(const UserArrays& arrays) override {
    arrays_ = arrays;
    in_.bind(arrays);
    out_.bind(arrays);
  }

 protected:
  virtual Scratch lay_out(ScratchParts& parts) const = 0;

  const Unit& unit(Index number) const { return pass_.units[static_cast<std::size_t>(number)]; }

  const Pass& pass_;
  View in_, out_;
  UserArrays arrays_;
  std::vector<Scratch> scratch_;
};

}  // namespace weft::detail
