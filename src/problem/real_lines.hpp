// The transforms between real numbers, by what they are: what point `in` of a line of n points adds to point `out`. As
// FFTW defines them (its manual, "1d Real-even DFTs (DCTs)" and the sections after it).
#pragma once

#include "weft/index.hpp"

namespace weft::detail {

long double dct1(Index n, Index out, Index in);
long double dct2(Index n, Index out, Index in);
long double dct3(Index n, Index out, Index in);
long double dct4(Index n, Index out, Index in);
long double dst1(Index n, Index out, Index in);
long double dst2(Index n, Index out, Index in);
long double dst3(Index n, Index out, Index in);
long double dst4(Index n, Index out, Index in);
long double r2hc(Index n, Index out, Index in);
long double hc2r(Index n, Index out, Index in);
long double dht(Index n, Index out, Index in);

}  // namespace weft::detail
