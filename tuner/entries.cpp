#include "entries.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text.hpp"
#include "files.hpp"
#include "known.hpp"
#include "words.hpp"

namespace weft::tuner {

using detail::concat;
namespace fs = std::filesystem;

namespace {

constexpr int format = 1;

/// Objects are equal whatever the order of their members.
bool same(const Json& a, const Json& b) { return nlohmann::json::parse(a.dump()) == nlohmann::json::parse(b.dump()); }

/// What keeps an entry from being one; empty if nothing does.
std::string flaw(const Json& entry) {
  if (!entry.is_object()) return "an entry is no object";
  for (const char* name : {"key", "options"}) {
    if (!entry.contains(name) || !entry[name].is_object()) return concat("an entry has no object '", name, "'");
  }
  for (const auto& [name, value] : entry["options"].items()) {
    if (!value.is_string()) return concat("option '", name, "' of an entry is no string");
    try {
      Options{}.set(name, value.get<std::string>());
    } catch (const Error& error) {
      return error.what();
    }
  }
  for (const char* name : {"effort", "when"}) {
    if (!entry.contains(name) || !entry[name].is_string()) return concat("an entry has no text '", name, "'");
  }
  for (const char* name : {"seconds", "default_seconds", "sureness"}) {
    if (!entry.contains(name) || !entry[name].is_number()) return concat("an entry has no number '", name, "'");
  }
  return {};
}

/// The entries in the text of a file of that name; Error saying what is wrong with it.
Json parsed(const std::string& text, const std::string& path) {
  Json all;
  try {
    all = Json::parse(text);
  } catch (const Json::exception& error) {
    throw Error(error.what());
  }
  if (!all.is_object() || !all.contains("weft_tuning") || !all["weft_tuning"].is_number_integer()) {
    throw Error("it is no tuning file of Weft");
  }
  if (all["weft_tuning"] != format) {
    throw Unusable(
        concat("tuning file '", path, "' has format ", all["weft_tuning"].dump(), "; this Weft reads ", format));
  }
  if (!all.contains("entries") || !all["entries"].is_array()) throw Error("it has no list 'entries'");
  for (const Json& entry : all["entries"]) {
    const std::string wrong = flaw(entry);
    if (!wrong.empty()) throw Error(wrong);
  }
  return all["entries"];
}

/// Gives a damaged file another name, so that it can be looked at; what it is called now, or empty.
std::string set_aside(const std::string& path) {
  for (int number = 1; number < 1000; ++number) {
    const std::string name = concat(path, ".damaged-", number);
    if (fs::exists(name)) continue;
    std::error_code error;
    fs::rename(path, name, error);
    return error ? "" : name;
  }
  return {};
}

/// What an entry tells of candidates; nothing if somebody has changed that by hand.
std::vector<Tried> tried_of(const Json& entry) {
  std::vector<Tried> all;
  try {
    const Json list = entry.value("tried", Json::array());
    for (const Json& tried : list) {
      Tried one;
      for (const auto& [name, value] : tried.at("options").items()) one.options.emplace_back(name, value);
      one.predicted = tried.at("predicted");
      one.seconds = tried.at("seconds");
      one.low = tried.at("low");
      one.high = tried.at("high");
      one.rounds = tried.at("rounds");
      one.decisive = true;
      all.push_back(std::move(one));
    }
  } catch (const Json::exception&) {
    all.clear();
  }
  return all;
}

}  // namespace

Json read_entries(const std::string& path, std::vector<std::string>& warnings) {
  std::error_code doubt;  // what cannot be looked at may be there
  if (path.empty() || (!fs::exists(path, doubt) && !doubt)) return Json::array();
  try {
    return parsed(read_text(path), path);
  } catch (const Unusable&) {
    throw;
  } catch (const Error& error) {
    const std::string name = set_aside(path);
    warnings.push_back(concat("tuning file '", path, "' is damaged (", error.what(), "); ",
                              name.empty() ? "it is not used" : "it is called '" + name + "' now"));
    return Json::array();
  }
}

Json require_entries(const std::string& path) {
  std::error_code doubt;
  if (!fs::exists(path, doubt) && !doubt) throw Error(concat("there is no tuning file '", path, "'"));
  try {
    return parsed(read_text(path), path);
  } catch (const Unusable&) {
    throw;
  } catch (const Error& wrong) {
    throw Error(concat("tuning file '", path, "' is damaged: ", wrong.what()));
  }
}

void change_entries(const std::string& path, const std::function<void(Json&)>& change,
                    std::vector<std::string>& warnings) {
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) throw Error(concat("cannot make the folder '", folder.string(), "': ", error.message()));
  const Lock lock(path);
  Json entries = read_entries(path, warnings);
  change(entries);
  write_text(path, Json{{"weft_tuning", format}, {"entries", entries}}.dump(1) + "\n");
}

bool put(Json& entries, const Json& entry, bool renew) {
  for (Json& known : entries) {
    if (!same(known["key"], entry["key"])) continue;
    const Effort before = effort_of(known["effort"]), now = effort_of(entry["effort"]);
    const bool better =
        now != before ? now > before : entry["when"].get<std::string>() > known["when"].get<std::string>();
    if (better || renew) known = entry;
    return better || renew;
  }
  entries.push_back(entry);
  return true;
}

Json find(const Json& entries, const Json& key, Effort effort) {
  for (const Json& entry : entries) {
    if (same(entry["key"], key) && effort_of(entry["effort"]) >= effort) return entry;
  }
  return nullptr;
}

std::string find_known(const std::string& path, const std::vector<detail::Json>& keys, Effort effort,
                       std::vector<std::string>& warnings) {
  const Json entries = read_entries(path, warnings);
  Json found = Json::array();
  for (const detail::Json& key : keys) found.push_back(find(entries, Json::parse(key.dump()), effort));
  return found.dump();
}

std::vector<Known> read_known(const std::string& text) {
  std::vector<Known> all;
  for (const Json& entry : Json::parse(text)) {
    if (entry.is_null()) return {};
    Known known;
    for (const auto& [name, value] : entry["options"].items()) known.options.emplace_back(name, value);
    known.effort = effort_of(entry["effort"]);
    known.seconds = entry["seconds"];
    known.default_seconds = entry["default_seconds"];
    known.sureness = entry["sureness"];
    known.tried = tried_of(entry);
    all.push_back(std::move(known));
  }
  return all;
}

void put_known(const std::string& path, const std::vector<detail::Json>& entries, bool renew,
               const std::function<void()>& meanwhile, std::vector<std::string>& warnings) {
  change_entries(
      path,
      [&](Json& all) {
        for (const detail::Json& entry : entries) put(all, Json::parse(entry.dump()), renew);
        meanwhile();
      },
      warnings);
}

}  // namespace weft::tuner

namespace weft {

using tuner::Json;

TuningFile::TuningFile(std::string path) : path_(tuner::tuning_path(path)) {
  if (path_.empty()) {
    throw Error(
        "there is no tuning file: its name is 'none', or neither WEFT_TUNING_FILE, XDG_CACHE_HOME nor HOME is set");
  }
}

std::string TuningFile::entries(std::vector<std::string>& warnings) const {
  return tuner::read_entries(path_, warnings).dump();
}

int TuningFile::merge(const std::string& other, std::vector<std::string>& warnings) {
  const Json more = tuner::require_entries(other);
  int taken = 0;
  tuner::change_entries(
      path_,
      [&](Json& entries) {
        for (const Json& entry : more) taken += tuner::put(entries, entry) ? 1 : 0;
      },
      warnings);
  return taken;
}

void TuningFile::forget(const std::vector<int>& places, std::vector<std::string>& warnings) {
  tuner::change_entries(
      path_,
      [&](Json& entries) {
        const int count = static_cast<int>(entries.size());
        for (const int place : places) {
          if (place < 0 || place >= count) {
            throw Error(detail::concat("there is no entry ", place, " in '", path_, "'; allowed are 0 to ", count - 1));
          }
        }
        Json left = Json::array();
        for (int i = 0; i < count; ++i) {
          if (std::find(places.begin(), places.end(), i) == places.end())
            left.push_back(entries[static_cast<std::size_t>(i)]);
        }
        entries = std::move(left);
      },
      warnings);
}

}  // namespace weft
