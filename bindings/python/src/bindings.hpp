// What the files of the extension share. The Python package in ../weft checks and converts arguments; this extension
// only hands them on, so that every message comes from one place.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "weft/operator.hpp"
#include "weft/weft.hpp"

namespace weft::python {

namespace nb = nanobind;

/// A tuple, where nanobind would make a list.
inline nb::tuple as_tuple(const Shape& shape) { return nb::make_tuple(shape[0], shape[1], shape[2]); }

inline nb::tuple as_tuple(const Extents& extents) {
  nb::list all;
  for (const Index n : extents) all.append(n);
  return nb::tuple(all);
}

inline nb::tuple as_tuple(const MemoryOrder& order) { return nb::make_tuple(order[0], order[1], order[2]); }

/// Frees what has references to Python's objects, from any thread.
template <class T>
std::shared_ptr<T> share(T* owned) {
  return {owned, [](T* p) {
            if (!Py_IsInitialized()) return;  // at the very end nobody frees
            const nb::gil_scoped_acquire lock;
            delete p;
          }};
}

/// What Python would print last.
inline std::string text_of(const nb::python_error& error) {
  const std::string name = nb::str(error.type().attr("__name__")).c_str(), text = nb::str(error.value()).c_str();
  return text.empty() ? name : name + ": " + text;
}

/// A box as Python has it: (lo, hi).
using Corners = std::pair<Shape, Shape>;
inline nb::tuple corners(const Box& box) { return nb::make_tuple(as_tuple(box.lo), as_tuple(box.hi)); }
inline nb::list all_corners(const std::vector<Box>& boxes) {
  nb::list all;
  for (const Box& box : boxes) all.append(corners(box));
  return all;
}
inline Box box_of(const Corners& corners) { return {corners.first, corners.second}; }

/// Options as Python hands them over: the text that Options::set takes, by name.
using OptionTexts = std::map<std::string, std::string>;

/// The problem from its words. Throws Error naming the argument.
Problem make_problem(const Extents& shape, const std::string& kind, const std::string& precision, Index batch,
                     const std::string& normalization);
Options make_options(const OptionTexts& texts, const std::optional<Layout>& input, const std::optional<Layout>& output);

/// A Python dict (or list) from JSON text.
nb::object from_json(const std::string& text);
nb::object html_of(const std::string& text);  ///< of a plan's words, for notebooks

Direction direction_of(const std::string& name);
At at_of(const std::string& name);
nb::dict traffic_dict(const Plan::Traffic& traffic);
nb::dict statistics_dict(const Statistics& statistics);

void bind_layout(nb::module_& m);
void bind_plan(nb::module_& m);
void bind_communicator(nb::module_& m);
void bind_transform(nb::module_& m);
void bind_redistribution(nb::module_& m);
void bind_ghosts(nb::module_& m);
void bind_sphere(nb::module_& m);
void bind_operator(nb::module_& m);
void bind_poisson(nb::module_& m);
void bind_model(nb::module_& m);
void bind_tuner(nb::module_& m);

}  // namespace weft::python
