"""The work of ``weft trace`` on every rank."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

import weft


def run(
    shape: tuple[int, ...], problem: dict[str, Any], options: dict[str, Any], repeats: int, warmup: int, path: Path
) -> bool:
    """Trace forward and backward transforms of random data. Collective; True on the rank that has the file."""
    from weft._mpi import mpi

    comm = mpi().COMM_WORLD
    # It would override the file that is asked for here.
    os.environ.pop("WEFT_TRACE", None)
    if comm.rank == 0:
        path.unlink(missing_ok=True)
    # Normalised, so that the data stay what they are.
    with weft.FFT(shape, comm, **problem, normalization="backward", **options, trace=path) as fft:
        x = fft.empty_input()
        x[...] = np.random.default_rng(comm.rank).standard_normal(x.shape)
        y = None if fft.in_place else fft.empty_output()
        for repetition in range(warmup + repeats):
            if repetition == warmup:
                fft.reset_statistics()
            comm.Barrier()
            y = fft.forward(x, None if fft.in_place else y)
            fft.backward(y, None if fft.in_place else x)
    return bool(comm.rank == 0)
