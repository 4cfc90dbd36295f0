// Errors as codes, communicators, and what else the functions share.
#include "handles.hpp"

#include <new>

#include "weft/memory.hpp"

namespace weft::c {

namespace {

/// The last failure of a thread; a text of its own where there is no memory for one.
struct Failure {
  std::string text;
  const char* message = "";
};
Failure& failure() {
  thread_local Failure last;
  return last;
}

int fail(int code, const char* message) noexcept {
  Failure& last = failure();
  try {
    last.text = message;
    last.message = last.text.c_str();
  } catch (...) {
    last.message = "there is not enough memory, not even for the message";
  }
  return code;
}

const char* name_of(int type) {
  switch (type) {
    case WEFT_FLOAT: return "float";
    case WEFT_DOUBLE: return "double";
    case WEFT_COMPLEX_FLOAT: return "complex float";
    case WEFT_COMPLEX_DOUBLE: return "complex double";
    default: return "an unknown type";
  }
}

/// Throws unless the MPI library that runs is of the kind that Weft was compiled with.
void require_mpi_that_runs() {
  // The other library's texts may be longer than MPI_MAX_LIBRARY_VERSION_STRING says here.
  static const std::string running = [] {
    std::string text(65536, '\0');
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    return text.substr(0, text.find_first_of(std::string_view("\n\0", 2)));
  }();
  const std::string_view compiled = WEFT_MPI_LIBRARY;
  const bool open_mpi = running.starts_with("Open MPI");
  if ((compiled == "Open MPI") != open_mpi && (compiled.starts_with("MPICH") || !open_mpi)) {
    throw WrongMpiLibrary(concat("Weft was compiled with ", compiled, ", and the program runs with ", running,
                                 "; use the Weft that was made for that MPI library"));
  }
}

}  // namespace

int failed() noexcept {
  try {
    throw;
  } catch (const WrongMpiLibrary& error) {
    return fail(WEFT_ERROR_MPI_LIBRARY, error.what());
  } catch (const Error& error) {
    return fail(WEFT_ERROR, error.what());
  } catch (const std::bad_alloc&) {
    return fail(WEFT_ERROR_MEMORY, "there is not enough memory");
  } catch (const std::exception& error) {
    return fail(WEFT_ERROR_INTERNAL, error.what());
  } catch (...) {
    return fail(WEFT_ERROR_INTERNAL, "an exception of an unknown kind");
  }
}

MPI_Comm communicator(const weft_comm* comm) {
  need(comm, "comm");
  const std::string_view compiled = WEFT_MPI_LIBRARY;
  if (need_text(comm->library, "the name of the MPI library") != compiled || comm->size != sizeof(MPI_Comm)) {
    throw WrongMpiLibrary(concat("the program was compiled with ", comm->library, " (an MPI_Comm has ", comm->size,
                                 " bytes), Weft with ", compiled, " (", sizeof(MPI_Comm),
                                 "); use the Weft that was made for that MPI library"));
  }
  require_mpi_that_runs();
  return *static_cast<const MPI_Comm*>(comm->handle);
}

MPI_Comm communicator(int comm) {
  require_mpi_that_runs();
  int running = 0;
  MPI_Initialized(&running);
  // Without MPI there are no numbers of communicators; that it does not run is told where one is used.
  return running ? detail::communicator_of(comm) : MPI_COMM_NULL;
}

std::string& thread_text() {
  thread_local std::string text;
  return text;
}

Direction direction_of(int direction) {
  if (direction == WEFT_FORWARD) return Direction::forward;
  if (direction == WEFT_BACKWARD) return Direction::backward;
  throw Error(concat("direction is ", direction, "; allowed are WEFT_FORWARD (-1) and WEFT_BACKWARD (+1)"));
}

std::size_t axis_of(int axis, int axes) {
  if (axis < 0 || axis >= axes) {
    throw Error(concat("axis is ", axis, "; allowed are ", bindings::axes_text(0, axes)));
  }
  return static_cast<std::size_t>(axis);
}

std::span<const GVector> waves_of(int64_t count, const int64_t* waves) {
  static_assert(sizeof(GVector) == 3 * sizeof(int64_t));
  const auto* const list = reinterpret_cast<const GVector*>(waves);
  return need_array(list, count, "waves");
}

std::vector<std::vector<GVector>> waves_of_ranks(int ranks, const int64_t* counts, const int64_t* waves,
                                                 const char* name) {
  std::vector<std::vector<GVector>> all;
  int64_t total = 0;
  for (const int64_t count : need_array(counts, ranks, "counts")) {
    need_array(waves, count, name);
    total += count;
  }
  std::span<const GVector> rest = waves_of(total, waves);
  for (const int64_t count : need_array(counts, ranks, "counts")) {
    const auto part = rest.first(static_cast<std::size_t>(count));
    all.emplace_back(part.begin(), part.end());
    rest = rest.subspan(part.size());
  }
  return all;
}

int32_t type_of(Precision precision, bool real) {
  if (precision == Precision::single_) return real ? WEFT_FLOAT : WEFT_COMPLEX_FLOAT;
  return real ? WEFT_DOUBLE : WEFT_COMPLEX_DOUBLE;
}

std::string objection(const char* name, int type, int64_t size, int32_t type_needed, Index needed, int rank) {
  if (type != type_needed) {
    return concat(name, " holds ", name_of(type), " on rank ", rank, "; ", name_of(type_needed), " is needed");
  }
  if (size >= 0 && size < needed) {
    return concat(name, " holds ", size, " elements on rank ", rank, "; at least ", needed, " are needed");
  }
  return {};
}

weft_traffic traffic_of(const Plan::Traffic& t) {
  return {t.messages,         t.data_messages,         t.bytes,        t.all_messages, t.all_data_messages, t.all_bytes,
          t.network_messages, t.network_data_messages, t.network_bytes};
}

weft_statistics statistics_of(const Statistics& s) {
  return {s.executions,    s.total,
          s.compute,       s.start,
          s.test,          s.wait,
          s.check,         s.bytes_read,
          s.bytes_written, s.messages,
          s.bytes_sent,    static_cast<int64_t>(s.exchanges.size()),
          s.wire_error,    s.core_round_trip,
          s.core_moves};
}

weft_exchange_statistics exchange_of(const Statistics& statistics, int64_t index) {
  const auto count = static_cast<int64_t>(statistics.exchanges.size());
  if (index < 0 || index >= count) {
    throw Error(concat("exchange ", index, " is asked for; there are ", count, ", counted from 0"));
  }
  const ExchangeStatistics& r = statistics.exchanges[static_cast<std::size_t>(index)];
  return {static_cast<int32_t>(r.direction),
          r.number,
          r.start,
          r.test,
          r.wait,
          r.in_flight,
          r.hidden,
          r.messages,
          r.bytes_sent};
}

}  // namespace weft::c

using namespace weft;

template <class Comm>
static int agree(const char* message, Comm comm) {
  return c::among(
      comm,
      [&] {
        if (message != nullptr && *message != '\0') throw Error(message);
      },
      [](MPI_Comm) {});
}
int weft_agree_on(const char* message, const weft_comm* comm) { return agree(message, comm); }
int weft_agree_f(const char* message, int comm) { return agree(message, comm); }

const char* weft_error_message() { return c::failure().message; }

int weft_memory_create(int64_t bytes, void** memory) {
  if (memory != nullptr) *memory = nullptr;
  return c::guarded([&] {
    void*& made = c::need(memory, "the address of memory");
    if (bytes < 0) throw Error(c::concat("bytes is ", bytes, "; at least 0 is needed"));
    made = allocate_field(static_cast<std::size_t>(bytes));
  });
}

int weft_memory_destroy(void** memory) {
  return c::guarded([&] {
    free_field(c::need(memory, "the address of memory"));
    *memory = nullptr;
  });
}

const char* weft_version() {
  static const std::string text = version();
  return text.c_str();
}
