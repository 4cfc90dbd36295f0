// Column transforms with vectors of 16 bytes; compiled for processors that have them.
#define WEFT_LANES_SET lanes_baseline
#define WEFT_LANES_NAME "baseline"
#define WEFT_LANES_BYTES 16
#include "fft/lanes.hpp"

namespace weft::detail {

LanesCode<double> lanes_baseline_double() { return lanes_baseline::code_of<double>(lanes_baseline::Radices{}); }
LanesCode<float> lanes_baseline_single() { return lanes_baseline::code_of<float>(lanes_baseline::Radices{}); }

}  // namespace weft::detail
