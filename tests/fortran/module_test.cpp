// The module of Fortran: the tests themselves are module_tests.f90.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "ranks.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3});

}  // namespace

extern "C" void weft_test_failed(const char* message) { ADD_FAILURE() << message; }

#define WEFT_FORTRAN_TEST(name, procedure) \
  extern "C" void procedure();             \
  TEST(Fortran, name) { procedure(); }

WEFT_FORTRAN_TEST(AxesAreInFortransOrder, weft_test_axes)
WEFT_FORTRAN_TEST(RealFields, weft_test_real_fields)
WEFT_FORTRAN_TEST(OneArrayInPlace, weft_test_in_place)
WEFT_FORTRAN_TEST(TwoDimensions, weft_test_two_dimensions)
WEFT_FORTRAN_TEST(MemoryForFields, weft_test_memory)
WEFT_FORTRAN_TEST(FiveDimensions, weft_test_five_dimensions)
WEFT_FORTRAN_TEST(OneDimension, weft_test_one_dimension)
WEFT_FORTRAN_TEST(RanksWithoutPoints, weft_test_ranks_without_points)
WEFT_FORTRAN_TEST(OrdersOfMemory, weft_test_orders)
WEFT_FORTRAN_TEST(LinesOfEachAxis, weft_test_lines)
WEFT_FORTRAN_TEST(Layouts, weft_test_layouts)
WEFT_FORTRAN_TEST(Options, weft_test_options)
WEFT_FORTRAN_TEST(PlansAndStatistics, weft_test_plans)
WEFT_FORTRAN_TEST(PlansWithoutMpi, weft_test_plans_alone)
WEFT_FORTRAN_TEST(WhatThereIs, weft_test_descriptions)
WEFT_FORTRAN_TEST(RaisedByWrappers, weft_test_raised)
WEFT_FORTRAN_TEST(ArgumentsOfCreate, weft_test_create_errors)
WEFT_FORTRAN_TEST(ArraysThatDoNotFit, weft_test_array_errors)
WEFT_FORTRAN_TEST(Redistributions, weft_test_redistributions)
WEFT_FORTRAN_TEST(GhostLayers, weft_test_ghosts)
WEFT_FORTRAN_TEST(Patches, weft_test_patches)
WEFT_FORTRAN_TEST(Spheres, weft_test_spheres)
WEFT_FORTRAN_TEST(RealSpheres, weft_test_real_spheres)
WEFT_FORTRAN_TEST(ArgumentsOfSpheres, weft_test_sphere_errors)
WEFT_FORTRAN_TEST(PlansOfSpheres, weft_test_sphere_plans)
WEFT_FORTRAN_TEST(Operators, weft_test_operators)
WEFT_FORTRAN_TEST(OperatorsOfAxes, weft_test_operators_of_axes)
WEFT_FORTRAN_TEST(ProceduresOfOperators, weft_test_operator_procedures)
WEFT_FORTRAN_TEST(ArgumentsOfOperators, weft_test_operator_errors)
WEFT_FORTRAN_TEST(PoissonsEquation, weft_test_poisson)
WEFT_FORTRAN_TEST(PoissonResults, weft_test_poisson_results)
WEFT_FORTRAN_TEST(ArgumentsOfPoissonsEquation, weft_test_poisson_errors)
WEFT_FORTRAN_TEST(Tuning, weft_test_tuning)

extern "C" void weft_test_tuning_files(const char* folder);
TEST(Fortran, TuningFiles) {
  const auto folder = std::filesystem::temp_directory_path() / ("weft-fortran-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "first.json")
      << R"({"weft_tuning": 1, "entries": [{"key": {"ranks": 2}, "options": {"tile": "3"},
    "seconds": 1, "default_seconds": 2, "sureness": 0.9, "effort": "measure", "when": "2026-01-01T00:00:00Z"}]})";
  weft_test_tuning_files((folder / "").c_str());
  std::filesystem::remove_all(folder);
}
