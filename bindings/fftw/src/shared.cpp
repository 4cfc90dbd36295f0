#include "shared.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/mpi.hpp"

namespace weft::fftw {

namespace {

/// All that a transform depends on, what the environment says of its options included.
struct Wish {
  Problem problem;
  std::string options;
  std::optional<Layout> input, output;
  friend bool operator==(const Wish&, const Wish&) = default;
};

Wish wish_of(const Problem& problem, Options options) {
  Wish wish{problem, {}, options.input, options.output};
  options.apply_environment();
  for (const Options::Description& option : Options::describe()) wish.options += options.get(option.name) + '\n';
  return wish;
}

template <class Real>
struct Kept {
  Wish wish;
  Index number;  ///< the same on all ranks
  std::weak_ptr<Transform<Real>> transform;
};

/// Of one communicator.
struct AllKept {
  Index made = 0;
  std::tuple<std::vector<Kept<float>>, std::vector<Kept<double>>> kept;
};

int forget(MPI_Comm, int, void* kept, void*) {
  delete static_cast<AllKept*>(kept);
  return MPI_SUCCESS;
}

/// They go with the communicator, whose number another one may get then.
AllKept& kept_of(MPI_Comm comm) {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    WEFT_MPI(MPI_COMM_SELF, MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &forget, &made, nullptr));
    return made;
  }();
  AllKept* found = nullptr;
  int there = 0;
  WEFT_MPI(comm, MPI_Comm_get_attr(comm, key, &found, &there));
  if (there == 0) {
    found = new AllKept;
    WEFT_MPI(comm, MPI_Comm_set_attr(comm, key, found));
  }
  return *found;
}

}  // namespace

template <class Real>
std::shared_ptr<Transform<Real>> shared_transform(const Problem& problem, const Options& options, MPI_Comm comm) {
  AllKept& all = kept_of(comm);
  auto& kept = std::get<std::vector<Kept<Real>>>(all.kept);
  std::erase_if(kept, [](const auto& one) { return one.transform.expired(); });
  const Wish wish = wish_of(problem, options);
  const auto found = std::ranges::find(kept, wish, &Kept<Real>::wish);
  // Plans end rank by rank: some may have no more what others still have.
  const Index mine = found == kept.end() ? -1 : found->number;
  std::array<Index, 2> least{mine, -mine};
  WEFT_MPI(comm, MPI_Allreduce(MPI_IN_PLACE, least.data(), 2, MPI_INT64_T, MPI_MIN, comm));
  if (mine >= 0 && least[0] == mine && least[1] == -mine) return found->transform.lock();
  auto made = std::make_shared<Transform<Real>>(problem, comm, options);
  if (mine >= 0) kept.erase(found);
  kept.push_back({wish, all.made++, made});
  return made;
}

template std::shared_ptr<Transform<float>> shared_transform(const Problem&, const Options&, MPI_Comm);
template std::shared_ptr<Transform<double>> shared_transform(const Problem&, const Options&, MPI_Comm);

}  // namespace weft::fftw
