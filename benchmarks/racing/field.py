"""The field that all transform, and the comparison of results that are distributed in different ways."""

from __future__ import annotations

from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from .contestant import Slices
from .settings import Case

#: Stands for what is no number: JSON has no word for infinity.
_HUGE = 1e300


class Field:
    """A random field, the same for every distribution and number of ranks: each plane along axis 0 has its own seed."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._parts: dict[tuple[tuple[int, int], ...], NDArray[Any]] = {}

    def part(self, slices: Slices) -> NDArray[Any]:
        """The part that some slices cut out; kept, because it is asked for again and again."""
        key = tuple((item.start, item.stop) for item in slices)
        if key not in self._parts:
            self._parts[key] = self._make(slices)
        return self._parts[key]

    def _make(self, slices: Slices) -> NDArray[Any]:
        is_complex = self._case.kind == "c2c"
        shape = [item.stop - item.start for item in slices]
        part = np.empty(shape, self._case.field_type)
        within = len(self._case.shape) - 1  # axes of a plane
        for index in np.ndindex(*shape[:-within]):  # of a batch, too: field and plane
            random = np.random.default_rng([1, *(item.start + i for item, i in zip(slices, index))])
            plane = random.random((2 if is_complex else 1, *self._case.shape[1:])) - 0.5
            cut = plane[(slice(None), *slices[-within:])]
            part[index] = cut[0] + 1j * cut[1] if is_complex else cut[0]
        return part


def redistributed(comm: MPI.Intracomm, part: NDArray[Any], have: Slices, want: Slices) -> NDArray[Any]:
    """This rank's part in another distribution. Collective. Not fast, and independent of Weft."""
    haves, wants = comm.allgather(have), comm.allgather(want)
    if haves == wants:
        return part
    pieces = [np.ascontiguousarray(part[_within(_common(have, other), have)]) for other in wants]
    result = np.empty([item.stop - item.start for item in want], part.dtype)
    for other, piece in zip(haves, comm.alltoall(pieces)):
        result[_within(_common(other, want), want)] = piece
    return result


def difference(comm: MPI.Intracomm, found: NDArray[Any], wanted: NDArray[Any], scale: float = 1.0) -> float:
    """The largest of \\|found / scale - wanted\\| over the largest of \\|wanted\\|. Collective."""
    worst = largest = 0.0
    for got, right in zip(found, wanted):  # plane by plane, for the sake of memory
        if right.size:
            worst = max(worst, _largest(got / scale - right))
            largest = max(largest, _largest(right))
    worst, largest = (float(comm.allreduce(value, MPI.MAX)) for value in (worst, largest))
    return min(worst / largest if largest > 0 else worst, _HUGE)


def tolerance(case: Case) -> float:
    """What rounding may do to a transform of this size."""
    return float(16 * np.finfo(case.real_type).eps * (1 + np.log2(case.points)))


def _largest(values: NDArray[Any]) -> float:
    largest = float(np.abs(values).max())
    return largest if np.isfinite(largest) else _HUGE


def _common(a: Slices, b: Slices) -> Slices:
    starts = [max(x.start, y.start) for x, y in zip(a, b)]
    return tuple(slice(start, max(start, min(x.stop, y.stop))) for start, x, y in zip(starts, a, b))


def _within(part: Slices, whole: Slices) -> Slices:
    """Global slices as those of an array that holds `whole`."""
    if any(item.start >= item.stop for item in part):
        return (slice(0, 0),) * len(part)
    return tuple(slice(x.start - y.start, x.stop - y.start) for x, y in zip(part, whole))
