// Redistributions.
#include "handles.hpp"

using namespace weft;
using namespace weft::c;

template <class Comm>
static int create_redistribution(weft_layout from, weft_layout to, int element_bytes, int64_t batch,
                                 weft_options options, Comm comm, weft_redistribution* redistribution) {
  return create_among(
      comm, redistribution, [&] { need(from, "from"), need(to, "to"); },
      [&](MPI_Comm all) {
        return weft_redistribution_impl{
            Redistribution(from->layout, to->layout, element_bytes, all, batch, options_of(options))};
      });
}
int weft_redistribution_create_on(weft_layout from, weft_layout to, int element_bytes, int64_t batch,
                                  weft_options options, const weft_comm* comm, weft_redistribution* redistribution) {
  return create_redistribution(from, to, element_bytes, batch, options, comm, redistribution);
}
int weft_redistribution_create_f(weft_layout from, weft_layout to, int element_bytes, int64_t batch,
                                 weft_options options, int comm, weft_redistribution* redistribution) {
  return create_redistribution(from, to, element_bytes, batch, options, comm, redistribution);
}

int weft_redistribution_destroy(weft_redistribution* redistribution) { return destroy(redistribution); }

int weft_redistribution_execute(weft_redistribution redistribution, const void* in, void* out, size_t size,
                                weft_moved* moved) {
  return guarded([&] {
    Redistribution& mine = need(redistribution, "redistribution").redistribution;
    // What could not be told afterwards is an error on all ranks before.
    if (moved != nullptr && size == 0) mine.raise_any("the structure's size is 0, but moved is given");
    const auto done = mine(in, out);
    if (moved != nullptr) give(size, moved, weft_moved{done.bytes_sent, done.bytes_kept, done.bytes_sent_all});
  });
}

int weft_redistribution_raise(weft_redistribution redistribution, const char* message) {
  return guarded(
      [&] { need(redistribution, "redistribution").redistribution.raise_any(message != nullptr ? message : ""); });
}

int weft_redistribution_drop_trace(weft_redistribution redistribution) {
  return guarded([&] { need(redistribution, "redistribution").redistribution.drop_trace(); });
}
