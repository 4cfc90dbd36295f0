#include "base/trace.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "base/clock.hpp"
#include "base/mpi.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::detail {

bool Recorder::make_room(std::size_t events) {
  const std::size_t needed = events_.size() + events;
  full_ = full_ || needed > limit;
  if (!full_ && needed > events_.capacity()) events_.reserve(std::min(limit, std::max(needed, 2 * events_.capacity())));
  return !full_;
}

void Recorder::clear() {
  events_.clear();
  left_out_ = 0;
  full_ = false;
}

double clock_offset(MPI_Comm all, MPI_Comm node, const std::vector<int>& nodes) {
  constexpr int rounds = 32, tag = 0;
  int rank = 0;
  WEFT_MPI(all, MPI_Comm_rank(all, &rank));
  double offset = 0;
  for (int other = 1; other < static_cast<int>(nodes.size()); ++other) {
    if (nodes[static_cast<std::size_t>(other)] != other) continue;
    double theirs = 0;
    if (rank == 0) {
      // Rank 0's clock while the other's was read is known best where the answer came fastest.
      double found = 0, least = std::numeric_limits<double>::max();
      for (int round = 0; round < rounds; ++round) {
        const double asked = now();
        WEFT_MPI(all, MPI_Send(nullptr, 0, MPI_BYTE, other, tag, all));
        WEFT_MPI(all, MPI_Recv(&theirs, 1, MPI_DOUBLE, other, tag, all, MPI_STATUS_IGNORE));
        const double answered = now();
        if (answered - asked >= least) continue;
        least = answered - asked;
        found = (asked + answered) / 2 - theirs;
      }
      WEFT_MPI(all, MPI_Send(&found, 1, MPI_DOUBLE, other, tag, all));
    } else if (rank == other) {
      for (int round = 0; round < rounds; ++round) {
        WEFT_MPI(all, MPI_Recv(nullptr, 0, MPI_BYTE, 0, tag, all, MPI_STATUS_IGNORE));
        const double mine = now();
        WEFT_MPI(all, MPI_Send(&mine, 1, MPI_DOUBLE, 0, tag, all));
      }
      WEFT_MPI(all, MPI_Recv(&offset, 1, MPI_DOUBLE, 0, tag, all, MPI_STATUS_IGNORE));
    }
  }
  WEFT_MPI(node, MPI_Bcast(&offset, 1, MPI_DOUBLE, 0, node));
  return offset;
}

namespace {

/// Tells this process from all others that this machine has had since it was booted: its number, and when it began.
std::string process_name() {
  std::ifstream file("/proc/self/stat");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  // The second field is the program's name, which may contain anything; what is wanted is the 22nd.
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string began;
  for (int field = 3; field <= 22; ++field) fields >> began;
  return concat(getpid(), '-', began);
}

constexpr std::string_view trace_end = "\n]}\n";

/// The path, which is that of a file or of nothing: what a trace begins with may be read from there.
const std::string& require_file(const std::string& path) {
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) {
    const bool folder = std::filesystem::is_directory(path);
    throw Error(concat("trace is '", path, folder ? "', which is a folder" : "', which is no file"));
  }
  return path;
}

/// Chrome's trace event format.
class TraceFile {
 public:
  explicit TraceFile(const std::string& path)
      : path_(require_file(path)), out_(path, concat("trace is '", path, "', which cannot be written: ")) {
    const std::string head = concat(R"({"displayTimeUnit":"ms","otherData":{"program":"weft","version":")",
                                    WEFT_VERSION, R"(","job":")", process_name(), R"("},"traceEvents":[)");
    if (!take_over(head)) out_.write(head);
  }

  /// Begins a group of events, which `more` continues.
  void begin() {
    out_.write(first_ ? "\n" : ",\n");
    first_ = false;
  }
  void more(std::string_view text) { out_.write(text); }

  void commit() {
    out_.write(trace_end);
    out_.commit();
  }

 private:
  /// Begins with the events that are there already, if this process has written them.
  bool take_over(const std::string& head) {
    std::ifstream old(path_, std::ios::binary | std::ios::ate);
    if (!old) return false;
    const auto size = static_cast<std::int64_t>(old.tellg());
    std::int64_t left = size - static_cast<std::int64_t>(trace_end.size());
    std::string piece(head.size(), '\0');
    old.seekg(0);
    if (!old.read(piece.data(), static_cast<std::streamsize>(piece.size())) || piece != head) return false;
    first_ = left == static_cast<std::int64_t>(head.size());
    old.seekg(0);
    piece.resize(std::size_t{1} << 20);
    while (left > 0 && old) {
      old.read(piece.data(), static_cast<std::streamsize>(std::min(left, static_cast<std::int64_t>(piece.size()))));
      out_.write(piece.data(), static_cast<std::size_t>(old.gcount()));
      left -= old.gcount();
    }
    return true;
  }

  std::string path_;
  OutputFile out_;
  bool first_ = true;
};

}  // namespace

void require_trace_file(MPI_Comm comm, const std::string& path) {
  int rank = 0;
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank));
  all_or_none(comm, [&] {
    if (rank == 0) TraceFile attempt(path);
  });
}

void write_trace(MPI_Comm comm, const std::string& path, const std::string& events) {
  constexpr std::int64_t piece = std::int64_t{1} << 26;
  constexpr int tag = 0;
  int rank = 0, size = 1;
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank));
  WEFT_MPI(comm, MPI_Comm_size(comm, &size));
  std::optional<TraceFile> file;
  all_or_none(comm, [&] {
    if (rank == 0) file.emplace(path);
  });
  // One rank after the other, so that rank 0 never holds more than its own events and a piece of another's. If its disk
  // is full it takes the rest all the same, and says so at the end.
  auto length = static_cast<std::int64_t>(events.size());
  if (rank == 0) {
    if (length > 0) file->begin();
    file->more(events);
    std::string text;
    for (int other = 1; other < size; ++other) {
      WEFT_MPI(comm, MPI_Recv(&length, 1, MPI_INT64_T, other, tag, comm, MPI_STATUS_IGNORE));
      if (length > 0) file->begin();
      for (std::int64_t at = 0; at < length; at += piece) {
        text.resize(static_cast<std::size_t>(std::min(piece, length - at)));
        WEFT_MPI(comm,
                 MPI_Recv(text.data(), static_cast<int>(text.size()), MPI_CHAR, other, tag, comm, MPI_STATUS_IGNORE));
        file->more(text);
      }
    }
  } else {
    WEFT_MPI(comm, MPI_Send(&length, 1, MPI_INT64_T, 0, tag, comm));
    for (std::int64_t at = 0; at < length; at += piece) {
      WEFT_MPI(comm,
               MPI_Send(events.data() + at, static_cast<int>(std::min(piece, length - at)), MPI_CHAR, 0, tag, comm));
    }
  }
  all_or_none(comm, [&] {
    if (file) file->commit();
  });
}

}  // namespace weft::detail
