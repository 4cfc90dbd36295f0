"""The two ends of a transform as NumPy arrays: what shape and type they have, and whether a given array will do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._arguments import Box
from ._errors import Error
from ._memory import empty, empty_bytes


class Side:
    """One end of a transform on this rank.

    `strides` are elements from point to point along each axis, and from field to field, of which there are `batch`, or
    the product of several such numbers; of axes not in `axes` there is one point, and arrays do not have them. `order`
    has the axes of arrays from first to last.
    """

    __slots__ = (
        "axes",
        "box",
        "complex_only",
        "dtype",
        "fields",
        "ghosted",
        "grid",
        "interleaved",
        "nbytes",
        "order",
        "packed",
        "shape",
        "slices",
        "strides",
    )
    box: tuple[tuple[int, ...], tuple[int, ...]]

    def __init__(
        self,
        box: Box,
        dtype: np.dtype[Any],
        batch: int | tuple[int, ...],
        strides: tuple[Sequence[int], int],
        size: int,
        grid: Sequence[int],
        *,
        axes: Sequence[int] = (0, 1, 2),
        order: Sequence[int] = (0, 1, 2),
        interleaved: bool = False,
        complex_only: bool = False,
    ) -> None:
        lo, hi = box
        local = [max(0, b - a) for a, b in zip(lo, hi)]
        steps, field = strides
        self.axes = tuple(axes)
        self.order = tuple(axis for axis in order if axis in self.axes)
        self.box = tuple(lo[axis] for axis in self.axes), tuple(hi[axis] for axis in self.axes)
        self.dtype = dtype
        self.grid = tuple(grid[axis] for axis in self.axes)
        self.slices = tuple(slice(lo[axis], hi[axis]) for axis in self.axes)
        #: Neither end has real numbers: somebody who has may want another kind of transform.
        self.complex_only = complex_only
        #: The array holds ghosts, or several boxes: more than what `slices` cut out of the grid.
        self.ghosted = False
        self.nbytes = size * dtype.itemsize
        self.interleaved = interleaved
        self.fields = tuple(count for count in ((batch,) if isinstance(batch, int) else batch) if count > 1)
        shape, numbers = [local[axis] for axis in self.order], [steps[axis] for axis in self.order]
        place = len(shape) if interleaved else 0
        for count in reversed((batch,) if isinstance(batch, int) else batch):
            if count > 1:
                shape.insert(place, count)
                numbers.insert(place, field)
            field *= count
        self.shape = tuple(shape)
        self.strides = tuple(number * dtype.itemsize for number in numbers)
        span = _span(self.shape, self.strides, dtype.itemsize)
        if span > self.nbytes:  # NumPy does not look at buffers of no bytes
            raise Error(f"an array of shape {self.shape} takes {span} bytes, where the plan has {self.nbytes}")
        # Rows may be longer than the box where a real field is padded, be it the only row.
        dense = [dtype.itemsize * step for step in dense_steps(shape)]
        self.packed = 0 in shape or (
            span == self.nbytes and _steps(self.shape, self.strides) == _steps(self.shape, dense)
        )

    def empty(self) -> NDArray[Any]:
        """A new array for an out-of-place transform."""
        return empty(self.shape, self.dtype) if self.packed else self.view(empty_bytes(self.nbytes))

    def view(self, memory: NDArray[np.uint8]) -> NDArray[Any]:
        """This end in the given bytes."""
        return np.ndarray(self.shape, self.dtype, buffer=memory, strides=self.strides)

    def whole(self) -> tuple[tuple[int, ...], tuple[slice, ...], list[int]]:
        """The global array with the axes of the grid in their order: its shape, and this rank's place in it; and how the axes
        of this rank's array are transposed to those."""
        if self.ghosted:
            raise Error("this end has ghosts, or several boxes of a rank; files and labels need one box without ghosts")
        count, grid = len(self.fields), len(self.order)
        others = [axis + grid * self.interleaved for axis in range(count)]
        axes = [self.order.index(axis) + count * (not self.interleaved) for axis in self.axes]
        every = tuple(slice(0, extent) for extent in self.fields)
        if self.interleaved:
            return self.grid + self.fields, self.slices + every, axes + others
        return self.fields + self.grid, every + self.slices, others + axes

    def fits(self, x: Any) -> bool:
        """Whether `x` is a NumPy array that the library takes as it is, out of place."""
        return (
            type(x) is np.ndarray
            and self.packed
            and x.dtype == self.dtype
            and x.shape == self.shape
            and x.flags.c_contiguous
        )

    def check(self, x: Any, argument: str, written: bool) -> NDArray[Any]:
        """`x` as it can be handed to the library, out of place; an error if it cannot."""
        if not self.packed:
            return self.memory(x, argument, self.nbytes, written, "padded rows need")
        x = self.array(x, argument)
        if not x.flags.c_contiguous:
            raise Error(
                f"{argument} of shape {x.shape} has strides {x.strides}; a C-contiguous array is needed "
                "(numpy.ascontiguousarray makes a copy that is)"
            )
        if written and not x.flags.writeable:
            raise Error(f"{argument} is read-only; a writable array is needed")
        return x

    def memory(
        self, x: Any, argument: str, nbytes: int, written: bool = True, needs: str = "an in-place transform needs"
    ) -> NDArray[np.uint8]:
        """The `nbytes` bytes at the beginning of which `x` lies; error if there are fewer or `x` lies in other strides.

        A view of a larger array (as ``FFT.empty_input`` makes) will do: its owner is asked how much there is.
        """
        x = self.array(x, argument)
        if x.size and _steps(x.shape, x.strides) != _steps(self.shape, self.strides):
            raise Error(
                f"{argument} of shape {x.shape} has strides {x.strides}; {needs} {self.strides} "
                "(empty_input() and empty_output() make such arrays)"
            )
        if written and not x.flags.writeable:
            raise Error(f"{argument} is read-only; a writable array is needed")
        if nbytes == 0:
            return np.empty(0, np.uint8)
        owner: Any = x
        while not _holds(owner, x, nbytes, written):
            if not isinstance(owner.base, np.ndarray):
                raise Error(
                    f"{argument} owns {owner.nbytes} bytes; {needs} {nbytes} from its first element "
                    "on (empty_input() and empty_output() make such arrays)"
                )
            owner = owner.base
        memory: NDArray[np.uint8] = owner.reshape(-1).view(np.uint8)[:nbytes]
        return memory

    def array(self, x: Any, argument: str) -> NDArray[Any]:
        """`x` as a NumPy array of this end's type and shape; an error if it has others."""
        x = host_array(x, argument)
        if x.dtype != self.dtype:
            wanted = ' (kind="r2c" transforms real fields)' if self.complex_only and x.dtype.kind in "fiu" else ""
            raise Error(f"{argument} has dtype {x.dtype}; {self.dtype} is needed{wanted}")
        if x.shape != self.shape:
            turned = "" if self.order == self.axes else f", its axes in the order {self.order}"
            raise Error(
                f"{argument} has shape {x.shape}; {self.shape} is needed: this rank's part "
                f"[{', '.join(f'{s.start}:{s.stop}' for s in self.slices)}] of the grid of {self.grid}{turned}"
            )
        return x


def dense_steps(shape: Sequence[int]) -> list[int]:
    """Elements from point to point along each axis of an array in C order without gaps."""
    return [int(np.prod(shape[axis + 1 :], dtype=np.int64)) for axis in range(len(shape))]


def two_arrays(
    source: Side, target: Side, x: Any, out: Any, argument: str, new: Callable[[], NDArray[Any]]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """What is read and what is written, which is new where the caller gives none; an error unless they will do."""
    given = source.check(x, argument, written=False)
    if out is None:
        return given, new()
    written = target.check(out, "out", written=True)
    if np.may_share_memory(given, written):
        raise Error(f"out overlaps {argument}; separate arrays are needed")
    return given, written


#: Numbers that DLPack gives to memory of the host: ordinary, and pinned for CUDA or ROCm.
_HOST_MEMORY = (1, 3, 11)


def host_array(x: Any, argument: str) -> NDArray[Any]:
    """`x` as a NumPy array in the same memory; it may be an array of another library that shows it to NumPy."""
    if isinstance(x, np.ndarray):
        return x
    kind = type(x).__name__
    if hasattr(x, "__array_interface__"):
        return np.asarray(x)
    if not hasattr(x, "__dlpack__"):
        raise Error(f"{argument} is a {kind}; a NumPy array is needed, or one that has DLPack or __array_interface__")
    device = int(x.__dlpack_device__()[0])
    if device not in _HOST_MEMORY:
        raise Error(
            f"{argument} is a {kind} on a device (DLPack's number {device}); an array in the memory of the host is needed"
        )
    try:
        return np.from_dlpack(x)
    except (BufferError, RuntimeError, TypeError) as error:
        raise Error(f"{argument} is a {kind} that NumPy cannot take over: {error}") from None


def hosted(x: Any, argument: str) -> Any:
    """An array of another library as a NumPy array in the same memory; anything else as it is."""
    return host_array(x, argument) if hasattr(x, "__dlpack__") or hasattr(x, "__array_interface__") else x


def _steps(shape: Sequence[int], strides: Sequence[int]) -> list[int]:
    """The strides that matter: those of axes with more than one point."""
    return [step for extent, step in zip(shape, strides) if extent > 1]


def _span(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> int:
    """Bytes from the first number to the end of the last one."""
    return 0 if 0 in shape else itemsize + sum((extent - 1) * step for extent, step in zip(shape, strides))


def _holds(owner: NDArray[Any], x: NDArray[Any], nbytes: int, written: bool) -> bool:
    return (
        owner.flags.c_contiguous
        and (owner.flags.writeable or not written)
        and owner.nbytes >= nbytes
        and owner.__array_interface__["data"][0] == x.__array_interface__["data"][0]
    )
