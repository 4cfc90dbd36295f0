// A private copy of the caller's communicator, on which Python's arguments are agreed before they reach the library.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/ending.hpp"
#include "base/mpi.hpp"
#include "bindings.hpp"

namespace weft::python {

/// The last member of what has a collective end. Where no code of Python runs when that comes, the program ends: after
/// sys.exit objects go before functions are called that were registered for the end.
struct EndOfProgram {
  EndOfProgram() = default;
  EndOfProgram(const EndOfProgram&) = delete;
  EndOfProgram& operator=(const EndOfProgram&) = delete;
  ~EndOfProgram() {
    if (PyEval_GetFrame() == nullptr) detail::object_outlives_program();
  }
};

class Agreement {
 public:
  /// `address` is where the MPI_Comm handle lies (mpi4py's MPI._addressof). Collective.
  explicit Agreement(std::uintptr_t address)
      : comm_(detail::Communicator::duplicate(*reinterpret_cast<const MPI_Comm*>(address))) {}

  MPI_Comm comm() const { return comm_.get(); }
  /// The other way round. (Not by Fortran's number: Intel MPI 2021.18 has a wrong MPI_Comm_fromint in the standard
  /// ABI.)
  void write(std::uintptr_t address) const { *reinterpret_cast<MPI_Comm*>(address) = comm(); }
  int rank() const { return comm_.rank(); }
  int size() const { return comm_.size(); }

  /// Throws, on every rank, the message of the lowest rank whose message is not empty; else if ranks do not say the
  /// same of the direction in which they go. Collective.
  void raise_any(const std::string& message, std::optional<bool> forward) const {
    static constexpr std::array<const char*, 3> calls{"backward", "forward", "another one"};
    const detail::Common call{"the call", forward ? static_cast<int>(*forward) : 2, calls};
    detail::all_or_none(comm(),
                        [&] {
                          if (!message.empty()) throw Error(message);
                        },
                        {&call, 1});
  }
  /// Throws on all ranks unless all have called the same thing, `call`, with the same arguments: a name and a value in
  /// words each. Collective.
  void require_same(const std::string& call, const std::vector<std::pair<std::string, std::string>>& arguments) const;

 private:
  detail::Communicator comm_;
};

}  // namespace weft::python
