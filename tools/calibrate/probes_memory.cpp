#include <algorithm>
#include <cstring>
#include <memory>

#include "array.hpp"
#include "probes.hpp"

namespace weft::tools {

namespace {

/// Sizes of the copied arrays, from first-level cache to memory.
constexpr Index sizes[] = {Index{16} << 10, Index{128} << 10, Index{512} << 10, Index{2} << 20,
                           Index{8} << 20,  Index{32} << 20,  Index{64} << 20};
/// Enough to be timed, and short enough for many rounds.
constexpr Index at_once = Index{16} << 20;

void copy(char* to, const char* from, Index size) {
  std::memcpy(to, from, static_cast<std::size_t>(size));
  // Keeps the compiler from seeing that every copy is the same.
  asm volatile("" : : "r"(to) : "memory");
}

/// Memory of the node's ranks that all of them see.
struct Shared {
  explicit Shared(const Job& job, Index bytes) {
    const bool first = rank_of(job.node) == 0;
    MPI_Win_allocate_shared(first ? bytes * job.ranks_on_node : 0, 1, MPI_INFO_NULL, job.node, &mine, &window);
    MPI_Aint size = 0;
    int unit = 0;
    MPI_Win_shared_query(window, 0, &size, &unit, &mine);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() { MPI_Win_free(&window); }
  static int rank_of(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
  }
  char* mine = nullptr;  ///< the first rank's part; others follow
  MPI_Win window = MPI_WIN_NULL;
};

}  // namespace

void add_memory(std::vector<Probe>& probes, const Job& job) {
  constexpr Index largest = *std::max_element(std::begin(sizes), std::end(sizes));
  const auto from = std::make_shared<Array<char>>(largest), to = std::make_shared<Array<char>>(largest);
  std::fill(from->begin(), from->end(), '\1');
  std::fill(to->begin(), to->end(), '\0');
  for (const bool all : {false, true}) {
    for (const Index size : sizes) {
      const Index copies = std::max<Index>(1, at_once / size);
      probes.push_back({{{"group", "copy"}, {"bytes", size}, {"all", all}},
                        [=, &job] {
                          return timed(job, 1,
                                       [&] {
                                         if (!all && !job.root()) return;
                                         for (Index i = 0; i < copies; ++i) copy(to->data(), from->data(), size);
                                       }) /
                                 static_cast<double>(copies);
                        },
                        {}});
    }
  }
  if (job.ranks_on_node < 2) return;
  const auto shared = std::make_shared<Shared>(job, largest);
  const Index me = Shared::rank_of(job.node), next = (me + 1) % job.ranks_on_node;
  for (const Index size : sizes) {
    probes.push_back({{{"group", "neighbour"}, {"bytes", size}},
                      [=, &job] {
                        char* const own = shared->mine + me * largest;
                        return timed_after(
                            job, std::clamp<Index>(at_once / 4 / size, 1, 16),
                            [&] { std::memset(own, 1, static_cast<std::size_t>(size)); },
                            [&] { copy(to->data(), shared->mine + next * largest, size); });
                      },
                      {}});
  }
}

}  // namespace weft::tools
