// What is tuned: a transform, the two directions of a sphere's transforms, or an operator.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "search_space.hpp"
#include "timed_transform.hpp"
#include "weft/model.hpp"

namespace weft::tuner {

/// What the model says of a candidate.
struct Price {
  std::array<double, 2> seconds{-1, -1};  ///< by part; below 0: it has no price
  Index memory = 0;                       ///< bytes per rank
  double wire_error = 0;                  ///< see Plan::wire_error; of the worse part
  std::string obstacle;                   ///< why there is no plan
};

class Case {
 public:
  virtual ~Case() = default;

  /// What is tuned by itself: 1, or the directions of a sphere (0 backward, 1 forward).
  int parts() const { return static_cast<int>(given_.size()); }
  virtual const char* part_name(int part) const = 0;
  const Options& given(int part) const { return given_[static_cast<std::size_t>(part)]; }
  std::span<const Options> given() const { return given_; }
  Precision precision() const { return precision_; }

  /// The problem as tuning files know it.
  virtual detail::Json key() const = 0;
  virtual std::vector<Options> candidates() const = 0;
  virtual std::vector<Options> neighbours(const Options& options) const = 0;
  /// Without communication.
  virtual Price price(const Options& options, const model::Machine& machine, int ranks_on_node) const = 0;
  /// Collective.
  virtual std::unique_ptr<TimedTransform> make(const Options& options) = 0;

  /// A candidate's options for a part: those that were given, with what the tuner may change.
  Options of_part(const Options& candidate, int part) const;

  SearchSpace search_space;  ///< to be set before anything else is asked

 protected:
  std::vector<Options> given_;  ///< by part
  Precision precision_ = Precision::double_;
};

/// Collective: throws the same Error on all ranks if there is no plan for what is given. The communicator outlives it.
std::unique_ptr<Case> make_case(const Problem& problem, MPI_Comm comm, const Options& options);
std::unique_ptr<Case> make_case(const SphereProblem& problem, std::span<const GVector> waves, MPI_Comm comm,
                                const Options& backward, const Options& forward, std::optional<Index> planes);
std::unique_ptr<Case> make_case(const Problem& problem, At at, Index inputs, Index outputs, MPI_Comm comm,
                                const Options& options);

}  // namespace weft::tuner
