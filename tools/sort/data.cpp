#include "data.hpp"

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "file_form.hpp"
#include "kernels.hpp"
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

template <class T>
std::byte* put(T value, std::byte* out) {
  std::memcpy(out, &value, sizeof value);
  return out + sizeof value;
}

/// A floating-point number of 64 random bits, of so many bytes; what fills a long double up stays zero.
std::byte* put_real(std::uint64_t random, int bytes, std::byte* out) {
  const auto number = static_cast<std::int64_t>(random);
  if (bytes == 4) return put(static_cast<float>(static_cast<std::int32_t>(number)), out);
  if (bytes == 8) return put(static_cast<double>(number), out);
  const auto value = static_cast<long double>(number);
  std::memset(out, 0, static_cast<std::size_t>(bytes));
  std::memcpy(out, &value, std::min(sizeof value, static_cast<std::size_t>(bytes)));
  return out + bytes;
}

/// A word of small letters that fills the string.
void put_text(std::uint64_t random, const ElementType& type, std::vector<std::byte>& file, std::byte* out) {
  const auto unit = static_cast<std::size_t>(type.unit);
  for (std::size_t c = 0; c < file.size(); c += unit) {
    const std::uint32_t letter = 'a' + static_cast<std::uint32_t>(mixed(random + c) % 26);
    if (unit == 1) {
      file[c] = static_cast<std::byte>(letter);
    } else {
      put(letter, &file[c]);
    }
  }
  from_file_form(type, file.data(), 1, out);
}

/// The low bytes of 64 random bits. Of floats the exponent is spared from all ones, which are infinities and NaNs.
void put_bits(std::uint64_t random, const ElementType& type, std::byte* out) {
  if (type.order == Order::real) {
    const int mantissa = type.bytes == 2 ? 10 : type.bytes == 4 ? 23 : 52;
    random &= ~(std::uint64_t{1} << mantissa);
  }
  switch (type.bytes) {
    case 1: put(static_cast<std::uint8_t>(random), out); break;
    case 2: put(static_cast<std::uint16_t>(random), out); break;
    case 4: put(static_cast<std::uint32_t>(random), out); break;
    default: put(random, out);
  }
}

/// An element of 64 random bits.
void put_element(std::uint64_t random, const ElementType& type, std::vector<std::byte>& file, std::byte* out) {
  if (type.order == Order::text) {
    put_text(random, type, file, out);
  } else if (type.order == Order::complex) {
    put_real(mixed(random), type.unit, put_real(random, type.unit, out));
  } else if (type.bytes > 8) {
    put_real(random, type.bytes, out);
  } else {
    put_bits(random, type, out);
  }
}

void reverse(std::byte* data, Index n, int bytes) {
  for (Index i = 0, k = n - 1; i < k; ++i, --k)
    std::swap_ranges(data + i * bytes, data + (i + 1) * bytes, data + k * bytes);
}

/// A number of all bits of an element.
std::uint64_t digest(const std::byte* element, std::size_t bytes) {
  std::uint64_t sum = 0;
  for (std::size_t done = 0; done < bytes; done += sizeof sum) {
    std::uint64_t word = 0;
    std::memcpy(&word, element + done, std::min(sizeof word, bytes - done));
    sum = mixed(sum ^ word);
  }
  return sum;
}

}  // namespace

std::vector<std::string> distributions() { return {"uniform", "few", "equal", "sorted", "reversed"}; }

void fill(void* data, Index n, const ElementType& type, const std::string& distribution, std::uint64_t seed) {
  const std::vector<std::string> good = distributions();
  if (std::find(good.begin(), good.end(), distribution) == good.end()) {
    throw Error(detail::concat("distribution is '", distribution, "'; allowed are ", detail::join(good)));
  }
  const bool flag = type.name == "bool";
  const Kernels& kernels = kernels_of(type);
  auto* out = static_cast<std::byte*>(data);
  std::vector<std::byte> file(static_cast<std::size_t>(type.file_bytes));
  for (Index i = 0; i < n; ++i) {
    std::uint64_t random = mixed(seed * 0x632be59bd9b4e019u + static_cast<std::uint64_t>(i));
    if (distribution == "equal") random = mixed(seed);
    if (distribution == "few") random = mixed(random % 16);
    put_element(flag ? random & 1 : random, type, file, out + i * type.bytes);
  }
  if (distribution != "sorted" && distribution != "reversed") return;
  const auto count = static_cast<std::size_t>(n);
  kernels.to_keys(data, count);
  kernels.std_sort(data, count);
  kernels.from_keys(data, count);
  if (distribution == "reversed") reverse(out, n, type.bytes);
}

std::uint64_t checksum(const void* data, Index n, const ElementType& type) {
  const auto* in = static_cast<const std::byte*>(data);
  const auto bytes = static_cast<std::size_t>(type.bytes);
  std::uint64_t sum = 0;
  for (Index i = 0; i < n; ++i, in += bytes) sum += digest(in, bytes);
  return sum;
}

Index first_unsorted(const void* data, Index n, const ElementType& type) {
  const std::size_t place = kernels_of(type).first_unsorted(data, static_cast<std::size_t>(n));
  return place == static_cast<std::size_t>(n) ? -1 : static_cast<Index>(place);
}

}  // namespace weft::sort
