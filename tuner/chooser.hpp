// Chooses: from the tuning file, by the model, or by timing.
#pragma once

#include <string>
#include <vector>

#include "base/busy.hpp"
#include "case.hpp"
#include "field.hpp"
#include "records.hpp"
#include "timing.hpp"

namespace weft::tuner {

class Chooser {
 public:
  /// Collective, as everything here. `comm` and `what` outlive it.
  Chooser(MPI_Comm comm, Case& what, const Tuning& tuning);

  /// One answer for each part.
  std::vector<Tuned> choose();

 private:
  void search(const Budget& budget);
  void price(int from);
  void time(const std::vector<int>& which, const Budget& budget, const std::vector<int>& needed, Index memory,
            int patience = 1);
  void enlist(std::vector<int>& which, int i) const;
  void refine(const Budget& budget);
  void confirm(const Budget& budget);
  void keep(const std::vector<Tuned>& answers, const std::vector<int>& chosen, const detail::Busy& busy);
  Index workspaces() const;
  Tuned answer(int part, int candidate) const;
  void say(const std::string& line) const;

  MPI_Comm comm_;
  Case& case_;
  Tuning tuning_;
  int rank_ = 0;
  Field field_;
  Records records_;
  std::string machine_name_;
  double budget_ = 0;  ///< seconds
};

}  // namespace weft::tuner
