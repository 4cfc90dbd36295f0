// What a run leaves behind: tables in CSV, and the state to go on from. And a bar that says how far it is.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "flow.hpp"

namespace turbulence {

/// Throws on all ranks what is wrong on any: the message of the first that has one.
inline void agree(std::string wrong, MPI_Comm comm) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  int first = wrong.empty() ? ranks : rank;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == ranks) return;
  wrong.resize(1000);
  MPI_Bcast(wrong.data(), 1000, MPI_CHAR, first, comm);
  throw weft::Error(wrong.c_str());
}

/// What somebody else may have made: a pipe or a device would be waited for, perhaps for ever.
inline bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

/// Lines of numbers by time. When a run goes on from a restart file, lines of later times are left out.
class Table {
 public:
  Table(const std::string& path, const std::string& head, double time, bool again) {
    std::string kept = head + '\n', line;
    if (again && is_file(path)) {
      std::ifstream before(path);
      if (std::getline(before, line) && line == head) {
        while (std::getline(before, line) && std::atof(line.c_str()) <= time + 1e-9) kept += line + '\n';
      }
    }
    // What there is of an earlier run goes only when what is kept of it is on the disk.
    const std::string part = path + ".part";
    std::ofstream begun(part);
    begun << kept;
    begun.close();
    if (!begun || std::rename(part.c_str(), path.c_str()) != 0) {
      std::remove(part.c_str());
      file_.setstate(std::ios::failbit);
      return;
    }
    file_.open(path, std::ios::app);
    file_.precision(9);
  }
  std::ostream& line() { return file_; }
  void flush() { file_.flush(); }
  bool good() const { return file_.good(); }

 private:
  std::ofstream file_;
};

/// Where a run stands. Its file is one line of JSON, filled up to `head` bytes, and then the spectrum of the velocity,
/// for m modes 3 x m0 x m1 x (m2/2+1) complex numbers of 16 bytes: numpy.fromfile(path, complex, offset=4096).
struct State {
  weft::Shape shape{};
  double viscosity = 0, time = 0;
  long step = 0;

  static constexpr int head = 4096;

  std::string json() const {
    std::ostringstream out;
    out.precision(17);
    const auto list = [&](const char* name, const weft::Shape& n) {
      out << '"' << name << "\": [" << n[0] << ", " << n[1] << ", " << n[2] << "], ";
    };
    out << '{';
    list("shape", shape);
    list("modes", kept_modes(shape));
    out << "\"viscosity\": " << viscosity << ", \"time\": " << time << ", \"step\": " << step << "}";
    std::string text = out.str();
    text.resize(head - 1, ' ');
    return text + '\n';
  }
  bool parse(const std::string& text) {
    weft::Shape modes{};
    return std::sscanf(text.c_str(),
                       "{\"shape\": [%" SCNd64 ", %" SCNd64 ", %" SCNd64 "], \"modes\": [%" SCNd64 ", %" SCNd64
                       ", %" SCNd64 "], \"viscosity\": %lf, \"time\": %lf, \"step\": %ld}",
                       &shape[0], &shape[1], &shape[2], &modes[0], &modes[1], &modes[2], &viscosity, &time,
                       &step) == 9 &&
           modes == kept_modes(shape);
  }
  std::streamoff bytes() const {
    const weft::Shape modes = kept_modes(shape);
    return head + static_cast<std::streamoff>(sizeof(Vector)) * modes[0] * modes[1] * (modes[2] / 2 + 1);
  }
};

/// A restart file, read or written by all ranks at once: the part of each is a box of the whole.
class StateFile {
 public:
  StateFile(std::string path, int mode, MPI_Comm comm) : path_(std::move(path)), comm_(comm) {
    require(MPI_File_open(comm, path_.c_str(), mode, MPI_INFO_NULL, &file_), "opened");
  }
  ~StateFile() {
    if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
  }
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  void read(Flow& flow) {
    move(flow, [](auto... all) { return MPI_File_read_all(all...); }, "read");
  }
  void write(Flow& flow, const State& state) {
    int rank = 0;
    MPI_Comm_rank(comm_, &rank);
    const std::string head = state.json();
    MPI_Status status;
    int code = MPI_SUCCESS, count = State::head;
    if (rank == 0) {
      code = MPI_File_write_at(file_, 0, head.data(), State::head, MPI_CHAR, &status);
      if (code == MPI_SUCCESS) MPI_Get_count(&status, MPI_CHAR, &count);
    }
    require(code, "written", count == State::head);
    move(flow, [](auto... all) { return MPI_File_write_all(all...); }, "written");
    require(MPI_File_sync(file_), "written");
    MPI_Offset size = 0;
    require(MPI_File_get_size(file_, &size), "looked at");
    require(MPI_SUCCESS, "written", size == state.bytes());
    require(MPI_File_close(&file_), "closed");
  }

 private:
  template <class Transfer>
  void move(Flow& flow, const Transfer& transfer, const char* done) {
    const weft::Box& box = flow.product().box;
    const weft::Shape& modes = flow.product().modes;
    int whole[] = {3, 0, 0, 0}, part[] = {3, 0, 0, 0}, first[] = {0, 0, 0, 0};
    for (int axis = 0; axis < 3; ++axis) {
      const auto n = static_cast<std::size_t>(axis);
      whole[axis + 1] = static_cast<int>(axis == 2 ? modes[n] / 2 + 1 : modes[n]);
      part[axis + 1] = static_cast<int>(box.extent(axis));
      first[axis + 1] = static_cast<int>(box.lo[n]);
    }
    MPI_Datatype view = MPI_C_DOUBLE_COMPLEX, field = MPI_C_DOUBLE_COMPLEX;
    if (box.count() > 0) {  // MPI has no subarrays of nothing
      MPI_Type_create_subarray(4, whole, part, first, MPI_ORDER_C, MPI_C_DOUBLE_COMPLEX, &view);
      MPI_Type_commit(&view);
    }
    MPI_Type_contiguous(static_cast<int>(box.count()), MPI_C_DOUBLE_COMPLEX, &field);
    MPI_Type_commit(&field);
    MPI_Status status;
    int code = MPI_File_set_view(file_, State::head, MPI_C_DOUBLE_COMPLEX, view, "native", MPI_INFO_NULL);
    int count = 3;
    if (code == MPI_SUCCESS) code = transfer(file_, flow.velocity().data(), 3, field, &status);
    if (code == MPI_SUCCESS && box.count() > 0) MPI_Get_count(&status, field, &count);
    MPI_Type_free(&field);
    if (box.count() > 0) MPI_Type_free(&view);
    require(code, done, count == 3);
  }

  /// `all`: whether everything was moved, since not all libraries call it an error when something was not.
  void require(int code, const char* done, bool all = true) {
    std::string wrong;
    if (code == MPI_SUCCESS && !all) {
      wrong = "the restart file '" + path_ + "' cannot be " + done + " as a whole";
    }
    if (code != MPI_SUCCESS) {
      char text[MPI_MAX_ERROR_STRING] = "";
      int length = 0;
      MPI_Error_string(code, text, &length);
      wrong = "the restart file '" + path_ + "' cannot be " + done + ": " + text;
    }
    agree(wrong, comm_);
  }

  std::string path_;
  MPI_Comm comm_;
  MPI_File file_ = MPI_FILE_NULL;
};

/// Makes a file of so many bytes, for which there is room then; what is wrong, or nothing. Not all MPI libraries tell
/// when a disk is full.
inline std::string reserved(const std::string& path, std::streamoff bytes) {
  const int file = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  const int reason = file < 0 ? errno : posix_fallocate(file, 0, bytes);
  if (file >= 0) close(file);
  return reason == 0 ? "" : "the restart file '" + path + "' cannot be written: " + std::strerror(reason);
}

/// The file is whole or not there: it gets its name when all of it is written.
inline void save(const std::string& path, Flow& flow, const State& state, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const std::string part = path + ".part";
  try {
    agree(rank == 0 ? reserved(part, state.bytes()) : "", comm);
    StateFile(part, MPI_MODE_WRONLY, comm).write(flow, state);
  } catch (const weft::Error&) {
    if (rank == 0) std::remove(part.c_str());
    throw;
  }
  const bool renamed = rank > 0 || std::rename(part.c_str(), path.c_str()) == 0;
  agree(renamed ? "" : "the restart file '" + path + "' cannot be renamed: " + std::strerror(errno), comm);
}

/// What a restart file says of itself. Collective.
inline State look(const std::string& path, MPI_Comm comm) {
  std::string head(State::head, ' '), wrong;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  State state;
  if (rank == 0) {
    std::ifstream file;
    if (is_file(path)) file.open(path, std::ios::binary);
    if (!file.read(head.data(), State::head)) {
      wrong = "the restart file '" + path + "' cannot be read";
    } else if (!state.parse(head)) {
      wrong = "the restart file '" + path + "' does not begin as such a file does";
    } else if (const std::streamoff bytes = file.seekg(0, std::ios::end).tellg(); bytes != state.bytes()) {
      wrong = "the restart file '" + path + "' has " + std::to_string(bytes) + " bytes; its head asks for " +
              std::to_string(state.bytes());
    }
  }
  agree(wrong, comm);
  MPI_Bcast(head.data(), State::head, MPI_CHAR, 0, comm);
  state.parse(head);
  return state;
}

/// A bar on rank 0's standard error, when that is a terminal, also through `weft run`.
class Progress {
 public:
  Progress(int rank, double begin, double end) : begin_(begin), end_(end) {
    int columns[] = {0, 0};
    const char* const terminals = std::getenv("WEFT_CLI_TERMINALS");
    if (terminals != nullptr) std::sscanf(terminals, "%d %d", &columns[0], &columns[1]);
    shown_ = rank == 0 && (columns[1] > 0 || isatty(STDERR_FILENO) != 0);
  }
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(double time) {
    const double now = MPI_Wtime();
    if (!shown_ || now - last_ < 0.25) return;
    last_ = now;
    const double done = (time - begin_) / (end_ - begin_);
    const std::string bar(static_cast<std::size_t>(30 * std::min(done, 1.0)), '#');
    std::fprintf(stderr, "\r\033[K[%-30s] t = %.3f of %g, %.0f s left ", bar.c_str(), time, end_,
                 done > 0 ? (now - start_) * (1 - done) / done : 0.0);
  }
  /// Makes room for a line of output.
  void clear() const {
    if (shown_) std::fprintf(stderr, "\r\033[K");
  }

 private:
  double begin_, end_, start_ = MPI_Wtime(), last_ = 0;
  bool shown_ = false;
};

}  // namespace turbulence
