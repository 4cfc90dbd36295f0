// Files of users, read: whatever is wrong with one is an error that names it.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace weft::detail {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using InputFile = std::unique_ptr<std::FILE, CloseFile>;

/// The file, opened. Only a regular file is one: a pipe or a device may have nothing to say for ever, or never end.
/// Errors say `complaint` and the reason; empty: "cannot read 'path': ".
InputFile open_input(const std::string& path, const std::string& complaint = {});

/// All of a text file; nothing if it is not there.
std::optional<std::string> read_if_there(const std::string& path, const std::string& complaint = {});
/// The same, but a file that is not there is an error.
std::string read_file(const std::string& path, const std::string& complaint = {});

}  // namespace weft::detail
