// The plan as data: passes over memory, the links between them, and the order in which everything happens.
//
//   user array -> pass -> link -> pass -> link -> ... -> pass -> user array
//
// A pass is one trip through memory: gather a chunk into cache, transform lines, write the result where the link wants
// it. A link is either an exchange (cut into tiles) or an array that the next pass reads. The schedule is the one loop
// of the design note, unrolled: produce a tile, start it, finish and consume the oldest when the window is full.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exchange/tiles.hpp"
#include "problem/lines.hpp"
#include "weft/plan.hpp"

namespace weft::detail {

class PassRunner;
class View;

/// An array of this rank's box, one after the other for the items of the batch. An element is what a point has: one
/// number, or those of all fields where they are interleaved, and of the axes after the third.
struct Array {
  enum class Where { input, output, work };
  Where where = Where::input;
  Box box;
  int element_bytes = 0;
  Index row = 0;               ///< elements between rows, which lie along the fastest axis
  Index item = 0;              ///< elements between batch items
  Index fields = 1;            ///< batch items of each application, of an operator
  Index offset_bytes = 0;      ///< in the workspace, for Where::work
  MemoryOrder order{0, 1, 2};  ///< axes from slowest to fastest
  Index bytes(Index batch) const { return item * fields * batch * element_bytes; }
};

/// One-dimensional transforms a pass does on its lines, in order of execution.
struct LineTransform {
  int axis = 2;
  LineType type = LineType::c2c;
  Way way = Way::to_spectrum;
  int sign = -1;  ///< of the exponent, if it has one
  Kept kept{};    ///< at its smaller end, if not all
  /// Along axis 2 of a grid of more than three axes: all of them, whose lines are transformed in one go. `type` has the
  /// numbers at both ends.
  std::vector<InnerAxis> inner{};
  /// Along axis 2, whose rows are those of one line of so many points: they are turned on the side where the line's
  /// other axis is transformed. 0: they are not.
  Index one_line = 0;
  bool rows_first = false;  ///< of one line, on the way to the spectrum

  /// Points of the line, from the numbers at both ends.
  Index points(Index in, Index out) const { return kept ? kept.points : traits_of(type).points(in, out); }
};

/// What happens to the points of a pass between its transforms, or after them if they are all in one direction.
enum class Pointwise : unsigned char {
  none,
  multiply,    ///< by a real field
  accumulate,  ///< squares are added to a real field, which is all that is kept
  function     ///< an operator's
};

/// The part of a pass that is computed without a break: the unit of the schedule.
struct Unit {
  Items items;         ///< the items that come in
  Box in, out;         ///< differ along axis 2 for r2c and c2r
  Index sharing = 1;   ///< units that share these boxes: each takes what its tiles brought of them
  Index first_in = 0;  ///< incoming tiles that this unit reads: [first_in, last_in)
  Index last_in = 0;
  Index out_tile = -1;  ///< outgoing tile that this unit writes; -1 if the link is an array
  Index left = 0;       ///< points of an item that a copy leaves in the user's array, for the pass beyond the exchange
  /// For an operator's function whose fields have tiles of their own: `in_step` incoming tiles belong to each field,
  /// and the outgoing tiles of neighbouring fields are `out_step` apart. 0: fields share tiles.
  Index in_step = 0, out_step = 0;

  Index first_in_of(Index field) const { return first_in + field * in_step; }
  Index last_in_of(Index field) const { return in_step > 0 ? first_in + (field + 1) * in_step : last_in; }
  Index out_tile_of(Index field) const { return out_tile + field * out_step; }
};

struct Cost;
class SpecialPass;

/// One stage of a route, the same on all ranks: transforms along axes that the layout keeps whole, or nothing (a copy).
struct Stage {
  std::vector<LineTransform> transforms;
  Layout in, out;  ///< differ in axis 2's extent where real becomes complex
  int in_bytes = 0, out_bytes = 0;
  Pointwise pointwise = Pointwise::none;
  const SpecialPass* special = nullptr;  ///< what makes its runner, where more than whole lines of boxes is to be done
  Index in_fields = 1, out_fields = 1;   ///< of each application; an operator's function may change their number
  Direction direction = Direction::forward;  ///< that it is a stage of; its last transforms', if it goes both ways
  Index in_numbers = 1, out_numbers = 1;     ///< of an element
  bool by_planes = false;                    ///< it needs all of a plane of axis 0 at once, and makes all of one
  Index together = 1;                        ///< items that it needs at once: the components of a spinor
};

/// What one rank does of a stage.
struct Pass {
  std::vector<LineTransform> transforms;
  Pointwise pointwise = Pointwise::none;
  const SpecialPass* special = nullptr;
  double scale = 1;                 ///< applied while the result is written
  Box in, out;                      ///< this rank's part
  Layout layout;                    ///< of its output
  int in_bytes = 0, out_bytes = 0;  ///< bytes of an element
  /// Of an element where the pass reads it, and where it writes it, on average: blocks may be in a wire format.
  double read_bytes = 0, written_bytes = 0;
  Index in_numbers = 1, out_numbers = 1;  ///< of an element; of complex ones twice as many, if the pass is one of reals
  Index interleaved = 1;                  ///< numbers side by side whose lines along axis 2 are transformed apart
  Index in_fields = 1, out_fields = 1;
  Index together = 1;  ///< items that are computed together
  std::vector<Unit> units;

  /// Whether it transforms nothing but real numbers, for two of which it can take a complex one.
  bool of_reals() const;
  Index bytes_read(Index elements) const { return static_cast<Index>(static_cast<double>(elements) * read_bytes); }
  Index bytes_written(Index elements) const {
    return static_cast<Index>(static_cast<double>(elements) * written_bytes);
  }
};

/// A kind of passes whose data is not a box of lines, such as the columns of a sphere.
class SpecialPass {
 public:
  virtual ~SpecialPass() = default;
  /// Of one item.
  virtual Cost cost_of(const Pass& pass, const Unit& unit) const = 0;
  virtual std::unique_ptr<PassRunner> make_runner(const Pass& pass, View in, View out,
                                                  const Options& options) const = 0;
};

/// What joins two passes.
struct Link {
  Direction direction = Direction::forward;  ///< of the stage before it
  bool is_exchange = false;
  ExchangePlan exchange;
  Array array;  ///< where the data waits if it is not exchanged
};

/// One step of the schedule.
struct Action {
  enum class What : unsigned char {
    acquire,  ///< wait until the tile's send blocks may be written
    compute,  ///< run a unit of a pass
    start,    ///< send the tile on its way
    finish,   ///< wait until the tile has come
    release   ///< the tile's blocks have been read
  };
  What what;
  int stage;    ///< pass for compute, link for the others
  Index index;  ///< unit or tile
};

/// One direction of a transform.
struct Route {
  Array input, output;
  std::vector<Pass> passes;
  std::vector<Link> links;  ///< links[i] joins passes[i] and passes[i + 1]
  std::vector<Action> schedule;
  Index workspace_bytes = 0;

  /// Of the batch, among those that the action is about.
  Index first_item(const Action& action) const {
    const auto stage = static_cast<std::size_t>(action.stage), index = static_cast<std::size_t>(action.index);
    return action.what == Action::What::compute ? passes[stage].units[index].items.lo
                                                : links[stage].exchange.tiles[index].items.lo;
  }
};

/// An end whose arrays hold several boxes of a rank, or ghosts around them. Routes begin and end in layouts of one box
/// a rank; an exchange of its own leads from these to the parts.
struct PartsEnd {
  Layout layout;
  Ghosts ghosts;

  /// Those of a rank with their ghosts, as its arrays have them one after the other.
  std::vector<Box> boxes(int rank) const { return ghosts.around(layout.boxes(rank)); }
};

/// Of the input and the output, where they are such ends.
using PartsEnds = std::array<std::optional<PartsEnd>, 2>;

class HalfLine;
class PaddedLine;

struct PlanData {
  Problem problem;
  Options options;
  int ranks = 1, rank = 0;
  Layout input, output;  ///< of the routes; of a padded line, of its numbers
  Route forward, backward;
  PartsEnds parts;
  std::shared_ptr<const HalfLine> half_line;  ///< the modes at an end, where they are those of a line of reals in order
  std::shared_ptr<const PaddedLine> padded_line;  ///< whose numbers the ends have, where the routes are convolutions
  std::vector<std::shared_ptr<const SpecialPass>> convolutions;  ///< the middle passes of these
  Array input_array, output_array;  ///< the user's: those of the routes, unless an end has parts or such modes
};

/// "c2c along axis 2, c2c along axis 1", or "copy"
std::string transforms_text(const Pass& pass);

/// An array of the box, its axes in that order, with rows as long as the box.
Array array_of(const Box& box, int element_bytes, Array::Where where, const MemoryOrder& order = {0, 1, 2});
/// The same with rows that take `row` elements.
Array array_of(const Box& box, int element_bytes, Array::Where where, const MemoryOrder& order, Index row);
Strides array_strides(const Array& array);

/// A route that only moves data from one layout to another (no transform). `among_all`: its exchange is one of all
/// ranks, whoever has something for whom, so that any number of such routes can share a communicator. `numbers`: of an
/// element, which lie side by side.
Route make_redistribution(const Layout& from, const Layout& to, int element_bytes, Index batch, const Options& options,
                          int rank, bool among_all = false, Index numbers = 1);

/// Bound of the error that wire formats bring into a route, see Plan::wire_error.
double wire_error(const Route& route);
/// Traffic of a route, over all ranks or this one.
Plan::Traffic route_traffic(const Route& route, const Options& options);
/// What moves from rank to rank in each exchange of a route.
std::vector<Plan::Flow> route_flows(const Route& route);

}  // namespace weft::detail
