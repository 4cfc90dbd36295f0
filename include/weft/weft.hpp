// Weft: distributed FFTs for MPI that weave communication into computation.
//
//   #include <weft/weft.hpp>
//
//   weft::Transform<double> fft({.shape = {128, 128, 128}}, MPI_COMM_WORLD);
//   std::vector<std::complex<double>> x(fft.input_size()), y(fft.output_size());
//   fft.forward(x, y);
//
// Memory order is C order: axis 2 is the fastest. Forward has the exponent -1, backward +1, unnormalised by default.
#pragma once

#include <mpi.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include "weft/arrays.hpp"
#include "weft/error.hpp"
#include "weft/layout.hpp"
#include "weft/plan.hpp"

namespace weft {

/// What one exchange has cost on this rank. Its time is exposed where the rank did nothing else, hidden where it
/// computed.
struct ExchangeStatistics {
  Direction direction = Direction::forward;
  int number = 0;        ///< as the plan's explanation counts
  double start = 0;      ///< handing its tiles to MPI
  double test = 0;       ///< progressing MPI from inside the computation
  double wait = 0;       ///< waiting for its tiles
  double in_flight = 0;  ///< from the start of a tile to the end of the wait for it, where several overlap counted once
  double hidden = 0;     ///< of this, while the rank computed
  Index messages = 0, bytes_sent = 0;
  double exposed() const { return start + test + wait; }
};

/// What executions have cost so far on this rank. Seconds are wall clock; compute, start, test, wait and check together
/// are all of `total` but what it takes to look at the clock.
struct Statistics {
  Index executions = 0;
  double total = 0;    ///< from beginning to end of the executions
  double compute = 0;  ///< local FFTs with their gathers and scatters
  double start = 0;    ///< handing tiles to MPI (all of the exchange where the strategy blocks)
  double test = 0;     ///< progressing MPI from inside the computation
  double wait = 0;     ///< waiting for tiles
  double check = 0;    ///< agreeing on arguments: the synchronisation of all ranks
  /// Bytes of user arrays, intermediate arrays and exchange buffers read and written by Weft itself (in-cache scratch
  /// and copies inside MPI are not counted).
  Index bytes_read = 0, bytes_written = 0;
  Index messages = 0, bytes_sent = 0;  ///< to other ranks
  /// With Options::measure_wire: the largest error of a number that this rank has rounded for the wire, relative to its
  /// magnitude; infinite if it was beyond the format's range.
  double wire_error = 0;
  /// Seconds that a cache line took, when that was last timed, from this rank's core to that of the rank half of the
  /// node's ranks away and back (of a rank without others on its node: between two threads); 0: it was not timed.
  double core_round_trip = 0;
  /// How often passes have begun to write past the caches what they pass on there, or have stopped to, since that time
  /// had changed: the host of a virtual machine had moved its cores.
  Index core_moves = 0;
  /// The same for each exchange, forward's first.
  std::vector<ExchangeStatistics> exchanges;
};

namespace detail {
class RedistributionEngine;
class TransformEngine;
}  // namespace detail

/// A plan bound to a communicator and memory, ready to run forward and backward. `Real` is float or double.
/// Creation, execution and destruction are collective over the communicator, which is duplicated. Movable, not
/// copyable.
template <class Real>
class Transform {
 public:
  using Complex = std::complex<Real>;

  /// Collective. `problem.precision` is set from `Real`. Environment variables WEFT_* override `options`.
  /// Throws the same Error on every rank if any rank's arguments are bad or differ between ranks.
  Transform(Problem problem, MPI_Comm comm, Options options = {});
  ~Transform();
  Transform(Transform&&) noexcept;
  Transform& operator=(Transform&&) noexcept;

  const Plan& plan() const;
  /// This rank's parts, and the elements (batch and padding included) its arrays must hold.
  Box input_box() const;
  Box output_box() const;
  Index input_size() const { return plan().input_size(); }
  Index output_size() const { return plan().output_size(); }

  /// Exponent -1, input layout to output layout. Which overload applies is told by the kind; the other ones throw.
  /// The input is left unchanged. Arrays must not overlap (make the plan with `in_place` for one array).
  void forward(const Complex* in, Complex* out);
  void forward(const Real* in, Complex* out);
  void forward(const Complex* in, Real* out);
  void forward(const Real* in, Real* out);
  /// Exponent +1, output layout to input layout.
  void backward(const Complex* in, Complex* out);
  void backward(const Complex* in, Real* out);
  void backward(const Real* in, Complex* out);
  void backward(const Real* in, Real* out);
  /// In place (plans with `in_place`): `data` holds at least max(input_size in bytes, output_size in bytes).
  void forward(Complex* data);
  void forward(Real* data);
  void backward(Complex* data);
  void backward(Real* data);

  /// As above, with the sizes checked: std::vector, std::array, std::span and all other arrays that know their size. In
  /// place they may be of either type of number.
  template <ArrayOf<Real, Complex> In, OutputArrayOf<Real, Complex> Out>
  void forward(const In& in, Out&& out) {
    if (!have_sizes(Direction::forward, std::ranges::size(in), std::ranges::size(out))) return;
    forward(std::ranges::data(in), std::ranges::data(out));
  }
  template <ArrayOf<Real, Complex> In, OutputArrayOf<Real, Complex> Out>
  void backward(const In& in, Out&& out) {
    if (!have_sizes(Direction::backward, std::ranges::size(in), std::ranges::size(out))) return;
    backward(std::ranges::data(in), std::ranges::data(out));
  }
  template <OutputArrayOf<Real, Complex> Data>
  void forward(Data&& data) {
    if (!have_bytes(Direction::forward, bytes_of(data))) return;
    forward(reinterpret_cast<Complex*>(std::ranges::data(data)));
  }
  template <OutputArrayOf<Real, Complex> Data>
  void backward(Data&& data) {
    if (!have_bytes(Direction::backward, bytes_of(data))) return;
    backward(reinterpret_cast<Complex*>(std::ranges::data(data)));
  }

  /// For wrappers that check arguments of their own before an execution: throws, on all ranks if the option `check` is
  /// on, the message of the lowest rank whose message is not empty. Collective then; ranks that have nothing to object
  /// to may execute instead, which agrees in the same way.
  void raise_any(Direction direction, const std::string& message) const;

  const Statistics& statistics() const;
  /// Starts counting anew, and forgets what has been traced.
  void reset_statistics();

  /// Writes what has been traced so far to the file that the option `trace` names, as the end of the transform would,
  /// and forgets it. Collective.
  void write_trace();
  /// Ends the trace without writing it. After that the end of the transform waits for no other rank; memory of the
  /// strategy rma, whose end is collective, then stays until that of MPI.
  void drop_trace();

 private:
  /// False if there is nothing left to do: with `check_every` this rank has taken part without its arrays.
  bool have_sizes(Direction direction, std::size_t in, std::size_t out) const;
  bool have_bytes(Direction direction, std::size_t bytes) const;
  std::unique_ptr<detail::TransformEngine> engine_;
};

extern template class Transform<float>;
extern template class Transform<double>;

/// Moves a field between any two layouts of the same shape.
/// Creation and execution are collective over the communicator, which is duplicated.
class Redistribution {
 public:
  /// `element_bytes` is 4, 8 or 16 (float, double or complex float, complex double). Collective.
  Redistribution(const Layout& from, const Layout& to, int element_bytes, MPI_Comm comm, Index batch = 1,
                 Options options = {});
  ~Redistribution();
  Redistribution(Redistribution&&) noexcept;
  Redistribution& operator=(Redistribution&&) noexcept;

  struct Moved {
    Index bytes_sent = 0;      ///< by this rank to others
    Index bytes_kept = 0;      ///< from this rank to itself
    Index bytes_sent_all = 0;  ///< by all ranks to others
  };
  /// Collective. Arrays are the ranks' boxes in C order, `batch` of them one after the other; they must not overlap.
  Moved operator()(const void* in, void* out);
  /// The same, with the sizes checked.
  template <ArrayOfBytes In, OutputArrayOfBytes Out>
  Moved operator()(const In& in, Out&& out) {
    require_bytes(bytes_of(in), bytes_of(out));
    return (*this)(static_cast<const void*>(std::ranges::data(in)), static_cast<void*>(std::ranges::data(out)));
  }

  /// As Transform's.
  void raise_any(const std::string& message) const;
  void drop_trace();

 private:
  void require_bytes(std::size_t in, std::size_t out) const;
  std::unique_ptr<detail::RedistributionEngine> engine_;
};

/// The layout made of every rank's own box. Collective; the same Error on all ranks if the boxes overlap or leave gaps.
Layout gather_layout(const Shape& shape, const Box& mine, MPI_Comm comm);

/// All exchange strategies, and what keeps them from being used among the ranks of `comm`. The same on all ranks.
std::vector<StrategyDescription> describe_strategies(MPI_Comm comm);

/// Major, minor and patch number: "1.0.0".
std::string version();

}  // namespace weft
