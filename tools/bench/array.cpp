#include "array.hpp"

#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace weft::tools {

void* allocate(Index bytes) {
  constexpr Index huge_page = Index{1} << 21;
  const Index alignment = bytes >= huge_page ? huge_page : 64;
  // aligned_alloc wants a multiple of the alignment; nothing is asked for at least one unit of it.
  const Index rounded = (bytes < 1 ? 1 : (bytes + alignment - 1) / alignment) * alignment;
  void* memory = std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(rounded));
  if (memory == nullptr) throw std::bad_alloc();
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  // Only a hint: where it is refused, the pages are small.
  if (alignment == huge_page) madvise(memory, static_cast<std::size_t>(rounded), MADV_HUGEPAGE);
#endif
  return memory;
}

}  // namespace weft::tools
