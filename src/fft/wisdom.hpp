// What FFTW has found out about this machine, for the tuner to keep.
#pragma once

#include <string>

#include "weft/problem.hpp"

namespace weft::detail {

/// What this process knows so far.
std::string fftw_wisdom(Precision precision);
/// Takes over what another process knew. False: it cannot be used.
bool learn_fftw_wisdom(Precision precision, const std::string& wisdom);

}  // namespace weft::detail
