#include "base/ending.hpp"

#include <atomic>
#include <exception>

namespace weft::detail {

namespace {
std::atomic<bool> ends = false, fails = false;
}

void program_ends(bool failed) {
  fails = failed;
  ends = true;
}

void object_outlives_program() { ends = true; }

bool ends_by_exception() { return std::uncaught_exceptions() > 0 || fails; }
bool ends_anyhow() { return ends_by_exception() || ends; }

}  // namespace weft::detail
