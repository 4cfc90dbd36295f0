// What the functions of both precisions have in common.
#pragma once

#include <fftw3-mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/mpi.hpp"
#include "blocks.hpp"
#include "handles.hpp"
#include "line.hpp"
#include "next.hpp"
#include "report.hpp"
#include "request.hpp"
#include "weft/error.hpp"

namespace weft::fftw {

/// A handle for a request, or null: Weft's where it has such a transform, else what `fallback` gives, if `fftw` says
/// that it can. `in_front`: whether the program will bring Weft's handles back to Weft. Collective, and the same on all
/// ranks.
template <class Real>
void* planned(const Request& request, bool in_front, bool fftw, const std::function<void*()>& fallback);

extern template void* planned<float>(const Request&, bool, bool, const std::function<void*()>&);
extern template void* planned<double>(const Request&, bool, bool, const std::function<void*()>&);

/// Runs `run` with the plan of a handle of Weft's. What is wrong ends the job: these functions have no errors.
void run_plan(const void* handle, const char* function, const std::function<void(WeftPlan&)>& run);
void destroy_plan(void* handle);

/// Gives rank 0 the texts of all others, or all others that of rank 0. Collective.
void gather_texts(MPI_Comm comm, const std::string& mine, const std::function<void(const std::string&)>& take);
void broadcast_text(MPI_Comm comm, const std::string& mine, const std::function<void(const std::string&)>& take);

}  // namespace weft::fftw
