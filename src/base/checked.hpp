// Integer arithmetic that reports overflow instead of wrapping.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::detail {

/// `value` as To; Error naming `what` if it does not fit.
template <std::integral To, std::integral From>
To narrow(From value, const char* what) {
  if (!std::in_range<To>(value)) {
    throw Error(concat(what, " is ", value, ", which does not fit a ", 8 * sizeof(To), "-bit integer"));
  }
  return static_cast<To>(value);
}

/// a * b of two non-negative 64-bit numbers; Error naming `what` on overflow.
inline std::int64_t multiply(std::int64_t a, std::int64_t b, const char* what) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw Error(concat(what, " overflows 64 bits: ", a, " * ", b));
  }
  return product;
}

}  // namespace weft::detail
