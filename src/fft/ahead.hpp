// What a kernel asks the cache for while it computes.
#pragma once

#include <cstdint>

namespace weft::detail {

/// Memory that will be wanted next, in runs. Plain data: it goes to code that is compiled for other processors.
struct Ahead {
  struct Run {
    const char* at;
    const char* end;
    char* to;  ///< where it is copied, in cache; null: it is only asked for
  };
  Run *next = nullptr, *last = nullptr;  ///< those that are not done yet, the first from where it is not
  std::int64_t lines = 0;                ///< of the cache, to do after each butterfly
  std::int64_t runs_before = 0;  ///< what is copied is asked for so many runs before; there are as many after the last
};

}  // namespace weft::detail
