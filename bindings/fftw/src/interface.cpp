#include "interface.hpp"

#include <atomic>
#include <exception>
#include <vector>

#include "base/checked.hpp"
#include "base/mpi.hpp"
#include "base/text.hpp"
#include "plan.hpp"

namespace weft::fftw {

using detail::concat;

template <class Real>
void* planned(const Request& request, bool in_front, bool fftw, const std::function<void*()>& fallback) {
  int ranks = 0;
  MPI_Comm_size(request.comm, &ranks);
  if (!valid(request, ranks)) return nullptr;
  const auto told = [&] {
    return describe(request, sizeof(Real) == 8 ? Precision::double_ : Precision::single_, request.in == request.out);
  };
  std::string why = obstacle(request);
  if (why.empty() && !in_front) {
    why = "the program calls FFTW's own fftw_execute: link -lweft_fftw3_mpi before -lfftw3";
    static std::atomic<bool> told_once = false;
    if (!verbose() && !told_once.exchange(true)) say(request.comm, concat("nothing is done by Weft: ", why));
  }
  if (!why.empty()) {
    if (verbose()) say(request.comm, concat(told(), fftw ? ": FFTW, because " : ": no plan, because ", why));
    return fftw ? fallback() : nullptr;
  }
  if ((request.flags & FFTW_WISDOM_ONLY) != 0) {
    if (verbose()) say(request.comm, concat(told(), ": no plan, because Weft keeps no wisdom of such plans"));
    return nullptr;
  }
  try {
    auto plan = make_plan<Real>(request);
    if (verbose()) say(request.comm, concat(told(), ": Weft"));
    return handles().add(std::move(plan));
  } catch (const std::exception& error) {
    say(request.comm, concat(told(), ": no plan: ", error.what()));
    return nullptr;
  }
}

template void* planned<float>(const Request&, bool, bool, const std::function<void*()>&);
template void* planned<double>(const Request&, bool, bool, const std::function<void*()>&);

void run_plan(const void* handle, const char* function, const std::function<void(WeftPlan&)>& run) {
  try {
    WeftPlan* const plan = handles().plan(handle);
    if (plan == nullptr) throw Error("the plan has been destroyed");
    run(*plan);
  } catch (const std::exception& error) {
    fail(concat("fftw_", function, ": ", error.what()));
  }
}

void destroy_plan(void* handle) {
  const auto plan = handles().take(handle);
  if (plan == nullptr) fail("fftw_destroy_plan: the plan has been destroyed before");
}

namespace {

/// Every rank's text on rank 0, one after the other; nothing elsewhere.
std::vector<std::string> gathered(MPI_Comm comm, const std::string& mine) {
  int rank = 0, ranks = 0;
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank));
  WEFT_MPI(comm, MPI_Comm_size(comm, &ranks));
  const int length = detail::narrow<int>(mine.size(), "the length of the wisdom");
  std::vector<int> lengths(static_cast<std::size_t>(ranks)), places(lengths.size());
  WEFT_MPI(comm, MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm));
  int total = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    places[i] = total;
    total += lengths[i];
  }
  std::string all(static_cast<std::size_t>(total), ' ');
  WEFT_MPI(comm,
           MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), places.data(), MPI_CHAR, 0, comm));
  std::vector<std::string> texts;
  for (std::size_t i = 0; rank == 0 && i < lengths.size(); ++i) {
    texts.push_back(all.substr(static_cast<std::size_t>(places[i]), static_cast<std::size_t>(lengths[i])));
  }
  return texts;
}

}  // namespace

void gather_texts(MPI_Comm comm, const std::string& mine, const std::function<void(const std::string&)>& take) {
  try {
    const std::vector<std::string> texts = gathered(comm, mine);
    for (std::size_t rank = 1; rank < texts.size(); ++rank) take(texts[rank]);
  } catch (const std::exception& error) {
    fail(concat("fftw_mpi_gather_wisdom: ", error.what()));
  }
}

void broadcast_text(MPI_Comm comm, const std::string& mine, const std::function<void(const std::string&)>& take) {
  try {
    int rank = 0;
    WEFT_MPI(comm, MPI_Comm_rank(comm, &rank));
    const std::string text = detail::broadcast(comm, mine);
    if (rank != 0) take(text);
  } catch (const std::exception& error) {
    fail(concat("fftw_mpi_broadcast_wisdom: ", error.what()));
  }
}

}  // namespace weft::fftw
