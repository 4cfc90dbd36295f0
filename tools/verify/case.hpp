// One case of the correctness matrix: what is transformed, from which layout to which, and how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "weft/index.hpp"
#include "weft/layout.hpp"
#include "weft/options.hpp"
#include "weft/problem.hpp"

namespace weft::verify {

/// A case can be written as text, "shape=8x8x8,kind=r2c,strategy=ialltoallv,tile=4", and read back. Besides the keys
/// of its own members it takes every option of the library by its name; what is not mentioned has its default.
struct Case {
  Case() { options.effort = Effort::estimate; }  // planning must not outlast the check itself

  Problem problem{.shape = {8, 8, 8}};
  Options options;

  /// Distributions of forward's input and output, as for `make_layout`.
  std::string input = "default", output = "default";
  /// Real numbers by which the arrays are shifted off their natural alignment.
  int offset = 0;
  /// Of the fields.
  std::uint64_t seed = 1;
};

/// The keys that differ from the defaults, and always shape, kind, precision and strategy.
std::string to_string(const Case& test);
/// Error for an unknown key or a bad value, listing the good ones.
Case parse_case(std::string_view text);

/// default     none: leave the choice to the library
/// slab:A      axis A split over all ranks
/// blocks:A    the same as FFTW deals it: ceil(n / ranks) planes each, as far as they go
/// pencil:A    the axes other than A split over a grid as square as can be
/// grid        all axes split, as cubic as can be
/// bricks:S    irregular boxes by random number S, given to ranks in random order, some empty
/// one:R       everything on rank R (modulo the number of ranks)
std::optional<Layout> make_layout(std::string_view text, const Shape& shape, int ranks);

/// The options with the layouts of this case put in, for a job of `ranks`.
Options options_of(const Case& test, int ranks);

/// What the table of results calls the layout: "slab", "pencil, transposed", "bricks"...
std::string layout_group(const Case& test);

/// "8x4x2" as its extents; Error naming `argument`.
Extents parse_shape(std::string_view text, std::string_view argument, Index least = 1);

}  // namespace weft::verify
