#include "sphere/groups.hpp"

#include <climits>
#include <cstring>

#include "base/checked.hpp"
#include "sphere/engine.hpp"

namespace weft::detail {

namespace {

Options inside(Options options) {
  options.groups = 1;
  options.nodes.clear();
  return options;
}

}  // namespace

SphereGroups::SphereGroups(const SphereProblem& problem, std::span<const GVector> waves, MPI_Comm comm,
                           const Options& backward, const Options& forward, std::optional<Index> planes)
    : comm_(comm), precision_(problem.precision) {
  int rank = 0, ranks = 0;
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank));
  WEFT_MPI(comm, MPI_Comm_size(comm, &ranks));
  all_or_none(comm, [&] { check_groups(backward, forward, ranks); });
  const int size = ranks / backward.groups;
  group_ = Communicator::split(comm, rank / size);
  across_ = Communicator::split(comm, rank % size);
  const auto mine = static_cast<Index>(waves.size());
  waves_.resize(static_cast<std::size_t>(backward.groups));
  WEFT_MPI(comm, MPI_Allgather(&mine, 1, MPI_INT64_T, waves_.data(), 1, MPI_INT64_T, across_.get()));
  std::vector<int> counts, starts;
  std::vector<GVector> all;
  all_or_none(comm, [&] {
    for (const Index count : waves_) {
      starts.push_back(narrow<int>(3 * all_waves_, "the number of indices"));
      counts.push_back(narrow<int>(3 * count, "the number of indices"));
      all_waves_ += count;
    }
    all.resize(static_cast<std::size_t>(all_waves_));
  });
  WEFT_MPI(comm, MPI_Allgatherv(waves.data(), static_cast<int>(3 * mine), MPI_INT64_T, all.data(), counts.data(),
                                starts.data(), MPI_INT64_T, across_.get()));
  inner_ = std::make_unique<SphereEngine>(problem, all, group_.get(), inside(backward), inside(forward), planes);
}

SphereGroups::~SphereGroups() = default;

Range SphereGroups::bands(Index count) const { return split(count, static_cast<Index>(waves_.size()), across_.rank()); }

void* SphereGroups::together(Index count) {
  // All ranks have the same counts, so that they grow, and fail, together.
  if (count > most_bands_) {
    const Range here = bands(count);
    const Index bytes = (here.hi - here.lo) * all_waves_ * (precision_ == Precision::double_ ? 16 : 8);
    all_or_none(comm_, [&] { together_ = Buffer(std::max<Index>(1, bytes)); });
    most_bands_ = count;
  }
  return together_.data();
}

void* SphereGroups::spread(const void* waves, Index apart, Index count) {
  void* const there = together(count);
  exchange(const_cast<void*>(waves), apart, count, true);
  return there;
}

void SphereGroups::collect(void* waves, Index apart, Index count) { exchange(waves, apart, count, false); }

void SphereGroups::exchange(void* waves, Index apart, Index count, bool to_groups) {
  const int bytes = precision_ == Precision::double_ ? 16 : 8;
  const Range here = bands(count);
  const int me = across_.rank(), others = across_.size();
  std::vector<MPI_Request> requests;
  std::vector<Datatype> types;
  // Rows of a band each, so far apart.
  const auto post = [&](void* array, Index rows, Index row, Index distance, int peer, bool sends) {
    if (rows == 0 || row == 0) return;
    const std::array<Repeat, 2> pattern{Repeat{rows, distance}, Repeat{row, 1}};
    types.push_back(Datatype::strided(pattern, bytes, INT_MAX));
    requests.push_back(MPI_REQUEST_NULL);
    WEFT_MPI(across_.get(), sends ? MPI_Isend(array, 1, types.back().get(), peer, 0, across_.get(), &requests.back())
                                  : MPI_Irecv(array, 1, types.back().get(), peer, 0, across_.get(), &requests.back()));
  };
  const Index mine = waves_[static_cast<std::size_t>(me)];
  std::byte* part = together_.data();
  for (int peer = 0; peer < others; ++peer) {  // what lies here of others' waves
    post(part, here.hi - here.lo, waves_[static_cast<std::size_t>(peer)], all_waves_, peer, !to_groups);
    part += waves_[static_cast<std::size_t>(peer)] * bytes;
  }
  for (int peer = 0; peer < others; ++peer) {  // what lies there of this rank's
    const Range there = split(count, others, peer);
    post(static_cast<std::byte*>(waves) + there.lo * apart * bytes, there.hi - there.lo, mine, apart, peer, to_groups);
  }
  WEFT_MPI(across_.get(), MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
}

void* SphereGroups::zeroes(Index numbers) {
  const Index bytes = std::max<Index>(1, numbers * (precision_ == Precision::double_ ? 8 : 4));
  if (sums_.data() == nullptr) all_or_none(comm_, [&] { sums_ = Buffer(bytes); });
  std::memset(sums_.data(), 0, static_cast<std::size_t>(bytes));
  return sums_.data();
}

namespace {

template <class Real>
void add(const Real* from, Real* to, Index numbers) {
  for (Index i = 0; i < numbers; ++i) to[i] += from[i];
}

}  // namespace

void SphereGroups::add_up(const void* from, void* to, Index numbers) {
  const bool is_double = precision_ == Precision::double_;
  std::byte* const sums = static_cast<std::byte*>(const_cast<void*>(from));
  constexpr Index most = Index{1} << 28;
  for (Index first = 0; first < numbers; first += most) {
    const Index bytes = first * (is_double ? 8 : 4);
    WEFT_MPI(across_.get(), MPI_Allreduce(MPI_IN_PLACE, sums + bytes, static_cast<int>(std::min(most, numbers - first)),
                                          is_double ? MPI_DOUBLE : MPI_FLOAT, MPI_SUM, across_.get()));
  }
  if (is_double) {
    add(reinterpret_cast<const double*>(sums), static_cast<double*>(to), numbers);
  } else {
    add(reinterpret_cast<const float*>(sums), static_cast<float*>(to), numbers);
  }
}

}  // namespace weft::detail
