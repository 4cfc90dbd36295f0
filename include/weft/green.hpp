// What solves Poisson's equation beside an open side: the field of a point, its Green's function.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace weft {

/// * automatic: with the stencil spectral the kernel of free space, cut off at a distance beyond the box; with
///   differences their inverse.
/// * regularized: the kernel of free space of a source that is not a point, but a Gaussian of the standard deviation
///   `width` times a polynomial, by which smooth fields change by a multiple of width^order only (M. M. Hejlesen,
///   J. T. Rasmussen, P. Chatelain, J. H. Walther, A high order solver for the unbounded Poisson equation, J. Comput.
///   Phys. 252, 2013). For particles, and other fields that are not smooth. With the stencil spectral.
/// * integrated: the kernel of free space, its mean over the cell of each point of f (J. Qiang, S. Lidia, R. D. Ryne,
///   C. Limborg-Deprey, Phys. Rev. ST Accel. Beams 9, 044204, 2006). For f that is constant in each cell, as a beam's
///   in cells that are thin along an axis. Second derivatives along axes without open sides are those of the stencil.
/// * own: the caller's function. u is its convolution with f; no equation is solved, and sides may all be closed.
struct Green {
  enum class Kind : unsigned char { automatic, regularized, integrated, own };
  /// Numbers along each axis, and where the kernel's values for all of them go, in C order. See `own`.
  using Values = std::function<void(const std::array<std::span<const double>, 3>& at, std::span<double> values)>;

  Kind kind = Kind::automatic;
  /// Of a regularized one: 2, 4, 6, 8 or 10, and the standard deviation, at most the longest length; 0: twice the
  /// largest distance of neighbours along open axes.
  int order = 2;
  double width = 0;
  /// Of the caller's own. Ranks call it for different points.
  std::shared_ptr<const Values> values = nullptr;

  static Green regularized(int order = 2, double width = 0) { return {Kind::regularized, order, width}; }
  static Green integrated() { return {.kind = Kind::integrated}; }
  /// `kernel(a, b, c)`: along an axis with an open side a distance, else the wave number, at least 0, as the stencil
  /// has it. So in an open box u(x) is the sum over points y of kernel(|x - y|) f(y) times the volume of a cell, and
  /// between closed sides kernel(k) is what f's waves are multiplied by. It must be finite at all distances from 0 on.
  template <class Kernel>
    requires std::is_invocable_r_v<double, const Kernel&, double, double, double>
  static Green own(Kernel kernel) {
    return own(Values([kernel](const std::array<std::span<const double>, 3>& at, std::span<double> out) {
      auto to = out.begin();
      for (const double a : at[0]) {
        for (const double b : at[1]) {
          for (const double c : at[2]) *to++ = kernel(a, b, c);
        }
      }
    }));
  }
  /// The same, for many points at once.
  static Green own(Values values) {
    return {.kind = Kind::own, .values = std::make_shared<const Values>(std::move(values))};
  }
  friend bool operator==(const Green&, const Green&) = default;
};

std::string to_string(Green::Kind kind);
Green::Kind parse_green(std::string_view text, std::string_view argument = "green");

}  // namespace weft
