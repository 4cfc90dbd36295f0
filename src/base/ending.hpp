// Whether the other ranks come to a collective end as this one does.
#pragma once

namespace weft::detail {

/// The program ends from here on; `failed`: with an exception that nobody caught. For languages whose objects end after
/// that, without an exception that is on its way.
void program_ends(bool failed);
/// The same where it is not known whether it has failed.
void object_outlives_program();

/// An exception ends this rank's work, so that nobody knows where the others are.
bool ends_by_exception();
/// The same, or the program ends: MPI does, too, and what waits for others can be left to it.
bool ends_anyhow();

}  // namespace weft::detail
