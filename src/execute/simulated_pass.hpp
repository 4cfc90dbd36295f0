// A pass inside a simulator.
#pragma once

#include "execute/pass.hpp"

namespace weft::detail {

/// What `inner`, the runner of `pass`, does, in the time that the simulated machine takes for it; where only sizes are
/// simulated, nothing but that time passes.
std::unique_ptr<PassRunner> make_simulated_pass(const Pass& pass, std::unique_ptr<PassRunner> inner);

}  // namespace weft::detail
