#include "data.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.hpp"
#include "file_form.hpp"
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

/// Numbers of 64 random bits.
void make(std::uint64_t random, float& out) { out = static_cast<float>(static_cast<std::int32_t>(random)); }
void make(std::uint64_t random, double& out) { out = static_cast<double>(static_cast<std::int64_t>(random)); }
void make(std::uint64_t random, LongReal& out) {
  const auto value = static_cast<long double>(static_cast<std::int64_t>(random));
  out = {};
  std::memcpy(&out, &value, std::min(sizeof value, sizeof out));
}
template <class Part>
void make(std::uint64_t random, Complex<Part>& out) {
  make(random, out.real);
  make(mixed(random), out.imaginary);
}

/// A word of small letters that fills the string.
template <class Key>
void make_text(std::uint64_t random, const ElementType& type, std::vector<std::byte>& file, Key& out) {
  const auto unit = static_cast<std::size_t>(type.unit);
  for (std::size_t c = 0; c < file.size(); c += unit) {
    const std::uint32_t letter = 'a' + static_cast<std::uint32_t>(mixed(random + c) % 26);
    if (unit == 1) {
      file[c] = static_cast<std::byte>(letter);
    } else {
      std::memcpy(&file[c], &letter, sizeof letter);
    }
  }
  from_file_form(type, file.data(), 1, &out);
}

/// An element of 64 random bits. Of floats the exponent is spared from all ones, which are infinities and NaNs.
template <class Key>
Key element(std::uint64_t random, const ElementType& type, std::vector<std::byte>& file) {
  Key key{};
  if (type.order == Order::text) {
    make_text(random, type, file, key);
  } else if constexpr (std::is_integral_v<Key>) {
    key = static_cast<Key>(random);
    if (type.order == Order::real) {
      constexpr int mantissa = sizeof(Key) == 2 ? 10 : sizeof(Key) == 4 ? 23 : 52;
      key = static_cast<Key>(key & ~static_cast<Key>(std::uint64_t{1} << mantissa));
    }
  } else if constexpr (requires { make(random, key); }) {
    make(random, key);
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
    std::vector<std::byte> file(static_cast<std::size_t>(type.file_bytes));
    for (Index i = 0; i < n; ++i) {
      std::uint64_t random = mixed(seed * 0x632be59bd9b4e019u + static_cast<std::uint64_t>(i));
      if (distribution == "equal") random = mixed(seed);
      if (distribution == "few") random = mixed(random % 16);
      out[i] = element<Key>(flag ? random & 1 : random, type, file);
    }
    if (distribution != "sorted" && distribution != "reversed") return;
    std::sort(out, out + n, [&](const Key& a, const Key& b) { return before(a, b, type.order); });
    if (distribution == "reversed") std::reverse(out, out + n);
  });
}

std::uint64_t checksum(const void* data, Index n, const ElementType& type) {
  return with_key_type(type, [&](auto key) {
    using Key = decltype(key);
    const Key* in = static_cast<const Key*>(data);
    std::uint64_t sum = 0;
    for (Index i = 0; i < n; ++i) {
      if constexpr (std::is_integral_v<Key>) {
        sum += mixed(static_cast<std::uint64_t>(in[i]));
      } else {
        std::array<std::uint64_t, sizeof(Key) / sizeof(std::uint64_t)> words;
        std::memcpy(words.data(), &in[i], sizeof(Key));
        std::uint64_t one = 0;
        for (const std::uint64_t word : words) one = mixed(one ^ word);
        sum += one;
      }
    }
    return sum;
  });
}

Index first_unsorted(const void* data, Index n, const ElementType& type) {
  return with_key_type(type, [&](auto key) -> Index {
    using Key = decltype(key);
    const Key* in = static_cast<const Key*>(data);
    for (Index i = 0; i + 1 < n; ++i) {
      if (before(in[i + 1], in[i], type.order)) return i;
    }
    return -1;
  });
}

}  // namespace weft::sort
