// Files that programs write.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace weft::tools {

/// Written beside its path and renamed by `commit`, so that nobody ever sees half a file; without `commit` nothing is
/// left. What is no file (/dev/null, a pipe) is written to, and never replaced. Errors name the path.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(const void* data, std::size_t bytes);
  void commit();

 private:
  [[noreturn]] void fail(int reason) const;
  std::string path_, beside_;  ///< no `beside` for what is no file
  std::FILE* file_ = nullptr;
};

}  // namespace weft::tools
