#include "case.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "base/mpi.hpp"
#include "base/text.hpp"
#include "candidates.hpp"
#include "words.hpp"

namespace weft::tuner {

namespace {

/// Numbers as one word: what need only be told apart.
class Digest {
 public:
  void add(Index value) {
    for (int byte = 0; byte < 8; ++byte) {
      hash_ = (hash_ ^ ((static_cast<std::uint64_t>(value) >> (8 * byte)) & 0xff)) * 0x100000001b3u;  // FNV-1a
    }
  }
  void add(const Layout& layout) {
    for (int rank = 0; rank < layout.ranks(); ++rank) {
      for (const Box& box : layout.boxes(rank)) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          add(box.lo[axis]);
          add(box.hi[axis]);
        }
      }
    }
  }
  std::string text() const { return detail::text("%016llx", static_cast<unsigned long long>(hash_)); }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

std::string digest(const std::optional<Layout>& layout) {
  if (!layout) return "own";
  Digest digest;
  digest.add(*layout);
  return digest.text();
}

/// Of transforms, and of operators, which are made of two.
template <class AnyProblem>
detail::Json box_key(const std::string& transform, const AnyProblem& problem, const Options& given) {
  detail::Json key{{"transform", transform},       {"precision", to_string(problem.precision)},
                   {"shape", problem.shape},       {"batch", problem.batch},
                   {"input", digest(given.input)}, {"output", digest(given.output)}};
  const Shape all = problem.shape;
  if (problem.kept_modes() != all) key["modes"] = problem.kept_modes();
  if constexpr (std::is_same_v<AnyProblem, Problem>) {
    if (problem.kept_points() != all) key["points"] = problem.kept_points();
    if (problem.one_line) key["one_line"] = true;
  }
  if (given.wire != Wire::same) key["wire"] = given.get("wire");
  return key;
}

class TransformCase final : public Case {
 public:
  TransformCase(const Problem& problem, MPI_Comm comm, const Options& options) : problem_(problem), comm_(comm) {
    given_ = {options};
    precision_ = problem.precision;
    WEFT_MPI(comm, MPI_Comm_size(comm, &ranks_));
    detail::all_or_none(comm, [&] { static_cast<void>(Plan(problem, options, ranks_)); });
  }

  const char* part_name(int) const override { return ""; }
  detail::Json key() const override {
    detail::Json key = box_key(to_string(problem_.kind), problem_, given_[0]);
    if (!problem_.plain_arrays()) {
      key["arrays"] =
          detail::concat(to_string(problem_.input_order), " to ", to_string(problem_.output_order),
                         problem_.interleaved ? ", interleaved" : "", problem_.padded_rows ? ", padded rows" : "",
                         problem_.one_line ? ", one line" : "");
    }
    return key;
  }
  std::vector<Options> candidates() const override { return tuner::candidates(problem_, given_[0], search_space); }
  std::vector<Options> neighbours(const Options& options) const override {
    return tuner::neighbours(options, problem_.interleaved ? 1 : problem_.batch, false, search_space);
  }
  Price price(const Options& options, const model::Machine& machine, int ranks_on_node) const override {
    const model::Prediction found = model::predict(problem_, options, machine, ranks_, ranks_on_node);
    return {{found.seconds(), -1}, found.memory_bytes, found.wire_error(), {}};
  }
  std::unique_ptr<TimedTransform> make(const Options& options) override {
    return make_timed_transform(problem_, comm_, options, scratch_);
  }

 private:
  Problem problem_;
  MPI_Comm comm_;
  int ranks_ = 1;
  Scratch scratch_;
};

class SphereCase final : public Case {
 public:
  SphereCase(const SphereProblem& problem, std::span<const GVector> waves, MPI_Comm comm, const Options& backward,
             const Options& forward, std::optional<Index> planes)
      : problem_(problem), waves_(waves), comm_(comm), planes_(planes) {
    given_ = {backward, forward};
    precision_ = problem.precision;
    Index count = static_cast<Index>(waves.size());
    WEFT_MPI(comm, MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, comm));
    all_waves_ = count;
    // A plan of all ranks; it knows everybody's columns.
    Options whole_backward = backward, whole_forward = forward;
    whole_backward.groups = whole_forward.groups = 1;
    whole_backward.trace = whole_forward.trace = "";
    plan_ = precision_ == Precision::double_ ? plan<double>(whole_backward, whole_forward)
                                             : plan<float>(whole_backward, whole_forward);
    Digest places;
    const std::array<Index, 2> facts{plan_->columns(), plan_->space_box().extent(0)};
    int ranks = 1;
    WEFT_MPI(comm, MPI_Comm_size(comm, &ranks));
    std::vector<Index> all(2 * static_cast<std::size_t>(ranks));
    WEFT_MPI(comm, MPI_Allgather(facts.data(), 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, comm));
    for (const Index fact : all) places.add(fact);
    places_ = places.text();
  }

  const char* part_name(int part) const override { return part == 0 ? "backward" : "forward"; }
  detail::Json key() const override {
    detail::Json key{{"transform", problem_.gamma ? "sphere gamma" : "sphere"},
                     {"precision", to_string(problem_.precision)},
                     {"grid", problem_.grid},
                     {"bands", problem_.howmany},
                     {"waves", all_waves_},
                     {"columns", plan_->all_columns()},
                     {"places", places_}};
    if (given_[0].wire != Wire::same) key["wire"] = given_[0].get("wire");
    return key;
  }
  std::vector<Options> candidates() const override { return tuner::candidates(problem_, given_[0], search_space); }
  std::vector<Options> neighbours(const Options& options) const override {
    return tuner::neighbours(options, problem_.howmany, true, search_space);
  }
  Price price(const Options& options, const model::Machine& machine, int ranks_on_node) const override {
    const model::Prediction found =
        model::predict(*plan_, of_part(options, 0), of_part(options, 1), machine, ranks_on_node);
    return {{found.backward.seconds(), found.forward.seconds()}, found.memory_bytes, found.wire_error(), {}};
  }
  std::unique_ptr<TimedTransform> make(const Options& options) override {
    return make_timed_transform(problem_, waves_, comm_, of_part(options, 0), of_part(options, 1), planes_, scratch_);
  }

 private:
  template <class Real>
  SpherePlan plan(const Options& backward, const Options& forward) const {
    return SphereTransform<Real>(problem_, waves_, comm_, backward, forward, planes_).plan();
  }

  SphereProblem problem_;
  std::span<const GVector> waves_;
  MPI_Comm comm_;
  std::optional<Index> planes_;
  std::optional<SpherePlan> plan_;
  Index all_waves_ = 0;
  std::string places_;
  Scratch scratch_;
};

class OperatorCase final : public Case {
 public:
  OperatorCase(const Problem& problem, At at, Index inputs, Index outputs, MPI_Comm comm, const Options& options)
      : problem_(problem), at_(at), inputs_(inputs), outputs_(outputs), comm_(comm) {
    given_ = {options};
    precision_ = problem.precision;
    WEFT_MPI(comm, MPI_Comm_size(comm, &ranks_));
    detail::all_or_none(comm, [&] { static_cast<void>(plan(options)); });
  }

  const char* part_name(int) const override { return ""; }
  detail::Json key() const override {
    detail::Json key = box_key(detail::concat("operator ", to_string(problem_.kind)), problem_, given_[0]);
    key["at"] = to_string(at_);
    key["inputs"] = inputs_;
    key["outputs"] = outputs_;
    return key;
  }
  std::vector<Options> candidates() const override { return tuner::candidates(problem_, at_, given_[0], search_space); }
  std::vector<Options> neighbours(const Options& options) const override {
    return tuner::neighbours(options, problem_.batch, false, search_space);
  }
  Price price(const Options& options, const model::Machine& machine, int ranks_on_node) const override {
    Options priced = options;  // what the plan takes by itself depends on the nodes
    if (priced.nodes.empty()) priced.node_size = std::min(ranks_, ranks_on_node);
    const model::OperatorPrediction found = model::predict(plan(priced), machine, ranks_on_node);
    return {{found.seconds(), -1}, found.memory_bytes, found.walk.wire_error, {}};
  }
  std::unique_ptr<TimedTransform> make(const Options& options) override {
    return make_timed_transform(problem_, at_, inputs_, outputs_, comm_, options, scratch_);
  }

 private:
  OperatorPlan plan(const Options& options) const {
    return OperatorPlan(problem_, at_, inputs_, outputs_, options, ranks_);
  }

  Problem problem_;
  At at_;
  Index inputs_, outputs_;
  MPI_Comm comm_;
  int ranks_ = 1;
  Scratch scratch_;
};

}  // namespace

Options Case::of_part(const Options& candidate, int part) const {
  Options options = given(part);
  for (const std::string& name : tuned_names()) {
    if (search_space.free(name)) options.set(name, candidate.get(name));
  }
  return options;
}

std::unique_ptr<Case> make_case(const Problem& problem, MPI_Comm comm, const Options& options) {
  return std::make_unique<TransformCase>(problem, comm, options);
}

std::unique_ptr<Case> make_case(const SphereProblem& problem, std::span<const GVector> waves, MPI_Comm comm,
                                const Options& backward, const Options& forward, std::optional<Index> planes) {
  return std::make_unique<SphereCase>(problem, waves, comm, backward, forward, planes);
}

std::unique_ptr<Case> make_case(const Problem& problem, At at, Index inputs, Index outputs, MPI_Comm comm,
                                const Options& options) {
  return std::make_unique<OperatorCase>(problem, at, inputs, outputs, comm, options);
}

}  // namespace weft::tuner
