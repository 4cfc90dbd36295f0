#include "output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "program.hpp"

namespace weft::tools {

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  const std::filesystem::file_status there = std::filesystem::status(path_, ignored);
  if (std::filesystem::is_directory(there)) throw Error(text("cannot write '%s': it is a folder", path_.c_str()));
  if (std::filesystem::exists(there)) {
    // Renaming would replace it even where writing is not allowed.
    if (access(path_.c_str(), W_OK) != 0) fail(errno);
    if (!std::filesystem::is_regular_file(there)) {
      file_ = std::fopen(path_.c_str(), "wb");
      if (file_ == nullptr) fail(errno);
      return;
    }
  }
  beside_ = path_ + text(".%ld.tmp", static_cast<long>(getpid()));
  file_ = std::fopen(beside_.c_str(), "wb");
  if (file_ == nullptr) fail(errno);
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!beside_.empty()) std::remove(beside_.c_str());
}

void OutputFile::write(const void* data, std::size_t bytes) {
  if (bytes > 0 && std::fwrite(data, 1, bytes, file_) != bytes) fail(errno);
}

void OutputFile::commit() {
  std::FILE* const file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail(errno);
  if (beside_.empty()) return;
  if (std::rename(beside_.c_str(), path_.c_str()) != 0) fail(errno);
  beside_.clear();
}

void OutputFile::fail(int reason) const {
  throw Error(text("cannot write '%s': %s", path_.c_str(), std::strerror(reason)));
}

}  // namespace weft::tools
