"""What a contestant is, and the memory in which contestants work."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .settings import Case

Slices = tuple[slice, ...]
#: A huge page: where memory begins on one, all of it can lie on huge pages.
_HUGE = 1 << 21


def nothing() -> None:
    """Where there is nothing to do, or not yet."""


@dataclass
class Contestant:
    """A transform that is ready to run, whoever made it. Views have the axes in the global order, that of the batch first
    where there is a batch.

    Of a sphere the field are its plane waves and the spectrum is what they are in space, so that `forward` is what
    plane-wave codes call backward.
    """

    family: str
    name: str
    #: This rank's part of the field: read by forward, written by backward.
    field: NDArray[Any]
    field_slices: Slices
    #: This rank's part of the spectrum: written by forward, read by backward.
    spectrum: NDArray[Any]
    spectrum_slices: Slices
    forward: Callable[[], object]
    backward: Callable[[], object]
    close: Callable[[], None] = nothing
    #: Seconds per forward + backward by part, of this rank, where the library tells.
    parts: Callable[[], dict[str, float]] | None = None
    reset_parts: Callable[[], None] = nothing
    options: dict[str, str] | None = None
    #: What it may lose in forward + backward beside rounding, where it was asked to send fewer bytes.
    wire_error: float = 0.0


Maker = Callable[[Case, "Arrays"], Contestant]


class Arrays:
    """Two arrays of this rank, `first` and `second`, in which all contestants work that take the caller's memory.

    The same memory for all, so that none is lucky with its pages. NumPy asks for huge pages.
    """

    def __init__(self, case: Case) -> None:
        # The largest part of any slab decomposition, FFTW's padding included. What is not used is never touched.
        n0, n1, *others = case.spectrum_shape
        points = max(-(-n0 // case.ranks) * n1, -(-n1 // case.ranks) * n0) * math.prod(others)
        self._bytes = case.batch * (2 * case.complex_bytes * points + (1 << 12)) + (1 << 16)
        self.first, self.second = (self._aligned() for _ in range(2))

    def _aligned(self) -> NDArray[np.uint8]:
        memory = np.empty(self._bytes + _HUGE, np.uint8)
        start = -memory.ctypes.data % _HUGE
        # Through a memoryview, so that this, and not all of `memory`, is the owner that views name as their base.
        return np.frombuffer(memory[start : start + self._bytes].data, np.uint8)


def view(memory: NDArray[np.uint8], shape: tuple[int, ...], dtype: Any, strides: Any = None) -> NDArray[Any]:
    """An array at the beginning of some memory."""
    return np.ndarray(shape, dtype, buffer=memory, strides=strides)


def whole(shape: Iterable[int]) -> Slices:
    return tuple(slice(0, n) for n in shape)


def of_batch(case: Case, *slices: slice) -> Slices:
    """Slices of a field, with those of the batch before them where there is one."""
    return (slice(0, case.batch), *slices) if case.batch > 1 else slices
