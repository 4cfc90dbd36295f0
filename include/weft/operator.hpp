// Operators: fields go to the spectrum, through a function of the wave number, and back, without an array that holds
// the spectrum. Or the other way round: from the spectrum to space, through a function of the point, and back.
//
//   in -> [axes 2, 1] -> exchange -> [axis 0, function, axis 0 back] -> exchange -> [axes 1, 2 back] -> out
//
// The function works on points that are in cache, between the last pass of one transform and the first pass of the
// other: three trips through memory instead of five (slabs).
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <vector>

#include "weft/weft.hpp"

namespace weft {

/// Where an operator's function is applied.
enum class At {
  wavenumbers,  ///< fields in space at both ends
  points        ///< spectra at both ends, the function in space
};

/// "wavenumbers", "points"
std::string to_string(At at);

/// Points of a box in cache, of all fields of one application. Number f of point (i, j, k), global indices, is
/// `in(f, i, j)[k - box.lo[2]]`: neighbours along axis 2 lie side by side. Of more than three axes, axis 2 of boxes
/// stands for all from the third on, the last the fastest: index k is that of a point of them all.
template <class Number>
struct PointTile {
  Box box;        ///< global indices of the points
  Box whole;      ///< this rank's part of the middle layout, of which the box is a part
  Extents shape;  ///< of all that the function sees: the modes that are kept along each axis, or the points
  /// By global index along each axis: the wave number, or the coordinate of the point. Of more than three axes, those
  /// from the third on have an entry for each index k.
  std::array<std::span<const double>, Extents::most_axes> at;
  /// The wave number for derivatives of odd order: 0 at the Nyquist frequency of an even extent, which has no sign.
  /// Empty in space, and along lines between real numbers.
  std::array<std::span<const double>, Extents::most_axes> odd;
  /// The first point of each field, and numbers from one point to the next along axis 0 and 1; 1 along axis 2.
  std::span<const Number* const> inputs;
  std::span<Number* const> outputs;
  Shape strides{0, 0, 1};

  const Number* in(std::size_t field, Index i, Index j) const {
    return inputs[field] + (i - box.lo[0]) * strides[0] + (j - box.lo[1]) * strides[1];
  }
  Number* out(std::size_t field, Index i, Index j) const {
    return outputs[field] + (i - box.lo[0]) * strides[0] + (j - box.lo[1]) * strides[1];
  }
};

/// A function of the fields at a point. It is called for tiles, by several threads at once where an operator has them,
/// and must write all numbers of all outputs.
template <class Real>
struct PointFunction {
  using Complex = std::complex<Real>;
  std::string name = "function";
  At at = At::wavenumbers;
  Index inputs = 1, outputs = 1;  ///< fields
  /// Output f may lie where input f was, which halves what must be in cache: for functions that read all inputs of a
  /// point before they write its outputs.
  bool overwrites = false;
  /// It never throws: ranks need not agree on that after each call.
  bool sure = false;
  /// Along these axes it takes derivatives of odd order, which make cosines of sines: lines must be Fourier's there.
  std::array<bool, Extents::most_axes> odd{};
  /// For grids of so many axes only.
  int least_axes = 3, most_axes = Extents::most_axes;
  /// Memory that it reads for a tile of such a box, if that lies side by side: the cache is asked for it ahead of time,
  /// as it is for fields.
  std::function<std::span<const std::byte>(const Box& tile)> reads = nullptr;
  /// Of complex spectra, and in space where fields are complex.
  std::function<void(const PointTile<Complex>&)> of_complex = nullptr;
  /// Of spectra that are real (all lines are between real numbers), and in space where fields are real.
  std::function<void(const PointTile<Real>&)> of_real = nullptr;

  /// `f(tile)` at wave numbers, of complex spectra, real ones, or (a generic callable) both.
  template <class F>
  static PointFunction at_wavenumbers(Index inputs, Index outputs, F f) {
    PointFunction function{.inputs = inputs, .outputs = outputs};
    if constexpr (std::is_invocable_v<F, const PointTile<Complex>&>) function.of_complex = f;
    if constexpr (std::is_invocable_v<F, const PointTile<Real>&>) function.of_real = f;
    return function;
  }
  /// `f(tile)` in space, of real fields, complex ones, or (a generic callable) both.
  template <class F>
  static PointFunction in_space(Index inputs, Index outputs, F f) {
    PointFunction function{.at = At::points, .inputs = inputs, .outputs = outputs};
    if constexpr (std::is_invocable_v<F, const PointTile<Complex>&>) function.of_complex = f;
    if constexpr (std::is_invocable_v<F, const PointTile<Real>&>) function.of_real = f;
    return function;
  }
};

namespace detail {
struct OperatorData;
class OperatorEngine;
}  // namespace detail

/// What one rank does of an operator, as data. Neither communicates nor allocates fields.
class OperatorPlan {
 public:
  /// `inputs` and `outputs`: fields of an application. Options as for transforms; `input` and `output` are the layouts
  /// of the two ends, `transposed` is for spectra (operators in space). In place needs as many outputs as inputs.
  /// Throws Error for bad arguments.
  OperatorPlan(const Problem& problem, At at, Index inputs, Index outputs, const Options& options, int ranks,
               int rank = 0);
  explicit OperatorPlan(std::shared_ptr<const detail::OperatorData> data);

  const Problem& problem() const;
  const Options& options() const;
  At at() const;
  Index inputs() const;
  Index outputs() const;
  int ranks() const;
  int rank() const;

  /// Distribution of the fields at both ends, and of those that the function works on.
  const Layout& input() const;
  const Layout& output() const;
  const Layout& middle() const;
  Box input_box() const { return input().box(rank()); }
  Box output_box() const { return output().box(rank()); }
  /// As a transform's: with their ghosts, as arrays hold them.
  std::vector<Box> input_boxes() const;
  std::vector<Box> output_boxes() const;
  Box middle_box() const { return middle().box(rank()); }
  /// What the function sees along each axis.
  Extents middle_shape() const;
  /// By global index along an axis of the middle layout: see PointTile's `at` and `odd`.
  std::span<const double> places(std::size_t axis) const;
  std::span<const double> odd(std::size_t axis) const;
  /// Numbers (real or complex) that this rank's arrays must hold: all fields of all applications, each a whole local
  /// array in C order, fields of an application one after the other.
  Index input_size() const;
  Index output_size() const;
  /// Bytes of one number at both ends.
  int number_bytes() const;
  /// Whether the numbers are real: at both ends, and those that the function sees.
  bool real_ends() const;
  bool real_middle() const;

  Plan::Traffic traffic() const;
  /// Bytes of exchange buffers and intermediate arrays.
  Index workspace_bytes() const;
  std::string explain() const;
  std::string json() const;

  const detail::OperatorData& data() const { return *data_; }

 private:
  std::shared_ptr<const detail::OperatorData> data_;
};

/// An operator, bound to a communicator, memory and a function. `Real` is float or double. Creation, execution and
/// destruction are collective over the communicator, which is duplicated. Movable, not copyable.
template <class Real>
class Operator {
 public:
  using Complex = std::complex<Real>;

  /// `problem.precision` is set from `Real`. Environment variables WEFT_* override `options`. Throws the same Error on
  /// every rank if any rank's arguments are bad or differ between ranks.
  Operator(Problem problem, PointFunction<Real> function, MPI_Comm comm, Options options = {});
  ~Operator();
  Operator(Operator&&) noexcept;
  Operator& operator=(Operator&&) noexcept;

  const OperatorPlan& plan() const;
  /// Another function of as many fields at the same place: for a new time step. Not collective, but all ranks should.
  void set_function(PointFunction<Real> function);

  /// Collective. Real arrays where the ends are in space and the kind is r2c, complex ones otherwise (the other
  /// overload throws). The input is left unchanged; in place, `in` and `out` are the same array. What the function
  /// throws on any rank is an Error on all of them (without the option `check`: on that rank), and what is in `out`
  /// then means nothing.
  void operator()(const Complex* in, Complex* out);
  void operator()(const Real* in, Real* out);
  /// As above, with the sizes checked.
  template <ArrayOf<Real, Complex> In, OutputArrayOf<Real, Complex> Out>
  void operator()(const In& in, Out&& out) {
    require_sizes(std::ranges::size(in), std::ranges::size(out));
    (*this)(std::ranges::data(in), std::ranges::data(out));
  }

  const Statistics& statistics() const;
  void reset_statistics();
  /// As Transform's.
  void drop_trace();
  void raise_any(const std::string& message) const;

 private:
  void require_sizes(std::size_t in, std::size_t out) const;
  std::unique_ptr<detail::OperatorEngine> engine_;
  PointFunction<Real> function_;
};

extern template class Operator<float>;
extern template class Operator<double>;

/// Wave numbers of a length along an axis, by index: 2 pi i / length, negative ones from the middle on; of a half
/// spectrum only the first n/2+1.
std::vector<double> wavenumbers(Index n, double length, bool half = false);
/// The same of a line of n points, by place in its spectrum. Of cosines and sines the length is that between the walls:
/// pi i / length for dct1 and dct2, pi (i + 1) / length for dst1 and dst2, pi (i + 1/2) / length for types 3 and 4; of
/// r2hc and dht without sign; 0 where nothing is transformed. Error for hc2r, which has none.
std::vector<double> wavenumbers(Line line, Index n, double length);
/// Coordinates of the n points of a line, from the beginning of the length: i h where lines are Fourier's; where they
/// end at walls, h being the distance of neighbours, i h for dct1 and dct3, (i + 1) h for dst1 and dst3, and
/// (i + 1/2) h for types 2 and 4.
std::vector<double> coordinates(Line line, Index n, double length);

// Functions of the wave number k = (k0, k1, k2, ...), of spectra u. Sources: any text on spectral methods, e.g. Canuto,
// Hussaini, Quarteroni, Zang, Spectral Methods (2006), chapter 2; Boyd, Chebyshev and Fourier Spectral Methods (2001).
// Odd derivatives have no Nyquist frequency (see PointTile::odd).

/// How second derivatives are approximated: exactly, as central differences of that order do (B. Fornberg, Generation
/// of finite difference formulas on arbitrarily spaced grids, Math. Comp. 51, 1988), or as compact ones do, which are
/// those of three neighbours' derivatives together (S. K. Lele, Compact finite difference schemes with spectral-like
/// resolution, J. Comput. Phys. 103, 1992, equations 2.2.7 and 2.2.8).
///
/// Mehrstellen take neighbours along all axes together, of u and of f (L. Collatz, The Numerical Treatment of
/// Differential Equations, 1960; W. F. Spotz, G. F. Carey, Numer. Methods Partial Differ. Equ. 12, 1996): for equations
/// of up to three axes, of the sixth order with the same spacing along all.
enum class Stencil {
  spectral = 0,
  second_order = 2,
  fourth_order = 4,
  sixth_order = 6,
  eighth_order = 8,
  compact_fourth_order = -4,
  compact_sixth_order = -6,
  mehrstellen_fourth_order = -14,
  mehrstellen_sixth_order = -16
};
/// By their names.
std::string to_string(Stencil stencil);
Stencil parse_stencil(std::string_view text, std::string_view argument = "stencil");
/// By their numbers.
Stencil parse_stencil(double number);

/// -k^2 u; with differences -sum s / h^2 u along the axes, s being the first terms of 4 x (1 + x/3 + 8/45 x^2 + 4/35
/// x^3) where x = sin(k h / 2)^2, compact ones 4 x / (1 - x/3) and 4 x (1 - x/5) / (1 - 8/15 x). `h` is the distance of
/// points. Mehrstellen have no Laplacian of a field by itself.
template <class Real>
PointFunction<Real> laplacian(const Problem& problem, Stencil stencil = Stencil::spectral);
/// The field whose Laplacian less `shift` times it is u: Poisson's and Helmholtz's equation. With shift 0, where the
/// Laplacian makes nothing of a constant, u is taken less its mean, and the field has the mean 0. Error where another
/// wave has the eigenvalue `shift`: no field, or many, would do.
template <class Real>
PointFunction<Real> inverse_laplacian(const Problem& problem, Stencil stencil = Stencil::spectral, double shift = 0);
/// (i k)^order u along an axis.
template <class Real>
PointFunction<Real> derivative(int order, int axis);
/// One field to one for each axis: i k u.
template <class Real>
PointFunction<Real> gradient(int axes = 3);
/// One field for each axis to one: i k . u.
template <class Real>
PointFunction<Real> divergence(int axes = 3);
/// Three fields to three: i k x u.
template <class Real>
PointFunction<Real> curl();
/// One field for each axis to as many: u - k (k . u) / k^2, the part without divergence. The mean stays.
template <class Real>
PointFunction<Real> projection(int axes = 3);
/// exp(-sigma^2 k^2 / 2) u: the convolution with a Gaussian of that standard deviation.
template <class Real>
PointFunction<Real> gaussian(double sigma);
/// exp(-diffusivity k^2 dt) u: the heat equation after a time dt (NPB's `evolve`).
template <class Real>
PointFunction<Real> heat(double dt, double diffusivity = 1);
/// exp(-i k . distance) u: the field moved by so much along each axis. The Nyquist frequency of an axis gets the
/// cosine.
template <class Real>
PointFunction<Real> shift(const std::vector<double>& distance);
/// 0 where |index of k| >= fraction n / 2 along any axis: the 2/3 rule, by which products of two fields have no aliases
/// among what is kept.
template <class Real>
PointFunction<Real> truncate(const Problem& problem, double fraction = 2.0 / 3);
/// The product of factors[axis][index along it] for all axes, times u.
template <class Real>
PointFunction<Real> multiply_separable(std::vector<std::vector<std::complex<Real>>> factors);
/// table u; one number for each point of this rank's part of the middle layout, in C order (and all axes after the
/// third): see OperatorPlan.
template <class Real>
PointFunction<Real> multiply(std::vector<std::complex<Real>> table, At at = At::wavenumbers);
template <class Real>
PointFunction<Real> multiply(std::vector<Real> table, At at = At::wavenumbers);
/// The periodic convolution sum_y kernel(x - y) u(y), and the correlation sum_y conj(kernel(y)) u(x + y); the kernel as
/// the input of the operator is, which it is made for. Collective: it transforms the kernel.
template <class Real, class Number>
PointFunction<Real> convolution(const Problem& problem, std::span<const Number> kernel, MPI_Comm comm,
                                const Options& options = {});
template <class Real, class Number>
PointFunction<Real> correlation(const Problem& problem, std::span<const Number> kernel, MPI_Comm comm,
                                const Options& options = {});
template <class Real, ArrayOf<Real, std::complex<Real>> Kernel>
PointFunction<Real> convolution(const Problem& problem, const Kernel& kernel, MPI_Comm comm,
                                const Options& options = {}) {
  return convolution<Real>(problem, std::span(std::ranges::cdata(kernel), std::ranges::size(kernel)), comm, options);
}
template <class Real, ArrayOf<Real, std::complex<Real>> Kernel>
PointFunction<Real> correlation(const Problem& problem, const Kernel& kernel, MPI_Comm comm,
                                const Options& options = {}) {
  return correlation<Real>(problem, std::span(std::ranges::cdata(kernel), std::ranges::size(kernel)), comm, options);
}

// Functions in space.

/// Six fields to three: a x b, where fields 0 to 2 are a and 3 to 5 are b.
template <class Real>
PointFunction<Real> cross();
/// n fields u to n (n + 1) / 2: u0 u0, u0 u1, ..., u1 u1, ...
template <class Real>
PointFunction<Real> products(Index fields = 3);

}  // namespace weft
