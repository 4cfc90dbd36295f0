#include "execute/agreement.hpp"

#include <cstdint>
#include <cstdio>
#include <utility>

#include "base/buffer.hpp"
#include "base/text.hpp"

namespace weft::detail {

std::string describe_layout(const std::optional<Layout>& layout) {
  if (!layout) return "default";
  // The boxes themselves would be too long to compare for many ranks: a hash tells them apart.
  std::uint64_t hash = 1469598103934665603u;
  for (int rank = 0; rank < layout->ranks(); ++rank) {
    const std::vector<Box> boxes = layout->boxes(rank);
    const auto add = [&](Index value) { hash = (hash ^ static_cast<std::uint64_t>(value)) * 1099511628211u; };
    if (layout->has_several()) add(static_cast<Index>(boxes.size()));
    for (const Box& box : boxes) {
      for (std::size_t axis = 0; axis < 3; ++axis) add(box.lo[axis]), add(box.hi[axis]);
    }
  }
  return concat(layout->describe(), " of ", to_string(layout->shape()), " #",
                text("%llx", static_cast<unsigned long long>(hash)));
}

std::string describe_options(const Options& options) {
  std::string text;
  for (const auto& option : Options::describe()) {
    // The cache may differ: it only shapes what a rank does by itself.
    if (option.name != "cache") text += concat(' ', option.name, '=', options.get(option.name));
  }
  return text;
}

std::string describe_ghosts(const Options& options) {
  std::string text = " periodic=";
  for (const Ghosts* ghosts : {&options.input_ghosts, &options.output_ghosts}) {
    for (const bool along : ghosts->periodic) text += along ? '1' : '0';
  }
  return text;
}

void Agreement::agree(int route, std::span<const Common> common, const std::function<void()>& check) {
  struct Total {
    Statistics& statistics;
    double before = statistics.check;
    ~Total() { statistics.total += statistics.check - before; }
  } const total{statistics_};
  const WatchedCall watched(watchers_, Event::What::agree, route, statistics_.check);
  const std::string late = std::exchange(late_, {});
  const auto all = [&] {
    if (!late.empty()) throw Error(late);
    check();
  };
  all_or_none(all_, all, common);
}

void Agreement::at_times(int route, std::span<const Common> common, const std::function<void()>& check) {
  if (calls_++ % every_ == 0) {
    agree(route, common, check);
    return;
  }
  try {
    check();
  } catch (const std::exception& error) {
    if (late_.empty()) {
      late_ = concat(error.what(), " (since the agreement before this one; what was transformed since is wrong)");
    }
  }
}

void Agreement::give_up() const {
  std::fprintf(stderr, "weft: %s\n", late_.c_str());
  std::fflush(stderr);
  abort_processes(all_);
}

Agreement::~Agreement() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!late_.empty() && !finalized) give_up();
}

void check_layouts(const Layout& from, const Layout& to, int ranks) {
  if (from.shape() != to.shape()) {
    throw Error(concat("the shapes of the layouts differ: ", to_string(from.shape()), " and ", to_string(to.shape())));
  }
  for (const Layout* layout : {&from, &to}) {
    if (layout->ranks() == ranks) continue;
    throw Error(concat("a layout has ", layout->ranks(), " ranks; the communicator has ", ranks));
  }
}

void check_arrays(const void* in, Index in_bytes, const void* out, Index out_bytes, int rank) {
  if (in == nullptr && in_bytes > 0)
    throw Error(concat("in is null on rank ", rank, "; ", in_bytes, " bytes are needed"));
  if (out == nullptr && out_bytes > 0) {
    throw Error(concat("out is null on rank ", rank, "; ", out_bytes, " bytes are needed"));
  }
  if (overlap(in, in_bytes, out, out_bytes)) {
    throw Error(concat("in and out overlap on rank ", rank,
                       "; give two separate arrays, or set the option in_place and give one"));
  }
}

}  // namespace weft::detail
