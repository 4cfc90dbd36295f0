// Problems, and what is set by name.
#include <algorithm>
#include <charconv>

#include "names.hpp"

namespace weft::c {

namespace {

template <class Number>
Number parse(std::string_view text, std::string_view name, const char* allowed) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw Error(concat(name, " is '", text, "'; allowed are ", allowed));
  }
  return number;
}

/// Numbers with an x between them.
template <class Number>
std::vector<Number> parse_between(std::string_view text, std::string_view name, const char* allowed) {
  std::vector<Number> numbers;
  for (std::string_view rest = text;;) {
    const std::size_t end = rest.find('x');
    numbers.push_back(parse<Number>(rest.substr(0, end), name, allowed));
    if (end == std::string_view::npos) return numbers;
    rest.remove_prefix(end + 1);
  }
}

std::array<Index, 2> parse_padded(std::string_view text) {
  const char* const allowed = "two whole numbers, as in 65x64";
  const std::vector<Index> both = parse_between<Index>(text, "padded", allowed);
  if (both.size() != 2) throw Error(concat("padded is '", text, "'; allowed are ", allowed));
  return {both[0], both[1]};
}

const std::vector<Named<SphereProblem>>& sphere_names() {
  using P = SphereProblem;
  static const std::vector<Named<P>> table{
      {"gamma", [](P& p, std::string_view text) { p.gamma = parse_truth(text, "gamma"); },
       [](const P& p) { return truth(p.gamma); }},
      {"precision", [](P& p, std::string_view text) { p.precision = parse_precision(text); },
       [](const P& p) { return to_string(p.precision); }},
      {"howmany", [](P& p, std::string_view text) { p.howmany = parse_whole(text, "howmany"); },
       [](const P& p) { return std::to_string(p.howmany); }},
      {"normalization", [](P& p, std::string_view text) { p.normalization = parse_normalization(text); },
       [](const P& p) { return to_string(p.normalization); }},
      {"spinors", [](P& p, std::string_view text) { p.spinors = parse_truth(text, "spinors"); },
       [](const P& p) { return truth(p.spinors); }},
      {"padded", [](P& p, std::string_view text) { p.padded = parse_padded(text); },
       [](const P& p) { return concat(p.padded[0], 'x', p.padded[1]); }},
  };
  return table;
}

}  // namespace

Index parse_whole(std::string_view text, std::string_view name) { return parse<Index>(text, name, "whole numbers"); }

void parse_lengths(std::string_view text, std::span<double> lengths) {
  const std::string allowed =
      lengths.size() == 3 ? "three numbers, as in 1x2x0.5" : concat(lengths.size(), " numbers, as in 1x2x0.5");
  const std::vector<double> found = parse_between<double>(text, "lengths", allowed.c_str());
  if (found.size() != lengths.size()) throw Error(concat("lengths is '", text, "'; allowed are ", allowed));
  std::copy(found.begin(), found.end(), lengths.begin());
}

std::string lengths_text(std::span<const double> lengths) {
  std::string all;
  for (const double length : lengths) detail::append(all, detail::text(all.empty() ? "%.17g" : "x%.17g", length));
  return all;
}

Shape parse_extents(std::string_view text, std::string_view name) {
  const char* const allowed = "two or three whole numbers, as in 64x64x64";
  const std::vector<Index> extents = parse_between<Index>(text, name, allowed);
  if (extents.size() == 2) return plane(extents[0], extents[1]);
  if (extents.size() == 3) return {extents[0], extents[1], extents[2]};
  throw Error(concat(name, " is '", text, "'; allowed are ", allowed));
}

std::string extents_text(const Shape& shape) { return concat(shape[0], 'x', shape[1], 'x', shape[2]); }

double parse_number(std::string_view text, std::string_view name) { return parse<double>(text, name, "numbers"); }

bool parse_truth(std::string_view text, std::string_view name) {
  const std::optional<bool> value = detail::parse_flag(text);
  if (!value) throw Error(concat(name, " is '", text, "'; allowed are true, false"));
  return *value;
}

/// One line lies in the memory orders of its kind.
void set_kind(Problem& problem, const Kind& kind) {
  problem.kind = kind;
  if (problem.one_line) problem = line_problem(problem.shape[0] * problem.shape[2], problem);
}

std::string truth(bool value) { return value ? "true" : "false"; }

const std::vector<Named<Problem>>& problem_names() {
  using P = Problem;
  static const std::vector<Named<P>> table{
      {"kind", [](P& p, std::string_view text) { set_kind(p, parse_kind(text)); },
       [](const P& p) { return to_string(p.kind); }},
      {"precision", [](P& p, std::string_view text) { p.precision = parse_precision(text); },
       [](const P& p) { return to_string(p.precision); }},
      {"batch", [](P& p, std::string_view text) { p.batch = parse_whole(text, "batch"); },
       [](const P& p) { return std::to_string(p.batch); }},
      {"normalization", [](P& p, std::string_view text) { p.normalization = parse_normalization(text); },
       [](const P& p) { return to_string(p.normalization); }},
      {"interleaved", [](P& p, std::string_view text) { p.interleaved = parse_truth(text, "interleaved"); },
       [](const P& p) { return truth(p.interleaved); }},
      {"input_order", [](P& p, std::string_view text) { p.input_order = parse_order(text, "input_order"); },
       [](const P& p) { return to_string(p.input_order); }},
      {"output_order", [](P& p, std::string_view text) { p.output_order = parse_order(text, "output_order"); },
       [](const P& p) { return to_string(p.output_order); }},
      {"padded_rows", [](P& p, std::string_view text) { p.padded_rows = parse_truth(text, "padded_rows"); },
       [](const P& p) { return truth(p.padded_rows); }},
      {"one_line", [](P& p, std::string_view text) { p.one_line = parse_truth(text, "one_line"); },
       [](const P& p) { return truth(p.one_line); }},
      {"modes", [](P& p, std::string_view text) { p.modes = parse_extents(text, "modes"); },
       [](const P& p) { return extents_text(p.kept_modes()); }},
      {"points", [](P& p, std::string_view text) { p.points = parse_extents(text, "points"); },
       [](const P& p) { return extents_text(p.kept_points()); }},
      {"lengths", [](P& p, std::string_view text) { parse_lengths(text, std::span(p.lengths).first(p.shape.size())); },
       [](const P& p) { return lengths_text(std::span(p.lengths).first(p.shape.size())); }},
  };
  return table;
}

}  // namespace weft::c

using namespace weft;
using namespace weft::c;

int weft_problem_create(int axes, const int64_t* shape, weft_problem* problem) {
  return create(problem, [&] {
    if (axes < 1 || axes > Extents::most_axes) {
      throw Error(concat("axes is ", axes, "; allowed are 1 to ", Extents::most_axes));
    }
    const int64_t* n = &need(shape, "shape");
    if (axes == 1) return weft_problem_impl{checked(line_problem(n[0]))};
    return weft_problem_impl{checked(Problem{.shape = Extents(n, static_cast<std::size_t>(axes))})};
  });
}

int weft_problem_destroy(weft_problem* problem) { return destroy(problem); }

int weft_problem_set(weft_problem problem, const char* name, const char* value) {
  return set_named(problem, &weft_problem_impl::problem, "problem", problem_names(), name, value);
}
int weft_problem_set_int(weft_problem problem, const char* name, int64_t value) {
  return weft_problem_set(problem, name, std::to_string(value).c_str());
}
int weft_problem_set_lengths(weft_problem problem, const double* lengths) {
  return guarded([&] {
    Problem changed = need(problem, "problem").problem;
    std::copy_n(&need(lengths, "lengths"), changed.shape.size(), changed.lengths.begin());
    problem->problem = checked(changed);
  });
}
int weft_problem_get(weft_problem problem, const char* name, const char** value) {
  return get_named(problem, &weft_problem_impl::problem, "problem", problem_names(), name, value);
}

int weft_three_halves(const int64_t modes[3], int64_t shape[3]) {
  return guarded([&] { std::ranges::copy(three_halves(shape_of(&need(modes, "modes"))), &need(shape, "shape")); });
}

int weft_two_thirds(const int64_t shape[3], int64_t modes[3]) {
  return guarded([&] { std::ranges::copy(two_thirds(shape_of(&need(shape, "shape"))), &need(modes, "modes")); });
}

int weft_sphere_problem_create(const int64_t grid[3], weft_sphere_problem* problem) {
  return create(problem, [&] {
    const int64_t* n = &need(grid, "grid");
    return weft_sphere_problem_impl{checked(SphereProblem{.grid = {n[0], n[1], n[2]}})};
  });
}

int weft_sphere_problem_destroy(weft_sphere_problem* problem) { return destroy(problem); }

int weft_sphere_problem_set(weft_sphere_problem problem, const char* name, const char* value) {
  return set_named(problem, &weft_sphere_problem_impl::problem, "problem", sphere_names(), name, value);
}
int weft_sphere_problem_set_int(weft_sphere_problem problem, const char* name, int64_t value) {
  return weft_sphere_problem_set(problem, name, std::to_string(value).c_str());
}
int weft_sphere_problem_get(weft_sphere_problem problem, const char* name, const char** value) {
  return get_named(problem, &weft_sphere_problem_impl::problem, "problem", sphere_names(), name, value);
}

int weft_sphere_problem_set_results(weft_sphere_problem problem, int ranks, const int64_t* counts,
                                    const int64_t* results) {
  return guarded([&] { need(problem, "problem").results = waves_of_ranks(ranks, counts, results, "results"); });
}
