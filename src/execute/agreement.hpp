// Agreement on arguments: a bad one on any rank is the same Error on all.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/mpi.hpp"
#include "execute/watchers.hpp"
#include "weft/weft.hpp"

namespace weft::detail {

/// Text that differs where arguments do, of those that all ranks must give alike.
std::string describe_layout(const std::optional<Layout>& layout);
std::string describe_options(const Options& options);

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

  /// Throws what `check` throws, on all ranks if that is wanted, and then as well if `common` differs. `route` is that
  /// of what comes after. False if this rank must take part in it without the caller's arrays, since something bad is
  /// still to be told.
  template <class Check>
  bool operator()(int route, const Check& check, const Common* common = nullptr) {
    if (!wanted_) {
      check();
    } else if (every_ == 1) {
      agree(route, check, common);
    } else {
      at_times(route, check);
    }
    return late_.empty();
  }
  /// Says on standard error what is still to be told, and ends the job.
  void give_up() const;

 private:
  void at_times(int route, const std::function<void()>& check);
  void agree(int route, const std::function<void()>& check, const Common* common = nullptr) const;

  MPI_Comm all_;
  bool wanted_;
  int every_;
  Index calls_ = 0;
  std::string late_;  ///< still to be told
  Watchers& watchers_;
  Statistics& statistics_;
};

/// Throws unless there is an array wherever a rank needs one, and the two are apart.
void check_arrays(const void* in, Index in_bytes, const void* out, Index out_bytes, int rank);

}  // namespace weft::detail
