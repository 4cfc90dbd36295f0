"""Works that take turns, so that a noisy minute is every contestant's."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

import numpy as np
from mpi4py import MPI

Key = TypeVar("Key", bound=Hashable)


def medians(
    works: Mapping[Key, Callable[[], object]], rounds: int, before: Mapping[Key, Callable[[], object]] | None = None
) -> dict[Key, float]:
    """Median milliseconds of each, of the slowest rank in so many rounds after one that does not count. What is to be done
    before a work is not timed. Collective over MPI.COMM_WORLD."""
    comm = MPI.COMM_WORLD
    preparing = before or {}
    seconds: dict[Key, list[float]] = {key: [] for key in works}
    for turn in range(rounds + 1):
        for key, work in works.items():
            if key in preparing:
                preparing[key]()
            comm.Barrier()
            begin = time.perf_counter()
            work()
            took = comm.allreduce(time.perf_counter() - begin, MPI.MAX)
            if turn > 0:
                seconds[key].append(took)
    return {key: 1e3 * float(np.median(taken)) for key, taken in seconds.items()}
