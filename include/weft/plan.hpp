// What each rank will do. No MPI: a plan can be made, printed and compared anywhere.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "weft/error.hpp"
#include "weft/index.hpp"
#include "weft/layout.hpp"
#include "weft/options.hpp"
#include "weft/problem.hpp"

namespace weft {

namespace detail {
struct PlanData;
}

/// A plan: what one rank of a transform will do, as data. Making one neither communicates nor allocates field memory.
class Plan {
 public:
  /// Plan for rank `rank` of `ranks`. Throws Error for bad arguments.
  Plan(const Problem& problem, const Options& options, int ranks, int rank = 0);

  const Problem& problem() const;
  const Options& options() const;
  int ranks() const;
  int rank() const;

  /// Distribution of forward's input and output (backward's output and input), ghosts left out. For r2c the input
  /// layout is that of the real grid, the output layout that of the half spectrum; for c2r the other way round.
  const Layout& input() const;
  const Layout& output() const;
  /// This rank's boxes with their ghosts, if there are any: what arrays hold, one box after the other. (Of a batch all
  /// of a field come before the next field.)
  std::vector<Box> input_boxes() const;
  std::vector<Box> output_boxes() const;

  /// Elements (real or complex numbers) that this rank's forward input and output arrays must hold, the batch and
  /// in-place padding included. In place both are the length of the one array, each in its own kind of number.
  Index input_size() const;
  Index output_size() const;
  /// The same in bytes.
  Index input_bytes() const { return input_size() * problem().input_bytes(); }
  Index output_bytes() const { return output_size() * problem().output_bytes(); }
  /// Points from one row to the next: what lies along the fastest axis is a row. More than the box has only where rows
  /// of real fields are padded.
  Index input_row() const;
  Index output_row() const;
  /// Elements from one point to the next along each axis, and from one field to the next.
  struct Strides {
    Shape axis;
    Index field;
    friend bool operator==(const Strides&, const Strides&) = default;
  };
  Strides input_strides() const;
  Strides output_strides() const;
  /// Bytes of exchange buffers and intermediate arrays; with groups, also of the arrays of the group's fields.
  Index workspace_bytes() const;

  /// Traffic of one direction: of this rank, and summed over all ranks. Data that a rank keeps, or that others read
  /// from its memory, is not sent. Collectives count a message for each pair of their ranks, also an empty one;
  /// `data_messages` are those that are not.
  struct Traffic {
    Index messages = 0, data_messages = 0, bytes = 0;
    Index all_messages = 0, all_data_messages = 0, all_bytes = 0;
    Index network_messages = 0, network_data_messages = 0, network_bytes = 0;  ///< of all ranks, between nodes
  };
  Traffic traffic(Direction direction) const;
  /// Bound of the error that the wire format brings into a direction, in the 2-norm of a whole field and relative to
  /// it: that of a number times the exchanges that it takes part in. 0 where numbers travel as they are. The same on
  /// all ranks.
  double wire_error(Direction direction) const;

  /// What moves from one rank to another in one exchange of a direction, whichever strategy moves it and through whose
  /// memory: what decides which ranks should share a node.
  struct Flow {
    int exchange;  ///< 0 for the first of the direction
    int from, to;
    Index bytes;
  };
  /// The flows among all ranks, of all exchanges in order.
  std::vector<Flow> flows(Direction direction) const;

  /// The stages, layouts, strategy, tiles, messages, bytes and buffers in words, and as JSON.
  std::string explain() const;
  std::string json() const;

  const detail::PlanData& data() const { return *data_; }

 private:
  std::shared_ptr<const detail::PlanData> data_;
};

}  // namespace weft
