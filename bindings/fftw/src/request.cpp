#include "request.hpp"

#include <fftw3-mpi.h>

#include <array>
#include <string>

#include "base/mpi.hpp"
#include "base/text.hpp"
#include "blocks.hpp"

namespace weft::fftw {

using detail::concat;

namespace {

bool readable(std::span<const std::ptrdiff_t> n) {
  return n.data() != nullptr && !n.empty() && n.size() <= most_dimensions;
}

/// All but the function, and whether the arrays are the same.
std::string words_of(const Request& request) {
  std::string text = readable(request.n) ? "" : concat(request.n.size(), " dimensions,");
  for (std::size_t axis = 0; readable(request.n) && axis < request.n.size(); ++axis) {
    text += concat(axis > 0 ? " x " : "", request.n[axis]);
  }
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
  return text;
}

const char* prefix(Precision precision) { return precision == Precision::double_ ? "fftw" : "fftwf"; }

void check(const Request& request, int ranks) {
  const bool real = request.what == What::r2c || request.what == What::c2r;
  const std::size_t least = real ? 2 : 1;
  if (request.n.size() < least || request.n.size() > most_dimensions) {
    throw Error(concat("there are ", request.n.size(), " dimensions; allowed are ", least, " to ", most_dimensions));
  }
  if (request.n.data() == nullptr) throw Error("n is null");
  const auto need = [](const char* name, Index value, Index at_least) {
    if (value < at_least) throw Error(concat(name, " is ", value, "; it must be at least ", at_least));
  };
  for (std::size_t axis = 0; axis < request.n.size(); ++axis) {
    need(concat("n[", axis, "]").c_str(), request.n[axis], 1);
  }
  need("howmany", request.howmany, 0);
  need("the block of the input", request.in_block, 0);
  need("the block of the output", request.out_block, 0);
  if (request.what == What::c2c && request.sign != FFTW_FORWARD && request.sign != FFTW_BACKWARD) {
    throw Error(concat("the sign is ", request.sign, "; allowed are FFTW_FORWARD (", FFTW_FORWARD,
                       ") and FFTW_BACKWARD (", FFTW_BACKWARD, ")"));
  }
  if (request.what == What::r2r) {
    if (request.kinds.empty()) throw Error("kind is null");
    for (const int kind : request.kinds) {
      if (kind < FFTW_R2HC || kind > FFTW_RODFT11) {
        throw Error(concat("a kind is ", kind, "; allowed are FFTW_R2HC (", int{FFTW_R2HC}, ") to FFTW_RODFT11 (",
                           int{FFTW_RODFT11}, ")"));
      }
    }
  }
  if (request.n.size() == 1) return;
  const auto need_fit = [&](const char* side, std::size_t axis, Index given) {
    // Of an axis with a half spectrum, that is dealt; it is the last one.
    const Index n = real && axis + 1 == request.n.size() ? request.n[axis] / 2 + 1 : request.n[axis];
    if (const Index count = blocks(n, block_size(n, given, ranks)); count > ranks) {
      throw Error(concat("the block of the ", side, " is ", given, ", which cuts the ", n, " planes of axis ", axis,
                         " into ", count, " blocks for ", ranks, ranks == 1 ? " rank" : " ranks", "; at least ",
                         blocks(n, ranks), " is needed, or FFTW_MPI_DEFAULT_BLOCK"));
    }
  };
  const auto axis_of = [&](unsigned transposed) -> std::size_t { return (request.flags & transposed) != 0 ? 1 : 0; };
  const bool transpose = request.what == What::transpose;
  need_fit("input", transpose ? 0 : axis_of(FFTW_MPI_TRANSPOSED_IN), request.in_block);
  need_fit("output", transpose ? 1 : axis_of(FFTW_MPI_TRANSPOSED_OUT), request.out_block);
}

/// Text that differs where requests do. (Arrays may differ, and are looked at apart.)
std::string arguments_of(const Request& request, Precision precision) {
  std::string text =
      concat(prefix(precision), ' ', words_of(request), ", blocks of ", request.in_block, " and ", request.out_block);
  for (const int kind : request.kinds) text += concat(", kind ", kind);
  const unsigned of_no_effect = FFTW_UNALIGNED | FFTW_PRESERVE_INPUT | FFTW_DESTROY_INPUT;
  return text + concat(", flags ", obstacle(request).empty() ? request.flags & ~of_no_effect : request.flags);
}

}  // namespace

std::string describe(const Request& request, Precision precision, bool in_place) {
  return concat(prefix(precision), "_mpi_", request.function, ", ", words_of(request), in_place ? ", in place" : "");
}

void require_valid(const Request& request, Precision precision) {
  int ranks = 0;
  WEFT_MPI(request.comm, MPI_Comm_size(request.comm, &ranks));
  detail::all_or_none(request.comm, [&] { check(request, ranks); });
  detail::require_same(request.comm, arguments_of(request, precision), "the arguments of a plan");
}

namespace {

std::string obstacle_of_line(const Request& request) {
  if (request.what != What::c2c) return "Weft has no real transforms in one dimension";
  if (request.howmany == 0) return "there is nothing to transform";
  if (request.in_block != 0 || request.out_block != 0) return "Weft deals lines in blocks of its own";
  constexpr unsigned both = FFTW_MPI_SCRAMBLED_IN | FFTW_MPI_SCRAMBLED_OUT;
  if ((request.flags & both) == both) return "both ends are scrambled";
  return "";
}

}  // namespace

std::string obstacle(const Request& request) {
  if (request.n.size() == 1) return obstacle_of_line(request);
  if (request.n.size() > Extents::most_axes) {
    return concat("Weft has no transforms in more than ", Extents::most_axes, " dimensions");
  }
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

void require_arrays(const void* in, bool sends, const void* out, bool receives, bool in_place,
                    const std::string& plan) {
  if (sends && in == nullptr) throw Error(concat("the input array is null: ", plan));
  if (receives && out == nullptr) throw Error(concat("the output array is null: ", plan));
  if ((sends || receives) && (in == out) != in_place) {
    throw Error(concat(
        in_place ? "two arrays were given to a plan in place: " : "one array was given to a plan of two arrays: ",
        plan));
  }
}

}  // namespace weft::fftw
