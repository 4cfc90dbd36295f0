// Agreement on arguments: a bad one on any rank is the same Error on all.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/mpi.hpp"
#include "execute/watchers.hpp"
#include "weft/weft.hpp"

namespace weft::detail {

/// Text that differs where arguments do, of those that all ranks must give alike.
std::string describe_layout(const std::optional<Layout>& layout);
std::string describe_options(const Options& options);
/// Of ghosts what has no text.
std::string describe_ghosts(const Options& options);

/// Agreement before executions, if the option `check` asks for it; before the first and then every so many of them. A
/// bad argument in between is told at the next: if it stopped its rank at once, the others would wait for it.
class Agreement {
 public:
  /// `watchers`, which watch it, and `statistics`, which count it, outlive it.
  Agreement(const Communicators& communicators, bool wanted, Watchers& watchers, Statistics& statistics, int every = 1)
      : all_(communicators.all()), wanted_(wanted), every_(every), watchers_(watchers), statistics_(statistics) {}
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;
  /// Ends the job if something bad has not been told.
  ~Agreement();

  /// Throws what `check` throws, on all ranks if that is wanted, and then as well if `common` differs, which begins
  /// with the call that this is: all calls that agree here have as many. `route` is that of what comes after. False if
  /// this rank must take part in it without the caller's arrays, since something bad is still to be told.
  template <class Check>
  bool operator()(int route, std::span<const Common> common, const Check& check) {
    if (!wanted_) {
      check();
    } else if (every_ == 1) {
      agree(route, common, check);
    } else {
      at_times(route, common, check);
    }
    return late_.empty();
  }
  /// The same for what is no execution: it is agreed upon each time.
  template <class Check>
  void each_time(int route, std::span<const Common> common, const Check& check) {
    wanted_ ? agree(route, common, check) : check();
  }
  /// Says on standard error what is still to be told, and ends the job.
  void give_up() const;

 private:
  void at_times(int route, std::span<const Common> common, const std::function<void()>& check);
  void agree(int route, std::span<const Common> common, const std::function<void()>& check);

  MPI_Comm all_;
  bool wanted_;
  int every_;
  Index calls_ = 0;
  std::string late_;  ///< still to be told
  Watchers& watchers_;
  Statistics& statistics_;
};

/// The collective call that a rank makes, by its place in the names of all; none where it does not know the others'.
inline Common common_call(std::optional<std::int64_t> call, std::span<const char* const> names) {
  return {"the call", call, names};
}

/// Throws unless both are layouts of the same grid on so many ranks.
void check_layouts(const Layout& from, const Layout& to, int ranks);

/// Throws unless there is an array wherever a rank needs one, and the two are apart.
void check_arrays(const void* in, Index in_bytes, const void* out, Index out_bytes, int rank);

}  // namespace weft::detail
