// Column transforms for processors that have AVX2 and FMA.
#include "simd/avx2.hpp"

#define WEFT_LANES_SET avx2
#include "fft/lanes.hpp"

namespace weft::detail {

LanesCode<double> lanes_avx2_double() { return lanes::avx2::code_of<double>("avx2"); }
LanesCode<float> lanes_avx2_single() { return lanes::avx2::code_of<float>("avx2"); }

}  // namespace weft::detail
