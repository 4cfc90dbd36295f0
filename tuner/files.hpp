// Where tuning files are, and how files are read and changed. Errors name the file.
#pragma once

#include <string>

#include "weft/error.hpp"

namespace weft::tuner {

/// A file that is not damaged, but cannot be used.
class Unusable : public Error {
 public:
  using Error::Error;
};

/// Held while a file is changed. The system lets go of it when the process ends, however it does.
class Lock {
 public:
  explicit Lock(const std::string& path);
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  std::string path_;
  int file_ = -1;
};

/// The file that is meant by what Tuning::file says; empty: none.
std::string tuning_path(const std::string& asked);
/// A file beside it, of the same name but for the end: its wisdom.
std::string beside(const std::string& path, const std::string& end);

/// Text of a file; empty if it is not there.
std::string read_text(const std::string& path);
/// Writes beside and renames.
void write_text(const std::string& path, const std::string& text);

}  // namespace weft::tuner
