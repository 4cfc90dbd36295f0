// A contest of candidates whose times are disturbed: who is timed next, who is out, and when it is over.
//
// Rounds, in which all that are still in are timed once, in turns: what slows the machine down for a while slows all
// down. Disturbances only ever add time, so a candidate whose best round is worse than the leader's median is out for
// good; after 2, 4, 8, ... rounds the slower half goes (successive halving).
#pragma once

#include <cstdint>
#include <vector>

namespace weft::tuner {

/// Figures of one candidate.
struct Standing {
  double median = 0, low = 0, high = 0;  ///< seconds; the middle half
  int rounds = 0;
};

/// Whoever has beaten others is timed so often even if none of them is left: fewer figures tell nothing of what
/// disturbs them.
constexpr int fewest_of_winner = 3;

class Contest {
 public:
  /// Candidate 0 is timed first in each round, and at least twice: it is what others are compared with. Nobody goes
  /// before the end of round `patience`.
  explicit Contest(int candidates, int patience = 1);

  /// Who is timed in this round, in which order. The first round goes by number, later ones are shuffled.
  std::vector<int> round() const;
  /// The time of a candidate in this round.
  void record(int candidate, double seconds);
  /// It cannot be used.
  void withdraw(int candidate);
  /// Ends the round: some are out.
  void close();
  /// Forgets what was timed in this round: those that are in have all been in the same rounds.
  void abandon();

  /// No more rounds: the leader is clear, or nobody is worth telling apart from it.
  bool decided() const;
  bool out(int candidate) const { return out_[at(candidate)]; }
  /// Fastest first; the order of those that are in says more than that of those that went early. Without those that
  /// were never timed.
  std::vector<int> ranking() const;
  Standing standing(int candidate) const;
  /// As if it had been in all of the leader's rounds, by those that both were in: times of different rounds cannot be
  /// compared.
  Standing comparable(int candidate, int leader) const;
  /// The part of the rounds which both were in that the first one won; ties are half a win. 0 if there was none.
  double wins(int candidate, int against) const;
  int rounds() const { return closed_; }

 private:
  static std::size_t at(int candidate) { return static_cast<std::size_t>(candidate); }
  std::vector<int> in() const;

  void put_out(const std::vector<int>& order);

  std::vector<std::vector<double>> seconds_;  ///< by candidate and round; 0: none
  std::vector<std::vector<double>> parts_;    ///< by candidate: of the round's median, for rounds that it was in
  std::vector<bool> out_;
  int closed_ = 0, patience_;
};

}  // namespace weft::tuner
