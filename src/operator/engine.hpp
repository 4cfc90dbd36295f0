// An operator's plan, bound to a communicator and memory.
#pragma once

#include <memory>
#include <optional>

#include "execute/agreement.hpp"
#include "execute/engine.hpp"
#include "execute/parts_arrays.hpp"
#include "operator/operator.hpp"

namespace weft::detail {

/// What Operator is made of. Not a template: its function is handed to the passes as it is.
class OperatorEngine {
 public:
  /// Collective.
  OperatorEngine(const Problem& problem, At at, Index inputs, Index outputs, bool overwrites, const std::string& wrong,
                 MPI_Comm comm, Options options);

  const OperatorPlan& plan() const { return *plan_; }
  /// `function`: a PointFunction of the precision. `sure`: it never throws.
  void execute(const void* in, void* out, Number number, const void* function, bool sure);
  void raise_any(const std::string& message);

  const Statistics& statistics() const { return engine_->statistics(); }
  void reset_statistics();
  void drop_trace() {
    watchers_->drop_trace();
    engine_->leave();
  }

 private:
  Communicators communicators_;
  std::shared_ptr<const OperatorData> data_;
  std::optional<OperatorPlan> plan_;
  std::optional<Watchers> watchers_;
  mutable std::optional<Engine> engine_;
  std::optional<PartsArrays> parts_;
  std::optional<Agreement> agreement_;
};

}  // namespace weft::detail
