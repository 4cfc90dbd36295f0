// Column transforms for processors that have AVX-512.
#include "simd/avx512.hpp"

#define WEFT_LANES_SET avx512
#include "fft/lanes.hpp"

namespace weft::detail {

LanesCode<double> lanes_avx512_double() { return lanes::avx512::code_of<double>("avx512"); }
LanesCode<float> lanes_avx512_single() { return lanes::avx512::code_of<float>("avx512"); }

}  // namespace weft::detail
