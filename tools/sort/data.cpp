#include "data.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::sort {

namespace {

/// SplitMix64 (Steele, Lea & Flood 2014), of a place.
std::uint64_t mixed(std::uint64_t place) {
  std::uint64_t z = place + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// An element of 64 random bits. Of floats the exponent is spared from all ones, which are infinities and NaNs.
template <class Key>
Key element(std::uint64_t random, Order order) {
  Key key = static_cast<Key>(random);
  if (order == Order::real) {
    constexpr int mantissa = sizeof(Key) == 2 ? 10 : sizeof(Key) == 4 ? 23 : 52;
    key = static_cast<Key>(key & ~static_cast<Key>(std::uint64_t{1} << mantissa));
  }
  return key;
}

}  // namespace

std::vector<std::string> distributions() { return {"uniform", "few", "equal", "sorted", "reversed"}; }

void fill(void* data, Index n, const ElementType& type, const std::string& distribution, std::uint64_t seed) {
  const std::vector<std::string> good = distributions();
  if (std::find(good.begin(), good.end(), distribution) == good.end()) {
    throw Error(detail::concat("distribution is '", distribution, "'; allowed are ", detail::join(good)));
  }
  const bool flag = type.name == "bool";
  with_key_type(type, [&](auto key) {
    using Key = decltype(key);
    Key* out = static_cast<Key*>(data);
    for (Index i = 0; i < n; ++i) {
      std::uint64_t random = mixed(seed * 0x632be59bd9b4e019u + static_cast<std::uint64_t>(i));
      if (distribution == "equal") random = mixed(seed);
      if (distribution == "few") random = mixed(random % 16);
      out[i] = flag ? static_cast<Key>(random & 1) : element<Key>(random, type.order);
    }
    if (distribution != "sorted" && distribution != "reversed") return;
    std::sort(out, out + n, [&](Key a, Key b) { return to_key(a, type.order) < to_key(b, type.order); });
    if (distribution == "reversed") std::reverse(out, out + n);
  });
}

std::uint64_t checksum(const void* data, Index n, const ElementType& type) {
  return with_key_type(type, [&](auto key) {
    using Key = decltype(key);
    const Key* in = static_cast<const Key*>(data);
    std::uint64_t sum = 0;
    for (Index i = 0; i < n; ++i) sum += mixed(static_cast<std::uint64_t>(in[i]));
    return sum;
  });
}

Index first_unsorted(const void* data, Index n, const ElementType& type) {
  return with_key_type(type, [&](auto key) -> Index {
    using Key = decltype(key);
    const Key* in = static_cast<const Key*>(data);
    for (Index i = 0; i + 1 < n; ++i) {
      if (to_key(in[i + 1], type.order) < to_key(in[i], type.order)) return i;
    }
    return -1;
  });
}

}  // namespace weft::sort
