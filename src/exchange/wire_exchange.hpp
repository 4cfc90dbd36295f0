// An exchange by any strategy whose blocks travel in another format than that in which passes write and read them.
#pragma once

#include <memory>

#include "exchange/exchange.hpp"

namespace weft::detail {

/// `inner` moves the blocks in the format of the plan, whose offsets lead into `workspace`, as do those of what passes
/// write and read. A tile is converted when it is started and when it has come, by so many threads.
std::unique_ptr<Exchange> make_wire_exchange(const ExchangePlan& plan, std::unique_ptr<Exchange> inner,
                                             std::byte* workspace, int threads);

}  // namespace weft::detail
