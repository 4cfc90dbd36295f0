"""New arrays that begin with a cache line, as far as they are large enough for it to matter.

What goes past the cache are whole lines of it, and those of `numpy.empty` begin 16 bytes before an array.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_LINE = 64
_SMALL = 1 << 14


def empty_bytes(count: int) -> NDArray[np.uint8]:
    """So many bytes, uninitialised."""
    if count < _SMALL:
        return np.empty(count, np.uint8)
    memory = np.empty(count + _LINE, np.uint8)
    first = -memory.ctypes.data % _LINE
    # Views know this as their owner, and not the array that has the bytes before the first one as well.
    return np.frombuffer(memoryview(memory[first : first + count]), np.uint8)  # type: ignore[arg-type]


def empty(shape: Sequence[int], dtype: DTypeLike) -> NDArray[Any]:
    """An array, uninitialised."""
    count = prod(shape) * np.dtype(dtype).itemsize
    if count < _SMALL:
        return np.empty(shape, dtype)
    return np.ndarray(shape, dtype, buffer=empty_bytes(count))
