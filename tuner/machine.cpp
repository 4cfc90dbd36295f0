// The machine that the model prices candidates on.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

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

PricedMachine find_machine(const Tuning& tuning, int ranks, int ranks_on_node) {
  const char* variable = std::getenv("WEFT_MACHINE_FILE");
  std::string file = tuning.machine;
  if (file.empty() && variable != nullptr) file = variable;
  std::error_code doubt;  // what cannot be looked at is for the reader to complain about
  if (const std::string usual = beside_tuning(tuning.file);
      file.empty() && !usual.empty() && (std::filesystem::exists(usual, doubt) || doubt)) {
    file = usual;
  }
  if (!file.empty()) return {model::read(file), file};
  const int cores = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  return {model::unmeasured(cores, (ranks + ranks_on_node - 1) / ranks_on_node),
          "an ordinary machine, since nothing was calibrated"};
}

}  // namespace weft
