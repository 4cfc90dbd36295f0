// What a kernel asks the cache for while it computes.
#pragma once

#include <cstdint>

namespace weft::detail {

/// Memory that will be wanted next, in runs. Plain data: it goes to code that is compiled for other processors.
struct Ahead {
  struct Run {
    const char* at;
    const char* end;
  };
  Run *next = nullptr, *last = nullptr;  ///< those that are not asked for yet, the first from where it is not
  std::int64_t lines = 0;                ///< of the cache, to ask for after each butterfly
};

}  // namespace weft::detail
