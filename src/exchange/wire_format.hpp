// Formats in which numbers travel with fewer bytes than they have in memory, and what that costs in accuracy.
//
// Of a complex number in a block format its two parts share an exponent, the smallest with which both are below 1: a
// byte, and two signed whole numbers of so many bits. That is a floating-point block of one number: it has a fixed
// number of bytes, so that blocks of a tile have the same places in any format; and its error is relative to its own
// magnitude, not to that of neighbours. (Mixed-precision exchanges for FFTs: Cayrols, Li, Bosilca, Tomov, Ayala,
// Dongarra: Lossy all-to-all exchange for accelerating parallel 3-D FFTs on hybrid architectures with GPUs, 2022.)
#pragma once

#include <cstddef>
#include <vector>

#include "weft/layout.hpp"
#include "weft/plan.hpp"

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

/// Converts so many real numbers of `real_bytes` each; of a block format two by two.
void to_wire(Wire wire, int real_bytes, const std::byte* numbers, std::byte* travelling, Index reals);
void from_wire(Wire wire, int real_bytes, const std::byte* travelling, std::byte* numbers, Index reals);

}  // namespace weft::detail
