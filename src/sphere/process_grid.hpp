// Spheres on a grid of processes: in space a rank has some planes of z, and of these some rows along y. Integers only,
// no MPI.
//
//   columns along z  ->  some z, all y, some of the x that hold columns  ->  some z, some y, all x
//
// The first exchange is among all ranks, whoever deals the columns; the second inside the rows of the grid.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "sphere/sphere.hpp"

namespace weft::detail {

/// Rows (of planes) and columns of the grid of processes; one column: whole planes. What `asked` says; else planes as
/// far as there are enough for all ranks, or are given, and beyond that the grid whose busiest rank has least to
/// transform, of which few ranks have nothing. Error for a grid that does not fit.
std::array<int, 2> choose_process_grid(const SphereData& sphere, const std::array<int, 2>& asked, int ranks,
                                       bool planes_given);

/// The x that hold columns, those of each part of the ranks' columns one after the other: in each part as many lines
/// along y as in others, as far as they divide, and about as many columns.
std::vector<std::int32_t> deal_lines(const Sticks& sticks, int parts);
/// The same of x with so many columns each, in the order of the grid: x of each part.
std::vector<std::vector<Index>> deal_lines(std::vector<std::pair<Index, Index>> columns, int parts);

/// Sorts each rank's columns by the part that their x is in, and within it by x and y.
void sort_by_part(Sticks& sticks, Waves& mine, const std::vector<std::int32_t>& lines, int parts);

/// The columns where they are transformed along y. The columns of each rank must be sorted by part.
Layout layout_of_parts(const Shape& columns, const Sticks& sticks, const std::vector<std::int32_t>& lines,
                       const std::array<int, 2>& grid);

}  // namespace weft::detail
