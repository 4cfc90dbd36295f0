// What every processor has that the build is for.
#pragma once

#ifdef __SSE2__
#include "simd/sse2.hpp"
namespace weft::detail::simd {
namespace baseline = sse2;
}
#else
#include "simd/generic.hpp"
namespace weft::detail::simd {
namespace baseline = generic;
}
#endif
