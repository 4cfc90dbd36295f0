// MPI with its errors checked, communicators that free themselves, and agreement on failures.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft::detail {

/// Throws Error naming the call, the rank and MPI's own text if `code` is not MPI_SUCCESS.
void check_mpi(int code, const char* call, MPI_Comm comm);

/// What an error says where a communicator could not be made: MPI has room for some thousands only, and calls it an
/// internal error, or another one, when there is none left.
inline constexpr const char* no_communicators =
    "if too many communicators are in use, which MPI has a limited number of and each plan takes some, "
    "end plans that are no longer needed, and free communicators of your own";

/// check_mpi for a call that makes a communicator.
void check_made(int code, const char* call, MPI_Comm comm);

/// A communicator that is freed at the end; MPI errors on it are returned, not fatal.
class Communicator {
 public:
  Communicator() = default;
  /// A duplicate of `comm`. Collective.
  static Communicator duplicate(MPI_Comm comm);
  /// The part of `comm` with the same colour (MPI_UNDEFINED: none), ranks ordered as in `comm` or by `key`. Collective.
  static Communicator split(MPI_Comm comm, int color);
  static Communicator split(MPI_Comm comm, int color, int key);
  /// Takes over `comm`.
  static Communicator adopt(MPI_Comm comm) { return Communicator(comm); }
  ~Communicator();
  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;

  MPI_Comm get() const { return comm_; }
  int rank() const;
  int size() const;

 private:
  explicit Communicator(MPI_Comm comm);
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Fortran's number of a communicator, and the communicator that has a number. The standard ABI of MPI has no MPI_Fint.
inline int number_of(MPI_Comm comm) {
#ifdef WEFT_MPI_ABI
  return MPI_Comm_toint(comm);
#else
  return MPI_Comm_c2f(comm);
#endif
}
inline MPI_Comm communicator_of(int number) {
#ifdef WEFT_MPI_ABI
  return MPI_Comm_fromint(number);
#else
  return MPI_Comm_f2c(number);
#endif
}

/// Error unless MPI runs and `comm` is an intra-communicator.
void require_communicator(MPI_Comm comm);

/// A number that must be the same on all ranks that know it.
struct Common {
  const char* name;
  std::optional<std::int64_t> value;
  std::span<const char* const> words = {};  ///< what the numbers from 0 on stand for; none where they are just numbers
};

/// Runs `work` on every rank; if it throws on any, all ranks throw the message of the lowest rank that failed; else if
/// something of `common` differs, all throw that. One all-reduce, unless something is wrong. Collective; all ranks have
/// as many in `common`, at most `most_common`. `work` itself must not communicate unless it fails on all ranks alike.
void all_or_none(MPI_Comm comm, const std::function<void()>& work, std::span<const Common> common = {});
inline constexpr std::size_t most_common = 2;

/// Throws on all ranks, saying which rank differs, unless `text` is the same on all. Collective.
void require_same(MPI_Comm comm, const std::string& text, const char* what);

/// Rank 0's text, or texts. Collective.
std::string broadcast(MPI_Comm comm, std::string text);
std::vector<std::string> broadcast(MPI_Comm comm, const std::vector<std::string>& texts);

/// Ends the processes of `comm` with EXIT_FAILURE, a moment after a message: launchers lose what they have not read by
/// then (MPICH's, 3 to 7 times of 100 with two ranks).
void abort_processes(MPI_Comm comm);

}  // namespace weft::detail

/// Calls an MPI function whose errors are reported with its name and rank: WEFT_MPI(comm, MPI_Barrier(comm)).
#define WEFT_MPI(comm, call) ::weft::detail::check_mpi((call), #call, (comm))
