#include "request.hpp"

#include <fftw3-mpi.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/mpi.hpp"
#include "base/text.hpp"
#include "blocks.hpp"

namespace weft::fftw {

using detail::concat;

std::string describe(const Request& request, Precision precision, bool in_place) {
  std::string text = concat(precision == Precision::double_ ? "fftw" : "fftwf", "_mpi_", request.function, ", ");
  for (std::size_t axis = 0; axis < request.n.size(); ++axis) text += concat(axis > 0 ? " x " : "", request.n[axis]);
  switch (request.what) {
    case What::c2c: text += request.sign < 0 ? " c2c forward" : " c2c backward"; break;
    case What::r2c: text += " r2c"; break;
    case What::c2r: text += " c2r"; break;
    case What::r2r: text += " r2r"; break;
    case What::transpose: text += " numbers transposed"; break;
  }
  if (request.howmany != 1) text += concat(", ", request.howmany, " interleaved");
  if ((request.flags & FFTW_MPI_TRANSPOSED_IN) != 0) text += ", transposed in";
  if ((request.flags & FFTW_MPI_TRANSPOSED_OUT) != 0) text += ", transposed out";
  if (in_place) text += ", in place";
  return text;
}

bool valid(const Request& request, int ranks) {
  const bool real = request.what == What::r2c || request.what == What::c2r;
  const std::size_t least = real ? 2 : 1;
  if (request.n.size() < least || request.howmany < 0 || request.in_block < 0 || request.out_block < 0) return false;
  if (std::any_of(request.n.begin(), request.n.end(), [](std::ptrdiff_t n) { return n < 1; })) return false;
  if (request.what == What::c2c && request.sign != FFTW_FORWARD && request.sign != FFTW_BACKWARD) return false;
  if (request.n.size() == 1) return true;
  const auto fits = [&](std::size_t axis, Index given) {
    // Of an axis with a half spectrum, that is dealt; it is the last one.
    const Index n = real && axis + 1 == request.n.size() ? request.n[axis] / 2 + 1 : request.n[axis];
    return blocks(n, block_size(n, given, ranks)) <= ranks;
  };
  const auto axis_of = [&](unsigned transposed) -> std::size_t { return (request.flags & transposed) != 0 ? 1 : 0; };
  if (request.what == What::transpose) return fits(0, request.in_block) && fits(1, request.out_block);
  return fits(axis_of(FFTW_MPI_TRANSPOSED_IN), request.in_block) &&
         fits(axis_of(FFTW_MPI_TRANSPOSED_OUT), request.out_block);
}

std::string obstacle(const Request& request) {
  if (request.what == What::r2r) return "Weft has no transforms from real to real numbers";
  if (request.n.size() == 1) return "Weft has no transforms in one dimension";
  if (request.n.size() > 3) return concat("Weft has no transforms in ", request.n.size(), " dimensions");
  if (request.howmany == 0) return "there is nothing to transform";
  const bool real_transposed = (request.what == What::r2c && (request.flags & FFTW_MPI_TRANSPOSED_IN) != 0) ||
                               (request.what == What::c2r && (request.flags & FFTW_MPI_TRANSPOSED_OUT) != 0);
  if (real_transposed && request.n.size() == 2) return "the real rows are dealt out";
  return "";
}

bool agree_in_place(const Request& request, bool holds_numbers) {
  // Ranks without numbers may have no arrays: null twice says nothing.
  const bool same = request.in == request.out;
  std::array<int, 2> some{holds_numbers && same ? 1 : 0, holds_numbers && !same ? 1 : 0};
  WEFT_MPI(request.comm, MPI_Allreduce(MPI_IN_PLACE, some.data(), 2, MPI_INT, MPI_MAX, request.comm));
  if (some[0] == 1 && some[1] == 1) throw Error("in and out are the same array on some ranks and two arrays on others");
  return some[0] == 1;
}

}  // namespace weft::fftw
