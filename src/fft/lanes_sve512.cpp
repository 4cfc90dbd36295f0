// Column transforms for processors that have SVE of 512 bits.
#include "simd/sve.hpp"

#define WEFT_LANES_SET sve512
#include "fft/lanes.hpp"

namespace weft::detail {

LanesCode<double> lanes_sve512_double() { return lanes::sve512::code_of<double>("sve512"); }
LanesCode<float> lanes_sve512_single() { return lanes::sve512::code_of<float>("sve512"); }

}  // namespace weft::detail
