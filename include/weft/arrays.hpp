// Arrays that know their size: std::vector, std::array, std::span, and whatever else lies in memory without gaps.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <type_traits>

namespace weft {

/// An array of one of these types of numbers.
template <class A, class... Numbers>
concept ArrayOf = std::ranges::contiguous_range<A> && std::ranges::sized_range<A> &&
                  (std::same_as<std::ranges::range_value_t<A>, Numbers> || ...);

/// One that can be written to, and is still there afterwards.
template <class A, class... Numbers>
concept OutputArrayOf = ArrayOf<A, Numbers...> && std::ranges::borrowed_range<A> &&
                        !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<A>>>;

/// An array of any numbers, as bytes.
template <class A>
concept ArrayOfBytes =
    ArrayOf<A, std::ranges::range_value_t<A>> && std::is_trivially_copyable_v<std::ranges::range_value_t<A>>;
template <class A>
concept OutputArrayOfBytes = ArrayOfBytes<A> && OutputArrayOf<A, std::ranges::range_value_t<A>>;

/// Its size in bytes.
template <ArrayOfBytes A>
std::size_t bytes_of(const A& array) {
  return std::ranges::size(array) * sizeof(std::ranges::range_value_t<A>);
}

}  // namespace weft
