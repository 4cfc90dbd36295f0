// Column transforms for any processor that the build is for.
#include "simd/baseline.hpp"

#define WEFT_LANES_SET baseline
#include "fft/lanes.hpp"

namespace weft::detail {

LanesCode<double> lanes_baseline_double() { return lanes::baseline::code_of<double>("baseline"); }
LanesCode<float> lanes_baseline_single() { return lanes::baseline::code_of<float>("baseline"); }

}  // namespace weft::detail
