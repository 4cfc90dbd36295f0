// Formats in which numbers travel with fewer bytes than they have in memory, and what that costs in accuracy.
//
// Of a complex number in a block format its two parts share an exponent, the smallest with which both are below 1: a
// byte, and two signed whole numbers of so many bits. That is a floating-point block of one number: it has a fixed
// number of bytes, so that blocks of a tile have the same places in any format; and its error is relative to its own
// magnitude, not to that of neighbours. (Mixed-precision exchanges for FFTs: Cayrols, Li, Bosilca, Tomov, Ayala,
// Dongarra: Lossy all-to-all exchange for accelerating parallel 3-D FFTs on hybrid architectures with GPUs, 2022.)
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "weft/index.hpp"
#include "weft/options.hpp"

namespace weft::detail {

struct WireFormat {
  Wire wire;
  const char* name;
  int bits;      ///< of each of a complex number's whole numbers; 0: not a block format
  double error;  ///< bound of the error of a number that travels, relative to its magnitude
};

/// All formats, `same` first.
const std::vector<WireFormat>& wire_formats();
const WireFormat& format_of(Wire wire);

/// Bytes on the wire of an element of so many bytes; as many where the format makes nothing smaller.
int wire_bytes(Wire wire, int element_bytes, int real_bytes, bool is_complex);

/// The way into a format and back, for numbers that lie one after the other.
struct WireCodec {
  /// Of so many real numbers; of a block format two by two.
  using Convert = void (*)(const std::byte* from, std::byte* to, Index reals);
  Convert encode = nullptr, decode = nullptr;
  Index bytes = 0;  ///< of a number as it travels; 0: no format
  Index reals = 0;  ///< of a number
  int real_bytes = 0;
  std::atomic<double>* worst = nullptr;  ///< if errors are measured: the largest so far, see largest_error
};

/// Of numbers of so many bytes as passes compute with them, so many as they travel, of reals of so many.
WireCodec wire_codec(Wire wire, int number_bytes, int travelling_bytes, int real_bytes);

/// The largest error of numbers that have been encoded, relative to the magnitude of each.
double largest_error(const WireCodec& codec, const std::byte* numbers, const std::byte* encoded, Index count);

}  // namespace weft::detail
