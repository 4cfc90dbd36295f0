// Ghost layers: parts of a field that overlap, as particles in cells and finite differences need them beside every FFT.
//
//   field, in any layout  --scatter-->     parts with ghosts around them: copies of what other ranks hold
//                         <--accumulate--  sums of all copies of a point: the adjoint of scatter
//                         <--gather------  the parts without their ghosts
//
// Either way takes one exchange, whatever the two layouts are. `update` and `fold` do the same in place, between a
// rank's part and the ghosts of its neighbours.
#pragma once

#include <memory>

#include "weft/weft.hpp"

namespace weft {

namespace detail {
class GhostEngine;
}

/// Moves a field between a layout and parts with ghosts. `Number` is float, double, or the complex of one of them.
/// Creation and calls are collective over the communicator, which is duplicated. Movable, not copyable.
template <class Number>
class GhostExchange {
 public:
  /// `field` and `parts` are layouts of one grid, in which ranks may have several boxes; the parts get ghosts around
  /// each of them, at most as many along an axis as that has points. `batch` fields are moved by a call, one after the
  /// other, each with so many numbers side by side at every point (those of interleaved fields, or of axes after the
  /// third). With `check`, the ranks agree on the arguments of each call. Throws the same Error on every rank if any
  /// rank's arguments are bad or differ between ranks.
  GhostExchange(const Layout& field, const Layout& parts, const Ghosts& ghosts, MPI_Comm comm, Index batch = 1,
                Index numbers = 1, bool check = true);
  ~GhostExchange();
  GhostExchange(GhostExchange&&) noexcept;
  GhostExchange& operator=(GhostExchange&&) noexcept;

  /// This rank's boxes of the field, and of the parts with their ghosts. Arrays are these boxes, one after the other,
  /// each in C order; of a batch all boxes of a field come before the next field.
  const std::vector<Box>& field_boxes() const;
  const std::vector<Box>& part_boxes() const;
  /// The one that there is, in layouts in which no rank has several; else an Error.
  Box field_box() const;
  Box part_box() const;
  /// Numbers that arrays must hold, of all fields.
  Index field_size() const;
  Index part_size() const;

  using Moved = Redistribution::Moved;
  /// Fills the parts and their ghosts; `field` and `parts` must not overlap. Collective.
  Moved scatter(const Number* field, Number* parts);
  /// Makes the field of the parts without their ghosts. Collective.
  Moved gather(const Number* parts, Number* field);
  /// Makes each point of the field the sum of all that stand for it, in parts and in ghosts: always added in the same
  /// order. Collective.
  Moved accumulate(const Number* parts, Number* field);
  /// Fills the ghosts from the parts that they are copies of. Collective.
  Moved update(Number* parts);
  /// Adds the ghosts to the points that they are copies of; they stay as they are. Collective.
  Moved fold(Number* parts);

  /// The same, with the sizes checked.
  template <ArrayOf<Number> Field, OutputArrayOf<Number> Parts>
  Moved scatter(const Field& field, Parts&& parts) {
    require_sizes(std::ranges::ssize(field), std::ranges::ssize(parts));
    return scatter(std::ranges::data(field), std::ranges::data(parts));
  }
  template <ArrayOf<Number> Parts, OutputArrayOf<Number> Field>
  Moved gather(const Parts& parts, Field&& field) {
    require_sizes(std::ranges::ssize(field), std::ranges::ssize(parts));
    return gather(std::ranges::data(parts), std::ranges::data(field));
  }
  template <ArrayOf<Number> Parts, OutputArrayOf<Number> Field>
  Moved accumulate(const Parts& parts, Field&& field) {
    require_sizes(std::ranges::ssize(field), std::ranges::ssize(parts));
    return accumulate(std::ranges::data(parts), std::ranges::data(field));
  }
  template <OutputArrayOf<Number> Parts>
  Moved update(Parts&& parts) {
    require_sizes(field_size(), std::ranges::ssize(parts));
    return update(std::ranges::data(parts));
  }
  template <OutputArrayOf<Number> Parts>
  Moved fold(Parts&& parts) {
    require_sizes(field_size(), std::ranges::ssize(parts));
    return fold(std::ranges::data(parts));
  }

  /// As Transform's: for wrappers that check arguments of their own before a call.
  void raise_any(const std::string& message) const;

 private:
  void require_sizes(Index field, Index parts) const;
  std::unique_ptr<detail::GhostEngine> engine_;
};

extern template class GhostExchange<float>;
extern template class GhostExchange<double>;
extern template class GhostExchange<std::complex<float>>;
extern template class GhostExchange<std::complex<double>>;

}  // namespace weft
