// What the tests under mpiexec share.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "ranks.hpp"
#include "reference.hpp"
#include "weft/weft.hpp"

namespace weft::test {

inline int rank_of(MPI_Comm comm = MPI_COMM_WORLD) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

inline int size_of(MPI_Comm comm = MPI_COMM_WORLD) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

inline Index sum(Index mine, MPI_Comm comm = MPI_COMM_WORLD) {
  Index all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, comm);
  return all;
}

/// Names of the strategies that can be used among the ranks of `comm`.
inline std::vector<std::string> strategies_on(MPI_Comm comm) {
  std::vector<std::string> names;
  for (const auto& strategy : describe_strategies(comm)) {
    if (strategy.obstacle.empty()) names.push_back(strategy.name);
  }
  return names;
}

/// The message of the Error that `work` throws on this rank; empty if it throws none. Collective: the test fails on
/// every rank that has not the same message as rank 0.
inline std::string common_error(const std::function<void()>& work, MPI_Comm comm = MPI_COMM_WORLD) {
  std::string mine;
  try {
    work();
  } catch (const Error& error) {
    mine = error.what();
    if (mine.empty()) mine = "(an Error without a message)";
  }
  int length = static_cast<int>(mine.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, comm);
  std::string first = mine;
  first.resize(static_cast<std::size_t>(length));
  MPI_Bcast(first.data(), length, MPI_CHAR, 0, comm);
  EXPECT_EQ(mine, first) << "the message differs from that of rank 0";
  return mine;
}

/// That `work` throws the same message on all ranks, and that it contains all of `parts`.
inline void expect_common_error(const std::function<void()>& work, const std::vector<std::string>& parts,
                                MPI_Comm comm = MPI_COMM_WORLD) {
  const std::string message = common_error(work, comm);
  if (message.empty()) ADD_FAILURE() << "nothing was thrown";
  for (const auto& part : parts) {
    if (message.empty() || message.find(part) != std::string::npos) continue;
    ADD_FAILURE() << "'" << part << "' is not in: " << message;
  }
}

inline std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

template <class Number>
inline constexpr bool is_complex = !std::is_floating_point_v<Number>;

/// The values of `field` on `box`, in C order.
template <class Number>
std::vector<Number> values_of(const verify::Field& field, const Box& box) {
  std::vector<Number> values;
  verify::for_points(box, [&](const Shape& point) {
    const std::complex<double> value = field(point);
    if constexpr (is_complex<Number>) {
      values.emplace_back(static_cast<typename Number::value_type>(value.real()),
                          static_cast<typename Number::value_type>(value.imag()));
    } else {
      values.push_back(static_cast<Number>(value.real()));
    }
  });
  return values;
}

/// The largest difference of `values` on `box` from the transform of `field` with exponent `sign`, relative to the
/// transform's largest value; this rank's alone.
template <class Number>
double error_of(const std::vector<Number>& values, const Box& box, const verify::Field& field, int sign) {
  verify::References references;
  const verify::Reference& wanted = references.get(field, sign);
  double worst = 0;
  std::size_t at = 0;
  verify::for_points(box, [&](const Shape& point) {
    const std::complex<double> value(values[at++]);
    const auto index = static_cast<std::size_t>((point[0] * field.shape[1] + point[1]) * field.shape[2] + point[2]);
    worst = std::max(worst, std::abs(value - wanted.values[index]));
  });
  return worst / wanted.largest;
}

/// Forward of a c2c transform of a field made from `seed`; the error.
template <class Real>
double forward_error(Transform<Real>& fft, std::uint64_t seed) {
  using Complex = std::complex<Real>;
  const verify::Field field{verify::FieldType::complex, seed, 0, fft.plan().problem().shape};
  const std::vector<Complex> in = values_of<Complex>(field, fft.input_box());
  std::vector<Complex> out(static_cast<std::size_t>(fft.output_size()));
  fft.forward(std::span<const Complex>(in), std::span<Complex>(out));
  return error_of(out, fft.output_box(), field, -1);
}

}  // namespace weft::test
