#include "next.hpp"

#include <dlfcn.h>

#include "base/text.hpp"
#include "report.hpp"

namespace weft::fftw {

using detail::concat;

void* next_function(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) fail(concat(name, " was not found in any library after libweft_fftw3_mpi; is FFTW there?"));
  return found;
}

void* next_mpi_function(const char* name, const char* library) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found != nullptr || *library == '\0') return found;
  void* const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return opened == nullptr ? nullptr : dlsym(opened, name);
}

bool is_before_fftw(const char* execute) {
  void* const seen = dlsym(RTLD_DEFAULT, execute);
  Dl_info theirs{}, mine{};
  return seen != nullptr && dladdr(seen, &theirs) != 0 &&
         dladdr(reinterpret_cast<const void*>(&next_function), &mine) != 0 && theirs.dli_fbase == mine.dli_fbase;
}

}  // namespace weft::fftw
