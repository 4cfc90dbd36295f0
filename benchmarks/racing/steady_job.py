"""One plan of one case, which is timed when it is asked to: python -m mpi4py -m racing.steady_job ADDRESS NUMBER CASE OPTIONS

Every rank waits at a socket of benchmarks/steady.py, where it takes no time from others that are timed.
"""

from __future__ import annotations

import json
import socket
import statistics
import sys
import time

from mpi4py import MPI

from . import weft_contestants
from .contestant import Arrays
from .settings import Case


def main(address: str, number: str, case_text: str, options_text: str) -> None:
    comm = MPI.COMM_WORLD
    case = Case.of(json.loads(case_text))
    ((_, make),) = weft_contestants.makers([json.loads(options_text)])
    plan = make(case, Arrays(case))
    plan.field[...] = 0

    def there_and_back() -> float:
        comm.Barrier()
        begin = time.perf_counter()
        plan.forward()
        plan.backward()
        return float(comm.allreduce(time.perf_counter() - begin, MPI.MAX))

    there_and_back()
    with socket.socket(socket.AF_UNIX) as line, line.makefile("rw", encoding="utf-8") as words_of:
        line.connect(address)
        print(number, comm.rank, file=words_of, flush=True)
        while turns := words_of.readline().strip():
            there_and_back()  # brings the plan's memory back into cache
            seconds = statistics.median(there_and_back() for _ in range(int(turns)))
            if comm.rank == 0:
                print(seconds, file=words_of, flush=True)
    plan.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
