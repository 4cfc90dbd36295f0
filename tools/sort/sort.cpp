// weft-sort: sorts on all ranks, verifies, and says how long it took.
#include <algorithm>
#include <cstring>
#include <optional>
#include <sstream>

#include "array.hpp"
#include "base/checked.hpp"
#include "base/clock.hpp"
#include "base/mpi.hpp"
#include "base/output_file.hpp"
#include "data.hpp"
#include "kernels.hpp"
#include "leaf_sort.hpp"
#include "machine.hpp"
#include "npy.hpp"
#include "program.hpp"
#include "rates.hpp"
#include "sorting.hpp"
#include "tree.hpp"

namespace {

using namespace weft;
using namespace weft::tools;
using namespace weft::sort;

/// "0,1,2" as numbers; Error naming the option.
std::vector<int> numbers(const std::string& list, const char* option) {
  std::vector<int> out;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) {
    std::size_t used = 0;
    int number = 0;
    try {
      number = std::stoi(word, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0 || used != word.size()) {
      throw UsageError(text("%s is '%s'; numbers with commas between are needed", option, list.c_str()));
    }
    out.push_back(number);
  }
  return out;
}

class SortProgram : public Program {
 public:
  std::string name() const override { return "weft-sort"; }
  std::string description() const override {
    return "Parallel sorting: the merge sort on a tree of processes, wherever they are placed, and sample sort";
  }

  void declare(CommandLine& line, Job& job) override {
    line.option("file", file_, "Sort the elements of this .npy file").type("FILE");
    line.option("-o,--output", output_, "Write the sorted elements to this .npy file").type("FILE");
    made_up_ = {
        line.option("--n", n_, "Elements that are made up, without a FILE"),
        line.option("--dtype", dtype_, "Their type, as NumPy names it"),
        line.option("--distribution", distribution_, "What they are: uniform, few, equal, sorted, reversed"),
        line.option("--seed", seed_, "Other elements for other seeds"),
    };
    line.option("--algorithm", algorithm_, "tree (merge sort) or sample (sample sort)");
    line.option("--levels", levels_, "Levels of a complete tree; 0: a leaf for each rank").group("Tree");
    line.option("--arity", arity_, "Children of an inner process").group("Tree");
    line.option("--parents", parents_, "Any tree: the parent of each process, -1 first").group("Tree");
    line.option("--placement", placement_, "The rank of each process").group("Tree");
    line.option("--chunk", settings_.chunk_bytes, "Bytes of a message").group("Streams");
    line.option("--window", settings_.window, "Messages of a stream on their way at once").group("Streams");
    line.option("--repeats", repeats_, "Timed repetitions");
    line.option("--warmup", warmup_, "Repetitions before those");
    line.flag("--compare", compare_, "Time std::sort, and the leaves' sort, on one core as well");
    line.flag("--rates", rates_, "Only measure what sorting and merging cost on one core");
    job.declare_outputs(line, false);
  }

  int run(Job& job) override {
    leaf_ = choose_leaf_sort();
    if (rates_) return measure(job);
    prepare(job);
    if (!kernels_of(type_).integers) leaf_ = "std::sort";
    const Index bytes = detail::multiply(n_, type_.bytes, "bytes of the elements");
    const Index arrays = detail::multiply(3, bytes, "bytes of the elements, three times");
    require_memory(job, job.root() ? arrays : bytes / std::max(1, job.ranks - 1), "sorting");
    const std::unique_ptr<Sorting> sorting = algorithm_ == "tree" ? make_tree_sort(job.comm, type_, *tree_, settings_)
                                                                  : make_sample_sort(job.comm, type_, n_, settings_);
    Array<std::byte> original(job.root() ? bytes : 0), data(original.size()), out(original.size());
    detail::all_or_none(job.comm, [&] {
      if (!job.root()) return;
      if (file_.empty()) {
        fill(original.data(), n_, type_, distribution_, seed_);
      } else {
        read_npy_data(file_, header_, original.data());
      }
    });

    std::vector<Parts> slowest;
    std::vector<double> seconds;
    for (int repetition = -warmup_; repetition < repeats_; ++repetition) {
      if (job.root()) std::memcpy(data.data(), original.data(), static_cast<std::size_t>(bytes));
      if (repetition == -warmup_ && job.root()) std::memset(out.data(), 0, static_cast<std::size_t>(bytes));
      WEFT_MPI(job.comm, MPI_Barrier(job.comm));
      const double begin = detail::now();
      const Parts parts = sorting->run(data.data(), out.data());
      // Rank 0 has the result, so its time is that of the sort.
      if (repetition < 0) continue;
      seconds.push_back(job.root() ? detail::now() - begin : 0);
      slowest.push_back({job.max(parts.distribute), job.max(parts.sort), job.max(parts.merge)});
    }
    verify(job, original, out);
    detail::all_or_none(job.comm, [&] {
      if (job.root() && !output_.empty()) write_npy(output_, type_, out.data(), n_);
    });
    if (job.root() && compare_) compare(original, data);
    report(job, slowest, seconds);
    return correct_ ? 0 : 1;
  }

 private:
  /// Checks the arguments; all ranks find the same wrong.
  void prepare(Job& job) {
    const auto least = [](Index value, Index bound, const char* option) {
      if (value < bound) {
        throw UsageError(text("%s is %lld; it must be at least %lld", option, static_cast<long long>(value),
                              static_cast<long long>(bound)));
      }
    };
    least(n_, 0, "--n");
    least(settings_.chunk_bytes, 1, "--chunk");
    if (settings_.chunk_bytes > (Index{1} << 30)) throw UsageError("--chunk is larger than 1 GiB");
    least(settings_.window, 1, "--window");
    if (settings_.window > 1024) throw UsageError(text("--window is %d; it must be at most 1024", settings_.window));
    least(repeats_, 1, "--repeats");
    least(warmup_, 0, "--warmup");
    least(levels_, 0, "--levels");
    if (algorithm_ != "tree" && algorithm_ != "sample") {
      throw UsageError(text("--algorithm is '%s'; allowed are tree, sample", algorithm_.c_str()));
    }
    try {
      type_ = element_type(dtype_);
      fill(nullptr, 0, type_, distribution_, seed_);
      for (const CommandLine::Option& option : made_up_) {
        if (!file_.empty() && option.given()) {
          throw UsageError(option.name() + " is for elements that are made up; those of '" + file_ + "' are read");
        }
      }
      detail::all_or_none(job.comm, [&] {
        if (job.root() && !output_.empty())
          detail::OutputFile attempt(output_);  // complains before the work, not after it
      });
      if (!file_.empty()) read_header(job);
      if (algorithm_ == "tree") make_tree(job.ranks);
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
  }

  void read_header(const Job& job) {
    // Rank 0 alone needs to see the file.
    detail::all_or_none(job.comm, [&] {
      if (job.root()) header_ = read_npy_header(file_);
    });
    std::int64_t facts[2] = {header_.count, 0};
    std::string descr = header_.type.descr;
    facts[1] = static_cast<std::int64_t>(descr.size());
    WEFT_MPI(job.comm, MPI_Bcast(facts, 2, MPI_INT64_T, 0, job.comm));
    descr.resize(static_cast<std::size_t>(facts[1]));
    WEFT_MPI(job.comm, MPI_Bcast(descr.data(), static_cast<int>(facts[1]), MPI_CHAR, 0, job.comm));
    type_ = element_type_of_descr(descr);
    n_ = facts[0];
  }

  void make_tree(int ranks) {
    std::vector<int> parent, rank = numbers(placement_, "--placement");
    if (!parents_.empty()) {
      parent = numbers(parents_, "--parents");
    } else if (levels_ > 0) {
      parent = complete_tree(levels_, arity_);
    } else {
      std::vector<int> natural;
      tree_of_ranks(ranks, arity_, parent, natural);
      if (rank.empty()) rank = natural;
    }
    tree_ = sort::make_tree(parent, rank, ranks, n_);
  }

  void verify(const Job& job, const Array<std::byte>& original, const Array<std::byte>& out) {
    int good = 1;
    if (job.root()) {
      const Index place = first_unsorted(out.data(), n_, type_);
      if (place >= 0) problem_ = text("element %lld is larger than the next one", static_cast<long long>(place));
      if (checksum(original.data(), n_, type_) != checksum(out.data(), n_, type_)) {
        problem_ = "the elements are not those that were there before";
      }
      good = problem_.empty();
    }
    WEFT_MPI(job.comm, MPI_Bcast(&good, 1, MPI_INT, 0, job.comm));
    correct_ = good == 1;
  }

  void compare(const Array<std::byte>& original, Array<std::byte>& data) {
    const Kernels& kernels = kernels_of(type_);
    const auto timed = [&](Kernels::InPlace sort) {
      std::memcpy(data.data(), original.data(), static_cast<std::size_t>(original.size()));
      const auto count = static_cast<std::size_t>(n_);
      const double begin = detail::now();
      kernels.to_keys(data.data(), count);
      sort(data.data(), count);
      kernels.from_keys(data.data(), count);
      return detail::now() - begin;
    };
    std_seconds_ = timed(kernels.std_sort);
    leaf_seconds_ = timed(kernels.leaf_sort);
  }

  void report(const Job& job, const std::vector<Parts>& parts, std::vector<double> seconds) {
    const Site site(job);
    if (!job.root()) return;
    std::sort(seconds.begin(), seconds.end());
    const double median = seconds[seconds.size() / 2];
    const Parts* typical = &parts.front();
    for (const Parts& one : parts) {
      if (one.all() < typical->all()) typical = &one;
    }
    Json json = {{"algorithm", algorithm_}, {"n", n_},
                 {"dtype", type_.name},     {"ranks", job.ranks},
                 {"leaf_sort", leaf_},      {"verified", correct_}};
    if (file_.empty()) json["distribution"] = distribution_;
    if (tree_) {
      Index network = 0;
      for (Index bytes : tree_traffic(*tree_, job.ranks, type_.bytes)) network += bytes;
      json["tree"] = {{"parents", tree_->parent}, {"placement", tree_->rank}, {"bytes_between_ranks", network}};
    }
    json["chunk"] = settings_.chunk_bytes;
    json["window"] = settings_.window;
    json["repeats"] = repeats_;
    json["seconds"] = {{"min", seconds.front()}, {"median", median}, {"max", seconds.back()}};
    json["parts"] = {{"distribute", typical->distribute}, {"sort", typical->sort}, {"merge", typical->merge}};
    if (compare_) {
      json["one_core"] = {{"std::sort", std_seconds_}, {"leaf_sort", leaf_seconds_}};
      json["speedup_over_std_sort"] = std_seconds_ / seconds.front();
    }
    site.add_to(json);
    std::string out = site.header();
    out += text("%s sort of %lld %s on %d rank%s, leaves by %s\n", algorithm_.c_str(), static_cast<long long>(n_),
                type_.name.c_str(), job.ranks, job.ranks == 1 ? "" : "s", leaf_.c_str());
    out +=
        text("  seconds      %.6f (median %.6f, most %.6f of %d)\n", seconds.front(), median, seconds.back(), repeats_);
    out += text("  of these     distribute %.6f, sort %.6f, merge %.6f (the slowest rank of each)\n",
                typical->distribute, typical->sort, typical->merge);
    if (compare_) {
      out += text("  one core     std::sort %.6f (%.2f times as long), %s %.6f (%.2f)\n", std_seconds_,
                  std_seconds_ / seconds.front(), leaf_.c_str(), leaf_seconds_, leaf_seconds_ / seconds.front());
    }
    out += correct_ ? "  verified     sorted, and a permutation\n" : "  WRONG        " + problem_ + "\n";
    job.print(out);
    job.write_json(json);
  }

  int measure(const Job& job) {
    if (!job.root()) return 0;
    const Rates rates = measure_rates();
    job.print(text("one core of this machine: sort %.3e s for n log2 n int32 (%s), merge %.3e s an int32\n", rates.sort,
                   leaf_.c_str(), rates.merge));
    job.write_json({{"rates", {{"sort", rates.sort}, {"merge", rates.merge}, {"split", 0.0}}}, {"leaf_sort", leaf_}});
    return 0;
  }

  std::string file_, output_, dtype_ = "int32", distribution_ = "uniform", algorithm_ = "tree", parents_, placement_;
  Index n_ = 50000;
  std::uint64_t seed_ = 1;
  int levels_ = 0, arity_ = 2, repeats_ = 5, warmup_ = 1;
  bool compare_ = false, rates_ = false;
  Settings settings_{1 << 18, 4};
  std::vector<CommandLine::Option> made_up_;

  ElementType type_;
  NpyHeader header_;
  std::optional<Tree> tree_;
  std::string leaf_, problem_;
  bool correct_ = false;
  double std_seconds_ = 0, leaf_seconds_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  SortProgram program;
  return run_program(program, argc, argv);
}
