#include "sphere/groups.hpp"

#include <cstring>

#include "base/checked.hpp"
#include "execute/statistics.hpp"
#include "sphere/sphere.hpp"

namespace weft::detail {

SphereGroups::SphereGroups(const SphereProblem& problem, const SphereWaves& waves, Communicators& all,
                           const Options& options, Watchers& watchers)
    : all_(all),
      watchers_(watchers),
      precision_(problem.precision),
      together_(detail::together(problem)),
      group_(all.rank() / (all.size() / options.groups)),
      inside_(Communicator::split(all.all(), group_)),
      across_(Communicator::split(all.all(), all.rank() % inside_.size())),
      moving_(band_moving_options(options)) {
  std::vector<int> nodes;
  for (int rank = all.rank() % inside_.size(); rank < all.size(); rank += inside_.size()) {
    nodes.push_back(moving_.nodes[static_cast<std::size_t>(rank)]);
  }
  moving_.nodes = std::move(nodes);
  across_.find_nodes(moving_);
  given_ = list_of(static_cast<Index>(waves.given.size()));
  if (waves.results) results_ = list_of(static_cast<Index>(waves.results->size()));
}

SphereGroups::List SphereGroups::list_of(Index waves) const {
  List list;
  list.waves.resize(static_cast<std::size_t>(across_.size()));
  WEFT_MPI(across_.all(), MPI_Allgather(&waves, 1, MPI_INT64_T, list.waves.data(), 1, MPI_INT64_T, across_.all()));
  for (const Index count : list.waves) list.all += count;
  return list;
}

std::vector<GVector> SphereGroups::bring_together(Way way, std::span<const GVector> waves) {
  const List& across = list(way);
  std::vector<int> counts, starts;
  std::vector<GVector> all;
  all_or_none(all_.all(), [&] {
    Index start = 0;
    for (const Index count : across.waves) {
      starts.push_back(narrow<int>(3 * start, "the number of indices"));
      counts.push_back(narrow<int>(3 * count, "the number of indices"));
      start += count;
    }
    all.resize(static_cast<std::size_t>(across.all));
  });
  WEFT_MPI(across_.all(), MPI_Allgatherv(waves.data(), static_cast<int>(3 * waves.size()), MPI_INT64_T, all.data(),
                                         counts.data(), starts.data(), MPI_INT64_T, across_.all()));
  return all;
}

void* SphereGroups::together(Way way, Index count) {
  List& waves = list(way);
  // All ranks have the same counts, so that they grow, and fail, together.
  if (count > waves.most_bands) {
    const Range here = bands(count);
    const Index bytes = (here.hi - here.lo) * waves.all * number_bytes();
    all_or_none(all_.all(), [&] { waves.together = Buffer(std::max<Index>(1, bytes)); });
    waves.most_bands = count;
  }
  return waves.together.data();
}

void SphereGroups::prepare(Index count) {
  if (count == prepared_) return;
  if (moves_) add_costs(costs_, moves_->statistics());
  moves_.reset();
  prepared_ = -1;
  all_or_none(all_.all(), [&] {  // ranks across fail alike
    const List& back = list(Way::to_spectrum);
    if (given_.all + back.all == 0) return;  // nor have others across
    BandMoves moves;
    all_or_none(across_.all(), [&] {
      const auto made = [&](const List& waves) {
        return band_moves(waves.waves, number_bytes(), count, together_, moving_, across_.rank());
      };
      moves = made(given_);
      if (results_) moves.from = made(back).from;
    });
    moves_.emplace(std::vector<NamedRoutes>{{"waves to groups", moves.to}, {"waves from groups", moves.from}},
                   Problem{}, moving_, across_, watchers_, PartOfRanks{all_.rank() % inside_.size(), inside_.size()});
  });
  prepared_ = count;
}

void SphereGroups::move(std::size_t run, std::byte* waves, Index apart, Index count) {
  if (count == 0) return;
  prepare(count);
  List& all = list(run == 0 ? Way::to_space : Way::to_spectrum);
  if (!moves_ || all.all == 0) return;
  std::vector<UserArrays> arrays;
  for (int group = 0; group < across_.size(); ++group) {
    const Range bands = bands_of_group(count, together_, across_.size(), group);
    if (bands.lo == bands.hi) continue;
    std::byte* const part = waves + bands.lo * apart * number_bytes();
    arrays.emplace_back();
    if (run == 0) {
      arrays.back().input = part;
      arrays.back().input_item = apart;
      arrays.back().output = all.together.data();
    } else {
      arrays.back().input = all.together.data();
      arrays.back().output = part;
      arrays.back().output_item = apart;
    }
  }
  moves_->execute(run, arrays);
}

void SphereGroups::spread(const void* waves, Index apart, Index count) {
  move(0, static_cast<std::byte*>(const_cast<void*>(waves)), apart, count);
}

void* SphereGroups::zeroes(Index numbers) {
  const Index bytes = std::max<Index>(1, numbers * (number_bytes() / 2));
  if (sums_.data() == nullptr) all_or_none(all_.all(), [&] { sums_ = Buffer(bytes); });
  std::memset(sums_.data(), 0, static_cast<std::size_t>(bytes));
  return sums_.data();
}

namespace {

template <class Real>
void add(const Real* from, Real* to, Index numbers) {
  for (Index i = 0; i < numbers; ++i) to[i] += from[i];
}

}  // namespace

void SphereGroups::collect(void* waves, Index apart, Index count, bool accumulate) {
  auto* const to = static_cast<std::byte*>(waves);
  if (!accumulate) {
    move(1, to, apart, count);
    return;
  }
  const Index here = waves_here();
  if (count > most_collected_) {
    all_or_none(all_.all(), [&] { collected_ = Buffer(std::max<Index>(1, count * here * number_bytes())); });
    most_collected_ = count;
  }
  move(1, collected_.data(), here, count);
  for (Index band = 0; band < count; ++band) {
    const std::byte* const from = collected_.data() + band * here * number_bytes();
    std::byte* const sum = to + band * apart * number_bytes();
    if (precision_ == Precision::double_) {
      add(reinterpret_cast<const double*>(from), reinterpret_cast<double*>(sum), 2 * here);
    } else {
      add(reinterpret_cast<const float*>(from), reinterpret_cast<float*>(sum), 2 * here);
    }
  }
}

void SphereGroups::add_up(int route, const void* from, void* to, const Box& box, const Shape& extents) {
  const Index row = extents[2], plane = extents[1] * row, numbers = extents[0] * plane;
  const bool is_double = precision_ == Precision::double_;
  std::byte* const sums = static_cast<std::byte*>(const_cast<void*>(from));
  {
    const WatchedCall watched(watchers_, Event::What::add_up, route, costs_.wait);
    constexpr Index most = Index{1} << 28;
    for (Index first = 0; first < numbers; first += most) {
      const int count = static_cast<int>(std::min(most, numbers - first));
      WEFT_MPI(across_.all(), MPI_Allreduce(MPI_IN_PLACE, sums + first * (is_double ? 8 : 4), count,
                                            is_double ? MPI_DOUBLE : MPI_FLOAT, MPI_SUM, across_.all()));
    }
  }
  for (Index z = 0; z < box.extent(0); ++z) {
    for (Index y = 0; y < box.extent(1); ++y) {
      const Index first = z * plane + y * row;
      if (is_double) {
        add(reinterpret_cast<const double*>(sums) + first, static_cast<double*>(to) + first, box.extent(2));
      } else {
        add(reinterpret_cast<const float*>(sums) + first, static_cast<float*>(to) + first, box.extent(2));
      }
    }
  }
}

void SphereGroups::take_costs(Statistics& statistics) {
  if (moves_) {
    add_costs(costs_, moves_->statistics());
    moves_->reset_statistics();
  }
  add_costs(statistics, costs_);
  costs_ = {};
}

}  // namespace weft::detail
