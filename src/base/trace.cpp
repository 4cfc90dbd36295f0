#include "base/trace.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>

#include "base/clock.hpp"
#include "base/mpi.hpp"
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

/// Chrome's trace event format, written beside its name and renamed.
class TraceFile {
 public:
  explicit TraceFile(const std::string& path) : path_(path), beside_(concat(path, '.', getpid(), ".tmp")) {
    if (std::filesystem::is_directory(path_)) throw Error(concat("trace is '", path_, "', which is a folder"));
    // It would be replaced.
    if (std::filesystem::exists(path_) && !std::filesystem::is_regular_file(path_)) {
      throw Error(concat("trace is '", path_, "', which is no file"));
    }
    errno = 0;
    out_.open(beside_, std::ios::binary);
    if (!out_) fail();
    const std::string head = concat(R"({"displayTimeUnit":"ms","otherData":{"program":"weft","version":")",
                                    WEFT_VERSION, R"(","job":")", process_name(), R"("},"traceEvents":[)");
    if (!take_over(head)) out_ << head;
  }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  ~TraceFile() {
    if (!beside_.empty()) std::remove(beside_.c_str());
  }

  /// Begins a group of events, which `more` continues.
  void begin() {
    out_ << (first_ ? "\n" : ",\n");
    first_ = false;
  }
  void more(std::string_view text) { out_.write(text.data(), static_cast<std::streamsize>(text.size())); }

  void commit() {
    errno = 0;
    out_ << trace_end;
    out_.close();
    if (!out_ || std::rename(beside_.c_str(), path_.c_str()) != 0) fail();
    beside_.clear();
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
      out_.write(piece.data(), old.gcount());
      left -= old.gcount();
    }
    return true;
  }

  [[noreturn]] void fail() {
    const std::string reason = errno != 0 ? std::strerror(errno) : "the file system refuses";
    std::remove(beside_.c_str());
    throw Error(concat("trace is '", path_, "', which cannot be written: ", reason));
  }

  std::string path_, beside_;
  std::ofstream out_;
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
