#include "weft/ghosts.hpp"

#include <type_traits>
#include <utility>

#include "base/text.hpp"
#include "ghosts/engine.hpp"
#include "problem/lines.hpp"

namespace weft {

template <class Number>
GhostExchange<Number>::GhostExchange(const Layout& field, const Layout& parts, const Ghosts& ghosts, MPI_Comm comm,
                                     Index batch, Index numbers, bool check)
    : engine_(std::make_unique<detail::GhostEngine>(
          field, parts, ghosts, static_cast<int>(sizeof(typename detail::NumberOf<Number>::Real)),
          static_cast<Index>(sizeof(Number) / sizeof(typename detail::NumberOf<Number>::Real)), batch, numbers, comm,
          check)) {}
template <class Number>
GhostExchange<Number>::~GhostExchange() = default;
template <class Number>
GhostExchange<Number>::GhostExchange(GhostExchange&&) noexcept = default;
template <class Number>
GhostExchange<Number>& GhostExchange<Number>::operator=(GhostExchange&&) noexcept = default;

template <class Number>
const std::vector<Box>& GhostExchange<Number>::field_boxes() const {
  return engine_->field_boxes();
}
template <class Number>
const std::vector<Box>& GhostExchange<Number>::part_boxes() const {
  return engine_->part_boxes();
}
template <class Number>
Box GhostExchange<Number>::field_box() const {
  return engine_->field_box();
}
template <class Number>
Box GhostExchange<Number>::part_box() const {
  return engine_->part_box();
}
template <class Number>
Index GhostExchange<Number>::field_size() const {
  return engine_->field_size();
}
template <class Number>
Index GhostExchange<Number>::part_size() const {
  return engine_->part_size();
}

template <class Number>
Redistribution::Moved GhostExchange<Number>::scatter(const Number* field, Number* parts) {
  return engine_->scatter(field, parts);
}
template <class Number>
Redistribution::Moved GhostExchange<Number>::gather(const Number* parts, Number* field) {
  return engine_->gather(parts, field);
}
template <class Number>
Redistribution::Moved GhostExchange<Number>::accumulate(const Number* parts, Number* field) {
  return engine_->accumulate(parts, field);
}
template <class Number>
Redistribution::Moved GhostExchange<Number>::update(Number* parts) {
  return engine_->update(parts);
}
template <class Number>
Redistribution::Moved GhostExchange<Number>::fold(Number* parts) {
  return engine_->fold(parts);
}

template <class Number>
void GhostExchange<Number>::raise_any(const std::string& message) const {
  engine_->raise_any(message);
}

template <class Number>
void GhostExchange<Number>::require_sizes(Index field, Index parts) const {
  if (field >= field_size() && parts >= part_size()) return;
  // The others are in a call, where they agree.
  raise_any(detail::concat("a ghost exchange was given arrays of ", field, " (field) and ", parts,
                           " (parts) numbers; at least ", field_size(), " and ", part_size(), " are needed"));
}

template class GhostExchange<float>;
template class GhostExchange<double>;
template class GhostExchange<std::complex<float>>;
template class GhostExchange<std::complex<double>>;

}  // namespace weft
