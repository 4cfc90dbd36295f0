// Ghost layers.
#include "handles.hpp"

using namespace weft;
using namespace weft::c;

template <class Comm>
static int create_ghost_exchange(weft_layout field, weft_layout parts, const weft_ghosts* ghosts, int type,
                                 int64_t batch, int64_t numbers, int check, Comm comm, weft_ghost_exchange* exchange) {
  return create_among(
      comm, exchange,
      [&] {
        need(field, "field"), need(parts, "parts"), need(ghosts, "ghosts");
        if (type < WEFT_FLOAT || type > WEFT_COMPLEX_DOUBLE) {
          throw Error(
              concat("type is ", type, "; a weft_type is needed, ", int{WEFT_FLOAT}, " to ", int{WEFT_COMPLEX_DOUBLE}));
        }
        if (numbers > INT64_MAX / 2) throw Error(concat("numbers is ", numbers, "; there cannot be as many"));
      },
      [&](MPI_Comm all) {
        Ghosts of_parts;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          of_parts.below[axis] = ghosts->below[axis];
          of_parts.above[axis] = ghosts->above[axis];
          of_parts.periodic[axis] = ghosts->periodic[axis] != 0;
        }
        const bool single = type == WEFT_FLOAT || type == WEFT_COMPLEX_FLOAT;
        const int reals = type == WEFT_COMPLEX_FLOAT || type == WEFT_COMPLEX_DOUBLE ? 2 : 1;
        return weft_ghost_exchange_impl{bindings::UntypedGhosts(single ? Precision::single_ : Precision::double_,
                                                                field->layout, parts->layout, of_parts, all, batch,
                                                                numbers * reals, check != 0)};
      });
}
int weft_ghost_exchange_create_on(weft_layout field, weft_layout parts, const weft_ghosts* ghosts, int type,
                                  int64_t batch, int64_t numbers, int check, const weft_comm* comm,
                                  weft_ghost_exchange* exchange) {
  return create_ghost_exchange(field, parts, ghosts, type, batch, numbers, check, comm, exchange);
}
int weft_ghost_exchange_create_f(weft_layout field, weft_layout parts, const weft_ghosts* ghosts, int type,
                                 int64_t batch, int64_t numbers, int check, int comm, weft_ghost_exchange* exchange) {
  return create_ghost_exchange(field, parts, ghosts, type, batch, numbers, check, comm, exchange);
}

int weft_ghost_exchange_destroy(weft_ghost_exchange* exchange) { return destroy(exchange); }

int weft_ghost_exchange_part_box(weft_ghost_exchange exchange, weft_box* box) {
  return guarded([&] { need(box, "box") = box_of(need(exchange, "exchange").exchange.part_box()); });
}

int weft_ghost_exchange_part_boxes(weft_ghost_exchange exchange, int64_t capacity, weft_box* boxes, int64_t* count) {
  return guarded([&] {
    give_list(need(exchange, "exchange").exchange.part_boxes(), capacity, boxes, count,
              [](const Box& box) { return box_of(box); });
  });
}

/// Calls `work` with the exchange, and tells what it has moved.
template <class Work>
static int moving(weft_ghost_exchange exchange, size_t size, weft_moved* moved, const Work& work) {
  return guarded([&] {
    bindings::UntypedGhosts& mine = need(exchange, "exchange").exchange;
    // What could not be told afterwards is an error on all ranks before.
    if (moved != nullptr && size == 0) mine.raise_any("the structure's size is 0, but moved is given");
    const Redistribution::Moved done = work(mine);
    if (moved != nullptr) give(size, moved, weft_moved{done.bytes_sent, done.bytes_kept, done.bytes_sent_all});
  });
}
int weft_ghost_exchange_scatter(weft_ghost_exchange exchange, const void* field, void* parts, size_t size,
                                weft_moved* moved) {
  return moving(exchange, size, moved, [&](auto& mine) { return mine.scatter(field, parts); });
}
int weft_ghost_exchange_gather(weft_ghost_exchange exchange, const void* parts, void* field, size_t size,
                               weft_moved* moved) {
  return moving(exchange, size, moved, [&](auto& mine) { return mine.gather(parts, field); });
}
int weft_ghost_exchange_accumulate(weft_ghost_exchange exchange, const void* parts, void* field, size_t size,
                                   weft_moved* moved) {
  return moving(exchange, size, moved, [&](auto& mine) { return mine.accumulate(parts, field); });
}
int weft_ghost_exchange_update(weft_ghost_exchange exchange, void* parts, size_t size, weft_moved* moved) {
  return moving(exchange, size, moved, [&](auto& mine) { return mine.update(parts); });
}
int weft_ghost_exchange_fold(weft_ghost_exchange exchange, void* parts, size_t size, weft_moved* moved) {
  return moving(exchange, size, moved, [&](auto& mine) { return mine.fold(parts); });
}

int weft_ghost_exchange_raise(weft_ghost_exchange exchange, const char* message) {
  return guarded([&] { need(exchange, "exchange").exchange.raise_any(message != nullptr ? message : ""); });
}
