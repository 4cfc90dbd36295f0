#include "case.hpp"

#include <algorithm>
#include <charconv>
#include <random>
#include <vector>

namespace weft::verify {

namespace {

template <class Number>
Number parse_number(std::string_view text, std::string_view argument, Number least) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least) {
    throw Error(std::string(argument) + " is '" + std::string(text) + "'; allowed are whole numbers from " +
                std::to_string(least));
  }
  return value;
}

/// parts[0] * parts[1] * parts[2] = ranks with the least sum: as square or cubic as can be.
std::array<int, 3> balanced(int ranks, int axes) {
  std::array<int, 3> best{ranks, 1, 1};
  for (int a = 1; a <= ranks; ++a) {
    for (int b = 1; ranks % a == 0 && b <= ranks / a; ++b) {
      if (ranks / a % b != 0 || (axes == 2 && a * b != ranks)) continue;
      const std::array<int, 3> parts{a, b, ranks / a / b};
      if (parts[0] + parts[1] + parts[2] < best[0] + best[1] + best[2]) best = parts;
    }
  }
  return best;
}

/// Cuts the grid at random planes until there are as many boxes as ranks; a cut may leave one side empty.
std::vector<Box> random_boxes(const Shape& shape, int ranks, std::uint64_t seed) {
  std::mt19937_64 random(seed * 1000003u + static_cast<std::uint64_t>(ranks));
  std::vector<Box> boxes{Box{{0, 0, 0}, shape}};
  while (boxes.size() < static_cast<std::size_t>(ranks)) {
    // Mostly the largest box, so that the sizes stay within reach of each other.
    auto chosen =
        std::max_element(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) { return a.count() < b.count(); });
    if (random() % 3 == 0) chosen = boxes.begin() + static_cast<std::ptrdiff_t>(random() % boxes.size());
    const std::size_t axis = random() % 3;
    const auto extent = static_cast<std::uint64_t>(chosen->hi[axis] - chosen->lo[axis]);
    Box upper = *chosen;
    chosen->hi[axis] = upper.lo[axis] = chosen->lo[axis] + static_cast<Index>(random() % (extent + 1));
    boxes.push_back(upper);
  }
  std::shuffle(boxes.begin(), boxes.end(), random);
  return boxes;
}

std::string to_text(const Extents& shape) {
  std::string text;
  for (const Index n : shape) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

const char* to_text(bool flag) { return flag ? "true" : "false"; }

bool parse_flag(std::string_view text, std::string_view argument) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw Error(std::string(argument) + " is '" + std::string(text) + "'; allowed are true, false");
}

constexpr const char* kOwnKeys =
    "shape, modes, points, kind, precision, batch, normalization, interleaved, input_order, output_order, padded_rows, "
    "one_line, "
    "input, "
    "output, "
    "offset, seed";

}  // namespace

Extents parse_shape(std::string_view text, std::string_view argument, Index least) {
  std::vector<Index> extents;
  for (std::string_view rest = text;;) {
    const std::size_t end = std::min(rest.find('x'), rest.size());
    extents.push_back(parse_number<Index>(rest.substr(0, end), argument, least));
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  if (extents.size() < 3 || extents.size() > Extents::most_axes) {
    throw Error(std::string(argument) + " is '" + std::string(text) +
                "'; allowed are three to eight extents, as in 8x4x2");
  }
  return {extents.data(), extents.size()};
}

std::string to_string(const Case& test) {
  const Case usual;
  std::string text = "shape=" + to_text(test.problem.shape) + ",kind=" + to_string(test.problem.kind) +
                     ",precision=" + to_string(test.problem.precision);
  const auto add = [&text](const std::string& key, const std::string& value, const std::string& usual_value) {
    if (value != usual_value) text += "," + key + "=" + value;
  };
  add("modes", to_text(test.problem.modes), to_text(usual.problem.modes));
  add("points", to_text(test.problem.points), to_text(usual.problem.points));
  add("batch", std::to_string(test.problem.batch), "1");
  add("normalization", to_string(test.problem.normalization), to_string(usual.problem.normalization));
  add("interleaved", to_text(test.problem.interleaved), "false");
  add("input_order", weft::to_string(test.problem.input_order), "012");
  add("output_order", weft::to_string(test.problem.output_order), "012");
  add("padded_rows", to_text(test.problem.padded_rows), "false");
  add("one_line", to_text(test.problem.one_line), "false");
  add("input", test.input, usual.input);
  add("output", test.output, usual.output);
  add("offset", std::to_string(test.offset), "0");
  add("seed", std::to_string(test.seed), "1");
  for (const auto& option : Options::describe()) {
    const std::string usual_value = option.name == "strategy" ? "" : usual.options.get(option.name);
    add(option.name, test.options.get(option.name), usual_value);
  }
  return text;
}

Case parse_case(std::string_view text) {
  Case test;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      throw Error("case holds '" + std::string(item) + "'; allowed are items key=value with the keys " + kOwnKeys +
                  " and the library's options");
    }
    const std::string_view key = item.substr(0, equals), value = item.substr(equals + 1);
    if (key == "shape") {
      test.problem.shape = parse_shape(value, key);
    } else if (key == "modes") {
      test.problem.modes = parse_shape(value, key, 0);
    } else if (key == "points") {
      test.problem.points = parse_shape(value, key, 0);
    } else if (key == "kind") {
      test.problem.kind = parse_kind(value);
    } else if (key == "precision") {
      test.problem.precision = parse_precision(value);
    } else if (key == "batch") {
      test.problem.batch = parse_number<Index>(value, key, 1);
    } else if (key == "normalization") {
      test.problem.normalization = parse_normalization(value);
    } else if (key == "interleaved") {
      test.problem.interleaved = parse_flag(value, key);
    } else if (key == "input_order") {
      test.problem.input_order = parse_order(value, key);
    } else if (key == "output_order") {
      test.problem.output_order = parse_order(value, key);
    } else if (key == "padded_rows") {
      test.problem.padded_rows = parse_flag(value, key);
    } else if (key == "one_line") {
      test.problem.one_line = parse_flag(value, key);
    } else if (key == "input") {
      test.input = value;
    } else if (key == "output") {
      test.output = value;
    } else if (key == "offset") {
      test.offset = parse_number<int>(value, key, 0);
    } else if (key == "seed") {
      test.seed = parse_number<std::uint64_t>(value, key, 0);
    } else if (key.ends_with("_ghosts")) {
      throw Error("case has " + std::string(key) + "; its arrays have no ghosts");
    } else {
      try {
        test.options.set(key, value);
      } catch (const Error& error) {
        throw Error(std::string(error.what()) + " (a case also takes " + kOwnKeys + ")");
      }
    }
  }
  // Bad layouts are told now rather than in the middle of a run.
  make_layout(test.input, test.problem.shape, 1);
  make_layout(test.output, test.problem.shape, 1);
  return test;
}

std::optional<Layout> make_layout(std::string_view text, const Shape& shape, int ranks) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, colon);
  const std::string_view number = text.substr(std::min(text.size(), colon + 1));
  if (text == "default") return std::nullopt;
  if (text == "grid") return Layout::grid(shape, balanced(ranks, 3));
  if (name == "slab") return Layout::slab(shape, ranks, parse_number<int>(number, "the axis of a slab", 0));
  if (name == "blocks") {
    const int axis = parse_number<int>(number, "the axis of blocks", 0);
    std::vector<Box> boxes(static_cast<std::size_t>(ranks), Box{{0, 0, 0}, shape});
    const Index n = Layout::slab(shape, ranks, axis).shape()[static_cast<std::size_t>(axis)];
    for (Index rank = 0, block = (n + ranks - 1) / ranks; rank < ranks; ++rank) {
      Box& box = boxes[static_cast<std::size_t>(rank)];
      box.lo[static_cast<std::size_t>(axis)] = std::min(n, rank * block);
      box.hi[static_cast<std::size_t>(axis)] = std::min(n, (rank + 1) * block);
    }
    return Layout::bricks(shape, std::move(boxes));
  }
  if (name == "pencil") {
    const auto parts = balanced(ranks, 2);
    return Layout::pencil(shape, parts[0], parts[1], parse_number<int>(number, "the local axis of a pencil", 0));
  }
  if (name == "bricks") {
    return Layout::bricks(shape,
                          random_boxes(shape, ranks, parse_number<std::uint64_t>(number, "the seed of bricks", 0)));
  }
  if (name == "one") {
    std::vector<Box> boxes(static_cast<std::size_t>(ranks));
    boxes[static_cast<std::size_t>(parse_number<int>(number, "the rank of one", 0) % ranks)] = Box{{0, 0, 0}, shape};
    return Layout::bricks(shape, boxes);
  }
  throw Error("layout is '" + std::string(text) +
              "'; allowed are default, slab:A, blocks:A, pencil:A (A = axis 0, 1 or 2), grid, " +
              "bricks:S (S = a random number's seed) and one:R (R = a rank)");
}

Options options_of(const Case& test, int ranks) {
  Options options = test.options;
  const Shape space = test.problem.kept_points(), spectrum = test.problem.spectrum_shape();
  options.input = make_layout(test.input, test.problem.kind.to_space ? spectrum : space, ranks);
  options.output = make_layout(test.output, test.problem.kind.to_space ? space : spectrum, ranks);
  return options;
}

std::string layout_group(const Case& test) {
  std::string group = test.options.get("decomposition");
  if (test.options.transposed) group += ", transposed";
  if (test.input != "default" || test.output != "default") {
    const bool irregular = test.input.starts_with("bricks") || test.output.starts_with("bricks") ||
                           test.input.starts_with("one") || test.output.starts_with("one");
    group += irregular ? ", bricks" : ", given";
  }
  return group;
}

}  // namespace weft::verify
