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

}  // namespace weft::sort
