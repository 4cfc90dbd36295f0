// Entries of tuning files.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "weft/tuner.hpp"

namespace weft::tuner {

using Json = nlohmann::ordered_json;

/// All entries. A damaged file is set aside (renamed), with a warning; none then. Error for one that cannot be read, or
/// that another version of Weft has made.
Json read_entries(const std::string& path, std::vector<std::string>& warnings);
/// The entries of a file that must be there and be good; Error naming it otherwise.
Json require_entries(const std::string& path);

/// Changes a file under its lock: what it holds then is read, changed, written beside and renamed. Error naming the
/// file if that is impossible. Makes the folder.
void change_entries(const std::string& path, const std::function<void(Json& entries)>& change,
                    std::vector<std::string>& warnings);

/// Puts an entry in; of those with the same key the one of higher effort stays, then the later one. Whether it was
/// taken. `renew`: it is taken in any case.
bool put(Json& entries, const Json& entry, bool renew = false);
/// The entry of that key, of at least that effort, or null.
Json find(const Json& entries, const Json& key, Effort effort);

}  // namespace weft::tuner
