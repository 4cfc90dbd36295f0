"""FFTW's own MPI transforms, through ctypes: plans with FFTW_MEASURE, in the caller's arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from .contestant import Arrays, Contestant, Slices, view
from .settings import Case

FAMILY = "FFTW-MPI"

# From fftw3.h and fftw3-mpi.h.
_FORWARD, _BACKWARD = -1, 1
_MEASURE, _DESTROY_INPUT = 0, 1 << 0
_TRANSPOSED_IN, _TRANSPOSED_OUT = 1 << 29, 1 << 30

_ptrdiff = ctypes.c_ssize_t
_pointer = ctypes.c_void_p
# A communicator is a pointer in Open MPI and an int in MPICH.
_comm = _pointer if MPI._sizeof(MPI.Comm) == ctypes.sizeof(_pointer) else ctypes.c_int


@cache
def _library(path: str) -> Any:
    library = ctypes.CDLL(path)
    sizes = [ctypes.POINTER(_ptrdiff)] * 4
    library.fftw_mpi_local_size_3d_transposed.argtypes = [*[_ptrdiff] * 3, _comm, *sizes]
    library.fftw_mpi_local_size_3d_transposed.restype = _ptrdiff
    library.fftw_mpi_plan_dft_3d.argtypes = [*[_ptrdiff] * 3, _pointer, _pointer, _comm, ctypes.c_int, ctypes.c_uint]
    real = [*[_ptrdiff] * 3, _pointer, _pointer, _comm, ctypes.c_uint]
    library.fftw_mpi_plan_dft_r2c_3d.argtypes = real
    library.fftw_mpi_plan_dft_c2r_3d.argtypes = real
    for plan in (library.fftw_mpi_plan_dft_3d, library.fftw_mpi_plan_dft_r2c_3d, library.fftw_mpi_plan_dft_c2r_3d):
        plan.restype = _pointer
    # These lie in libfftw3, which comes with it.
    library.fftw_execute.argtypes = [_pointer]
    library.fftw_destroy_plan.argtypes = [_pointer]
    library.fftw_mpi_init()
    return library


def forget_wisdom(path: str) -> None:
    """Have every contestant plan from nothing: Weft and mpi4py-fft use the same libfftw3, and its memory."""
    _library(path).fftw_forget_wisdom()


def version(path: str) -> str:
    """``fftw-3.3.10-sse2-avx``"""
    # The text's length is not known, only that it is short and ends in a zero.
    return ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(_library(path), "fftw_version"))).decode()


def makers(path: str) -> list[tuple[str, Callable[[Case, Arrays], Contestant]]]:
    variants = [Variant(path, transposed, in_place) for transposed in (True, False) for in_place in (True, False)]
    return [(variant.name, variant.make) for variant in variants]


@dataclass(frozen=True)
class Variant:
    """One way to use it. Transposed: the spectrum is left distributed along axis 1, and with axis 1 first in memory."""

    path: str
    transposed: bool
    in_place: bool

    @property
    def name(self) -> str:
        order = "transposed" if self.transposed else "normal order"
        return f"{order}, {'in place' if self.in_place else 'out of place'}"

    def make(self, case: Case, arrays: Arrays) -> Contestant:
        library, comm = _library(self.path), _comm(MPI._handleof(MPI.COMM_WORLD))
        n0, n1, n2 = case.shape
        is_complex = case.kind == "c2c"
        m2 = n2 if is_complex else n2 // 2 + 1
        local = [_ptrdiff() for _ in range(4)]
        needed = library.fftw_mpi_local_size_3d_transposed(n0, n1, m2, comm, *map(ctypes.byref, local))
        if 16 * needed > arrays.first.nbytes:
            raise RuntimeError(f"FFTW-MPI needs {16 * needed} bytes; the arrays have {arrays.first.nbytes}")
        l0, s0, l1, s1 = (item.value for item in local)

        first, second = arrays.first, arrays.first if self.in_place else arrays.second
        source, target = _pointer(first.ctypes.data), _pointer(second.ctypes.data)
        # Out of place, it is faster when it may use its input as scratch.
        effort = _MEASURE | (0 if self.in_place else _DESTROY_INPUT)
        there, back = (_TRANSPOSED_OUT, _TRANSPOSED_IN) if self.transposed else (0, 0)
        if is_complex:
            plan = library.fftw_mpi_plan_dft_3d
            plans = [
                plan(n0, n1, n2, source, target, comm, _FORWARD, effort | there),
                plan(n0, n1, n2, target, source, comm, _BACKWARD, effort | back),
            ]
        else:
            plans = [
                library.fftw_mpi_plan_dft_r2c_3d(n0, n1, n2, source, target, comm, effort | there),
                library.fftw_mpi_plan_dft_c2r_3d(n0, n1, n2, target, source, comm, effort | back),
            ]
        if not all(plans):
            raise RuntimeError(f"FFTW-MPI made no plan for {case}, {self.name}")
        forward, backward = map(_pointer, plans)

        def close() -> None:
            library.fftw_destroy_plan(forward)
            library.fftw_destroy_plan(backward)

        field, spectrum, slices = self._views(case, first, second, m2, (l0, s0), (l1, s1))
        return Contestant(
            family=FAMILY,
            name=self.name,
            field=field,
            field_slices=(slice(s0, s0 + l0), slice(0, n1), slice(0, n2)),
            spectrum=spectrum,
            spectrum_slices=slices,
            forward=lambda: library.fftw_execute(forward),
            backward=lambda: library.fftw_execute(backward),
            close=close,
        )

    def _views(
        self,
        case: Case,
        first: NDArray[np.uint8],
        second: NDArray[np.uint8],
        m2: int,
        planes: tuple[int, int],
        columns: tuple[int, int],
    ) -> tuple[NDArray[Any], NDArray[Any], Slices]:
        """This rank's field and spectrum, and which part of the global spectrum that is."""
        n0, n1, n2 = case.shape
        (l0, s0), (l1, s1) = planes, columns
        if case.kind == "c2c":
            field = view(first, (l0, n1, n2), np.complex128)
        else:  # rows of a real field are padded, out of place too
            field = view(first, (l0, n1, 2 * m2), np.float64)[:, :, :n2]
        if self.transposed:
            spectrum = view(second, (l1, n0, m2), np.complex128).transpose(1, 0, 2)
            return field, spectrum, (slice(0, n0), slice(s1, s1 + l1), slice(0, m2))
        spectrum = view(second, (l0, n1, m2), np.complex128)
        return field, spectrum, (slice(s0, s0 + l0), slice(0, n1), slice(0, m2))
