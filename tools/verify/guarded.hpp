// An array between two guard zones, to see whether anything is written outside it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace weft::verify {

/// `count` numbers, `offset` numbers past a 64-byte boundary. All bytes start as 0xff, which is NaN in any precision:
/// what the library should have written but did not, or should not have read but did, cannot pass for a result.
template <class Real>
class Guarded {
 public:
  Guarded(std::size_t count, std::size_t offset) : count_(count), memory_(count + offset + 2 * kGuard + kAlign) {
    const auto address = reinterpret_cast<std::size_t>(memory_.data() + kGuard);
    const std::size_t past = address % 64 / sizeof(Real);
    begin_ = kGuard + (past == 0 ? 0 : kAlign - past) + offset;
    fill();
  }

  Real* data() { return memory_.data() + begin_; }
  const Real* data() const { return memory_.data() + begin_; }
  std::size_t size() const { return count_; }

  void fill() { std::memset(static_cast<void*>(memory_.data()), 0xff, memory_.size() * sizeof(Real)); }

  /// Whether both guard zones are as `fill` left them.
  bool intact() const {
    const auto* bytes = reinterpret_cast<const unsigned char*>(memory_.data());
    const auto untouched = [](unsigned char byte) { return byte == 0xff; };
    return std::all_of(bytes, bytes + begin_ * sizeof(Real), untouched) &&
           std::all_of(bytes + (begin_ + count_) * sizeof(Real), bytes + memory_.size() * sizeof(Real), untouched);
  }

  /// The same bytes in array and guards.
  bool same_as(const Guarded& other) const {
    return memory_.size() == other.memory_.size() && std::memcmp(data(), other.data(), count_ * sizeof(Real)) == 0 &&
           intact();
  }

 private:
  static constexpr std::size_t kGuard = 512 / sizeof(Real);
  static constexpr std::size_t kAlign = 64 / sizeof(Real);
  std::size_t count_, begin_ = 0;
  std::vector<Real> memory_;
};

}  // namespace weft::verify
