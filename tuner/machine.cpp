#include "machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace weft::tuner {

std::string usual_machine_file(const std::string& tuning_path) {
  return tuning_path.empty() ? "" : (std::filesystem::path(tuning_path).parent_path() / "machine.toml").string();
}

NamedMachine find_machine(const std::string& asked, const std::string& tuning_path, const Room& room) {
  const char* variable = std::getenv("WEFT_MACHINE_FILE");
  std::string file = asked;
  if (file.empty() && variable != nullptr) file = variable;
  if (const std::string usual = usual_machine_file(tuning_path); file.empty() && std::filesystem::exists(usual)) {
    file = usual;
  }
  if (!file.empty()) return {model::read(file), file};
  const int cores = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  return {model::unmeasured(cores, (room.ranks + room.ranks_on_node - 1) / room.ranks_on_node),
          "an ordinary machine, since nothing was calibrated"};
}

}  // namespace weft::tuner
