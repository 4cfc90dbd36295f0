// Routes in words and as JSON, for all kinds of plans.
#pragma once

#include <iosfwd>
#include <string>

#include "base/json.hpp"
#include "plan/stages.hpp"

namespace weft::detail {

/// "1.5 MiB"
std::string bytes_text(Index bytes);
/// The options that have a text, by name.
/// "96 x 96 x 96 with 64 x 64 x 64 modes", where some are left out.
std::string shape_text(const Problem& problem);
Json options_json(const Options& options);
Json box_json(const Box& box);
Json route_json(const Route& route, const Plan::Traffic& traffic);
void print_traffic(std::ostream& out, const Plan::Traffic& traffic);
void print_route(std::ostream& out, const Route& route, const Plan::Traffic& traffic);

}  // namespace weft::detail
