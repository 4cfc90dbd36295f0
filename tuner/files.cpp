#include "files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"

namespace weft::tuner {

using detail::concat;
namespace fs = std::filesystem;

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Lock::Lock(const std::string& path) : path_(path + ".lock") {
  file_ = open(path_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (file_ < 0) throw Error(concat("cannot write '", path_, "': ", std::strerror(errno)));
  while (flock(file_, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    const int reason = errno;
    close(file_);
    throw Error(concat("cannot lock '", path_, "': ", std::strerror(reason)));
  }
}

Lock::~Lock() { close(file_); }

std::string tuning_path(const std::string& asked) {
  std::string path = asked.empty() ? variable("WEFT_TUNING_FILE") : asked;
  if (path == "none") return {};
  if (!path.empty()) return path;
  const std::string cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (!cache.empty()) return cache + "/weft/tuning.json";
  if (!home.empty()) return home + "/.cache/weft/tuning.json";
  return {};
}

std::string beside(const std::string& path, const std::string& end) {
  return (fs::path(path).parent_path() / fs::path(path).stem()).string() + end;
}

std::string read_text(const std::string& path) {
  try {
    return detail::read_if_there(path).value_or("");
  } catch (const Error& error) {
    throw Unusable(error.what());
  }
}

void write_text(const std::string& path, const std::string& text) {
  detail::OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace weft::tuner
