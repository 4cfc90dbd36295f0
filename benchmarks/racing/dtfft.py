"""dtFFT's Python wheels, with the effort that lets it choose its exchange, in the race's arrays.

Its arrays are of Fortran's order, in which it names their axes: the fastest first. The spectrum has the first axis of the field
last, and is distributed along the second.
"""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from .contestant import Arrays, Contestant, Maker, Slices, view
from .settings import Case

FAMILY = "dtFFT"


def makers(case: Case) -> list[tuple[str, Maker]]:
    """It has neither threads nor batches, and two or three axes."""
    if case.threads > 1 or case.batch > 1 or len(case.shape) > 3:
        return []
    return [("patient", _make)]


def _make(case: Case, arrays: Arrays) -> Contestant:
    import dtfft

    make = dtfft.PlanC2C if case.kind == "c2c" else dtfft.PlanR2C
    precision = dtfft.Precision.DOUBLE if case.precision == "double" else dtfft.Precision.SINGLE
    effort, executor = dtfft.Effort.PATIENT, dtfft.Executor.FFTW3
    plan = make(list(case.shape[::-1]), comm=MPI.COMM_WORLD, precision=precision, effort=effort, executor=executor)
    if plan.alloc_bytes > arrays.first.nbytes:
        raise RuntimeError(f"dtFFT needs {plan.alloc_bytes} bytes; the arrays have {arrays.first.nbytes}")
    starts, counts, spectrum_starts, spectrum_counts, _ = (
        part[::-1] if isinstance(part, list) else part for part in plan.local_sizes
    )
    scratch = np.empty(max(1, plan.aux_bytes), np.uint8)
    first, second = arrays.first, arrays.second
    there, back = dtfft.Execute.FORWARD, dtfft.Execute.BACKWARD
    return Contestant(
        family=FAMILY,
        name="patient",
        field=view(first, tuple(counts), case.field_type),
        field_slices=_slices(starts, counts),
        spectrum=np.moveaxis(view(second, tuple(spectrum_counts), case.complex_type), -1, 0),
        spectrum_slices=_slices(
            spectrum_starts[-1:] + spectrum_starts[:-1], spectrum_counts[-1:] + spectrum_counts[:-1]
        ),
        forward=lambda: plan.execute(first, second, there, scratch),
        backward=lambda: plan.execute(second, first, back, scratch),
        close=plan.destroy,
    )


def _slices(starts: list[int], counts: list[int]) -> Slices:
    return tuple(slice(start, start + count) for start, count in zip(starts, counts))
