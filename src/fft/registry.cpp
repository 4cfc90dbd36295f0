// The one list of serial FFT backends.
#include "base/text.hpp"
#include "fft/serial.hpp"

namespace weft::detail {

Backend automatic_backend();
Backend fftw_backend();
Backend lanes_backend();
Backend reference_backend();
#ifdef WEFT_HAVE_MKL
Backend mkl_backend();
#endif

const std::vector<Backend>& backend_registry() {
  static const std::vector<Backend> registry{
      automatic_backend(), lanes_backend(), fftw_backend(),
#ifdef WEFT_HAVE_MKL
      mkl_backend(),
#endif
      reference_backend(),
  };
  return registry;
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const Backend& backend : backend_registry()) names.push_back(backend.name);
  return names;
}

const Backend& find_backend(const std::string& name) {
  for (const Backend& backend : backend_registry()) {
    if (backend.name == name) return backend;
  }
  throw Error(concat("backend is '", name, "'; allowed are ", join(backend_names())));
}

}  // namespace weft::detail
