#include "base/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::detail {

namespace {

/// No text that Weft reads comes near; an array would be made for all of it.
constexpr off_t longest_text = off_t{1} << 28;

std::string begun(const std::string& path, const std::string& complaint) {
  return complaint.empty() ? concat("cannot read '", path, "': ") : complaint;
}

/// The open file, or nothing if there is none.
InputFile open_if_there(const std::string& path, const std::string& complaint) {
  // Without O_NONBLOCK, opening a pipe waits for somebody who writes into it.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const int reason = errno;
  if (file < 0 && (reason == ENOENT || reason == ENOTDIR)) return nullptr;
  struct stat there {};
  if (file >= 0 && fstat(file, &there) == 0 && S_ISREG(there.st_mode)) return InputFile(fdopen(file, "rb"));
  if (file >= 0) close(file);
  const char* const kind = S_ISDIR(there.st_mode) ? "it is a folder" : "it is no regular file";
  throw Error(begun(path, complaint) + (file < 0 ? std::strerror(reason) : kind));
}

}  // namespace

InputFile open_input(const std::string& path, const std::string& complaint) {
  InputFile file = open_if_there(path, complaint);
  if (!file) throw Error(begun(path, complaint) + std::strerror(ENOENT));
  return file;
}

std::optional<std::string> read_if_there(const std::string& path, const std::string& complaint) {
  const InputFile file = open_if_there(path, complaint);
  if (!file) return {};
  struct stat there {};
  if (fstat(fileno(file.get()), &there) == 0 && there.st_size > longest_text) {
    throw Error(
        concat(begun(path, complaint), "it has ", there.st_size, " bytes; at most ", longest_text, " are allowed"));
  }
  std::string text;
  char block[1 << 14];
  for (std::size_t got = 0; (got = std::fread(block, 1, sizeof block, file.get())) > 0;) text.append(block, got);
  if (std::ferror(file.get()) != 0) throw Error(begun(path, complaint) + std::strerror(errno));
  return text;
}

std::string read_file(const std::string& path, const std::string& complaint) {
  std::optional<std::string> text = read_if_there(path, complaint);
  if (!text) throw Error(begun(path, complaint) + std::strerror(ENOENT));
  return *std::move(text);
}

}  // namespace weft::detail
