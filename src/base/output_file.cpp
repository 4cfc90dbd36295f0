#include "base/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::detail {

namespace {

constexpr const char* own_files = "/proc/self/fd";

}  // namespace

bool is_file_name(std::string_view text) {
  std::string word;
  for (const char letter : text) {
    if (std::iscntrl(static_cast<unsigned char>(letter)) != 0) return false;
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  if (word.find_first_not_of(' ') == std::string::npos || word.back() == '/' || word == "none" || word == "null") {
    return false;
  }
  char* end = nullptr;
  std::strtod(word.c_str(), &end);
  return *end != '\0' && !parse_flag(word);
}

OutputFile::OutputFile(std::string path, std::string complaint)
    : path_(std::move(path)),
      complaint_(complaint.empty() ? concat("cannot write '", path_, "': ") : std::move(complaint)) {
  if (!is_file_name(path_)) {
    const std::string named = "./" + path_;
    throw Error(concat(complaint_, "that is no name of a file",
                       is_file_name(named) ? concat("; a file of that name is '", named, "'") : ""));
  }
  std::error_code ignored;
  const std::filesystem::file_status there = std::filesystem::status(path_, ignored);
  if (std::filesystem::is_directory(there)) throw Error(complaint_ + "it is a folder");
  if (std::filesystem::exists(there)) {
    // Renaming would replace it even where writing is not allowed.
    if (access(path_.c_str(), W_OK) != 0) fail(errno);
    if (!std::filesystem::is_regular_file(there)) {
      file_ = std::fopen(path_.c_str(), "wb");
      if (file_ == nullptr) fail(errno);
      return;
    }
  }
  beside_ = concat(path_, '.', getpid(), ".tmp");
#ifdef O_TMPFILE
  // It has a name when it is whole: of a process that is killed nothing is left. Not all file systems can.
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const int file = access(own_files, X_OK) == 0
                       ? open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666)
                       : -1;
  if (file >= 0) {
    nameless_ = true;
    file_ = fdopen(file, "wb");
    return;
  }
#endif
  file_ = std::fopen(beside_.c_str(), "wb");
  if (file_ == nullptr) fail(errno);
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!beside_.empty() && !nameless_) std::remove(beside_.c_str());
}

void OutputFile::write(const void* data, std::size_t bytes) {
  bytes_ += bytes;
  if (bytes > 0 && error_ == 0 && std::fwrite(data, 1, bytes, file_) != bytes) error_ = errno != 0 ? errno : EIO;
}

void OutputFile::commit() {
  if (error_ != 0) fail(error_);
  if (std::fflush(file_) != 0) fail(errno);
  struct stat there {};
  if (!beside_.empty() && fstat(fileno(file_), &there) != 0) fail(errno);
  if (!beside_.empty() && static_cast<std::uintmax_t>(there.st_size) != bytes_) fail(EIO);
  if (nameless_) {
    std::remove(beside_.c_str());
    const std::string self = concat(own_files, '/', fileno(file_));
    if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, beside_.c_str(), AT_SYMLINK_FOLLOW) != 0) fail(errno);
    nameless_ = false;
  }
  std::FILE* const file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail(errno);
  if (beside_.empty()) return;
  if (std::rename(beside_.c_str(), path_.c_str()) != 0) fail(errno);
  beside_.clear();
}

void OutputFile::fail(int reason) const { throw Error(complaint_ + std::strerror(reason)); }

}  // namespace weft::detail
