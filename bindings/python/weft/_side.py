"""The two ends of a transform as NumPy arrays: what shape and type they have, and whether a given array will do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._arguments import Box
from ._errors import Error


class Side:
    """One end of a transform on this rank."""

    __slots__ = ("box", "complex_only", "dtype", "grid", "nbytes", "shape", "slices", "strides")

    def __init__(
        self,
        box: Box,
        dtype: np.dtype[Any],
        batch: int,
        row: int,
        size: int,
        grid: tuple[int, ...],
        complex_only: bool = False,
    ) -> None:
        lo, hi = box
        local = tuple(max(0, b - a) for a, b in zip(lo, hi))
        self.box = box
        self.dtype = dtype
        self.grid = grid
        #: Neither end has real numbers: somebody who has may want another kind of transform.
        self.complex_only = complex_only
        self.slices = tuple(slice(a, b) for a, b in zip(lo, hi))
        self.shape = local if batch == 1 else (batch, *local)
        self.nbytes = size * dtype.itemsize
        # Rows are longer than the box where an in-place real field is padded.
        strides: tuple[int, ...] = (local[1] * row, row, 1)
        if batch > 1:
            strides = (size // batch, *strides)
        self.strides = tuple(step * dtype.itemsize for step in strides)

    def empty(self) -> NDArray[Any]:
        """A new array for an out-of-place transform."""
        return np.empty(self.shape, self.dtype)

    def view(self, memory: NDArray[np.uint8]) -> NDArray[Any]:
        """This end of an in-place transform in the given bytes."""
        return np.ndarray(self.shape, self.dtype, buffer=memory, strides=self.strides)

    def check(self, x: Any, argument: str, written: bool) -> None:
        """Error unless `x` can be handed to the library as it is."""
        self._check_type(x, argument)
        if not x.flags.c_contiguous:
            raise Error(
                f"{argument} of shape {x.shape} has strides {x.strides}; a C-contiguous array is needed "
                "(numpy.ascontiguousarray makes a copy that is)"
            )
        if written and not x.flags.writeable:
            raise Error(f"{argument} is read-only; a writable array is needed")

    def memory(self, x: Any, argument: str, nbytes: int) -> NDArray[np.uint8]:
        """The `nbytes` bytes at the beginning of which `x` lies; error if there are fewer or `x` lies in other strides.

        A view of a larger array (as ``FFT.empty_input`` makes) will do: its owner is asked how much there is.
        """
        self._check_type(x, argument)
        if x.size and _steps(x.shape, x.strides) != _steps(self.shape, self.strides):
            raise Error(
                f"{argument} of shape {x.shape} has strides {x.strides}; an in-place transform needs {self.strides} "
                "(empty_input() and empty_output() make such arrays)"
            )
        if not x.flags.writeable:
            raise Error(f"{argument} is read-only; a writable array is needed")
        if nbytes == 0:
            return np.empty(0, np.uint8)
        owner: Any = x
        while not _holds(owner, x, nbytes):
            if not isinstance(owner.base, np.ndarray):
                raise Error(
                    f"{argument} owns {owner.nbytes} bytes; this in-place transform needs {nbytes} from its first element "
                    "on (empty_input() and empty_output() make such arrays)"
                )
            owner = owner.base
        memory: NDArray[np.uint8] = owner.reshape(-1).view(np.uint8)[:nbytes]
        return memory

    def _check_type(self, x: Any, argument: str) -> None:
        if not isinstance(x, np.ndarray):
            raise Error(f"{argument} is a {type(x).__name__}; a NumPy array is needed")
        if x.dtype != self.dtype:
            wanted = ' (kind="r2c" transforms real fields)' if self.complex_only and x.dtype.kind in "fiu" else ""
            raise Error(f"{argument} has dtype {x.dtype}; {self.dtype} is needed{wanted}")
        if x.shape != self.shape:
            raise Error(
                f"{argument} has shape {x.shape}; {self.shape} is needed: this rank's part "
                f"[{', '.join(f'{s.start}:{s.stop}' for s in self.slices)}] of the grid of {self.grid}"
            )


def _steps(shape: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    """The strides that matter: those of axes with more than one point."""
    return [step for extent, step in zip(shape, strides) if extent > 1]


def _holds(owner: NDArray[Any], x: NDArray[Any], nbytes: int) -> bool:
    return (
        owner.flags.c_contiguous
        and owner.flags.writeable
        and owner.nbytes >= nbytes
        and owner.__array_interface__["data"][0] == x.__array_interface__["data"][0]
    )
