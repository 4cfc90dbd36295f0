#include "operator/squares.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "base/words.hpp"
#include "problem/lines.hpp"

namespace weft {

namespace detail {

namespace {

// theta^2 = 4 x (1 + x / 3 + 8 x^2 / 45 + 4 x^3 / 35 + ...). Compact ones are quotients that begin like this series:
// those of three points of the second derivative and three or five of the field. Mehrstellen are made of those of
// second order along each axis (mehrstellen.hpp).
constexpr std::array<Symbol, 8> kSymbols{{
    {Stencil::second_order, "second_order", {1, 0, 0, 0}, {1, 0}},
    {Stencil::fourth_order, "fourth_order", {1, 1.0 / 3, 0, 0}, {1, 0}},
    {Stencil::sixth_order, "sixth_order", {1, 1.0 / 3, 8.0 / 45, 0}, {1, 0}},
    {Stencil::eighth_order, "eighth_order", {1, 1.0 / 3, 8.0 / 45, 4.0 / 35}, {1, 0}},
    {Stencil::compact_fourth_order, "compact_fourth_order", {1, 0, 0, 0}, {1, -1.0 / 3}},
    {Stencil::compact_sixth_order, "compact_sixth_order", {1, -1.0 / 5, 0, 0}, {1, -8.0 / 15}},
    {Stencil::mehrstellen_fourth_order, "mehrstellen_fourth_order", {1, 0, 0, 0}, {1, 0}},
    {Stencil::mehrstellen_sixth_order, "mehrstellen_sixth_order", {1, 0, 0, 0}, {1, 0}},
}};
constexpr const char* kSpectral = "spectral";

}  // namespace

double Symbol::operator()(double x) const {
  return 4 * x * (over[0] + x * (over[1] + x * (over[2] + x * over[3]))) / (under[0] + x * under[1]);
}

const Symbol& symbol_of(Stencil stencil) { return *std::ranges::find(kSymbols, stencil, &Symbol::stencil); }

SquareOf::SquareOf(const Problem& problem, Stencil stencil) {
  if (stencil != Stencil::spectral) symbol_ = &symbol_of(stencil);
  for (std::size_t axis = 0; axis < problem.shape.size(); ++axis) {
    distance_[axis] = spacing_of(problem.line(axis), problem.shape[axis], problem.lengths[axis]);
  }
}

double SquareOf::operator()(std::size_t axis, double k) const {
  if (symbol_ == nullptr) return k * k;
  const double h = distance_[axis], sine = std::sin(k * h / 2);
  return (*symbol_)(sine * sine) / (h * h);
}

void refuse_eigenvalue(double shift) {
  throw Error(concat("shift is ", text("%.17g", shift),
                     ", which is an eigenvalue of the Laplacian: no field, or many, would do"));
}

std::vector<double> squares_of(const Problem& problem, std::size_t axis, Stencil stencil) {
  const SquareOf square(problem, stencil);
  const Index modes = problem.shape.with_first(problem.kept_modes())[axis];
  std::vector<double> squares = wavenumbers(problem.line(axis), modes, problem.lengths[axis]);
  for (double& k : squares) k = square(axis, k);
  return squares;
}

}  // namespace detail

std::string to_string(Stencil stencil) {
  return stencil == Stencil::spectral ? detail::kSpectral : detail::symbol_of(stencil).name;
}

Stencil parse_stencil(std::string_view text, std::string_view argument) {
  std::vector<Stencil> all{Stencil::spectral};
  for (const detail::Symbol& symbol : detail::kSymbols) all.push_back(symbol.stencil);
  return detail::word(text, argument, all);
}

Stencil parse_stencil(double number) {
  if (number == 0) return Stencil::spectral;
  std::string allowed = "0 (spectral)";
  for (const detail::Symbol& symbol : detail::kSymbols) {
    if (number == static_cast<double>(symbol.stencil)) return symbol.stencil;
    detail::append(allowed, detail::concat(", ", static_cast<int>(symbol.stencil), " (", symbol.name, ')'));
  }
  throw Error(detail::concat("stencil is ", detail::text("%g", number), "; allowed are ", allowed));
}

}  // namespace weft
