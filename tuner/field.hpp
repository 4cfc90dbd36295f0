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

/// What a contest has found of a candidate. Medians of different contests cannot be compared, since the machine has its
/// moods; their ratios to candidate 0, which is in all of them, can.
struct Result {
  Standing standing;  ///< as in the rounds of the contest's leader (Contest::comparable)
  double given = 0;   ///< the median of candidate 0 in the same contest
  int contest = 0;    ///< which one it was, from 1 on; 0: none

  double relative() const { return given > 0 ? standing.median / given : 0; }
};

struct Candidate {
  Options options;
  Price price;
  std::array<Result, 2> result;  ///< by part, of the last contest that counts and timed it
  std::string obstacle;          ///< why it cannot be used
  bool left_out = false;         ///< it was to be timed, and never was: the budget was over
};

/// Candidates are numbers from 0, in the order in which they came in; 0 is what was given.
class Field {
 public:
  explicit Field(int parts) : parts_(parts) {}

  /// Takes in those that are not there yet.
  void consider(std::vector<Options> more);
  void price(int candidate, Price price);
  /// Takes over the results of a contest; `which` are its candidates, the first of them candidate 0. It counts if it
  /// has timed all of `needed` (by part), as often as the one before it or thrice; else that one remains the one that
  /// decides.
  void enter(const std::vector<int>& which, const Timing& timing, const std::vector<int>& needed);

  int size() const { return static_cast<int>(candidates_.size()); }
  const Candidate& operator[](int i) const { return candidates_[static_cast<std::size_t>(i)]; }
  bool timed() const { return !contests_.empty(); }

  /// Whom to time, of the first `among`: the given options, then those that the model likes.
  std::vector<int> likely(std::size_t count, int among) const;
  /// Seconds of a part: by the clock once any were timed, as they would have been in the last contest; else by price.
  /// Below 0 if there are none.
  double figure(int candidate, int part) const;
  /// Fastest first: of the last contest, then those of earlier ones; or by price.
  std::vector<int> ranking(int part) const;
  /// The fastest, by part; one that rounds only if it is worth that. Of two parts the fastest pair that can go
  /// together, and one of the contest that decides if there is any.
  std::vector<int> best() const;
  /// Who is in the fastest pairs, so many of them; nobody if there is one part.
  std::vector<int> of_pairs(std::size_t count) const;
  /// Whether it has another format for the wire than what was given.
  bool rounds(int candidate) const;
  /// Whether its time is of the contest that decides.
  bool decisive(int candidate, int part) const;
  /// The part of their rounds in the last contest that the first one won; 0 if they had none.
  double sureness(int part, int candidate, int against) const;

 private:
  /// The directions of a sphere.
  struct Pair {
    int backward, forward;
    double seconds;
    bool decisive;
  };
  /// The best pair for each of what directions have in common, best first.
  std::vector<Pair> pairs() const;
  /// The first of an order, unless its format for the wire makes it hardly faster than the first with exact numbers.
  int worth_its_error(const std::vector<int>& order, int part) const;

  int parts_;
  std::vector<Candidate> candidates_;
  std::set<OptionTexts> known_;
  std::vector<Contest> contests_;  ///< the last one that decides, by part; none: nothing was timed
  int held_ = 0;                   ///< contests that have decided so far
  std::vector<int> timed_;         ///< its candidates
};

}  // namespace weft::tuner
