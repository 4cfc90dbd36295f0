#include "kernels.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "charge.hpp"
#include "leaf_sort.hpp"
#include "merge.hpp"
#include "records.hpp"

namespace weft::sort {

namespace {

/// Nothing to do: elements are their own keys.
void keep(void*, std::size_t) {}

template <class Key, Order order>
void to_keys(void* data, std::size_t n) {
  Key* keys = static_cast<Key*>(data);
  for (std::size_t i = 0; i < n; ++i) keys[i] = to_key(keys[i], order);
}

template <class Key, Order order>
void from_keys(void* data, std::size_t n) {
  Key* keys = static_cast<Key*>(data);
  for (std::size_t i = 0; i < n; ++i) keys[i] = from_key(keys[i], order);
}

/// Both ways of turning elements.
struct Turns {
  Kernels::InPlace to_keys = keep, from_keys = keep;
};
template <class Key, Order order>
constexpr Turns turns() {
  if constexpr (order == Order::plain) {
    return {};
  } else {
    return {to_keys<Key, order>, from_keys<Key, order>};
  }
}

template <class Key>
void sort_by_comparing(void* data, std::size_t n) {
  Key* keys = static_cast<Key*>(data);
  std::sort(keys, keys + n);
}

template <class Key>
void sort_leaf(void* data, std::size_t n) {
  if constexpr (std::is_integral_v<Key>) {
    leaf_sort(static_cast<Key*>(data), n);
  } else {
    charge_sort(n);
    sort_by_comparing<Key>(data, n);
  }
}

template <class Key>
bool less(const void* a, const void* b) {
  return *static_cast<const Key*>(a) < *static_cast<const Key*>(b);
}

template <class Key>
Taken merge(const void* a, std::size_t na, const void* b, std::size_t nb, void* out, std::size_t room) {
  return merge_known(static_cast<const Key*>(a), na, static_cast<const Key*>(b), nb, static_cast<Key*>(out), room);
}

template <class Key, Order order>
std::size_t first_unsorted(const void* data, std::size_t n) {
  const Key* elements = static_cast<const Key*>(data);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    if constexpr (order == Order::plain) {
      if (elements[i + 1] < elements[i]) return i;
    } else {
      if (to_key(elements[i + 1], order) < to_key(elements[i], order)) return i;
    }
  }
  return n;
}

/// `order` is that of integers; plain where elements are their own keys.
template <class Key, Order order = Order::plain>
constexpr Kernels table = {
    sizeof(Key),
    std::is_integral_v<Key>,
    turns<Key, order>().to_keys,
    turns<Key, order>().from_keys,
    sort_leaf<Key>,
    sort_by_comparing<Key>,
    less<Key>,
    merge<Key>,
    first_unsorted<Key, order>,
};

const Kernels& of_text(int bytes) {
  switch (bytes) {
    case 8: return table<std::uint64_t>;
    case 16: return table<Text<2>>;
    case 32: return table<Text<4>>;
    case 64: return table<Text<8>>;
    case 128: return table<Text<16>>;
    case 256: return table<Text<32>>;
    case 1024: return table<Text<128>>;
    default: return table<Text<512>>;
  }
}

const Kernels& of_complex(int bytes) {
  switch (bytes) {
    case 8: return table<Complex<float>>;
    case 16: return table<Complex<double>>;
    default: return table<Complex<LongReal>>;
  }
}

const Kernels& of_real(int bytes) {
  switch (bytes) {
    case 2: return table<std::int16_t, Order::real>;
    case 4: return table<std::int32_t, Order::real>;
    case 8: return table<std::int64_t, Order::real>;
    default: return table<LongReal>;
  }
}

const Kernels& of_integer(int bytes, bool is_signed) {
  switch (bytes) {
    case 1: return is_signed ? table<std::int8_t> : table<std::uint8_t>;
    case 2: return is_signed ? table<std::int16_t> : table<std::uint16_t>;
    case 4: return is_signed ? table<std::int32_t> : table<std::uint32_t>;
    default: return is_signed ? table<std::int64_t> : table<std::uint64_t>;
  }
}

}  // namespace

const Kernels& kernels_of(const ElementType& type) {
  switch (type.order) {
    case Order::text: return of_text(type.bytes);
    case Order::complex: return of_complex(type.bytes);
    case Order::real: return of_real(type.bytes);
    case Order::time: return table<std::int64_t, Order::time>;
    default: return of_integer(type.bytes, type.is_signed);
  }
}

}  // namespace weft::sort
