// Column transforms with vectors of 64 bytes; compiled for processors that have them.
#define WEFT_LANES_SET lanes_avx512
#define WEFT_LANES_NAME "avx512"
#define WEFT_LANES_BYTES 64
#include "fft/lanes.hpp"

namespace weft::detail {

LanesCode<double> lanes_avx512_double() { return lanes_avx512::code_of<double>(lanes_avx512::Radices{}); }
LanesCode<float> lanes_avx512_single() { return lanes_avx512::code_of<float>(lanes_avx512::Radices{}); }

}  // namespace weft::detail
