"""The work of ``weft spectrum`` on every rank: read, transform, sum, check."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import weft

from ..output import CommandError
from ..progress import Stages
from ..together import together
from .shells import Metric, Spectrum, shell_power
from .volumes import Volume

_SLICE_POINTS = 1000


@dataclass
class Result:
    """What was found; the same on all ranks, but for the slices, which rank 0 alone has."""

    spectrum: Spectrum
    mean: float
    mean_square: float
    parseval_error: float
    """Relative difference of the total power and the mean square."""
    round_trip_error: float
    """Largest difference of the field and the field after a round trip, relative to its largest value."""
    seconds: dict[str, float]
    plan: dict[str, Any]
    slices: list[NDArray[Any]] = field(default_factory=list)


def analyse(
    comm: Any,
    volume: Volume,
    metric: Metric,
    cell: float | None,
    precision: str,
    remove_mean: bool,
    want_slices: bool,
    options: dict[str, Any],
    stages: Stages,
) -> Result:
    """Transform a volume. Collective."""
    shape = volume.shape
    seconds: dict[str, float] = {}
    together(comm, lambda: _require_memory(volume, precision, comm.size))
    # Where the file is best cut along another axis the transform begins there: it redistributes faster than files are read.
    layout = None if volume.slow_axis == 0 else weft.Layout.slab(shape, comm.size, volume.slow_axis)
    with _timed(seconds, "plan"), stages.stage("planning"):
        fft = weft.FFT(shape, comm, kind="r2c", precision=precision, input_layout=layout, **options)
    # What is too large for its squares to be summed is said at the end.
    with fft, np.errstate(over="ignore", invalid="ignore"):
        if fft.in_place:
            raise CommandError("in_place is 'true'; the round-trip check needs the field to stay, use false")
        part = fft.input_slice
        x = together(comm, fft.empty_input)
        planes = part[volume.slow_axis].stop - part[volume.slow_axis].start
        with _timed(seconds, "read"), stages.stage(f"reading {volume.name}", planes) as advance:
            together(comm, lambda: volume.read(part, x, advance))
        _require_finite(comm, volume, x, part)
        points = float(np.prod(shape, dtype=np.float64))
        mean = comm.allreduce(float(x.sum(dtype=np.float64))) / points
        if remove_mean:
            x -= x.dtype.type(mean)
        mean_square = comm.allreduce(_sum_of_squares(x)) / points
        largest = _max_over(comm, x)
        slices = _central_slices(comm, x, part, shape) if want_slices else []

        with _timed(seconds, "forward"), stages.stage("transforming"):
            y = fft.forward(x)
        with _timed(seconds, "shells"), stages.stage("summing shells"):
            spectrum = shell_power(comm, y, fft.wavenumbers(), shape, metric, cell)
        with _timed(seconds, "backward"), stages.stage("transforming back"):
            z = fft.backward(y)
        z /= z.dtype.type(fft.scale)
        z -= x
        difference = _max_over(comm, z)
        plan = fft.plan
    total = float(spectrum.power.sum())
    if not math.isfinite(mean + mean_square + total + difference):
        raise CommandError(f"{volume.name} has values up to {largest:.3g}, whose squares are too large to be summed")
    return Result(
        spectrum=spectrum,
        mean=mean,
        mean_square=mean_square,
        parseval_error=abs(total - mean_square) / mean_square if mean_square > 0 else abs(total),
        round_trip_error=difference / largest if largest > 0 else difference,
        seconds={name: max(comm.allgather(value)) for name, value in seconds.items()},
        plan=plan,
        slices=slices,
    )


@contextmanager
def _timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds[name] = time.perf_counter() - start


def _require_memory(volume: Volume, precision: str, ranks: int) -> None:
    """Before anything of that size is made: the field, its spectrum, and the field after a round trip."""
    needed = 3 * math.prod(volume.shape) * (8 if precision == "double" else 4) // ranks
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if needed > there:
        raise CommandError(
            f"{volume.name} of {volume.shape} values needs {needed} bytes on each of {ranks} ranks; this machine has {there}"
        )


def _planes(x: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Plane by plane, so that no temporary is as large as the field."""
    return iter(x) if x.size else iter(())


def _sum_of_squares(x: NDArray[Any]) -> float:
    return sum(float(np.square(plane, dtype=np.float64).sum()) for plane in _planes(x))


def _max_over(comm: Any, x: NDArray[Any]) -> float:
    largest: float = max(comm.allgather(max((float(np.abs(plane).max()) for plane in _planes(x)), default=0.0)))
    return largest


def _require_finite(comm: Any, volume: Volume, x: NDArray[Any], part: tuple[slice, ...]) -> None:
    """The same error on all ranks, naming the first value that is not finite."""
    bad, first = 0, None
    for i, plane in enumerate(_planes(x)):
        finite = np.isfinite(plane)
        if finite.all():
            continue
        bad += plane.size - int(np.count_nonzero(finite))
        if first is None:
            j, k = (int(index) for index in np.argwhere(~finite)[0])
            first = (part[0].start + i, part[1].start + j, part[2].start + k)
    found = comm.allgather((bad, first))
    total = sum(count for count, _ in found)
    if total:
        where = min(place for _, place in found if place is not None)
        raise CommandError(f"{volume.name} has {total} values that are NaN or infinite, the first at {where}")


def _central_slices(comm: Any, x: NDArray[Any], part: tuple[slice, ...], shape: tuple[int, ...]) -> list[NDArray[Any]]:
    """The three planes through the middle, thinned to what a picture can show; on rank 0."""
    slices = []
    for axis, n in enumerate(shape):
        middle = n // 2
        others = [i for i in range(3) if i != axis]
        steps = [-(-shape[i] // _SLICE_POINTS) for i in others]
        piece = None
        if part[axis].start <= middle < part[axis].stop and x.size:
            # The thinned points are multiples of the step in the global grid, on every rank.
            begins = [-(-part[i].start // step) for i, step in zip(others, steps)]
            local = [slice(b * step - part[i].start, None, step) for i, b, step in zip(others, begins, steps)]
            plane = np.take(x, middle - part[axis].start, axis)[tuple(local)]
            piece = (begins, plane)
        pieces = comm.gather(piece)
        if comm.rank == 0:
            whole = np.zeros([-(-shape[i] // step) for i, step in zip(others, steps)], x.dtype)
            for item in pieces:
                if item is not None:
                    (a, b), plane = item
                    whole[a : a + plane.shape[0], b : b + plane.shape[1]] = plane
            slices.append(whole)
    return slices
