#include "report.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/mpi.hpp"

namespace weft::fftw {

bool verbose() {
  static const bool wanted = [] {
    const char* text = std::getenv("WEFT_FFTW_VERBOSE");
    return text != nullptr && *text != '\0' && std::string_view(text) != "0";
  }();
  return wanted;
}

void say(MPI_Comm comm, const std::string& line) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) std::fprintf(stderr, "weft: %s\n", line.c_str());
}

void fail(const std::string& line) {
  std::fprintf(stderr, "weft: %s\n", line.c_str());
  detail::abort_processes(MPI_COMM_WORLD);
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
