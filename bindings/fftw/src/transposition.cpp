#include "transposition.hpp"

#include <fftw3-mpi.h>

#include <algorithm>
#include <cstring>

#include "base/mpi.hpp"
#include "base/text.hpp"
#include "blocks.hpp"
#include "plan.hpp"

namespace weft::fftw {

namespace {

/// to[j][i] = from[i][j] for items of `numbers` numbers, in squares that fit a cache.
template <class Real>
void turn(const Real* from, Real* to, Index rows, Index columns, Index numbers) {
  constexpr Index square = 16;
  const auto item_bytes = static_cast<std::size_t>(numbers) * sizeof(Real);
  for (Index i0 = 0; i0 < rows; i0 += square) {
    const Index i1 = std::min(rows, i0 + square);
    for (Index j0 = 0; j0 < columns; j0 += square) {
      const Index j1 = std::min(columns, j0 + square);
      for (Index j = j0; j < j1; ++j) {
        for (Index i = i0; i < i1; ++i) {
          const Real* const item = from + (i * columns + j) * numbers;
          Real* const place = to + (j * rows + i) * numbers;
          if (numbers == 1) {
            *place = *item;
          } else {
            std::memcpy(place, item, item_bytes);
          }
        }
      }
    }
  }
}

Layout layout_of(const Request& request, int axis, Index given) {
  int ranks = 0;
  WEFT_MPI(request.comm, MPI_Comm_size(request.comm, &ranks));
  const Shape shape{request.n[0], request.n[1], request.howmany};
  return slabs(shape, axis, block_size(shape[static_cast<std::size_t>(axis)], given, ranks), ranks);
}

Shape extents_of(const Layout& layout, MPI_Comm comm) {
  int rank = 0;
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank));
  return layout.box(rank).extents();
}

Options options_of_transposition() {
  Options options;
  options.check = false;
  return options;
}

}  // namespace

template <class Real>
Transposition<Real>::Transposition(const Request& request, bool in_place)
    : text_(fftw::describe(request, sizeof(Real) == 8 ? Precision::double_ : Precision::single_, in_place)),
      in_place_(in_place),
      turn_in_((request.flags & FFTW_MPI_TRANSPOSED_IN) != 0),
      turn_out_((request.flags & FFTW_MPI_TRANSPOSED_OUT) == 0),
      in_(request.in),
      out_(request.out),
      from_(layout_of(request, 0, request.in_block)),
      to_(layout_of(request, 1, request.out_block)),
      move_(from_, to_, sizeof(Real), request.comm, 1, options_of_transposition()),
      sent_(extents_of(from_, request.comm)),
      received_(extents_of(to_, request.comm)) {
  const auto room = [](const Shape& extents) { return static_cast<std::size_t>(extents[0] * extents[1] * extents[2]); };
  detail::all_or_none(request.comm, [&] {
    if (turn_in_) before_.resize(room(sent_));
    if (turn_out_ || in_place_) after_.resize(room(received_));
  });
}

template <class Real>
void Transposition<Real>::execute(void* in, void* out) {
  const auto some = [](const Shape& extents) { return extents[0] * extents[1] * extents[2] > 0; };
  require_arrays(in, some(sent_), out, some(received_), in_place_, text_);
  const auto* from = static_cast<const Real*>(in);
  if (turn_in_) {
    turn(from, before_.data(), sent_[1], sent_[0], sent_[2]);
    from = before_.data();
  }
  auto* const last = static_cast<Real*>(out);
  Real* const to = after_.empty() ? last : after_.data();
  move_(from, to);
  if (turn_out_) {
    turn(to, last, received_[0], received_[1], received_[2]);
  } else if (to != last) {
    std::copy(after_.begin(), after_.end(), last);
  }
}

template <class Real>
std::string Transposition<Real>::describe() const {
  return detail::concat("(weft ", text_, "; ", from_.describe(), " to ", to_.describe(), ")");
}

template class Transposition<float>;
template class Transposition<double>;

}  // namespace weft::fftw
