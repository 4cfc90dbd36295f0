// The machine that the model prices candidates on.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/host.hpp"
#include "base/text.hpp"
#include "files.hpp"
#include "weft/tuner.hpp"

namespace weft {

namespace {

/// Where `weft calibrate` leaves the machine file if it is not told otherwise.
std::string beside_tuning(const std::string& file) {
  const std::string path = tuner::tuning_path(file);
  return path.empty() ? path : (std::filesystem::path(path).parent_path() / "machine.toml").string();
}

}  // namespace

std::string usual_machine_file() { return beside_tuning(""); }

PricedMachine find_machine(const Tuning& tuning, int ranks, int ranks_on_node, int cores) {
  for (const auto& [name, value] : {std::pair{"ranks", ranks}, std::pair{"ranks_on_node", ranks_on_node}}) {
    if (value < 1) throw Error(detail::concat(name, " is ", value, "; it must be at least 1"));
  }
  const char* variable = std::getenv("WEFT_MACHINE_FILE");
  std::string file = tuning.machine;
  if (file.empty() && variable != nullptr) file = variable;
  std::error_code doubt;  // what cannot be looked at is for the reader to complain about
  if (const std::string usual = beside_tuning(tuning.file);
      file.empty() && !usual.empty() && (std::filesystem::exists(usual, doubt) || doubt)) {
    file = usual;
  }
  if (!file.empty()) return {model::read(file), file};
  if (cores == 0) cores = std::max(detail::processors(), ranks_on_node);
  const int nodes = 1 + (ranks - 1) / ranks_on_node;
  return {model::unmeasured(cores, nodes),
          detail::concat("an ordinary machine with nodes of ", cores, cores == 1 ? " core" : " cores",
                         ", since nothing was calibrated")};
}

}  // namespace weft
