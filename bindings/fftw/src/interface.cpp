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

namespace {

template <class Real>
void* make(const Request& request, bool in_front, bool fftw, const std::function<void*()>& fallback) {
  constexpr Precision precision = sizeof(Real) == 8 ? Precision::double_ : Precision::single_;
  const auto told = [&] { return describe(request, precision, request.in == request.out); };
  const auto no_plan = [&](const std::string& why) {
    say(request.comm, concat(told(), ": no plan: ", why));
    return nullptr;
  };
  if (const std::string why = unusable(request.comm); !why.empty()) return no_plan(why);
  try {
    require_valid(request, precision);
  } catch (const std::exception& error) {
    return no_plan(error.what());
  }
  std::string why = obstacle(request);
  if (why.empty() && !in_front) {
    why = "the program calls FFTW's own fftw_execute: link -lweft_fftw3_mpi before -lfftw3";
    static std::atomic<bool> told_once = false;
    if (!verbose() && !told_once.exchange(true)) say(request.comm, concat("nothing is done by Weft: ", why));
  }
  if (!why.empty()) {
    const bool wisdom_only = (request.flags & FFTW_WISDOM_ONLY) != 0;
    if (!fftw) return no_plan(concat(why, ", and FFTW has no MPI library for the one that runs here"));
    if (verbose()) say(request.comm, concat(told(), ": FFTW, because ", why));
    void* const plan = fallback();
    if (plan == nullptr && (!wisdom_only || verbose())) no_plan(concat("FFTW has none, and ", why));
    return plan;
  }
  if ((request.flags & FFTW_WISDOM_ONLY) != 0) {
    if (verbose()) say(request.comm, concat(told(), ": no plan, because Weft keeps no wisdom of such plans"));
    return nullptr;
  }
  try {
    auto plan = make_plan<Real>(request);
    void* handle = nullptr;
    try {
      detail::all_or_none(request.comm, [&] { handle = handles().add(plan); });
    } catch (const std::exception&) {
      if (handle != nullptr) plan = handles().take(handle);
      throw;
    }
    if (verbose()) say(request.comm, concat(told(), ": Weft"));
    return handle;
  } catch (const std::exception& error) {
    return no_plan(error.what());
  }
}

}  // namespace

template <class Real>
void* planned(const Request& request, bool in_front, bool fftw, const std::function<void*()>& fallback) {
  void* const plan = make<Real>(request, in_front, fftw, fallback);
  note_plan(handles().mine(plan));
  return plan;
}

template void* planned<float>(const Request&, bool, bool, const std::function<void*()>&);
template void* planned<double>(const Request&, bool, bool, const std::function<void*()>&);

void run_plan(const void* handle, const char* function, const std::function<void(WeftPlan&)>& run) {
  try {
    if (handle == nullptr) throw Error("the plan is NULL; the planner function has said why");
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
    require_usable(comm);
    const std::vector<std::string> texts = gathered(comm, mine);
    for (std::size_t rank = 1; rank < texts.size(); ++rank) take(texts[rank]);
  } catch (const std::exception& error) {
    fail(concat("fftw_mpi_gather_wisdom: ", error.what()));
  }
}

void broadcast_text(MPI_Comm comm, const std::string& mine, const std::function<void(const std::string&)>& take) {
  try {
    require_usable(comm);
    int rank = 0;
    WEFT_MPI(comm, MPI_Comm_rank(comm, &rank));
    const std::string text = detail::broadcast(comm, mine);
    if (rank != 0) take(text);
  } catch (const std::exception& error) {
    fail(concat("fftw_mpi_broadcast_wisdom: ", error.what()));
  }
}

}  // namespace weft::fftw
