// What the functions of C share: what is behind the handles, errors as codes, texts, structures that may grow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mpi.hpp"
#include "base/text.hpp"
#include "operators.hpp"
#include "untyped.hpp"
#include "weft/tuner.hpp"
#include "weft/weft.h"

/// The last text that was asked of a handle.
struct weft_layout_impl {
  weft::Layout layout;
  std::string text{};
};
struct weft_problem_impl {
  weft::Problem problem;
  std::string text{};
};
struct weft_options_impl {
  weft::Options options;
  std::string text{};
};
struct weft_plan_impl {
  weft::Plan plan;
  bool owned = true;  ///< by the caller; else by its transform
  std::string text{};
};
struct weft_transform_impl {
  weft::bindings::UntypedTransform transform;
  weft_plan_impl plan;
};
struct weft_redistribution_impl {
  weft::Redistribution redistribution;
};
struct weft_ghost_exchange_impl {
  weft::bindings::UntypedGhosts exchange;
};
struct weft_sphere_problem_impl {
  weft::SphereProblem problem;
  std::string text{};
  std::vector<std::vector<weft::GVector>> results{};  ///< of each rank, or of this one; none: as given
};
struct weft_sphere_plan_impl {
  weft::SpherePlan plan;
  bool owned = true;
  std::string text{};
};
struct weft_sphere_impl {
  weft::bindings::UntypedSphere sphere;
  weft_sphere_plan_impl plan;
};
struct weft_function_impl {
  weft::bindings::UntypedFunction function;
};
struct weft_operator_plan_impl {
  weft::OperatorPlan plan;
  bool owned = true;
  std::string text{};
};
struct weft_operator_impl {
  weft::bindings::UntypedOperator operation;
  weft_operator_plan_impl plan;
};
struct weft_poisson_problem_impl {
  weft::PoissonProblem problem;
  std::string text{};
};
struct weft_tuning_impl {
  weft::Tuning tuning;
  std::string text{};
};
struct weft_tuned_impl {
  weft::Tuned tuned;
  std::string text{};
};

namespace weft::c {

using detail::concat;

/// The program's MPI library is not Weft's.
class WrongMpiLibrary : public Error {
 public:
  using Error::Error;
};

/// Code and message of the exception that is being handled.
int failed() noexcept;

/// Runs `work`; the only way from exceptions to codes.
template <class Work>
int guarded(const Work& work) noexcept {
  try {
    work();
    return WEFT_SUCCESS;
  } catch (...) {
    return failed();
  }
}

/// What a pointer points to; Error if it is NULL.
template <class T>
T& need(T* pointer, const char* name) {
  if (pointer == nullptr) throw Error(concat(name, " is NULL; a handle or an address is needed"));
  return *pointer;
}

/// An array of `count` elements, which may be NULL if there are none.
template <class T>
std::span<T> need_array(T* data, Index count, const char* name) {
  if (count < 0) throw Error(concat("the number of ", name, " is ", count, "; at least 0 is needed"));
  if (count > 0) need(data, name);
  return {data, static_cast<std::size_t>(count)};
}

/// A name or value that must be there.
inline std::string_view need_text(const char* text, const char* name) { return &need(text, name); }

/// Makes a handle: `make` returns what is behind it.
template <class Handle, class Make>
int create(Handle** out, const Make& make) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded([&] {
    Handle*& handle = need(out, "the handle's address");
    handle = new Handle(make());
  });
}

template <class Handle>
int destroy(Handle** handle) noexcept {
  return guarded([&] {
    Handle*& mine = need(handle, "the handle's address");
    if constexpr (requires { mine->owned; }) {
      if (mine != nullptr && !mine->owned) throw Error("this plan belongs to its transform, and ends with it");
    }
    delete std::exchange(mine, nullptr);
  });
}

/// The communicator behind what came in. Throws WrongMpiLibrary.
MPI_Comm communicator(const weft_comm* comm);
MPI_Comm communicator(int comm);

/// Makes something among the ranks of `comm`. What `check` finds wrong with a rank's arguments is told on all ranks;
/// `make`, which is collective, is called with the communicator afterwards.
template <class Comm, class Check, class Make>
int among(const Comm& comm, const Check& check, const Make& make) noexcept {
  return guarded([&] {
    const auto all = detail::Communicator::duplicate(communicator(comm));
    detail::all_or_none(all.get(), check);
    make(all.get());
  });
}

/// The same for a handle.
template <class Handle, class Comm, class Check, class Make>
int create_among(const Comm& comm, Handle** out, const Check& check, const Make& make) noexcept {
  if (out != nullptr) *out = nullptr;
  return among(
      comm,
      [&] {
        need(out, "the handle's address");
        check();
      },
      [&](MPI_Comm all) { *out = new Handle(make(all)); });
}

/// A text that stays as long as `keeper` is not changed.
inline void give(std::string& keeper, const char** out, std::string text) {
  const char*& address = need(out, "the text's address");
  keeper = std::move(text);
  address = keeper.c_str();
}
/// The text that `make` makes of what is behind a handle.
template <class Handle, class Make>
int give_text(Handle* handle, const char* name, const char** out, const Make& make) noexcept {
  return guarded([&] {
    Handle& mine = need(handle, name);
    give(mine.text, out, make(mine));
  });
}
/// Where texts that are asked of no handle are kept.
std::string& thread_text();

/// Fills as much of a structure as the caller knows of, and what only the caller knows of with zeroes.
template <class T>
void give(std::size_t size, T* out, const T& value) {
  need(out, "the structure's address");
  if (size == 0) throw Error(concat("the structure's size is 0; up to ", sizeof(T), " bytes are filled"));
  const std::size_t known = std::min(size, sizeof(T));
  std::memcpy(out, &value, known);
  std::memset(reinterpret_cast<char*>(out) + known, 0, size - known);
}

/// The first `capacity` of `values`, each converted, and how many there are.
template <class Values, class T, class Convert>
void give_list(const Values& values, Index capacity, T* out, int64_t* count, const Convert& convert) {
  const std::span<T> room = need_array(out, capacity, "elements to write");
  need(count, "count");
  const std::size_t n = std::min(room.size(), values.size());
  for (std::size_t i = 0; i < n; ++i) room[i] = convert(values[i]);
  *count = static_cast<int64_t>(values.size());
}

inline Shape shape_of(const int64_t* shape) {
  const int64_t* n = &need(shape, "shape");
  return {n[0], n[1], n[2]};
}
inline Box box_of(const weft_box& box) {
  return {{box.lo[0], box.lo[1], box.lo[2]}, {box.hi[0], box.hi[1], box.hi[2]}};
}
inline weft_box box_of(const Box& box) {
  return {{box.lo[0], box.lo[1], box.lo[2]}, {box.hi[0], box.hi[1], box.hi[2]}};
}
/// A problem that some transform can have; Error otherwise.
template <class Problem>
Problem checked(Problem problem) {
  problem.check();
  return problem;
}
Direction direction_of(int direction);
std::size_t axis_of(int axis, int axes = 3);
/// Options, or the defaults.
inline Options options_of(weft_options options) { return options != nullptr ? options->options : Options{}; }
inline std::optional<Options> forward_of(weft_options options) {
  return options != nullptr ? std::optional(options->options) : std::nullopt;
}
inline std::optional<Index> planes_of(int64_t planes) {
  return planes == -1 ? std::nullopt : std::optional<Index>(planes);
}
std::span<const GVector> waves_of(int64_t count, const int64_t* waves);
/// Those of each rank, one list after the other.
std::vector<std::vector<GVector>> waves_of_ranks(int ranks, const int64_t* counts, const int64_t* waves,
                                                 const char* name);

int32_t type_of(Precision precision, bool real);
/// What is wrong with an array that holds `size` elements of that type (a negative number is not known); empty if
/// nothing is.
std::string objection(const char* name, int type, int64_t size, int32_t type_needed, Index needed, int rank);
weft_traffic traffic_of(const Plan::Traffic& traffic);
weft_statistics statistics_of(const Statistics& statistics);
weft_exchange_statistics exchange_of(const Statistics& statistics, int64_t index);

}  // namespace weft::c
