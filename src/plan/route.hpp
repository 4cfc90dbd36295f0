// From problem and options to the chain of stages, and from the chain to one rank's route.
#pragma once

#include <vector>

#include "plan/stages.hpp"

namespace weft::detail {

/// What the ends of a route look like.
struct RouteEnds {
  double scale = 1;
  bool in_place = false;
  bool among_all = false;  ///< exchanges are among all ranks, whoever has something for whom
  int real_bytes =
      0;  ///< of the real numbers of an element; 0: it is not known what they are, so they stay as they are
  Array input, output;
};

/// The options of exchanges after transforms of either direction. Exchanges of one route share memory, so both name the
/// same strategy.
struct RouteOptions {
  const Options &forward, &backward;
};

/// Whether rows of real fields are padded: in place, so that those of their half spectra fit. (One line is no rows.)
inline bool pads_rows(const Problem& problem, const Options& options) {
  return problem.padded_rows ||
         (options.in_place && !problem.one_line && problem.real_input() != problem.real_output());
}

/// Whose stages they are: a transform's, or those of an operator whose function is in space or at wave numbers. An
/// operator's lines that are not transformed become whole at the end as well. Of one line, whose function does not ask
/// in which order modes are, those to a convolution end with columns, as an operator's do.
enum class StagesOf : unsigned char { transform, operator_in_space, operator_at_wavenumbers, convolution };
/// The stages of the forward direction, ends in the layouts that the options ask for.
std::vector<Stage> forward_stages(const Problem& problem, const Options& options, int ranks,
                                  StagesOf what = StagesOf::transform);
/// The stages that undo those.
std::vector<Stage> reversed(std::vector<Stage> stages);

/// Whether the passes of these stages are joined by an exchange, if only of a rank with itself: where data moves
/// between ranks, where it is no box of lines, and before lines along axis 0. In an array in C order the rows of a
/// plane of theirs lie far apart, in the same few places of the caches. One rank does without where it can work in the
/// output: what passes write is in cache then.
bool through_blocks(const Stage& before, const Stage& after);

/// One rank's passes, links, tiles, units, schedule and buffers.
Route make_route(const std::vector<Stage>& stages, const RouteEnds& ends, const RouteOptions& options, Index batch,
                 int rank);

}  // namespace weft::detail
