// One dimension: a line as Weft deals it, over as many ranks as its grid has rows.
#pragma once

#include "weft/index.hpp"

namespace weft::fftw {

/// What FFTW_MPI_SCRAMBLED_IN and FFTW_MPI_SCRAMBLED_OUT leave open: the order of one end, which is a spectrum's then.
struct LineOrder {
  bool to_spectrum = true;  ///< whether the transform leads there, as Weft sees it
  bool scrambled = false;   ///< the spectrum is as the last transform leaves it
};
LineOrder line_order(int sign, unsigned flags);

/// The numbers of a rank at both ends, by their places in memory order.
struct LineShares {
  Range in, out;
};
LineShares line_shares(Index n, const LineOrder& order, int ranks, int rank);

}  // namespace weft::fftw
