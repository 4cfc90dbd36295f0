// The spectrum of one line of real numbers, its modes in order.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "plan/stages.hpp"
#include "weft/problem.hpp"

namespace weft::detail {

/// The modes 0 to n/2 of a line of n = n0 n1 real numbers, dealt evenly and in order, and where they are on the grid of
/// its transform, n0 x 1 x (n1/2 + 1), whose point (k0, 0, k1) is mode k0 n1 + k1. Beyond n/2 these are conjugates: of
/// modes that have no other place there, or of modes that do.
class HalfLine {
 public:
  HalfLine(const Problem& problem, int ranks, int rank);

  /// Whether the spectra of a transform are such.
  static bool fits(const Problem& problem, const Options& options);
  /// Which end they are: 0 is forward's input.
  std::size_t end() const { return end_; }
  /// Of 1 x 1 x (n/2 + 1) modes.
  const Layout& modes() const { return modes_; }
  /// The boxes of the grid that have a rank's modes, its conjugates among them.
  const std::optional<PartsEnd>& pieces() const { return pieces_; }
  /// Points of this rank's.
  Index points_of_pieces() const;

  /// What moves between the grid, dealt as the route leaves it, and the pieces, of points of so many bytes.
  std::vector<Plan::Flow> flows(const Layout& grid, Index point_bytes, bool to_modes) const;

  /// From arrays of this rank's pieces to those of its modes, and back; of so many fields with so many numbers at each
  /// point, whose modes are `apart` points from field to field.
  template <class Real>
  void gather(const std::complex<Real>* pieces, std::complex<Real>* modes, Index fields, Index numbers,
              Index apart) const;
  template <class Real>
  void spread(const std::complex<Real>* modes, std::complex<Real>* pieces, Index fields, Index numbers,
              Index apart) const;

 private:
  struct Piece {
    Box box;
    bool conjugates = false;
    bool twice = false;  ///< conjugates of modes that have a place of their own
  };
  /// The pieces of the modes lo to hi - 1.
  std::vector<Piece> pieces_of(Index lo, Index hi) const;
  /// The same of columns lo to hi - 1 of some rows, none of which has both modes up to n/2 and others there.
  void add_rows(std::vector<Piece>& all, Range rows, Index lo, Index hi) const;
  /// Calls `use(piece, at, mode, count)` for each row of this rank's pieces: the place of its first point, that of the
  /// mode there among this rank's, and its points.
  template <class Use>
  void for_each_row(const Use& use) const;

  std::size_t end_;
  Index n0_, n1_;
  Layout modes_;
  std::optional<PartsEnd> pieces_;
  Range mine_;
  std::vector<Piece> of_mine_;
};

/// "modes      0 to 500 of the output in their order, ...; this rank 0 to 250, in 3 boxes of the grid"
std::string half_line_text(const HalfLine& line, int rank);

}  // namespace weft::detail
