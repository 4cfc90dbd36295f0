#include "report.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/mpi.hpp"
#include "weft/error.hpp"

namespace weft::fftw {

namespace {

constinit std::atomic<bool> asked = false, had_plan = false;

/// Whether launchers say that this process is another than the first of its job; MPI cannot be asked any more.
bool is_another_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(name)) return std::string_view(rank) != "0";
  }
  return false;
}

/// Only for programs that were started with this library before theirs: what calls its own copy of FFTW goes on without
/// a word of it. Shells and other helpers of such a program are no MPI processes.
[[gnu::destructor]] void tell_if_nothing_was_weft() {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  if (preloaded == nullptr || std::string_view(preloaded).find("weft_fftw3") == std::string_view::npos) return;
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun == 0 || had_plan || is_another_rank()) return;
  if (asked) {
    std::fputs("weft: no plan of this program was Weft's; WEFT_FFTW_VERBOSE=1 says why\n", stderr);
    return;
  }
  std::fputs(
      "weft: this program has made no plan through the drop-in for FFTW-MPI. If it has FFTW inside (linked "
      "statically), "
      "link it anew with -lweft_fftw3_mpi before -lfftw3_mpi and -lfftw3\n",
      stderr);
}

}  // namespace

void note_plan(bool of_weft) {
  asked = true;
  if (of_weft) had_plan = true;
}

bool verbose() {
  static const bool wanted = [] {
    const char* text = std::getenv("WEFT_FFTW_VERBOSE");
    return text != nullptr && *text != '\0' && std::string_view(text) != "0";
  }();
  return wanted;
}

std::string unusable(MPI_Comm comm) {
  int begun = 0, ended = 0, inter = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (begun == 0 || ended != 0) return begun == 0 ? "MPI_Init has not been called" : "MPI_Finalize has been called";
  if (comm == MPI_COMM_NULL) return "the communicator is MPI_COMM_NULL";
  MPI_Comm_test_inter(comm, &inter);
  return inter != 0 ? "the communicator is an intercommunicator" : "";
}

void require_usable(MPI_Comm comm) {
  if (const std::string why = unusable(comm); !why.empty()) throw Error(why);
}

void say(MPI_Comm comm, const std::string& line) {
  int rank = 0;
  if (unusable(comm).empty()) MPI_Comm_rank(comm, &rank);
  if (rank == 0) std::fprintf(stderr, "weft: %s\n", line.c_str());
}

void fail(const std::string& line) {
  std::fprintf(stderr, "weft: %s\n", line.c_str());
  if (unusable(MPI_COMM_WORLD).empty()) detail::abort_processes(MPI_COMM_WORLD);
  std::_Exit(1);
}

void require_same_mpi() {
#if defined(OPEN_MPI) || defined(MPICH_VERSION)
#ifdef OPEN_MPI
  constexpr bool open_mpi = true;
  constexpr const char* mine = "Open MPI";
#else
  constexpr bool open_mpi = false;
  constexpr const char* mine = "MPICH";
#endif
  static const bool same = [] {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    const std::string_view version(text.data());
    if ((version.find("Open MPI") != version.npos) == open_mpi) return true;
    const std::string first(version.substr(0, version.find('\n')));
    std::fprintf(
        stderr,
        "weft: this libweft_fftw3_mpi was compiled with %s, but the program runs with %s. Use the library of a "
        "Weft that was built with the program's MPI.\n",
        mine, first.c_str());
    usleep(100000);  // as abort_processes, which is of the other MPI
    std::_Exit(1);
  }();
  static_cast<void>(same);
#endif
}

}  // namespace weft::fftw
