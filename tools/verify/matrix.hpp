// Which cases to run: the full product of everything would take days, all pairs of settings take seconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "case.hpp"

namespace weft::verify {

/// One property of a case and the values it may have, each as a piece of a case's text ("kind=r2c", or several items
/// that only make sense together: "tile=4,window=2").
using Factor = std::vector<std::string>;

/// The properties of a case for a job of `ranks`; all of a factor's values are good together with all of the others',
/// but for some of `arrays`, which give way to what they cannot be with.
struct Factors {
  Factor strategy, layout, kind, precision, place, arrays, shape, normalization, batch, tiles, consume, backend, nodes,
      offset, threads, wire;
  std::vector<const Factor*> all() const;
};
Factors factors(int ranks);

/// Rows of one value's number for every factor, such that any two values of any two factors meet in some row: what goes
/// wrong depends on one or two settings nearly always. `levels[i]` is the number of values of factor i.
std::vector<std::vector<std::size_t>> all_pairs(const std::vector<std::size_t>& levels, std::uint64_t seed);

/// The cases of such rows.
std::vector<Case> all_pairs(const Factors& factors, std::uint64_t seed);

/// Every strategy x layout x kind x precision x in or out of place; the other factors take turns.
std::vector<Case> core_product(const Factors& factors);

/// At most `count` of the cases, evenly spread, beginning with that of number `start`: other starts take others.
std::vector<Case> thinned(const std::vector<Case>& cases, std::size_t count, std::size_t start);

/// `count` cases with every factor at random, and with random shapes and layouts.
std::vector<Case> random_cases(const Factors& factors, std::size_t count, std::uint64_t seed);

}  // namespace weft::verify
