// Operators whose precision and function are known at run time only.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.hpp"
#include "untyped.hpp"
#include "weft/operator.hpp"
#include "weft/weft.h"

namespace weft::bindings {

/// A PointFunction of either precision.
class UntypedFunction {
 public:
  /// `make(Real())` makes it.
  template <class Make>
  UntypedFunction(Precision precision, const Make& make)
      : either_(precision == Precision::single_ ? Either(make(float())) : Either(make(double()))) {}

  /// The one of a precision that must be the same.
  operator PointFunction<float>() const { return of<float>(); }
  operator PointFunction<double>() const { return of<double>(); }
  /// Throws Error if it is of the other one.
  void require(Precision precision) const {
    precision == Precision::single_ ? static_cast<void>(of<float>()) : static_cast<void>(of<double>());
  }
  template <class Work>
  decltype(auto) visit(Work&& work) const {
    return std::visit(std::forward<Work>(work), either_);
  }

 private:
  using Either = std::variant<PointFunction<float>, PointFunction<double>>;

  template <class Real>
  const PointFunction<Real>& of() const {
    if (const auto* found = std::get_if<PointFunction<Real>>(&either_)) return *found;
    const char* const names[2] = {"single", "double"};
    const bool wanted = sizeof(Real) == 8;
    throw Error(detail::concat("the function was made for ", names[!wanted], " precision; the operator has ",
                               names[wanted], " precision"));
  }

  Either either_;
};

/// An Operator of the problem's precision.
class UntypedOperator : public OfEitherPrecision<Operator> {
 public:
  /// As Operator's: collective, and all ranks fail alike.
  UntypedOperator(const Problem& problem, const UntypedFunction& function, MPI_Comm comm, const Options& options)
      : OfEitherPrecision(problem.precision, problem, function, comm, options) {}

  const OperatorPlan& plan() const {
    return visit([](const auto& o) -> const OperatorPlan& { return o.plan(); });
  }
  void set_function(const UntypedFunction& function) {
    visit([&]<class Real>(Operator<Real>& o) { o.set_function(function); });
  }
  /// `in` and `out` hold what the plan says; in place they are the same.
  void execute(const void* in, void* out) {
    const bool real = plan().real_ends();
    visit([&]<class Real>(Operator<Real>& o) {
      using Complex = std::complex<Real>;
      real ? o(static_cast<const Real*>(in), static_cast<Real*>(out))
           : o(static_cast<const Complex*>(in), static_cast<Complex*>(out));
    });
  }
};

/// A parameter of a function that the library has, and what it is if it is not given.
struct Parameter {
  const char* name;
  std::optional<double> usual = std::nullopt;
};

/// Functions that need nothing but numbers, by name.
template <class Real>
struct NamedFunction {
  const char* name;
  std::vector<Parameter> parameters;
  PointFunction<Real> (*make)(const Problem& problem, std::span<const double> values);

  static const std::vector<NamedFunction>& all();
};

inline Index whole_of(double value, const char* name) {
  if (value != std::floor(value) || std::abs(value) > 1e9) {
    throw Error(detail::concat(name, " is ", detail::text("%g", value), "; a whole number is needed"));
  }
  return static_cast<Index>(value);
}

/// The axes that there are, counted from `first` on: "0, 1 and 2", "0 to 3".
inline std::string axes_text(int first, int axes) {
  if (axes == 3) return detail::concat(first, ", ", first + 1, " and ", first + 2);
  return detail::concat(first, " to ", first + axes - 1);
}

/// A value for each axis; those of axes that there are not are 0.
inline std::vector<double> along_axes_of(const Problem& problem, std::span<const double> values) {
  const std::size_t axes = problem.shape.size();
  for (std::size_t axis = axes; axis < values.size(); ++axis) {
    if (values[axis] == 0) continue;
    throw Error(detail::concat("distance[", axis, "] is ", detail::text("%g", values[axis]), "; the shape ",
                               to_string(problem.shape), " has ", axes, " axes"));
  }
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(axes)};
}

template <class Real>
const std::vector<NamedFunction<Real>>& NamedFunction<Real>::all() {
  using Problem = const Problem&;
  using Values = std::span<const double>;
  static const std::vector<NamedFunction> table{
      {"laplacian", {{"stencil", 0}}, [](Problem p, Values v) { return laplacian<Real>(p, parse_stencil(v[0])); }},
      {"inverse_laplacian",
       {{"stencil", 0}, {"shift", 0}},
       [](Problem p, Values v) { return inverse_laplacian<Real>(p, parse_stencil(v[0]), v[1]); }},
      {"derivative",
       {{"order"}, {"axis"}},
       [](Problem p, Values v) {
         const auto order = static_cast<int>(whole_of(v[0], "order")), axis = static_cast<int>(whole_of(v[1], "axis"));
         const int axes = p.shape.rank();
         if (axis >= axes) throw Error(detail::concat("axis is ", axis, "; allowed are ", axes_text(0, axes)));
         return derivative<Real>(order, axis);
       }},
      {"gradient", {}, [](Problem p, Values) { return gradient<Real>(p.shape.rank()); }},
      {"divergence", {}, [](Problem p, Values) { return divergence<Real>(p.shape.rank()); }},
      {"curl", {}, [](Problem, Values) { return curl<Real>(); }},
      {"projection", {}, [](Problem p, Values) { return projection<Real>(p.shape.rank()); }},
      {"gaussian", {{"sigma"}}, [](Problem, Values v) { return gaussian<Real>(v[0]); }},
      {"heat", {{"dt"}, {"diffusivity", 1}}, [](Problem, Values v) { return heat<Real>(v[0], v[1]); }},
      {"shift",
       {{"distance[0]"},
        {"distance[1]"},
        {"distance[2]"},
        {"distance[3]", 0},
        {"distance[4]", 0},
        {"distance[5]", 0},
        {"distance[6]", 0},
        {"distance[7]", 0}},
       [](Problem p, Values v) { return shift<Real>(along_axes_of(p, v)); }},
      {"truncate", {{"fraction", 2.0 / 3}}, [](Problem p, Values v) { return truncate<Real>(p, v[0]); }},
      {"cross", {}, [](Problem, Values) { return cross<Real>(); }},
      {"products", {{"fields", 3}}, [](Problem, Values v) { return products<Real>(whole_of(v[0], "fields")); }},
  };
  return table;
}

/// The function of that name; parameters that are not given have their usual values. Throws Error.
inline UntypedFunction named_function(const Problem& problem, std::string_view name, std::span<const double> given) {
  return {problem.precision, [&]<class Real>(Real) {
            std::vector<std::string> names;
            for (const NamedFunction<Real>& one : NamedFunction<Real>::all()) {
              names.emplace_back(one.name);
              if (one.name != name) continue;
              if (given.size() > one.parameters.size()) {
                throw Error(detail::concat(name, " has ", one.parameters.size(), " parameters; ", given.size(),
                                           " values are given"));
              }
              std::vector<double> values(given.begin(), given.end());
              for (std::size_t i = 0; i < one.parameters.size(); ++i) {
                const Parameter& parameter = one.parameters[i];
                if (i == values.size()) {
                  if (!parameter.usual) {
                    throw Error(detail::concat(parameter.name, " is not given; ", name, " needs it"));
                  }
                  values.push_back(*parameter.usual);
                }
                if (!std::isfinite(values[i])) {
                  throw Error(detail::concat(parameter.name, " is ", detail::text("%g", values[i]),
                                             "; a finite number is needed"));
                }
              }
              return one.make(problem, values);
            }
            throw Error(detail::unknown("function", name, names));
          }};
}

/// A function of vectors whose components come in the other order; `negative`: with the other sign.
template <class Real>
PointFunction<Real> components_reversed(PointFunction<Real> function, bool negative) {
  using Complex = std::complex<Real>;
  function.of_complex = [run = function.of_complex, negative](const PointTile<Complex>& tile) {
    const std::vector<const Complex*> inputs(tile.inputs.rbegin(), tile.inputs.rend());
    const std::vector<Complex*> outputs(tile.outputs.rbegin(), tile.outputs.rend());
    PointTile<Complex> other = tile;
    other.inputs = inputs;
    other.outputs = outputs;
    run(other);
    if (!negative) return;
    for (std::size_t field = 0; field < outputs.size(); ++field) {
      for (Index i = tile.box.lo[0]; i < tile.box.hi[0]; ++i) {
        for (Index j = tile.box.lo[1]; j < tile.box.hi[1]; ++j) {
          Complex* const row = tile.out(field, i, j);
          for (Index k = 0; k < tile.box.extent(2); ++k) row[k] = -row[k];
        }
      }
    }
  };
  return function;
}

/// The same for arrays whose first axis is the fastest, as Fortran's: axes are counted from 1, from the fastest on, and
/// components of vectors are in this order.
inline UntypedFunction named_function_of_fortran(const Problem& problem, std::string_view name,
                                                 std::span<const double> given) {
  std::vector<double> values(given.begin(), given.end());
  const int axes = problem.shape.rank();
  if (name == "derivative" && values.size() == 2) {
    if (values[1] != std::floor(values[1]) || values[1] < 1 || values[1] > axes) {
      throw Error(detail::concat("axis is ", detail::text("%g", values[1]), "; allowed are ", axes_text(1, axes)));
    }
    values[1] = axes - values[1];
  }
  if (name == "shift") std::reverse(values.begin(), values.end());
  const UntypedFunction function = named_function(problem, name, values);
  // With the components of both factors and of the product in the other order, a cross product has the other sign. That
  // of curl has them, as wave numbers come by axis.
  const bool curl = name == "curl";
  if (!curl && name != "gradient" && name != "divergence" && name != "projection") return function;
  return {problem.precision,
          [&]<class Real>(Real) { return components_reversed<Real>(PointFunction<Real>(function), curl); }};
}

/// What `Number`s are in C.
template <class Number>
constexpr int32_t c_type = std::is_same_v<Number, float>                 ? WEFT_FLOAT
                           : std::is_same_v<Number, double>              ? WEFT_DOUBLE
                           : std::is_same_v<Number, std::complex<float>> ? WEFT_COMPLEX_FLOAT
                                                                         : WEFT_COMPLEX_DOUBLE;

/// A tile as C has it.
template <class Number>
weft_tile c_tile(const PointTile<Number>& tile) {
  weft_tile out{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    out.lo[axis] = tile.box.lo[axis];
    out.hi[axis] = tile.box.hi[axis];
    out.middle_lo[axis] = tile.whole.lo[axis];
    out.middle_hi[axis] = tile.whole.hi[axis];
    out.strides[axis] = tile.strides[axis];
    out.at[axis] = tile.at[axis].data();
    out.odd[axis] = tile.odd[axis].empty() ? nullptr : tile.odd[axis].data();
  }
  out.axes = tile.shape.rank();
  std::copy(tile.shape.begin(), tile.shape.end(), out.shape);
  for (std::size_t axis = 3; axis < tile.shape.size(); ++axis) {
    out.more_at[axis - 3] = tile.at[axis].data();
    out.more_odd[axis - 3] = tile.odd[axis].empty() ? nullptr : tile.odd[axis].data();
  }
  out.inputs = static_cast<int64_t>(tile.inputs.size());
  out.outputs = static_cast<int64_t>(tile.outputs.size());
  out.in = reinterpret_cast<const void* const*>(tile.inputs.data());
  out.out = reinterpret_cast<void* const*>(tile.outputs.data());
  out.type = c_type<Number>;
  return out;
}

/// A function of tiles of either number.
template <class Run>
UntypedFunction tile_function(Precision precision, At at, Index inputs, Index outputs, const Run& run) {
  return {precision, [&]<class Real>(Real) {
            PointFunction<Real> function{.at = at, .inputs = inputs, .outputs = outputs};
            function.of_complex = run;
            function.of_real = run;
            return function;
          }};
}

/// A function that follows C's rules.
inline UntypedFunction compiled_function(Precision precision, At at, Index inputs, Index outputs,
                                         weft_tile_function call, void* context) {
  return tile_function(precision, at, inputs, outputs, [=](const auto& tile) {
    const weft_tile mine = c_tile(tile);
    if (const int code = call(&mine, context); code != 0) throw Error(detail::concat("it returned ", code));
  });
}

/// Multiplication by a table: numbers of the precision, complex or (`real`) real ones, one for each point of this
/// rank's part of the middle layout.
inline UntypedFunction table_function(Precision precision, At at, const void* table, Index count, bool real) {
  return {precision, [&]<class Real>(Real) {
            const auto of = [&]<class Number>(Number) {
              const auto* const first = static_cast<const Number*>(table);
              return multiply<Real>(std::vector<Number>(first, first + count), at);
            };
            return real ? of(Real()) : of(std::complex<Real>());
          }};
}

/// Multiplication by a factor for each axis: complex numbers of the precision, by global index.
inline UntypedFunction separable_function(Precision precision, std::span<const void* const> factors,
                                          std::span<const Index> counts) {
  return {precision, [&]<class Real>(Real) {
            std::vector<std::vector<std::complex<Real>>> all;
            for (std::size_t axis = 0; axis < factors.size(); ++axis) {
              const auto* const first = static_cast<const std::complex<Real>*>(factors[axis]);
              all.emplace_back(first, first + counts[axis]);
            }
            return multiply_separable<Real>(std::move(all));
          }};
}

/// Convolution or correlation with a kernel of `count` numbers, as the operator's input is. Collective.
inline UntypedFunction kernel_function(const Problem& problem, const void* kernel, Index count, bool conjugate,
                                       MPI_Comm comm, const Options& options) {
  return {problem.precision, [&]<class Real>(Real) {
            const auto of = [&]<class Number>(Number) {
              const std::span<const Number> all(static_cast<const Number*>(kernel), static_cast<std::size_t>(count));
              return conjugate ? correlation<Real>(problem, all, comm, options)
                               : convolution<Real>(problem, all, comm, options);
            };
            return problem.kind == Kind::r2c ? of(Real()) : of(std::complex<Real>());
          }};
}

}  // namespace weft::bindings
