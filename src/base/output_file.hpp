// Files that are written whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace weft::detail {

/// Whether the text can be meant as the name of a file: no word or number that is a value of another option (true, 1,
/// none), no name of a folder, and nothing that cannot be printed. Who wants a file of such a name writes "./true".
bool is_file_name(std::string_view text);

/// Written beside its path and renamed by `commit`, so that nobody ever sees half a file; without `commit` nothing is
/// left, also of a process that is killed, where the file system can have files without names. What is no file
/// (/dev/null, a pipe) is written to, and never replaced. Errors are thrown by the constructor and by `commit`; what is
/// written after one is lost.
class OutputFile {
 public:
  /// Errors say `complaint` and the reason; empty: "cannot write 'path': ".
  explicit OutputFile(std::string path, std::string complaint = {});
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

 private:
  [[noreturn]] void fail(int reason) const;
  std::string path_, complaint_, beside_;  ///< no `beside` for what is no file
  std::FILE* file_ = nullptr;
  bool nameless_ = false;     ///< it is not beside yet
  std::uintmax_t bytes_ = 0;  ///< that were to be written
  int error_ = 0;             ///< of the first write that failed
};

}  // namespace weft::detail
