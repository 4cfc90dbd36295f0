#include "matrix.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace weft::verify {

namespace {

/// Lines of which modes can be left out.
bool is_dft(Line line) { return line == Line::dft || line == Line::half_dft; }

/// It deals those of one line of real numbers.
void leave_modes_to_the_library(Case& test) {
  const Kind& kind = test.problem.kind;
  if (!test.problem.one_line || kind == Kind::c2c || test.options.transposed) return;
  (kind.to_space ? test.input : test.output) = "default";
}

Case join(const std::vector<std::string>& pieces) {
  std::string text;
  for (const auto& piece : pieces) {
    if (!piece.empty()) text += (text.empty() ? "" : ",") + piece;
  }
  Case test = parse_case(text);
  // Groups take plain arrays, and padded rows of real fields are those of the last axis.
  Problem& problem = test.problem;
  if (!problem.plain_arrays() || problem.one_line) test.options.groups = 1;
  if (problem.one_line) {
    // Of a plane, and all of it; where one end is real, with modes that are dealt by the library.
    problem.shape = plane(problem.shape[0], problem.shape[2]);
    problem.modes = problem.points = {0, 0, 0};
    const bool reals = problem.kind == Kind::r2c || problem.kind == Kind::c2r;
    if (!reals) problem.kind = Kind::c2c;
    if (reals && test.options.transposed) test.options.in_place = false;
    if (problem.kind == Kind::r2c) std::swap(problem.input_order, problem.output_order);
    leave_modes_to_the_library(test);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!is_dft(problem.kind.lines[axis])) problem.modes[axis] = 0;
    if (problem.kind.lines[axis] == Line::none) problem.points[axis] = 0;
  }
  // What sends arrays sends them as they are.
  if (test.options.strategy == "zerocopy") test.options.wire = Wire::same;
  if (test.options.in_place || problem.padded_rows) {
    if (problem.real_input() && problem.input_order[2] != 2) problem.input_order = {0, 1, 2};
    if (problem.real_output() && problem.output_order[2] != 2) problem.output_order = {0, 1, 2};
  }
  return test;
}

Factor named(const std::string& key, const std::vector<std::string>& values) {
  Factor factor;
  for (const auto& value : values) factor.push_back(key + "=" + value);
  return factor;
}

/// What the library chooses itself, what the caller asks for inside, and what the caller holds outside.
Factor layouts(int ranks) {
  Factor factor{"decomposition=auto", "decomposition=slab", "decomposition=slab,transposed=true"};
  for (int rows = 1; rows <= ranks; ++rows) {
    if (ranks % rows != 0) continue;
    const std::string grid = std::to_string(rows) + "x" + std::to_string(ranks / rows);
    factor.push_back("decomposition=pencil,grid=" + grid);
    factor.push_back("decomposition=pencil,grid=" + grid + ",transposed=true");
  }
  for (const char* given :
       {"decomposition=slab,input=bricks:1", "decomposition=slab,output=bricks:2", "input=bricks:3,output=bricks:4",
        "decomposition=pencil,input=bricks:5,output=bricks:5", "input=grid,output=grid", "input=slab:1,output=slab:0",
        "decomposition=pencil,input=slab:2,output=pencil:1", "decomposition=slab,input=pencil:0,output=pencil:2",
        "input=one:0,output=one:1", "decomposition=slab,input=blocks:0,output=blocks:1",
        "input=blocks:0,output=blocks:0", "decomposition=slab,transposed=true,input=grid"}) {
    factor.emplace_back(given);
  }
  return factor;
}

}  // namespace

std::vector<const Factor*> Factors::all() const {
  return {&strategy, &layout, &kind,    &precision, &place, &arrays, &shape,   &normalization,
          &batch,    &tiles,  &consume, &backend,   &nodes, &offset, &threads, &wire};
}

Factors factors(int ranks) {
  Factors f;
  f.strategy = named("strategy", strategies());
  f.backend = named("backend", backends());
  f.layout = layouts(ranks);
  f.kind = named("kind", {"c2c", "r2c", "c2r", "dst2-dct3-r2c", "dht-none-dct4", "dct2-dft-dst1", "hc2r-dst4-c2r",
                          "r2hc-dht-r2hc"});
  f.precision = named("precision", {"double", "single"});
  f.place = {"in_place=false", "in_place=true"};
  for (int groups : {2, ranks}) {
    if (groups > 1 && groups <= ranks) f.place.push_back("in_place=false,groups=" + std::to_string(groups));
  }
  // An odd number of them: in the core product places take turns, too.
  f.arrays = {"",
              "interleaved=true",
              "output_order=102",
              "padded_rows=true",
              "interleaved=true,input_order=102,padded_rows=true",
              "input_order=210,output_order=021",
              "interleaved=true,input_order=102,output_order=120",
              "one_line=true,output_order=210",
              "one_line=true,interleaved=true,output_order=210"};
  f.shape = named("shape", {"8x8x8", "1x1x1", "7x11x13", "2x3x5", "1x17x1", "12x12x1", "1x1x31", "16x2x9,modes=10x0x6",
                            "3x20x6,modes=2x13x4", "23x1x4,modes=15x0x3", "10x9x8,modes=6x5x8", "5x4x32",
                            "6x9x12,points=3x5x6", "14x4x7,points=7x0x3,modes=0x3x0", "1x12x10,points=0x1x5", "3x4x5x6",
                            "2x3x1x4x5", "8x1x3x2x2x3,modes=5x0x0", "7x2x5x3,points=4x0x0"});
  f.normalization = named("normalization", {"none", "forward", "backward", "ortho"});
  f.batch = named("batch", {"1", "3", "8"});
  f.tiles = {"",
             "tile=1,window=1",
             "tile=2,window=1,tests=1",
             "tile=3,window=2,tests=3",
             "tile=4,window=4",
             "tile=64,window=2,tests=2",
             "tile=64,window=64",
             "fields=1,tile=2,window=3",
             "fields=2,tile=1,window=2"};
  f.consume = {"", "consume=early", "consume=late"};
  f.nodes = {"", "node_size=1", "node_size=2", "node_size=3", "node_size=2,leaders=2", "node_size=3,leaders=2"};
  f.offset = {"", "offset=1"};
  f.threads = {"", "threads=3"};
  // Errors of exact numbers are the smaller ones: half of the cases look for them.
  f.wire = {
      "", "", "", "", "wire=single", "wire=single,wire_inside=same", "wire=block24", "wire=block16,wire_inside=same"};
  return f;
}

std::vector<std::vector<std::size_t>> all_pairs(const std::vector<std::size_t>& levels, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t n = levels.size();
  // open[a][b][i * levels[b] + j]: value i of factor a has not yet met value j of factor b (a < b).
  std::vector<std::vector<std::vector<char>>> open(n, std::vector<std::vector<char>>(n));
  std::size_t left = 0;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      open[a][b].assign(levels[a] * levels[b], 1);
      left += levels[a] * levels[b];
    }
  }
  const auto met = [&](const std::vector<std::size_t>& row, bool close) {
    std::size_t count = 0;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = a + 1; b < n; ++b) {
        char& pair = open[a][b][row[a] * levels[b] + row[b]];
        count += static_cast<std::size_t>(pair);
        if (close) pair = 0;
      }
    }
    return count;
  };
  const auto first_open = [&](std::vector<std::size_t>& row) {
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = a + 1; b < n; ++b) {
        for (std::size_t p = 0; p < open[a][b].size(); ++p) {
          if (open[a][b][p] == 0) continue;
          row[a] = p / levels[b];
          row[b] = p % levels[b];
          return;
        }
      }
    }
  };
  std::vector<std::vector<std::size_t>> rows;
  while (left > 0) {
    // Of some random rows through a pair still open, the one that closes most.
    std::vector<std::size_t> best;
    std::size_t most = 0;
    for (int attempt = 0; attempt < 30; ++attempt) {
      std::vector<std::size_t> row(n);
      for (std::size_t a = 0; a < n; ++a) row[a] = random() % levels[a];
      first_open(row);
      const std::size_t count = met(row, false);
      if (count > most) {
        most = count;
        best = row;
      }
    }
    left -= met(best, true);
    rows.push_back(std::move(best));
  }
  return rows;
}

std::vector<Case> all_pairs(const Factors& factors, std::uint64_t seed) {
  const auto all = factors.all();
  std::vector<std::size_t> levels;
  for (const Factor* factor : all) levels.push_back(factor->size());
  std::vector<Case> cases;
  for (const auto& row : all_pairs(levels, seed)) {
    std::vector<std::string> pieces;
    for (std::size_t i = 0; i < all.size(); ++i) pieces.push_back((*all[i])[row[i]]);
    cases.push_back(join(pieces));
  }
  return cases;
}

std::vector<Case> core_product(const Factors& factors) {
  std::vector<Case> cases;
  std::size_t turn = 0;
  const auto take = [&turn](const Factor& factor) { return factor[turn % factor.size()]; };
  for (const auto& strategy : factors.strategy) {
    for (const auto& layout : factors.layout) {
      for (const auto& kind : factors.kind) {
        for (const auto& precision : factors.precision) {
          for (const char* place : {"in_place=false", "in_place=true"}) {
            cases.push_back(
                join({strategy, layout, kind, precision, place, take(factors.shape), take(factors.tiles),
                      take(factors.arrays), take(factors.backend), take(factors.nodes), take(factors.threads)}));
            ++turn;
          }
        }
      }
    }
  }
  return cases;
}

std::vector<Case> thinned(const std::vector<Case>& cases, std::size_t count, std::size_t start) {
  // A step without common factors with the sizes of the factors, so that all their values are met.
  std::size_t step = (cases.size() + count - 1) / std::max<std::size_t>(1, count);
  while (step > 1 && std::gcd(step, std::size_t{2 * 3 * 5 * 7 * 19}) != 1) ++step;
  std::vector<Case> some;
  for (std::size_t i = start % std::max<std::size_t>(1, step); i < cases.size(); i += step) some.push_back(cases[i]);
  return some;
}

std::vector<Case> random_cases(const Factors& factors, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::vector<std::string> ends{"default",  "default", "slab:0", "slab:2",   "pencil:0",
                                      "pencil:1", "grid",    "bricks", "blocks:0", "blocks:1"};
  std::vector<Case> cases;
  while (cases.size() < count) {
    std::vector<std::string> pieces;
    for (const Factor* factor : factors.all()) pieces.push_back((*factor)[below(factor->size())]);
    Case test = join(pieces);
    test.seed = random() % 1000;
    for (std::size_t axis = 0; axis < test.problem.shape.size(); ++axis) {
      const std::size_t most = axis > 2 ? 4 : test.problem.shape.size() > 4 ? 6 : below(4) == 0 ? 40 : 14;
      const bool one = axis == 1 && test.problem.one_line;
      test.problem.shape[axis] = one ? 1 : 1 + static_cast<Index>(below(most));
    }
    const std::size_t fewer = test.problem.one_line ? 5 : below(6);  // 0, 1: modes, 2: points, 3: either, else neither
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto n = static_cast<std::size_t>(test.problem.shape[axis]);
      const bool of_points = fewer == 2 || (fewer == 3 && below(2) == 0);
      const Line line = test.problem.kind.lines[axis];
      const bool all = axis == 2 && test.problem.shape.size() > 3;
      const Index kept = fewer < 4 && !all ? static_cast<Index>(below(n + 1)) : 0;
      test.problem.modes[axis] = !of_points && is_dft(line) ? kept : 0;
      test.problem.points[axis] = of_points && line != Line::none ? kept : 0;
    }
    const auto end = [&] {
      const std::string& name = ends[below(ends.size())];
      return name == "bricks" ? "bricks:" + std::to_string(below(1000)) : name;
    };
    test.input = end();
    if (!test.options.transposed) test.output = end();
    leave_modes_to_the_library(test);
    const auto often_none = [&](std::size_t n) { return below(2) == 0 ? 0 : static_cast<int>(below(n)); };
    test.options.tile = often_none(9);
    test.options.window = often_none(9);
    test.options.tests = static_cast<int>(below(4));
    test.options.fields = static_cast<int>(below(4));
    cases.push_back(test);
  }
  return cases;
}

}  // namespace weft::verify
