"""FFTW's constants, and arrays at addresses that are multiples of some number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

FFTW_FORWARD, FFTW_BACKWARD = -1, 1
FFTW_R2HC, FFTW_HC2R, FFTW_DHT = 0, 1, 2
FFTW_REDFT00, FFTW_REDFT01, FFTW_REDFT10, FFTW_REDFT11 = 3, 4, 5, 6
FFTW_RODFT00, FFTW_RODFT01, FFTW_RODFT10, FFTW_RODFT11 = 7, 8, 9, 10
C2C_FORWARD, C2C_BACKWARD, R2C, C2R = -1, 1, -2, 2

FFTW_MEASURE, FFTW_DESTROY_INPUT, FFTW_UNALIGNED, FFTW_CONSERVE_MEMORY, FFTW_EXHAUSTIVE = 0, 1, 2, 4, 8
FFTW_PRESERVE_INPUT, FFTW_PATIENT, FFTW_ESTIMATE, FFTW_WISDOM_ONLY = 16, 32, 64, 2097152

flag_dict = {name: value for name, value in globals().items() if name.startswith("FFTW_")}

dct_type = {1: FFTW_REDFT00, 2: FFTW_REDFT10, 3: FFTW_REDFT01, 4: FFTW_REDFT11}
idct_type = {1: FFTW_REDFT00, 2: FFTW_REDFT01, 3: FFTW_REDFT10, 4: FFTW_REDFT11}
dst_type = {1: FFTW_RODFT00, 2: FFTW_RODFT10, 3: FFTW_RODFT01, 4: FFTW_RODFT11}
idst_type = {1: FFTW_RODFT00, 2: FFTW_RODFT01, 3: FFTW_RODFT10, 4: FFTW_RODFT11}


def get_alignment(array: NDArray[Any]) -> int:
    """The largest power of two up to 32 that divides the address of the array."""
    address: int = array.ctypes.data
    return min(address & -address, 32) if address else 32


def aligned(
    shape: int | Sequence[int], n: int = 32, dtype: DTypeLike = np.float64, fill: float | None = None
) -> NDArray[Any]:
    """A new array at an address that `n` divides, filled with `fill` if that is given."""
    dtype = np.dtype(dtype)
    shape = (int(shape),) if np.ndim(shape) == 0 else tuple(int(extent) for extent in shape)  # type: ignore[arg-type, union-attr]
    nbytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    memory = np.empty(nbytes + n, np.uint8)
    array: NDArray[Any] = np.ndarray(shape, dtype, memory.data, offset=-memory.ctypes.data % n)
    if fill is not None:
        array.fill(fill)
    return array


def aligned_like(z: NDArray[Any], fill: float | None = None) -> NDArray[Any]:
    """A new array with the shape, the type and the alignment of another."""
    return aligned(z.shape, get_alignment(z), z.dtype, fill)
