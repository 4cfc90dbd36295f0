#include "exchange/wire_format.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace weft::detail {

namespace {

/// Numbers that are converted together: loops over so many are vector code, and what they pass on stays in cache.
constexpr Index group = 64;

/// A complex number of a block format, in the lowest bits: exponent, real part, imaginary part.
using Word = std::uint64_t;

constexpr int exponent_bits = 8;
constexpr int exponent_bias = 127;
constexpr Word not_finite = 255;  ///< in the place of an exponent

constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// The whole number nearest to x, |x| < 2^31, in the lowest bits.
constexpr Word nearest(double x) {
  constexpr double shift = 6755399441055744.0;  // 1.5 * 2^52: beyond it a double has no bits for fractions
  return std::bit_cast<Word>(x + shift) - std::bit_cast<Word>(shift);
}

template <int Bits>
Word encoded(double re, double im) {
  constexpr Word sign = Word{1} << 63, part = (Word{1} << Bits) - 1;
  constexpr double most = (1 << (Bits - 1)) - 1;
  const Word larger = std::max(std::bit_cast<Word>(re) & ~sign, std::bit_cast<Word>(im) & ~sign);
  // The larger part is below 2^exponent.
  const int exponent = static_cast<int>(larger >> 52) - 1022;
  const bool small = exponent <= -exponent_bias;
  const bool finite = exponent < static_cast<int>(not_finite) - exponent_bias;
  const double scale = power_of_two(Bits - 1 - std::clamp(exponent, -exponent_bias, exponent_bias));
  const auto scaled = [&](double x) { return nearest(std::clamp(x * scale, -most, most)) & part; };
  const Word fine =
      static_cast<Word>(exponent + exponent_bias) | scaled(re) << exponent_bits | scaled(im) << (exponent_bits + Bits);
  return small ? 0 : finite ? fine : not_finite;
}

template <int Bits, class Real>
void decode(Word word, Real* z) {
  const auto part = [&](int first) {
    // Up to the highest bit and back, so that its sign fills the word.
    return static_cast<double>(static_cast<std::int64_t>(word << (64 - first - Bits)) >> (64 - Bits));
  };
  const Word exponent = word & 255;
  const double scale = exponent == not_finite ? std::numeric_limits<double>::quiet_NaN()
                                              : power_of_two(static_cast<int>(exponent) - exponent_bias - Bits + 1);
  z[0] = static_cast<Real>(part(exponent_bits) * scale);
  z[1] = static_cast<Real>(part(exponent_bits + Bits) * scale);
}

template <int Bits>
constexpr Index word_bytes = (exponent_bits + 2 * Bits) / 8;
static_assert(std::endian::native == std::endian::little, "words travel with their lowest bytes first");

template <int Bits, class Real>
void encode_blocks(const std::byte* from, std::byte* to, Index reals) {
  const Index numbers = reals / 2;
  for (Index first = 0; first < numbers; first += group) {
    const Index count = std::min(group, numbers - first);
    Real z[2 * group];
    Word words[group];
    std::memcpy(z, from + 2 * first * static_cast<Index>(sizeof(Real)),
                static_cast<std::size_t>(count) * sizeof(Real) * 2);
    for (Index i = 0; i < count; ++i) words[i] = encoded<Bits>(z[2 * i], z[2 * i + 1]);
    for (Index i = 0; i < count; ++i) std::memcpy(to + (first + i) * word_bytes<Bits>, &words[i], word_bytes<Bits>);
  }
}

template <int Bits, class Real>
void decode_blocks(const std::byte* from, std::byte* to, Index reals) {
  const Index numbers = reals / 2;
  for (Index first = 0; first < numbers; first += group) {
    const Index count = std::min(group, numbers - first);
    Real z[2 * group];
    Word words[group]{};
    for (Index i = 0; i < count; ++i) std::memcpy(&words[i], from + (first + i) * word_bytes<Bits>, word_bytes<Bits>);
    for (Index i = 0; i < count; ++i) decode<Bits>(words[i], z + 2 * i);
    std::memcpy(to + 2 * first * static_cast<Index>(sizeof(Real)), z,
                static_cast<std::size_t>(count) * sizeof(Real) * 2);
  }
}

/// Rounds, or brings back.
template <class From, class To>
void convert(const std::byte* __restrict from, std::byte* __restrict to, Index reals) {
  for (Index i = 0; i < reals; ++i) {
    From in;
    std::memcpy(&in, from + i * static_cast<Index>(sizeof(From)), sizeof(From));
    const To out = static_cast<To>(in);
    std::memcpy(to + i * static_cast<Index>(sizeof(To)), &out, sizeof(To));
  }
}

template <int Bits>
WireCodec block_codec(int real_bytes) {
  return real_bytes == 8 ? WireCodec{encode_blocks<Bits, double>, decode_blocks<Bits, double>}
                         : WireCodec{encode_blocks<Bits, float>, decode_blocks<Bits, float>};
}

WireCodec conversions(Wire wire, int real_bytes) {
  switch (wire) {
    case Wire::single: return {convert<double, float>, convert<float, double>};
    case Wire::block24: return block_codec<20>(real_bytes);
    case Wire::block20: return block_codec<16>(real_bytes);
    case Wire::block16: return block_codec<12>(real_bytes);
    default: return {};
  }
}

template <class Real>
double error_of(const WireCodec& codec, const std::byte* numbers, const std::byte* encoded, Index count) {
  const auto reals = static_cast<std::size_t>(count * codec.reals);
  std::vector<Real> before(reals), after(reals);
  std::memcpy(before.data(), numbers, reals * sizeof(Real));
  codec.decode(encoded, reinterpret_cast<std::byte*>(after.data()), count * codec.reals);
  // Complex numbers count as a whole.
  const std::size_t parts = codec.reals % 2 == 0 ? 2 : 1;
  double worst = 0;
  for (std::size_t i = 0; i < reals; i += parts) {
    double size = 0, error = 0;
    for (std::size_t j = i; j < i + parts; ++j) {
      size = std::hypot(size, static_cast<double>(before[j]));
      error = std::hypot(error, static_cast<double>(after[j]) - static_cast<double>(before[j]));
    }
    if (size == 0 || !std::isfinite(size)) continue;
    worst = std::max(worst, std::isfinite(error) ? error / size : std::numeric_limits<double>::infinity());
  }
  return worst;
}

/// Both parts of a number are rounded by at most half a unit, 2^-bits of a power of two that is at most twice the
/// larger part.
WireFormat block_format(Wire wire, const char* name, int bits) {
  constexpr double root_of_two = 1.4142135623730951;
  return {wire, name, bits, root_of_two * power_of_two(1 - bits)};
}

}  // namespace

const std::vector<WireFormat>& wire_formats() {
  static const std::vector<WireFormat> all{{Wire::same, "same", 0, 0},
                                           {Wire::single, "single", 0, power_of_two(-24)},
                                           block_format(Wire::block24, "block24", 20),
                                           block_format(Wire::block20, "block20", 16),
                                           block_format(Wire::block16, "block16", 12)};
  return all;
}

const WireFormat& format_of(Wire wire) {
  return *std::find_if(wire_formats().begin(), wire_formats().end(),
                       [&](const WireFormat& format) { return format.wire == wire; });
}

int wire_bytes(Wire wire, int element_bytes, int real_bytes, bool is_complex) {
  if (wire == Wire::single && real_bytes == 8) return element_bytes / 2;
  const int bits = format_of(wire).bits;
  if (bits == 0 || !is_complex) return element_bytes;
  return element_bytes / (2 * real_bytes) * ((exponent_bits + 2 * bits) / 8);
}

WireCodec wire_codec(Wire wire, int number_bytes, int travelling_bytes, int real_bytes) {
  WireCodec codec = conversions(wire, real_bytes);
  codec.bytes = travelling_bytes;
  codec.reals = number_bytes / real_bytes;
  codec.real_bytes = real_bytes;
  return codec;
}

double largest_error(const WireCodec& codec, const std::byte* numbers, const std::byte* encoded, Index count) {
  return codec.real_bytes == 8 ? error_of<double>(codec, numbers, encoded, count)
                               : error_of<float>(codec, numbers, encoded, count);
}

}  // namespace weft::detail
