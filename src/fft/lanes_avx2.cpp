// Column transforms with vectors of 32 bytes; compiled for processors that have them.
#define WEFT_LANES_SET lanes_avx2
#define WEFT_LANES_NAME "avx2"
#define WEFT_LANES_BYTES 32
#include "fft/lanes.hpp"

namespace weft::detail {

LanesCode<double> lanes_avx2_double() { return lanes_avx2::code_of<double>(lanes_avx2::Radices{}); }
LanesCode<float> lanes_avx2_single() { return lanes_avx2::code_of<float>(lanes_avx2::Radices{}); }

}  // namespace weft::detail
