// The machine that the model prices candidates on.
#pragma once

#include <string>

#include "room.hpp"
#include "weft/model.hpp"

namespace weft::tuner {

struct NamedMachine {
  model::Machine machine;
  std::string name;  ///< where its figures come from
};

/// Where `weft calibrate` leaves the machine file if it is not told otherwise: beside the tuning file. Empty: nowhere.
std::string usual_machine_file(const std::string& tuning_path);

/// As Tuning::machine says; `tuning_path` empty: there is no tuning file. Throws Error naming the file.
NamedMachine find_machine(const std::string& asked, const std::string& tuning_path, const Room& room);

}  // namespace weft::tuner
