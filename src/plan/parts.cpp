#include "plan/parts.hpp"

#include "base/checked.hpp"
#include "base/text.hpp"
#include "layout/ghost_pieces.hpp"
#include "plan/explain.hpp"

namespace weft::detail {

namespace {

bool is_parts(const std::optional<Layout>& layout, const Ghosts& ghosts) {
  return (layout && layout->has_several()) || !ghosts.none();
}

bool is_fourier(Line line) {
  return line == Line::dft || line == Line::half_dft || line == Line::r2hc || line == Line::hc2r || line == Line::dht;
}

std::string ghosts_text(const Ghosts& ghosts) {
  if (ghosts.none()) return "no ghosts";
  return concat("ghosts ", to_string(ghosts.below), " below and ", to_string(ghosts.above), " above");
}

std::optional<PartsEnd> end_of(const char* name, const std::optional<Layout>& wanted, Ghosts ghosts,
                               const Layout& of_route, const Problem& lines) {
  if (!is_parts(wanted, ghosts)) return std::nullopt;
  const Layout& layout = wanted ? *wanted : of_route;
  if (layout.shape() != of_route.shape()) {
    throw Error(concat("the ", name, " layout has the shape ", to_string(layout.shape()), "; ",
                       to_string(of_route.shape()), " is needed"));
  }
  if (layout.ranks() != of_route.ranks()) {
    throw Error(
        concat("the ", name, " layout has ", layout.ranks(), " ranks; the communicator has ", of_route.ranks()));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (layout.shape()[axis] == 1) ghosts.below[axis] = ghosts.above[axis] = 0;
    const bool whole = of_route.shape()[axis] == lines.shape[axis];
    ghosts.periodic[axis] = ghosts.periodic[axis] && whole && is_fourier(lines.line(axis));
  }
  check_ghosts(ghosts, layout.shape(), concat(name, "_ghosts: "));
  return PartsEnd{layout, ghosts};
}

}  // namespace

bool have_parts(const Options& options) {
  return is_parts(options.input, options.input_ghosts) || is_parts(options.output, options.output_ghosts);
}

Options without_parts(Options options) {
  for (const auto& [layout, ghosts] :
       {std::pair{&options.input, &options.input_ghosts}, std::pair{&options.output, &options.output_ghosts}}) {
    if (is_parts(*layout, *ghosts)) layout->reset();
    *ghosts = {};
  }
  options.sum_ghosts = false;
  return options;
}

PartsEnds parts_of(const Options& options, const Layout& input, const Layout& output, const Problem& lines) {
  if (!have_parts(options)) {
    if (options.sum_ghosts) throw Error("sum_ghosts is true; it applies to ends with ghosts, and there are none");
    return {};
  }
  if (options.in_place) {
    throw Error("in_place is true; with ghosts, or with several boxes of a rank, two arrays are needed");
  }
  return {end_of("input", options.input, options.input_ghosts, input, lines),
          end_of("output", options.output, options.output_ghosts, output, lines)};
}

Array users_array(const std::optional<PartsEnd>& end, int rank, const Array& of_route) {
  if (!end) return of_route;
  const std::vector<Box> boxes = end->boxes(rank);
  Index points = 0;
  for (const Box& box : boxes) {
    Index count = box.empty() ? 0 : 1;
    for (int axis = 0; axis < 3 && count > 0; ++axis) {
      count = multiply(count, box.extent(axis), "the points of a box with its ghosts");
    }
    points += count;
  }
  const Box row{{0, 0, 0}, {1, 1, points}};
  Array array = array_of(end->layout.has_several() ? row : boxes.front(), of_route.element_bytes, of_route.where);
  array.fields = of_route.fields;
  return array;
}

std::string parts_text(const PartsEnds& ends, int rank) {
  std::string text;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (!ends[i]) continue;
    const std::vector<Box> boxes = ends[i]->boxes(rank);
    const std::string here = boxes.size() == 1 ? to_string(boxes.front()) : concat(boxes.size(), " boxes");
    append(text, concat(i == 0 ? "parts      of the input: " : "parts      of the output: ", ends[i]->layout.describe(),
                        ", ", ghosts_text(ends[i]->ghosts), "; this rank ", here, '\n'));
  }
  return text;
}

Json parts_json(const PartsEnds& ends, int rank) {
  Json json = Json::object();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    Json& end = json[i == 0 ? "input" : "output"];
    if (!ends[i]) continue;
    Json boxes = Json::list();
    for (const Box& box : ends[i]->boxes(rank)) boxes.push_back(box_json(box));
    const Ghosts& ghosts = ends[i]->ghosts;
    end = {{"layout", ends[i]->layout.describe()},
           {"below", ghosts.below},
           {"above", ghosts.above},
           {"periodic", ghosts.periodic},
           {"boxes", boxes}};
  }
  return json;
}

}  // namespace weft::detail
