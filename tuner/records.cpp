#include "records.hpp"

#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "base/host.hpp"
#include "base/mpi.hpp"
#include "base/text.hpp"
#include "fft/wisdom.hpp"
#include "files.hpp"
#include "known.hpp"
#include "words.hpp"

namespace weft::tuner {

using detail::concat;
using detail::Json;

namespace {

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace

Records::Records(MPI_Comm comm, const Case& what, const Tuning& tuning)
    : comm_(comm), case_(what), tuning_(tuning), path_(detail::broadcast(comm, tuning_path(tuning.file))) {
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank_));
}

/// What an entry must have in common with this call.
Json Records::key(int part) const {
  const SearchSpace& search_space = case_.search_space;
  Json key = case_.key();
  if (case_.parts() > 1) key["direction"] = case_.part_name(part);
  key["ranks"] = search_space.ranks;
  key["nodes"] = search_space.nodes;
  key["mpi"] = detail::mpi_library();
  key["fft"] = detail::join(backends());
  key["machine"] = concat(detail::processor(), ", ", sysconf(_SC_NPROCESSORS_ONLN), " processors");
  key["weft"] = version();
  // What the choice depends on: what is no question of speed does not.
  Json given = Json::object();
  const Options& options = case_.given(part);
  const Options plain;
  for (const auto& description : Options::describe()) {
    const std::string& name = description.name;
    if (name == "trace" || name == "watchdog" || name == "node_size") continue;
    const auto& tuned = tuned_names();
    const bool held = std::find(tuned.begin(), tuned.end(), name) != tuned.end() &&
                      case_.search_space.kept.contains(name) && name != "transposed" && name != "wire";
    if (held || options.get(name) != plain.get(name)) given[name] = options.get(name);
  }
  if (tuning_.may_transpose) given["transposed"] = "free";
  if (search_space.free("wire")) given["wire"] = detail::text("within %.3g", tuning_.tolerance);
  key["given"] = given;
  return key;
}

bool Records::find(std::vector<Tuned>& answers) {
  if (path_.empty()) return false;
  std::string found;
  if (rank_ == 0) {
    std::vector<Json> keys;
    for (int part = 0; part < case_.parts() && !tuning_.again; ++part) keys.push_back(key(part));
    try {
      found = find_known(path_, keys, tuning_.effort, warnings);
    } catch (const Error& error) {
      warnings.push_back(concat("tuning file '", path_, "' is not used: ", error.what()));
    }
  }
  found = detail::broadcast(comm_, found);
  if (found.empty()) return false;
  std::vector<Known> entries = read_known(found);
  if (static_cast<int>(entries.size()) != case_.parts()) return false;
  for (int part = 0; part < case_.parts(); ++part) {
    Known& entry = entries[static_cast<std::size_t>(part)];
    Tuned tuned;
    tuned.options = case_.given(part);
    for (const auto& [name, value] : entry.options) {
      if (case_.search_space.free(name)) tuned.options.set(name, value);
    }
    tuned.chosen = differences(tuned.options);
    tuned.source = "file";
    tuned.effort = entry.effort;
    tuned.seconds = entry.seconds;
    tuned.default_seconds = entry.default_seconds;
    tuned.sureness = entry.sureness;
    tuned.tried = std::move(entry.tried);
    answers.push_back(std::move(tuned));
  }
  return true;
}

/// What FFTW found out in earlier runs lies beside the tuning file.
void Records::learn_wisdom() {
  if (path_.empty()) return;
  std::string wisdom;
  if (rank_ == 0) {
    try {
      wisdom = read_text(beside(path_, concat(".fftw-", to_string(case_.precision()))));
    } catch (const Error& error) {
      warnings.emplace_back(error.what());
    }
  }
  wisdom = detail::broadcast(comm_, wisdom);
  if (!wisdom.empty()) detail::learn_fftw_wisdom(case_.precision(), wisdom);
}

Json Records::entry(int part, const Tuned& tuned) const {
  Json options = Json::object(), tried = Json::list();
  for (const std::string& name : tuned_names()) {
    if (case_.search_space.free(name)) options[name] = tuned.options.get(name);
  }
  // What `explain` tells: the choice, the runners-up, and the default wherever it came in; of one contest.
  int kept = 0;
  for (const Tried& one : tuned.tried) {
    if (!one.decisive || (kept >= 8 && !one.options.empty())) continue;
    ++kept;
    Json texts = Json::object();
    for (const auto& [name, value] : one.options) texts[name] = value;
    tried.push_back({{"options", texts},
                     {"predicted", one.predicted},
                     {"seconds", one.seconds},
                     {"low", one.low},
                     {"high", one.high},
                     {"rounds", one.rounds}});
  }
  return {{"key", key(part)},           {"options", options},
          {"seconds", tuned.seconds},   {"default_seconds", tuned.default_seconds},
          {"sureness", tuned.sureness}, {"effort", effort_name(tuned.effort)},
          {"when", now_text()},         {"tried", tried}};
}

void Records::keep(const std::vector<Tuned>& answers) {
  if (path_.empty() || rank_ != 0) return;
  std::vector<Json> entries;
  for (int part = 0; part < case_.parts(); ++part) {
    entries.push_back(entry(part, answers[static_cast<std::size_t>(part)]));
  }
  // Under the same lock: FFTW adds to what it is given.
  const auto keep_wisdom = [&] {
    const std::string file = beside(path_, concat(".fftw-", to_string(case_.precision())));
    detail::learn_fftw_wisdom(case_.precision(), read_text(file));
    write_text(file, detail::fftw_wisdom(case_.precision()));
  };
  try {
    put_known(path_, entries, tuning_.again, keep_wisdom, warnings);
  } catch (const Error& error) {
    warnings.push_back(concat("what was found is not kept: ", error.what()));
  }
}

}  // namespace weft::tuner
