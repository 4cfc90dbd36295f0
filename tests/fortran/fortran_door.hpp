// A transform of Fortran, for the cases of the matrix (tools/verify).
#pragma once

#include <memory>

#include "door.hpp"

namespace weft::verify {

std::unique_ptr<Door> fortran_door(const Problem& problem, MPI_Comm comm, const Options& options);

}  // namespace weft::verify
