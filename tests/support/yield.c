/* For tests under MPICH, through LD_PRELOAD: give way to other processes when there was nothing to do.
 *
 * An MPICH of the kind ch4:ucx (Debian's) spins on ucp_worker_progress without ever yielding, so that with more ranks
 * than processors every message waits for the end of somebody's time slice. Measured with MPICH 4.0 on 2 processors,
 * one all-to-all, one non-blocking all-to-all and one barrier: 4 ranks 16 ms -> 0.02 ms, 9 ranks 111 ms -> 0.17 ms.
 *
 * Who waits for longer sleeps, since whoever yields is soon asked again, and keeps from others what they would need.
 * The sample of weft-mpi-tests beside two compilations, on 2 processors: 4 ranks more than 200 s -> 99 s, 6 ranks more
 * than 200 s -> 68 s. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*progress)(void*) = 0;
  if (!progress) {
    void* symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (!symbol) { /* Python loads MPI where RTLD_NEXT does not look */
      void* ucp = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
      symbol = ucp ? dlsym(ucp, "ucp_worker_progress") : 0;
    }
    if (!symbol) abort();
    memcpy(&progress, &symbol, sizeof progress); /* ISO C has no cast from void* to a function */
  }
  unsigned events = progress(worker);
  static unsigned idle = 0;
  if (events != 0) {
    idle = 0;
  } else if (++idle < 50) {
    sched_yield();
  } else {
    const struct timespec moment = {0, 20000};
    nanosleep(&moment, 0);
  }
  return events;
}
