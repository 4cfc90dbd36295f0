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

/// Agreement before executions, if the option `check` asks for it.
class Agreement {
 public:
  /// `watchers`, which watch it, and `statistics`, which count it, outlive it.
  Agreement(const Communicators& communicators, bool wanted, Watchers& watchers, Statistics& statistics)
      : all_(communicators.all()), wanted_(wanted), watchers_(watchers), statistics_(statistics) {}

  bool wanted() const { return wanted_; }
  /// Throws what `check` throws, on all ranks if that is wanted. `route` is that of what comes after.
  template <class Check>
  void operator()(int route, const Check& check) const {
    if (wanted_) {
      agree(route, check);
    } else {
      check();
    }
  }

 private:
  void agree(int route, const std::function<void()>& check) const;

  MPI_Comm all_;
  bool wanted_;
  Watchers& watchers_;
  Statistics& statistics_;
};

/// Throws unless there is an array wherever a rank needs one, and the two are apart.
void check_arrays(const void* in, Index in_bytes, const void* out, Index out_bytes, int rank);

}  // namespace weft::detail
