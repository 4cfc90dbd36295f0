// The node that a process runs on.
#pragma once

#include <mpi.h>

#include <string>

#include "weft/index.hpp"

namespace weft::detail {

/// Bytes that this process's node (or control group) can still give out; a huge number where the system does not say.
Index available_memory();
/// Bytes of the node; 0 where the system does not say.
Index total_memory();
/// Bytes that the processes of this node (or control group) can have at most, with its swap space; a huge number where
/// the system does not say.
Index most_memory();
/// Why the ranks of a node cannot have so many bytes each, if together that is more than the node has at all: the
/// system would end one of them when they write there. Empty if they can; if it is more than is available now, that is
/// said on standard error, once in a process. Collective over `node`.
std::string lack_of_memory(MPI_Comm node, Index bytes);
/// Why MPI cannot make a window of so many bytes for each rank of a node; empty if nothing is known to be in the way.
/// Collective over `node`.
std::string lack_of_window_memory(MPI_Comm node, Index bytes);
/// Bytes of the largest cache that a processor of the node has, alone or with others; 0 where the system does not say.
Index last_level_cache();
/// Logical processors that share a cache of this level; 0 where the system does not say.
int processors_of_last_level_cache();
/// Number of processors in a list as the system writes it, for example 6 for "0-3,8,10"; 0 if the text is no list.
int count_processors(const std::string& list);
/// Logical processors of the node.
int processors();
/// Processors that this process may run on: all, or those that a launcher has bound it to.
int usable_processors();
/// Warns on rank 0's standard error, once in a process, that there are fewer processors than threads, and says how to
/// start the program with as many.
void warn_of_crowded_threads(MPI_Comm comm, int threads);
/// The model's name, e.g. "AMD EPYC 7763 64-Core Processor".
std::string processor();
/// Name and version of the MPI library.
std::string mpi_library();

}  // namespace weft::detail
