// Distributed transposes of fftw_mpi_plan_transpose: a redistribution between two turns in memory.
#pragma once

#include <vector>

#include "handles.hpp"
#include "request.hpp"
#include "weft/weft.hpp"

namespace weft::fftw {

/// n0 x n1 items of `howmany` numbers: in as [local n0][n1], out as [local n1][n0]. With FFTW_MPI_TRANSPOSED_IN it
/// comes in as [n1][local n0], with FFTW_MPI_TRANSPOSED_OUT it goes out as [n0][local n1].
template <class Real>
class Transposition final : public WeftPlan {
 public:
  Transposition(const Request& request, bool in_place);

  void execute() override { execute(in_, out_); }
  void execute(void* in, void* out) override;
  std::string describe() const override;
  double additions() const override { return 0; }
  double multiplications() const override { return 0; }

 private:
  std::string text_;
  bool in_place_, turn_in_, turn_out_;
  void *in_, *out_;
  Layout from_, to_;
  Redistribution move_;
  Shape sent_, received_;             ///< this rank's items, and the numbers of one
  std::vector<Real> before_, after_;  ///< turned, or not yet
};

}  // namespace weft::fftw
