// A private copy of the caller's communicator, on which Python's arguments are agreed before they reach the library.
#pragma once

#include "base/mpi.hpp"
#include "bindings.hpp"

namespace weft::python {

class Agreement {
 public:
  /// `address` is where the MPI_Comm handle lies (mpi4py's MPI._addressof). Collective.
  explicit Agreement(std::uintptr_t address)
      : comm_(detail::Communicator::duplicate(*reinterpret_cast<const MPI_Comm*>(address))) {}

  MPI_Comm comm() const { return comm_.get(); }
  int rank() const { return comm_.rank(); }
  int size() const { return comm_.size(); }

  /// Throws, on every rank, the message of the lowest rank whose message is not empty. Collective.
  void raise_any(const std::string& message) const {
    detail::all_or_none(comm(), [&] {
      if (!message.empty()) throw Error(message);
    });
  }
  /// Throws on all ranks unless `text` is the same everywhere. Collective.
  void require_same(const std::string& text) const { detail::require_same(comm(), text, "the arguments"); }

 private:
  detail::Communicator comm_;
};

}  // namespace weft::python
