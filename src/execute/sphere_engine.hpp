// A sphere's plan bound to a communicator: an engine for each of its routes.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "execute/engine.hpp"
#include "execute/sphere_groups.hpp"
#include "plan/sphere.hpp"
#include "weft/sphere.hpp"

namespace weft::detail {

/// What SphereTransform is made of.
class SphereEngine {
 public:
  using Number = Engine::Number;

  /// Collective.
  SphereEngine(const SphereProblem& problem, std::span<const GVector> waves, MPI_Comm comm, Options backward,
               Options forward, std::optional<Index> planes);

  /// Of this rank's group.
  const SpherePlan& plan() const { return *plan_; }
  /// Bands of a call that this rank has in space.
  Range bands_here(Index count) const { return groups_ ? groups_->bands(count) : Range{0, count}; }

  void transform(Direction direction, const void* in, void* out, Number in_space, const Bands& bands);
  void apply(const void* field, const void* waves, void* out, const Bands& bands);
  void density(const void* waves, const double* weights, void* sum, const Bands& bands);
  void raise_any(const std::string& message);

  Statistics statistics() const;
  void reset_statistics();
  void drop_trace();

 private:
  /// An array of bands as a call gives it.
  struct Side {
    const char* name;
    const void* data;
    Index apart, numbers;  ///< between bands; of one
    int bytes;             ///< of a number
    bool steps = true;     ///< there is one for each band
    void* target() const { return const_cast<void*>(data); }
    /// From the beginning to the end of the last band.
    Index span(Index bands) const { return bands > 0 ? ((bands - 1) * apart + numbers) * bytes : 0; }
  };
  Index points() const { return data_->backward.output.item; }
  void run_transform(Direction direction, const Side& waves, const Side& space, const Bands& bands);
  void run_apply(const Side& field, const Side& from, const Side& to, const Bands& bands);
  void run_density(const Side& from, const double* weights, const Side& sum, const Bands& bands);
  Side waves_side(const char* name, const void* data, const Bands& bands) const;
  Side space_side(const char* name, const void* data, const Bands& bands) const;
  Side field_side(const char* name, const void* data) const;

  void check_side(const Side& side, Index bands) const;
  void check_apart(const Side& a, Index a_bands, const Side& b, Index b_bands) const;
  template <class Check>
  void agree(const Bands& bands, const Check& check);
  /// Runs a route for all bands, as many at a time as were planned.
  void run(Engine& engine, const Side& in, const Side& out, const UserArrays& others, const Bands& bands);
  /// An engine of a route of this sphere. Collective.
  std::unique_ptr<Engine> make_engine(const char* name, const Route& route, Options options) const;

  Communicator comm_;
  bool check_;
  bool traced_ = true;                  ///< where the options ask for it
  Index waves_;                         ///< of this rank
  std::optional<SphereGroups> groups_;  ///< instead of engines, where the options ask for several
  std::shared_ptr<const SphereData> data_;
  std::optional<SpherePlan> plan_;
  std::unique_ptr<Engine> backward_, forward_, apply_, density_;  ///< the last two when they are first needed
  Statistics own_;                                                ///< what this class costs by itself
};

}  // namespace weft::detail
