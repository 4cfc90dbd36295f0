// Routes in words and as JSON, for all kinds of plans.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "plan/stages.hpp"

namespace weft::detail {

/// "1.5 MiB"
std::string bytes_text(Index bytes);
nlohmann::json box_json(const Box& box);
nlohmann::json route_json(const Route& route, const Plan::Traffic& traffic);
void print_traffic(std::ostream& out, const Plan::Traffic& traffic);
void print_route(std::ostream& out, const Route& route, const Plan::Traffic& traffic);

}  // namespace weft::detail
