// What the tests of the C interface share: handles that end, codes as exceptions, texts.
#pragma once

#include <string>
#include <vector>

#include "base/mpi.hpp"
#include "support.hpp"
#include "weft/weft.h"

namespace weft::test {

/// A handle that is destroyed at the end.
template <class Handle, int (*destroy)(Handle*)>
class Owned {
 public:
  Owned() = default;
  ~Owned() {
    EXPECT_EQ(destroy(&handle_), WEFT_SUCCESS) << weft_error_message();
    EXPECT_EQ(handle_, nullptr);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Handle* operator&() { return &handle_; }
  operator Handle() const { return handle_; }

 private:
  Handle handle_ = nullptr;
};
using OwnedLayout = Owned<weft_layout, weft_layout_destroy>;
using OwnedProblem = Owned<weft_problem, weft_problem_destroy>;
using OwnedOptions = Owned<weft_options, weft_options_destroy>;
using OwnedPlan = Owned<weft_plan, weft_plan_destroy>;
using OwnedTransform = Owned<weft_transform, weft_transform_destroy>;
using OwnedGhostExchange = Owned<weft_ghost_exchange, weft_ghost_exchange_destroy>;
using OwnedRedistribution = Owned<weft_redistribution, weft_redistribution_destroy>;
using OwnedSphereProblem = Owned<weft_sphere_problem, weft_sphere_problem_destroy>;
using OwnedSpherePlan = Owned<weft_sphere_plan, weft_sphere_plan_destroy>;
using OwnedSphere = Owned<weft_sphere, weft_sphere_destroy>;
using OwnedFunction = Owned<weft_function, weft_function_destroy>;
using OwnedOperatorPlan = Owned<weft_operator_plan, weft_operator_plan_destroy>;
using OwnedOperator = Owned<weft_operator, weft_operator_destroy>;
using OwnedPoissonProblem = Owned<weft_poisson_problem, weft_poisson_problem_destroy>;
using OwnedPoisson = Owned<weft_poisson, weft_poisson_destroy>;
using OwnedTuning = Owned<weft_tuning, weft_tuning_destroy>;
using OwnedTuned = Owned<weft_tuned, weft_tuned_destroy>;

/// A code as the exception that it came from.
inline void done(int code) {
  if (code != WEFT_SUCCESS) throw Error(weft_error_message());
}

inline void expect_refused(int code, const std::vector<std::string>& parts) {
  EXPECT_EQ(code, WEFT_ERROR);
  const std::string message = weft_error_message();
  for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
}

/// The text that a function gives.
template <class Function, class... Arguments>
std::string text_of(Function function, const Arguments&... arguments) {
  const char* text = nullptr;
  done(function(arguments..., &text));
  return text;
}

/// The last rank, since a check on rank 0 alone must not be enough.
inline bool wrong_here() { return rank_of() == size_of() - 1; }

inline constexpr int64_t kShape[3] = {8, 6, 5};

inline weft_box box_of(const Box& box) {
  return {{box.lo[0], box.lo[1], box.lo[2]}, {box.hi[0], box.hi[1], box.hi[2]}};
}
inline Box box_of(const weft_box& box) {
  return {{box.lo[0], box.lo[1], box.lo[2]}, {box.hi[0], box.hi[1], box.hi[2]}};
}

}  // namespace weft::test
