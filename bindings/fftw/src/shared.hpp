// Transforms that plans share: programs plan both directions of a problem, and often the same one for several arrays.
#pragma once

#include <memory>

#include "weft/weft.hpp"

namespace weft::fftw {

/// The transform of this problem with these options that a plan on the communicator has already, or a new one.
/// Directions that share one share its workspace, which is then in cache when the way back begins. It ends with the
/// last of its plans. Collective.
template <class Real>
std::shared_ptr<Transform<Real>> shared_transform(const Problem& problem, const Options& options, MPI_Comm comm);

}  // namespace weft::fftw
