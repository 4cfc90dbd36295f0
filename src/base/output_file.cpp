#include "base/output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::detail {

OutputFile::OutputFile(std::string path, std::string complaint)
    : path_(std::move(path)),
      complaint_(complaint.empty() ? concat("cannot write '", path_, "': ") : std::move(complaint)) {
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
  file_ = std::fopen(beside_.c_str(), "wb");
  if (file_ == nullptr) fail(errno);
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!beside_.empty()) std::remove(beside_.c_str());
}

void OutputFile::write(const void* data, std::size_t bytes) {
  if (bytes > 0 && error_ == 0 && std::fwrite(data, 1, bytes, file_) != bytes) error_ = errno != 0 ? errno : EIO;
}

void OutputFile::commit() {
  if (error_ != 0) fail(error_);
  std::FILE* const file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail(errno);
  if (beside_.empty()) return;
  if (std::rename(beside_.c_str(), path_.c_str()) != 0) fail(errno);
  beside_.clear();
}

void OutputFile::fail(int reason) const { throw Error(complaint_ + std::strerror(reason)); }

}  // namespace weft::detail
