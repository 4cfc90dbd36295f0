"""Transforms of one to five dimensions: Weft against FFTW-MPI and mpi4py-fft, interleaved.

    mpiexec -n 2 python benchmarks/dimensions.py

Each round transforms once by every contestant; a time is the slowest rank's, the median of the rounds counts. Spectra are
transposed (of one line in order, as of mpi4py-fft, which has no lines), fields in double precision. FFTW-MPI (libfftw3_mpi, for
Open MPI; Debian and Ubuntu: apt install libfftw3-mpi3) plans with MEASURE, in and out of place; the faster counts. It has no
lines of real numbers: these it transforms as complex ones. Where the fields are small, spectra are compared.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import sys
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray
from racing.fftw import FORWARD, MEASURE, integer, ptrdiff, unsigned
from racing.fftw_mpi import _TRANSPOSED_OUT, _comm, library, share_wisdom
from racing.fftw_mpi import pointer as address
from racing.machine import describe
from racing.rivals import Missing, find_fftw_mpi
from racing.turns import medians

import weft

try:
    from mpi4py_fft import PFFT
except ImportError:
    PFFT = None

COMM = MPI.COMM_WORLD
CASES = "1048576,1000003,4194304,16777216,2048x2048,4096x4096,32x32x32x32,16x16x16x16x16"
#: Numbers up to which spectra are compared.
MOST_COMPARED = 1 << 20
Whole = Callable[[NDArray[Any]], None]


class ByFftw:
    """A forward transform of FFTW-MPI's."""

    def __init__(self, path: str, shape: tuple[int, ...], kind: str, in_place: bool) -> None:
        self._library = library("double", path)
        share_wisdom(self._library)
        places = ctypes.POINTER(ptrdiff)
        self._library.signatures["mpi_local_size_many_1d"] = (
            ptrdiff,
            [ptrdiff, ptrdiff, _comm, integer, unsigned, *[places] * 4],
        )
        comm = _comm(MPI._handleof(COMM))
        half = shape if kind == "c2c" else (*shape[:-1], shape[-1] // 2 + 1)
        l0, s0, l1, s1 = (ptrdiff() for _ in range(4))
        at = [ctypes.byref(one) for one in (l0, s0, l1, s1)]
        flags = MEASURE
        if len(shape) == 1:
            size = self._library.call("mpi_local_size_many_1d", shape[0], 1, comm, FORWARD, flags, *at)
        else:
            flags |= _TRANSPOSED_OUT
            size = self._library.call(
                "mpi_local_size_many_transposed", len(shape), (ptrdiff * len(shape))(*half), 1, 0, 0, comm, *at
            )
        self._in = np.zeros(size, complex)
        self._out = self._in if in_place else np.zeros(size, complex)
        what = (len(shape), (ptrdiff * len(shape))(*shape), 1, 0, 0, self._in.ctypes.data, self._out.ctypes.data, comm)
        if kind == "c2c":
            self._plan = self._library.call("mpi_plan_many_dft", *what, FORWARD, flags)
        else:
            self._plan = self._library.call("mpi_plan_many_dft_r2c", *what, flags)
        if not self._plan:
            raise RuntimeError(f"FFTW-MPI has no plan of {kind} {shape}")
        self._execute = self._library.function("mpi_execute_dft" if kind == "c2c" else "mpi_execute_dft_r2c")
        self._arguments = (address(self._plan), address(self._in.ctypes.data), address(self._out.ctypes.data))
        self._shape, self._half, self._kind = shape, half, kind
        self._rows, self._columns = slice(s0.value, s0.value + l0.value), slice(s1.value, s1.value + l1.value)

    def fill(self, whole: NDArray[Any]) -> None:
        mine = whole[self._rows]
        if self._kind == "c2c":
            self._in[: mine.size] = mine.ravel()
            return
        padded = (*mine.shape[:-1], 2 * self._half[-1])
        self._in.view(float)[: prod(padded)].reshape(padded)[..., : mine.shape[-1]] = mine

    def run(self) -> None:
        self._execute(*self._arguments)

    def spectrum(self, whole: NDArray[Any]) -> None:
        """This rank's part of it, in its place."""
        if len(self._shape) == 1:  # of real numbers half is asked for
            mine = slice(self._columns.start, min(self._columns.stop, len(whole)))
            whole[mine] = self._out[: max(0, mine.stop - mine.start)]
            return
        here = (self._columns.stop - self._columns.start, self._half[0], *self._half[2:])
        whole[:, self._columns] = np.swapaxes(self._out[: prod(here)].reshape(here), 0, 1)

    def close(self) -> None:
        self._library.call("destroy_plan", self._plan)


def race(shape: tuple[int, ...], kind: str, rounds: int, fftw: str | None) -> dict[str, Any]:
    """Median milliseconds of each contestant, and how far spectra are apart."""
    random = np.random.default_rng(1)
    whole = random.standard_normal(shape)
    if kind == "c2c":
        whole = whole + 1j * random.standard_normal(shape)
    works: dict[str, Callable[[], object]] = {}
    fills: dict[str, Callable[[], None]] = {}
    spectra: dict[str, Whole] = {}
    closing: list[Callable[[], None]] = []
    options = {"transposed": True} if len(shape) > 1 else {}
    ours = weft.FFT(shape, COMM, kind, **options)
    x, y = ours.empty_input(), ours.empty_output()
    x[...] = whole[ours.input_slice]
    works["Weft"] = lambda: ours.forward(x, y)
    closing.append(ours.close)

    def found(spectrum: NDArray[Any]) -> None:
        spectrum[ours.output_slice] = y

    spectra["Weft"] = found
    for in_place in (False, True) if fftw else ():
        name = f"FFTW-MPI, {'in' if in_place else 'out of'} place"
        theirs = ByFftw(fftw or "", shape, "c2c" if len(shape) == 1 else kind, in_place)
        theirs.fill(whole)
        works[name], spectra[name] = theirs.run, theirs.spectrum
        fills[name] = lambda one=theirs: one.fill(whole)  # type: ignore[misc]
        closing.append(theirs.close)
    if PFFT is not None and len(shape) > 1:
        fft = PFFT(COMM, shape, dtype="D" if kind == "c2c" else "d")
        fft.forward.input_array[...] = whole[fft.local_slice(False)]
        works["mpi4py-fft"] = lambda: fft.forward(normalize=False)
        closing.append(fft.destroy)
    result: dict[str, Any] = {"shape": shape, "kind": kind, "ranks": COMM.size}
    result["ms"] = medians(works, rounds, fills)
    if prod(shape) <= MOST_COMPARED:
        parts = np.zeros((len(spectra), *ours.spectrum_shape), complex)
        for part, put in zip(parts, spectra.values()):
            put(part)
        COMM.Allreduce(MPI.IN_PLACE, parts)
        result["apart"] = float(np.abs(parts - parts[0]).max() / np.abs(parts[0]).max())
    for close in closing:
        close()
    return result


def table(results: list[dict[str, Any]]) -> str:
    """As Markdown."""
    lines = [
        "| | Weft, ms | FFTW-MPI, ms | times as fast | mpi4py-fft, ms | times as fast |",
        "|---|" + "---:|" * 5,
    ]
    for one in results:
        ours = one["ms"]["Weft"]
        fftw = [ms for name, ms in one["ms"].items() if name.startswith("FFTW")]
        rivals = [min(fftw) if fftw else None, one["ms"].get("mpi4py-fft")]
        columns = " | ".join(f"{ms:.2f} | {ms / ours:.2f}" if ms else " | " for ms in rivals)
        lines.append(f"| {one['kind']} {' x '.join(map(str, one['shape']))} | {ours:.2f} | {columns} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", default=CASES, help=f"separated by commas (default: {CASES})")
    parser.add_argument("--rounds", type=int, default=9, help="measured rounds (default: 9)")
    parser.add_argument("--fftw-mpi", metavar="PATH", help="an FFTW-MPI of your own")
    parser.add_argument("--json", type=Path, help="file for the results")
    arguments = parser.parse_args()
    if PFFT is not None:
        # Its threads make FFTW forget its solvers, those of FFTW-MPI as well: they come first.
        PFFT(COMM, (4, 4)).destroy()
    fftw = find_fftw_mpi(arguments.fftw_mpi)
    if COMM.rank == 0 and isinstance(fftw, Missing):
        print(fftw, file=sys.stderr)
    results = []
    for text in arguments.shapes.split(","):
        shape = tuple(map(int, text.split("x")))
        for kind in ("c2c", "r2c"):
            results.append(race(shape, kind, arguments.rounds, fftw if isinstance(fftw, str) else None))
            if COMM.rank == 0:
                print(
                    f"{kind} {text}: {', '.join(f'{who} {ms:.2f} ms' for who, ms in results[-1]['ms'].items())}",
                    flush=True,
                )
    if COMM.rank == 0:
        print(f"\n{COMM.size} ranks, {describe()['processor']}; median of {arguments.rounds}:\n\n{table(results)}")
    if COMM.rank == 0 and arguments.json:
        temporary = arguments.json.with_suffix(".part")
        temporary.write_text(json.dumps({"machine": describe(), "results": results}, indent=1) + "\n")
        temporary.replace(arguments.json)
    wrong = [one for one in results if one.get("apart", 0) > 1e-12]
    if COMM.rank == 0 and wrong:
        print(f"error: other spectra than FFTW-MPI's: {[one['shape'] for one in wrong]}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
