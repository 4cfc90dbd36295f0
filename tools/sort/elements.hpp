// Element types as NumPy has them, and the integers that stand for them: sorted as integers, they are sorted as NumPy
// sorts. Those that fit no integer have types of their own: records.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "records.hpp"
#include "weft/layout.hpp"

namespace weft::sort {

/// How elements are compared. Up to 64 bits they become integers that compare alike, and every pattern of bits keeps
/// one of its own.
enum class Order {
  plain,    ///< they are integers
  real,     ///< floating point; NaNs last
  time,     ///< 64-bit times, of which the smallest number means "not a time" and comes last
  complex,  ///< by real, then by imaginary part; NaNs last
  text      ///< by characters
};

struct ElementType {
  std::string name;   ///< NumPy's: int32, float64, ...
  std::string descr;  ///< in .npy files: <i4, <f8, ...
  int bytes = 0;      ///< while they are sorted: strings are filled up with zeros
  bool is_signed = false;
  Order order = Order::plain;
  int unit = 0;          ///< bytes of what has a byte order: half a complex number, a character
  int file_bytes = 0;    ///< in .npy files
  bool swapped = false;  ///< files have the other byte order than this machine
};

/// The type of that name; Error listing the good ones.
ElementType element_type(const std::string& name);
/// The type of an .npy file; Error listing the good ones.
ElementType element_type_of_descr(const std::string& descr);
std::vector<std::string> element_type_names();

/// What the bits of a real number mean.
template <class Key>
struct RealBits {
  using Unsigned = std::make_unsigned_t<Key>;
  static constexpr Unsigned positive = static_cast<Unsigned>(std::numeric_limits<std::make_signed_t<Key>>::max());
  static constexpr Unsigned sign = static_cast<Unsigned>(positive + 1);
  static constexpr int mantissa = sizeof(Key) == 2 ? 10 : sizeof(Key) == 4 ? 23 : 52;
  static constexpr Unsigned nans = static_cast<Unsigned>((std::uint64_t{1} << mantissa) - 1);  ///< of one sign
};

/// The integer for the bits of an element.
template <class Key>
Key to_key(Key bits, Order order) {
  using Bits = RealBits<Key>;
  using Unsigned = typename Bits::Unsigned;
  if (order == Order::real) {
    // Negative numbers count downwards. NaNs with a sign would come first; turning the circle of integers by as many as
    // there are of them puts them last.
    const Unsigned u = static_cast<Unsigned>(bits);
    const Unsigned flipped = (u & Bits::sign) != 0 ? static_cast<Unsigned>(u ^ Bits::positive) : u;
    return static_cast<Key>(static_cast<Unsigned>(flipped - Bits::nans));
  }
  if (order == Order::time) return static_cast<Key>(static_cast<Unsigned>(static_cast<Unsigned>(bits) - 1));
  return bits;
}

/// The bits of the element that an integer stands for.
template <class Key>
Key from_key(Key key, Order order) {
  using Bits = RealBits<Key>;
  using Unsigned = typename Bits::Unsigned;
  if (order == Order::real) {
    const Unsigned flipped = static_cast<Unsigned>(static_cast<Unsigned>(key) + Bits::nans);
    return static_cast<Key>((flipped & Bits::sign) != 0 ? static_cast<Unsigned>(flipped ^ Bits::positive) : flipped);
  }
  if (order == Order::time) return static_cast<Key>(static_cast<Unsigned>(static_cast<Unsigned>(key) + 1));
  return key;
}

template <class Key>
void to_keys(Key* data, std::size_t n, Order order) {
  if constexpr (std::is_integral_v<Key>) {
    if (order == Order::plain) return;
    for (std::size_t i = 0; i < n; ++i) data[i] = to_key(data[i], order);
  }
}

template <class Key>
void from_keys(Key* data, std::size_t n, Order order) {
  if constexpr (std::is_integral_v<Key>) {
    if (order == Order::plain) return;
    for (std::size_t i = 0; i < n; ++i) data[i] = from_key(data[i], order);
  }
}

/// Whether one comes before another.
template <class Key>
bool before(const Key& a, const Key& b, Order order) {
  if constexpr (std::is_integral_v<Key>) {
    return to_key(a, order) < to_key(b, order);
  } else {
    return a < b;
  }
}

/// Calls `work` with a value of the type that stands for the elements.
template <class Work>
auto with_key_type(const ElementType& type, const Work& work) {
  const bool is_signed = type.is_signed;
  if (type.order == Order::complex) {
    switch (type.bytes) {
      case 8: return work(Complex<float>{});
      case 16: return work(Complex<double>{});
      default: return work(Complex<LongReal>{});
    }
  }
  if (type.order == Order::text) {
    switch (type.bytes) {
      case 8: return work(std::uint64_t{});
      case 16: return work(Text<2>{});
      case 32: return work(Text<4>{});
      case 64: return work(Text<8>{});
      case 128: return work(Text<16>{});
      case 256: return work(Text<32>{});
      case 1024: return work(Text<128>{});
      default: return work(Text<512>{});
    }
  }
  switch (type.bytes) {
    case 1: return is_signed ? work(std::int8_t{}) : work(std::uint8_t{});
    case 2: return is_signed ? work(std::int16_t{}) : work(std::uint16_t{});
    case 4: return is_signed ? work(std::int32_t{}) : work(std::uint32_t{});
    case 16: return work(LongReal{});
    default: return is_signed ? work(std::int64_t{}) : work(std::uint64_t{});
  }
}

}  // namespace weft::sort
