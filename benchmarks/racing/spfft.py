"""SpFFT's C interface through ctypes, of double precision."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from .rivals import SPFFT_FILE

FAMILY = "SpFFT"
_HOST, _TRIPLETS, _NO_SCALING, _DEFAULT_EXCHANGE = 1, 0, 0, 0


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(SPFFT_FILE)


class SpFFT:
    """Transforms of one band between this rank's plane waves and its planes, on all ranks."""

    def __init__(
        self, shape: tuple[int, int, int], gamma: bool, indices: NDArray[np.int64], planes: int, threads: int = 1
    ) -> None:
        self._handle = ctypes.c_void_p()
        made, comm = ctypes.byref(self._handle), MPI.COMM_WORLD
        waves = np.ascontiguousarray(indices, np.int32)
        what = (len(waves), _TRIPLETS, _pointer(waves))
        if comm.size == 1:
            code = _library().spfft_transform_create_independent(made, threads, _HOST, int(gamma), *shape, *what)
        else:
            where = (ctypes.c_void_p.from_address(MPI._addressof(comm)), _DEFAULT_EXCHANGE, _HOST, int(gamma))
            code = _library().spfft_transform_create_independent_distributed(
                made, threads, *where, *shape, planes, *what
            )
        _require(code)

    def to_space(self, waves: NDArray[Any], space: NDArray[Any]) -> None:
        """What it calls backward."""
        _require(_library().spfft_transform_backward_ptr(self._handle, _pointer(waves), _pointer(space)))

    def to_waves(self, space: NDArray[Any], waves: NDArray[Any]) -> None:
        """What it calls forward, unscaled."""
        _require(_library().spfft_transform_forward_ptr(self._handle, _pointer(space), _pointer(waves), _NO_SCALING))

    def close(self) -> None:
        _library().spfft_transform_destroy(self._handle)


def _pointer(array: NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _require(code: int) -> None:
    if code != 0:
        raise RuntimeError(f"SpFFT failed with the code {code}")
