// A sphere's plan bound to a communicator: an engine for each of its routes.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "execute/agreement.hpp"
#include "execute/engine.hpp"
#include "sphere/groups.hpp"
#include "sphere/sphere.hpp"
#include "weft/sphere.hpp"

namespace weft::detail {

/// What SphereTransform is made of.
class SphereEngine {
 public:
  /// What spheres of the same ranks have in common, if they never run at the same time.
  struct Shared {
    explicit Shared(MPI_Comm comm) : communicators(Communicator::duplicate(comm)) {}
    Communicators communicators;
    MemoryPool memory;
    std::vector<int> nodes;  ///< that the options of the first one asked for
    int node_size = 0;
  };
  /// By which the squares of real and of imaginary parts count in a density, for each band. None: 1, and the same.
  struct Weights {
    const double *real = nullptr, *imaginary = nullptr;
  };
  /// Collective over the communicator of `shared`, which is new or that of other engines.
  SphereEngine(const SphereProblem& problem, const SphereWaves& waves, std::shared_ptr<Shared> shared, Options backward,
               Options forward, std::optional<Index> planes);
  const std::shared_ptr<Shared>& shared() const { return shared_; }

  /// Of this rank's group.
  const SpherePlan& plan() const { return *plan_; }
  /// Bands of a call that this rank has in space.
  Range bands_here(Index count) const { return groups_ ? groups_->bands(count) : Range{0, count}; }

  /// Of all ranks.
  int rank() const { return communicators_.rank(); }
  void transform(Direction direction, const void* in, void* out, Number in_space, const Bands& bands);
  void apply(const void* field, Number numbers, const void* waves, void* out, const Bands& bands);
  void density(const void* waves, const Weights& weights, void* sum, const Bands& bands);
  void raise_any(const std::string& message);
  /// Numbers that arrays of a call must have from the first to the last.
  Index waves_needed(const Bands& bands) const;
  Index results_needed(const Bands& bands) const;
  Index space_needed(const Bands& bands) const;
  /// Of all fields that points meet: of spinors there are several.
  Index numbers_of_fields() const { return data_->fields() * data_->field_numbers(); }
  /// Bands of a call.
  Index bands_of(const Bands& bands) const;

  Statistics statistics();
  /// Counts anew, and forgets the trace.
  void reset_statistics();
  void drop_trace();

 private:
  enum class Call { backward, forward, forward_sum, apply, apply_sum, density };
  /// An array of bands as a call gives it.
  struct Side {
    const char* name;
    const void* data;
    Index apart, numbers;  ///< between bands; of one
    int bytes;             ///< of a number
    bool steps = true;     ///< there is one for each band
    void* target() const { return const_cast<void*>(data); }
    /// From the beginning to the end of the last band: numbers, and bytes.
    Index reach(Index bands) const { return bands > 0 && numbers > 0 ? (bands - 1) * apart + numbers : 0; }
    Index span(Index bands) const { return reach(bands) * bytes; }
  };
  /// Bands of a call that a group, or all ranks, transform.
  Index bands_inside(const Bands& bands) const {
    const Range here = bands_here(bands.count);
    return here.hi - here.lo;
  }
  void run_transform(Direction direction, const Side& waves, const Side& space, const Bands& bands);
  void run_apply(const Side& field, Number numbers, const Side& from, const Side& to, const Bands& bands);
  void run_density(const Side& from, const Weights& weights, const Side& sum, const Bands& bands);
  /// Of the waves that go to space, or of those that come from there.
  Side waves_side(const char* name, const void* data, const Bands& bands, Way way) const;
  /// Of all of these that come together in this rank's group, for the bands of a call.
  Side together_side(Way way, const Bands& bands);
  Side space_side(const char* name, const void* data, const Bands& bands) const;
  Side field_side(const char* name, const void* data, Number numbers = Number::real) const;

  void require_spinors_whole(Index bands) const;
  void check_side(const Side& side, Index bands) const;
  void check_apart(const Side& a, Index a_bands, const Side& b, Index b_bands) const;
  template <class Check>
  void agree(const Engine& engine, Call call, const Bands& bands, const Check& check);
  /// Runs a route for so many bands, as many at a time as were planned.
  void run(Engine& engine, const Side& in, const Side& out, const UserArrays& others, Index bands);
  /// An engine of a route of this sphere. Collective.
  void make_engine(std::optional<Engine>& engine, const char* name, std::shared_ptr<const Route> route,
                   const Options& options);
  /// The same of a route that is first needed now.
  void make_later(std::optional<Engine>& engine, const char* name, Route route);
  /// Those who run the routes: all ranks, or this one's group.
  Communicators& runners() { return groups_ ? groups_->inside() : communicators_; }

  /// Finds out which ranks share a node, or takes what the first of those who share knows; `options` get it.
  void find_nodes(Options& options);

  std::shared_ptr<Shared> shared_;
  Communicators& communicators_;  ///< of all who share
  Index waves_, results_;         ///< of this rank
  std::optional<Watchers> watchers_;
  std::optional<SphereGroups> groups_;  ///< where the options ask for several
  std::shared_ptr<const SphereData> data_;
  std::optional<SpherePlan> plan_;
  std::optional<Engine> backward_, forward_, apply_, density_;  ///< the last two when they are first needed
  Statistics own_;                                              ///< what this class costs by itself
  std::optional<Agreement> agreement_;
};

}  // namespace weft::detail
