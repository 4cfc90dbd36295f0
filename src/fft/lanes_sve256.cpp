// Column transforms for processors that have SVE of 256 bits.
#include "simd/sve.hpp"

#define WEFT_LANES_SET sve256
#include "fft/lanes.hpp"

namespace weft::detail {

LanesCode<double> lanes_sve256_double() { return lanes::sve256::code_of<double>("sve256"); }
LanesCode<float> lanes_sve256_single() { return lanes::sve256::code_of<float>("sve256"); }

}  // namespace weft::detail
