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

from .contestant import Arrays, Contestant, Maker, Slices, of_batch, view, whole
from .fftw import BACKWARD, DESTROY_INPUT, FORWARD, MEASURE, Library, integer, pointer, ptrdiff, unsigned
from .settings import Case, Shape

FAMILY = "FFTW-MPI"

# From fftw3-mpi.h.
_TRANSPOSED_IN, _TRANSPOSED_OUT = 1 << 29, 1 << 30
_DEFAULT_BLOCK = 0

# A communicator is a pointer in Open MPI and an int in MPICH.
_comm = pointer if MPI._sizeof(MPI.Comm) == ctypes.sizeof(pointer) else ctypes.c_int
_plan = [integer, pointer, ptrdiff, ptrdiff, ptrdiff, pointer, pointer, _comm]
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "mpi_init": (None, []),
    "mpi_local_size_many_transposed": (
        ptrdiff,
        [integer, pointer, ptrdiff, ptrdiff, ptrdiff, _comm, *[ctypes.POINTER(ptrdiff)] * 4],
    ),
    "mpi_plan_many_dft": (pointer, [*_plan, integer, unsigned]),
    "mpi_plan_many_dft_r2c": (pointer, [*_plan, unsigned]),
    "mpi_plan_many_dft_c2r": (pointer, [*_plan, unsigned]),
    "mpi_execute_dft": (None, [pointer] * 3),
    "mpi_execute_dft_r2c": (None, [pointer] * 3),
    "mpi_execute_dft_c2r": (None, [pointer] * 3),
    "mpi_gather_wisdom": (None, [_comm]),
    "mpi_broadcast_wisdom": (None, [_comm]),
}


@cache
def library(precision: str, path: str) -> Library:
    found = Library(precision, path)
    found.signatures.update(_SIGNATURES)
    found.call("mpi_init")
    return found


def share_wisdom(fftw: Library) -> None:
    """Have all ranks know what any of them knows: plans of MPI transforms must not differ. Collective."""
    comm = _comm(MPI._handleof(MPI.COMM_WORLD))
    fftw.call("mpi_gather_wisdom", comm)
    fftw.call("mpi_broadcast_wisdom", comm)


def makers(path: str, case: Case, quick: bool) -> list[tuple[str, Maker]]:
    # Out of place it is slower nearly always, in normal order always.
    ways = [(True, True), (True, False), (False, True), *([] if quick else [(False, False)])]
    interleaved = (False, True) if case.batch > 1 else (False,)
    variants = [Variant(path, *way, mixed, case.batch > 1) for mixed in interleaved for way in ways]
    return [(variant.name, variant.make) for variant in variants]


@dataclass(frozen=True)
class Variant:
    """One way to use it. Transposed: the spectrum is left distributed along axis 1, and with axis 1 first in memory.
    Batches are what it calls many: the numbers of all fields at a point side by side; or one plan is run field by field.
    """

    path: str
    transposed: bool
    in_place: bool
    interleaved: bool
    batch: bool

    @property
    def name(self) -> str:
        order = "transposed" if self.transposed else "normal order"
        words = [order, "in place" if self.in_place else "out of place"]
        return ", ".join([*words, "interleaved" if self.interleaved else "field by field"] if self.batch else words)

    def make(self, case: Case, arrays: Arrays) -> Contestant:
        library_, comm = library(case.precision, self.path), _comm(MPI._handleof(MPI.COMM_WORLD))
        many = case.batch if self.interleaved else 1
        axes = len(case.shape)
        is_complex = case.kind == "c2c"
        local = [ptrdiff() for _ in range(4)]
        extents = (ptrdiff * axes)(*case.spectrum_shape)
        blocks = (_DEFAULT_BLOCK, _DEFAULT_BLOCK)
        needed = library_.call(
            "mpi_local_size_many_transposed", axes, extents, many, *blocks, comm, *map(ctypes.byref, local)
        )
        # Fields lie as far apart as one of them needs, in whole cache lines: plans want all of them aligned alike.
        apart = -(-case.complex_bytes * needed // 64) * 64
        fields = case.batch // many
        if fields * apart > arrays.first.nbytes:
            raise RuntimeError(f"FFTW-MPI needs {fields * apart} bytes; the arrays have {arrays.first.nbytes}")
        l0, s0, l1, s1 = (item.value for item in local)

        first, second = arrays.first, arrays.first if self.in_place else arrays.second
        source, target = first.ctypes.data, second.ctypes.data
        # Out of place, it is faster when it may use its input as scratch.
        effort = MEASURE | (0 if self.in_place else DESTROY_INPUT)
        there, back = (_TRANSPOSED_OUT, _TRANSPOSED_IN) if self.transposed else (0, 0)
        shape = (ptrdiff * axes)(*case.shape)
        what = (axes, shape, many, *blocks)
        names, signs = ("dft", "dft") if is_complex else ("dft_r2c", "dft_c2r"), (FORWARD, BACKWARD)
        plans = [
            library_.call(f"mpi_plan_many_{name}", *what, a, b, comm, *([sign] if is_complex else []), effort | order)
            for name, sign, a, b, order in zip(names, signs, (source, target), (target, source), (there, back))
        ]
        if not all(plans):
            raise RuntimeError(f"FFTW-MPI made no plan for {case}, {self.name}")

        def run(name: str, plan: int, source: int, target: int) -> Callable[[], None]:
            execute, handle = library_.function(f"mpi_execute_{name}"), pointer(plan)
            if fields == 1:
                at = pointer(source), pointer(target)
                return lambda: execute(handle, *at)
            places = [(pointer(source + i * apart), pointer(target + i * apart)) for i in range(fields)]

            def all_fields() -> None:
                for a, b in places:
                    execute(handle, a, b)

            return all_fields

        def close() -> None:
            for plan in plans:
                library_.call("destroy_plan", plan)

        field, spectrum, slices = self._views(case, first, second, (l0, s0), (l1, s1), apart)
        return Contestant(
            family=FAMILY,
            name=self.name,
            field=field,
            field_slices=of_batch(case, slice(s0, s0 + l0), *whole(case.shape[1:])),
            spectrum=spectrum,
            spectrum_slices=slices,
            forward=run(names[0], plans[0], source, target),
            backward=run(names[1], plans[1], target, source),
            close=close,
        )

    def _views(
        self,
        case: Case,
        first: NDArray[np.uint8],
        second: NDArray[np.uint8],
        planes: tuple[int, int],
        columns: tuple[int, int],
        apart: int,
    ) -> tuple[NDArray[Any], NDArray[Any], Slices]:
        """This rank's field and spectrum, and which part of the global spectrum that is."""
        n0, *others = case.spectrum_shape
        (l0, s0), (l1, s1) = planes, columns

        def array(memory: NDArray[np.uint8], shape: Shape, dtype: str) -> NDArray[Any]:
            if not self.batch:
                return view(memory, shape, dtype)
            if self.interleaved:
                return np.moveaxis(view(memory, (*shape, case.batch), dtype), -1, 0)
            rows, size = view(memory, shape, dtype).strides, (case.batch, *shape)
            return view(memory, size, dtype, (apart, *rows))

        # Rows of a real field are padded, out of place too.
        row = others[-1] if case.kind == "c2c" else 2 * others[-1]
        field = array(first, (l0, *others[:-1], row), case.field_type)[..., : case.shape[-1]]
        if self.transposed:
            axis = -len(case.shape)
            spectrum = array(second, (l1, n0, *others[1:]), case.complex_type).swapaxes(axis, axis + 1)
            return field, spectrum, of_batch(case, slice(0, n0), slice(s1, s1 + l1), *whole(others[1:]))
        spectrum = array(second, (l0, *others), case.complex_type)
        return field, spectrum, of_batch(case, slice(s0, s0 + l0), *whole(others))
