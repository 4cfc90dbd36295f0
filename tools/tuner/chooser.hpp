// Chooses: from the tuning file, by the model, or by timing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/nodes.hpp"
#include "case.hpp"
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
  struct Candidate {
    Options options;
    Price price;
    std::array<Standing, 2> standing;
    std::string obstacle;
  };

  std::string look_around();
  void say(const std::string& line) const;

  void price(std::size_t from);
  std::vector<int> likely(std::size_t count, std::size_t among) const;
  void time(const std::vector<int>& which, const Budget& budget);
  void refine(const Budget& budget);

  /// The fastest of those that were timed (or, if none was, priced), by part.
  std::vector<int> best() const;
  double figure(int candidate, int part) const;
  std::vector<int> ranking(int part) const;
  Tuned answer(int part, int candidate, const Budget& budget) const;
  int known(const Options& options) const;

  MPI_Comm comm_;
  Case& case_;
  Tuning tuning_;
  int rank_ = 0;
  std::unique_ptr<Records> records_;
  std::vector<Candidate> candidates_;  ///< 0: what was given
  std::unique_ptr<Timing> timing_;     ///< the last one
  std::vector<int> timed_;             ///< its candidates
  std::string machine_name_;
};

}  // namespace weft::tuner
