// Prime factors of lengths.
#pragma once

#include <initializer_list>

#include "weft/index.hpp"

namespace weft::detail {

/// What is left of n, at least 1, without these factors.
constexpr Index without_factors(Index n, std::initializer_list<Index> primes) {
  for (const Index prime : primes) {
    while (n % prime == 0) n /= prime;
  }
  return n;
}

}  // namespace weft::detail
