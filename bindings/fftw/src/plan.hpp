// Plans of Weft for what programs ask of FFTW.
#pragma once

#include <memory>

#include "handles.hpp"
#include "request.hpp"

namespace weft::fftw {

/// Collective. The request is valid and has no obstacle. Throws Error, the same on all ranks.
template <class Real>
std::unique_ptr<WeftPlan> make_plan(const Request& request);

extern template std::unique_ptr<WeftPlan> make_plan<float>(const Request& request);
extern template std::unique_ptr<WeftPlan> make_plan<double>(const Request& request);

}  // namespace weft::fftw
