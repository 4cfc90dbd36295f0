// The user's array of the modes of a line of real numbers, and that of the boxes which they come from.
#pragma once

#include <memory>

#include "base/buffer.hpp"
#include "base/checked.hpp"
#include "plan/half_line.hpp"

namespace weft::detail {

class HalfLineArray {
 public:
  /// Of so many fields, the user's array being `modes`.
  HalfLineArray(std::shared_ptr<const HalfLine> line, int real_bytes, const Array& modes, Index fields)
      : line_(std::move(line)),
        real_bytes_(real_bytes),
        numbers_(modes.element_bytes / (2 * real_bytes)),
        fields_(fields),
        apart_(modes.item),
        pieces_(Buffer::zeroed(
            multiply(line_->points_of_pieces() * modes.element_bytes, fields, "the bytes of all fields"))) {}

  std::size_t end() const { return line_->end(); }
  std::byte* pieces() const { return pieces_.data(); }
  /// Fills the pieces from the user's modes.
  void spread(const void* modes) {
    call([&]<class Real>(Real) {
      line_->spread(static_cast<const std::complex<Real>*>(modes), of<Real>(), fields_, numbers_, apart_);
    });
  }
  /// Fills the user's modes from the pieces.
  void gather(void* modes) const {
    call([&]<class Real>(Real) {
      line_->gather(of<Real>(), static_cast<std::complex<Real>*>(modes), fields_, numbers_, apart_);
    });
  }

 private:
  template <class Call>
  void call(const Call& call) const {
    real_bytes_ == 8 ? call(double()) : call(float());
  }
  template <class Real>
  std::complex<Real>* of() const {
    return reinterpret_cast<std::complex<Real>*>(pieces_.data());
  }

  std::shared_ptr<const HalfLine> line_;
  int real_bytes_;
  Index numbers_, fields_, apart_;
  Buffer pieces_;
};

}  // namespace weft::detail
