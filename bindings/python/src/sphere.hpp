// Spheres of plane waves as Python hands them over.
#pragma once

#include <nanobind/ndarray.h>

#include <span>

#include "bindings.hpp"
#include "weft/sphere.hpp"

namespace weft::python {

using WaveList = nb::ndarray<nb::ro, const Index, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

std::span<const GVector> span_of(const WaveList& list);

}  // namespace weft::python
