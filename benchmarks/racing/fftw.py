"""FFTW through ctypes: its libraries of both precisions, what it learns, and its transforms within one process."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .contestant import Arrays, Contestant, Maker, of_batch, view, whole
from .settings import Case

FAMILY = "FFTW"

# From fftw3.h.
FORWARD, BACKWARD = -1, 1
MEASURE, DESTROY_INPUT = 0, 1 << 0

pointer, ptrdiff, integer, unsigned = ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_uint
_side = [pointer, pointer, integer, integer]
_many = [integer, pointer, integer, *_side, *_side]
#: What functions give, and what they take.
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "plan_many_dft": (pointer, [*_many, integer, unsigned]),
    "plan_many_dft_r2c": (pointer, [*_many, unsigned]),
    "plan_many_dft_c2r": (pointer, [*_many, unsigned]),
    "execute": (None, [pointer]),
    "destroy_plan": (None, [pointer]),
    "init_threads": (integer, []),
    "plan_with_nthreads": (None, [integer]),
    "import_wisdom_from_filename": (integer, [ctypes.c_char_p]),
    "export_wisdom_to_filename": (integer, [ctypes.c_char_p]),
}


class Library:
    """The functions of one precision, by name without ``fftw_``, whichever library they are in."""

    def __init__(self, precision: str, mpi: str | None = None) -> None:
        letter = "" if precision == "double" else "f"
        self._prefix = f"fftw{letter}_"
        self._libraries = [ctypes.CDLL(f"libfftw3{letter}.so.3")]
        self.signatures = dict(_SIGNATURES)
        if mpi is not None:
            path = Path(mpi)  # of double precision
            self._libraries.append(ctypes.CDLL(str(path.with_name(path.name.replace("fftw3_", f"fftw3{letter}_")))))

    def load_threads(self) -> None:
        """Threads for the plans that ask for them. FFTW then forgets its solvers: to be called before anything plans."""
        for kind in ("omp", "threads"):
            try:
                self._libraries.append(ctypes.CDLL(f"lib{self._prefix[:-1].replace('fftw', 'fftw3')}_{kind}.so.3"))
                break
            except OSError:
                continue
        else:
            raise RuntimeError(
                "FFTW's threads are not there: libfftw3_omp.so.3 and libfftw3_threads.so.3 were looked for"
            )
        if not self.call("init_threads"):
            raise RuntimeError("FFTW could not start its threads")

    def function(self, name: str) -> Any:
        for library in self._libraries:
            try:
                found = getattr(library, self._prefix + name)
            except AttributeError:
                continue
            found.restype, found.argtypes = self.signatures[name]
            return found
        raise RuntimeError(f"FFTW has no function {self._prefix}{name}")

    def call(self, name: str, *arguments: Any) -> Any:
        return self.function(name)(*arguments)

    def version(self) -> str:
        """``fftw-3.3.10-sse2-avx``"""
        # The text's length is not known, only that it is short and ends in a zero.
        text = ctypes.c_char.in_dll(self._libraries[0], self._prefix + "version")
        return ctypes.string_at(ctypes.addressof(text)).decode()

    def learn(self, path: Path) -> None:
        """What earlier jobs have found out; of another set of solvers it is of no use, and FFTW refuses it."""
        if path.is_file():
            self.call("import_wisdom_from_filename", str(path).encode())

    def keep(self, path: Path) -> None:
        """What is known now."""
        self.call("export_wisdom_to_filename", str(path).encode())


@cache
def library(precision: str) -> Library:
    return Library(precision)


def makers() -> list[tuple[str, Maker]]:
    variants = [Variant(in_place) for in_place in (True, False)]
    return [(variant.name, variant.make) for variant in variants]


@dataclass(frozen=True)
class Variant:
    """One way to use it, with as many threads as the case has."""

    in_place: bool

    @property
    def name(self) -> str:
        return "in place" if self.in_place else "out of place"

    def make(self, case: Case, arrays: Arrays) -> Contestant:
        fftw = library(case.precision)
        first, second = arrays.first, arrays.first if self.in_place else arrays.second
        *planes, points = case.shape
        axes, modes = len(case.shape), case.spectrum_shape[-1]
        is_complex = case.kind == "c2c"
        row = (points if is_complex else 2 * modes) if self.in_place else points  # numbers of the field between rows
        shape = (ctypes.c_int * axes)(*case.shape)
        field_side, spectrum_side = (None, 1, math.prod(planes) * row), (None, 1, math.prod(planes) * modes)
        there = (axes, shape, case.batch, first.ctypes.data, *field_side, second.ctypes.data, *spectrum_side)
        back = (axes, shape, case.batch, second.ctypes.data, *spectrum_side, first.ctypes.data, *field_side)
        # Out of place, it is faster when it may use its input as scratch.
        effort = MEASURE | (0 if self.in_place else DESTROY_INPUT)
        if case.threads > 1:
            fftw.call("plan_with_nthreads", case.threads)
        try:
            if is_complex:
                plans = [
                    fftw.call("plan_many_dft", *there, FORWARD, effort),
                    fftw.call("plan_many_dft", *back, BACKWARD, effort),
                ]
            else:
                plans = [fftw.call("plan_many_dft_r2c", *there, effort), fftw.call("plan_many_dft_c2r", *back, effort)]
        finally:
            if case.threads > 1:
                fftw.call("plan_with_nthreads", 1)  # others in this process plan with FFTW, too
        if not all(plans):
            raise RuntimeError(f"FFTW made no plan for {case}, {self.name}")
        forward, backward = map(pointer, plans)
        execute, destroy = fftw.function("execute"), fftw.function("destroy_plan")

        def close() -> None:
            destroy(forward)
            destroy(backward)

        batch = (case.batch,) if case.batch > 1 else ()
        return Contestant(
            family=FAMILY,
            name=self.name,
            field=view(first, (*batch, *planes, row), case.field_type)[..., :points],
            field_slices=of_batch(case, *whole(case.shape)),
            spectrum=view(second, (*batch, *case.spectrum_shape), case.complex_type),
            spectrum_slices=of_batch(case, *whole(case.spectrum_shape)),
            forward=lambda: execute(forward),
            backward=lambda: execute(backward),
            close=close,
        )
