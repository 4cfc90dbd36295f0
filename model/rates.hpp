// What the model asks of a machine: seconds and rates at a size.
#pragma once

#include "weft/model.hpp"

namespace weft::model {

/// What is transformed along a line, as calibrations know it.
enum class LineKind { rows, real_rows, columns };

/// Bytes read and written a second by each of `ranks` ranks of a node that go through `footprint` bytes.
double memory_rate(const Machine& machine, double footprint, int ranks);
/// The part of the shorter of the two, memory and computation, that the longer one hides. Where it was measured they
/// add up; of a machine that is only described one expects the best, as the lab does.
double memory_hidden(const Machine& machine);
/// How much longer a core takes to copy so many bytes, in all, where another core has just written them.
double neighbour_seconds(const Machine& machine, double size);
/// Operations (5 n log2 n a line) a second of one core with a backend; one that was not measured counts as `auto`.
double line_rate(const Machine& machine, const std::string& backend, LineKind kind, Precision precision, Index n);
/// Seconds of a rank that exchanges messages of `size` bytes with a neighbour; `pieces`: of data that a datatype
/// describes; `busy`: all others do so, too.
double node_exchange(const Machine& machine, double size, bool pieces, bool busy);

/// By what factor a blocking all-to-all across nodes takes longer than its messages of `size` bytes: its rounds wait
/// for whoever is late, and links have nothing to do meanwhile.
double alltoall_factor(const Machine& machine, double size);

/// By what factor passes take longer than the formulas say, and by what factor all that a node's ranks do together.
double pass_factor(const Machine& machine, Kind kind, Precision precision, double footprint);
double strategy_factor(const Machine& machine, const std::string& strategy, double footprint);

}  // namespace weft::model
