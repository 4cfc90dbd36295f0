// What one rank does of an operator: a route to the middle layout and back, whose middle pass has the function.
#pragma once

#include <algorithm>
#include <memory>

#include "plan/stages.hpp"
#include "weft/operator.hpp"

namespace weft::detail {

/// The plan of an operator. Its middle pass transforms lines one way, calls the function and transforms them back.
struct OperatorData final : SpecialPass {
  Problem problem;
  At at = At::wavenumbers;
  Index inputs = 1, outputs = 1;
  bool overwrites = false;  ///< the function may have its outputs where its inputs are
  Options options;
  int ranks = 1, rank = 0;
  Layout input, output;  ///< of the route
  PartsEnds parts;
  Array input_array, output_array;  ///< the user's
  Layout middle;                    ///< of what the function sees
  Extents middle_shape;             ///< of what it sees along each axis
  Box whole;                        ///< this rank's part of it, as PointTile has it
  /// Numbers that a point of three axes has at the ends, and where the function is: those of the axes after the third.
  Index end_numbers = 1, middle_numbers = 1;
  double scale_before = 1, scale_after = 1;                         ///< of the transforms to it, and of those from it
  std::array<std::vector<double>, Extents::most_axes> places, odd;  ///< see PointTile::at and odd
  Route route;

  /// Fields of a tile in cache, for inputs and outputs together.
  Index tile_fields() const { return overwrites ? std::max(inputs, outputs) : inputs + outputs; }

  /// What the function sees, and what the ends have.
  bool real_middle() const { return number_at(at == At::points) == Number::real; }
  bool real_ends() const { return number_at(at == At::wavenumbers) == Number::real; }

  Cost cost_of(const Pass& pass, const Unit& unit) const override;
  std::unique_ptr<PassRunner> make_runner(const Pass& pass, View in, View out, const Options& options) const override;

 private:
  Number number_at(bool space) const { return space ? space_number(problem.kind) : spectrum_number(problem.kind); }
};

/// The transforms that an operator is made of.
Problem as_transform(const Problem& problem);

std::shared_ptr<const OperatorData> make_operator(const Problem& problem, At at, Index inputs, Index outputs,
                                                  bool overwrites, const Options& options, int ranks, int rank);

/// A convolution of one line, in place: its ends are fields of so many points of it each.
std::shared_ptr<const OperatorData> make_convolution(const Problem& input, const Problem& output,
                                                     const Options& options, int ranks, int rank);

/// Runners of the middle pass: of lines along axis 0 or 1 that stay columns; of rows on their way to space, with the
/// columns of their planes if the pass has those; of rows, or columns along axis 1, that grow on their way to the
/// spectrum, and columns along axis 0; and of lines that are not transformed.
std::unique_ptr<PassRunner> make_operator_columns(const OperatorData& data, const Pass& pass, View in, View out,
                                                  const Options& options);
std::unique_ptr<PassRunner> make_operator_planes(const OperatorData& data, const Pass& pass, View in, View out,
                                                 const Options& options);
std::unique_ptr<PassRunner> make_operator_growing_columns(const OperatorData& data, const Pass& pass, View in, View out,
                                                          const Options& options);
std::unique_ptr<PassRunner> make_operator_growing_planes(const OperatorData& data, const Pass& pass, View in, View out,
                                                         const Options& options);
std::unique_ptr<PassRunner> make_operator_lines(const OperatorData& data, const Pass& pass, View in, View out,
                                                const Options& options);

}  // namespace weft::detail
