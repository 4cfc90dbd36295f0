// Where ranks share nodes, pencils lie as the nodes do: alike for all who ask.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <vector>

#include "support.hpp"
#include "weft/operator.hpp"
#include "weft/weft.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {6, 8});

using namespace weft;
using weft::test::rank_of;
using weft::test::size_of;

/// As even on ranks / 2 x 2 as on 2 x ranks / 2, and too thin for slabs.
Shape thin() {
  const Index n = size_of() == 6 ? 4 : 6;
  return {n, n, 600};
}

TEST(Nodes, PencilsOfPlansTransformsAndOperatorsLieAlike) {
  Options options;
  options.node_size = 2;
  options.effort = Effort::estimate;
  const std::array<int, 3> rows_in_nodes{size_of() / 2, 2, 1};
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    const Problem problem{.shape = thin(), .kind = kind};
    const Plan apart(problem, options, size_of(), rank_of());
    EXPECT_EQ(apart.input().parts(), rows_in_nodes);
    EXPECT_NE(Plan(problem, {}, size_of(), rank_of()).input().parts(), rows_in_nodes);
    const Transform<double> transform(problem, MPI_COMM_WORLD, options);
    EXPECT_EQ(transform.plan().input(), apart.input());
    EXPECT_EQ(transform.plan().output(), apart.output());
    EXPECT_EQ(transform.plan().options().strategy, apart.options().strategy);
    const Problem same{.shape = thin(), .kind = kind};
    const OperatorPlan function(same, At::wavenumbers, 1, 1, options, size_of(), rank_of());
    EXPECT_EQ(function.input(), apart.input());
    Options transposed = options;
    transposed.transposed = true;
    EXPECT_EQ(function.middle(), Transform<double>(problem, MPI_COMM_WORLD, transposed).plan().output());
    // Nodes that are named are the same.
    Options named = options;
    named.node_size = 0;
    for (int rank = 0; rank < size_of(); ++rank) named.nodes.push_back(rank / 2);
    EXPECT_EQ(Transform<double>(problem, MPI_COMM_WORLD, named).plan().input(), apart.input());
  }
}

TEST(Nodes, TheirGridGivesWhatTheSameGridGives) {
  Options by_nodes, given;
  by_nodes.node_size = given.node_size = 2;
  given.grid = {size_of() / 2, 2};
  given.strategy = "alltoallv";
  const Problem problem{.shape = thin(), .normalization = Normalization::backward};
  Transform<double> one(problem, MPI_COMM_WORLD, by_nodes), other(problem, MPI_COMM_WORLD, given);
  ASSERT_EQ(one.plan().input(), other.plan().input());
  std::vector<std::complex<double>> field(static_cast<std::size_t>(one.plan().input_size()));
  for (std::size_t i = 0; i < field.size(); ++i)
    field[i] = {std::sin(double(i) + rank_of()), std::cos(2.0 * double(i))};
  std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(one.plan().output_size())), expected = spectrum,
                                                                                                  back = field;
  one.forward(field.data(), spectrum.data());
  other.forward(field.data(), expected.data());
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_LT(std::abs(spectrum[i] - expected[i]), 1e-11);
  one.backward(spectrum.data(), back.data());
  for (std::size_t i = 0; i < field.size(); ++i) ASSERT_LT(std::abs(back[i] - field[i]), 1e-13);
}

}  // namespace
