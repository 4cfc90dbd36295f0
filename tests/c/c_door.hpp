// A transform of C, for the cases of the matrix (tools/verify).
#pragma once

#include <memory>

#include "door.hpp"

namespace weft::verify {

std::unique_ptr<Door> c_door(const Problem& problem, MPI_Comm comm, const Options& options);

}  // namespace weft::verify
