// What a tuning file knows of a case, and FFTW's wisdom beside it.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "case.hpp"

namespace weft::tuner {

class Records {
 public:
  /// Collective, as everything here; the arguments outlive it.
  Records(MPI_Comm comm, const Case& what, const Tuning& tuning);

  /// An answer for each part, if the file has all of them and is asked.
  bool find(std::vector<Tuned>& answers);
  void keep(const std::vector<Tuned>& answers);
  void learn_wisdom();

  std::vector<std::string> warnings;  ///< on rank 0

 private:
  detail::Json key(int part) const;
  /// What is kept of an answer.
  detail::Json entry(int part, const Tuned& tuned) const;

  MPI_Comm comm_;
  const Case& case_;
  const Tuning& tuning_;
  std::string path_;  ///< empty: there is no file
  int rank_ = 0;
};

}  // namespace weft::tuner
