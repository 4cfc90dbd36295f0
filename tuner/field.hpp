// The candidates of one choice: what is known of each, and who is the best.
#pragma once

#include <array>
#include <set>
#include <string>
#include <vector>

#include "case.hpp"
#include "contest.hpp"
#include "timing.hpp"

namespace weft::tuner {

struct Candidate {
  Options options;
  Price price;
  std::array<Standing, 2> standing;  ///< by part, of the last contest that timed it
  std::string obstacle;              ///< why it cannot be used
};

/// Candidates are numbers from 0, in the order in which they came in; 0 is what was given.
class Field {
 public:
  explicit Field(int parts) : parts_(parts) {}

  /// Takes in those that are not there yet.
  void consider(std::vector<Options> more);
  void price(int candidate, Price price);
  /// Takes over the results of a contest; `which` are its candidates. Without a time for each of `needed` (by part) the
  /// one before it remains the one that decides.
  void enter(const std::vector<int>& which, const Timing& timing, const std::vector<int>& needed);

  int size() const { return static_cast<int>(candidates_.size()); }
  const Candidate& operator[](int i) const { return candidates_[static_cast<std::size_t>(i)]; }
  bool timed() const { return !contests_.empty(); }

  /// Whom to time, of the first `among`: the given options, then those that the model likes.
  std::vector<int> likely(std::size_t count, int among) const;
  /// Seconds of a part: by the clock once any were timed, else by price; below 0 if there are none.
  double figure(int candidate, int part) const;
  /// Fastest first: of the last contest, then those of earlier ones; or by price.
  std::vector<int> ranking(int part) const;
  /// The fastest, by part.
  std::vector<int> best() const;
  /// The part of their rounds in the last contest that the first one won; 0 if they had none.
  double sureness(int part, int candidate, int against) const;

 private:
  int parts_;
  std::vector<Candidate> candidates_;
  std::set<OptionTexts> known_;
  std::vector<Contest> contests_;  ///< the last one that decides, by part; none: nothing was timed
  std::vector<int> timed_;         ///< its candidates
};

}  // namespace weft::tuner
