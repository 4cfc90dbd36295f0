"""Poisson's equation between sides of all kinds: Weft against FFTW-MPI's own transforms, interleaved.

    mpiexec -n 2 python benchmarks/poisson.py --sizes 64,128

Each round solves once by every contestant, whose right-hand side has just been written, as a program would have done; a time is the slowest
rank's, the median of the rounds counts. FFTW-MPI
(libfftw3_mpi, for Open MPI; Debian and Ubuntu: apt install libfftw3-mpi3) transforms in place to the transposed spectrum,
NumPy multiplies by a table, and FFTW-MPI transforms back: what a program does by hand. It has no lines of real numbers mixed with
complex ones; of the open box it transforms the doubled one. Where both solve the same, their fields are compared.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray
from racing.fftw import MEASURE, integer, pointer, ptrdiff, unsigned
from racing.fftw_mpi import _TRANSPOSED_IN, _TRANSPOSED_OUT, _comm, library
from racing.machine import describe
from racing.rivals import Missing, find_fftw_mpi
from racing.turns import medians

import weft

COMM = MPI.COMM_WORLD
Sides = tuple[tuple[str, str], ...]

#: By name: the sides of the three axes, and where points lie.
BOXES: dict[str, tuple[Sides, str]] = {
    "periodic": ((("periodic",) * 2,) * 3, "cells"),  # type: ignore[dict-item]
    "odd": ((("odd", "odd"),) * 3, "cells"),
    "even": ((("even", "even"),) * 3, "cells"),
    "even to odd": ((("even", "odd"),) * 3, "cells"),
    "channel": ((("odd", "odd"), ("periodic", "periodic"), ("periodic", "periodic")), "cells"),
    "channel, nodes": ((("odd", "odd"), ("periodic", "periodic"), ("periodic", "periodic")), "nodes"),
    "channel, uneven": ((("odd", "odd"), ("periodic", "periodic"), ("periodic", "periodic")), "cells"),
    "duct": ((("odd", "odd"), ("even", "even"), ("periodic", "periodic")), "cells"),
    "one axis open": ((("open", "open"), ("periodic", "periodic"), ("periodic", "periodic")), "cells"),
    "two axes open": ((("open", "open"), ("open", "open"), ("periodic", "periodic")), "cells"),
    "open": ((("open", "open"),) * 3, "cells"),
}
#: FFTW's names of lines and of what undoes them, and the wave number of place k in units of pi / length.
LINES: dict[tuple[str, str], tuple[int, int, Callable[[NDArray[Any]], NDArray[Any]]]] = {
    ("odd", "odd"): (9, 8, lambda k: k + 1),
    ("even", "even"): (5, 4, lambda k: k),
    ("even", "odd"): (6, 6, lambda k: k + 0.5),
}


class ByFftw:
    """Round trips of FFTW-MPI, with a table in between."""

    def __init__(self, path: str, sides: Sides, n: int) -> None:
        self._library = library("double", path)
        plan = [integer, pointer, ptrdiff, ptrdiff, ptrdiff, pointer, pointer, _comm]
        self._library.signatures["mpi_plan_many_r2r"] = (pointer, [*plan, pointer, unsigned])
        self._library.signatures["mpi_execute_r2r"] = (None, [pointer] * 3)
        comm = _comm(MPI._handleof(COMM))
        self._opened, real = "open" in sides[0], sides[0] in LINES
        # Walls: between real numbers. Else real fields, of twice the points where the box is open.
        m = 2 * n if self._opened else n
        length = 2.0 if self._opened else 1.0
        local = [ptrdiff() for _ in range(4)]
        last = m if real else m // 2 + 1
        size = self._library.call(
            "mpi_local_size_many_transposed", 3, (ptrdiff * 3)(m, m, last), 1, 0, 0, comm, *map(ctypes.byref, local)
        )
        l0, s0, l1, s1 = (one.value for one in local)
        self._memory = np.zeros(size if real else 2 * size)
        at = self._memory.ctypes.data
        shape = (ptrdiff * 3)(m, m, m)
        what = (3, shape, 1, 0, 0, at, at, comm)
        if real:
            kinds = [(integer * 3)(*(LINES[pair][way] for pair in sides)) for way in (0, 1)]
            plans = [
                self._library.call("mpi_plan_many_r2r", *what, ctypes.addressof(kind), MEASURE | order)
                for kind, order in zip(kinds, (_TRANSPOSED_OUT, _TRANSPOSED_IN))
            ]
            names = ("r2r", "r2r")
            k = [np.pi * LINES[pair][2](np.arange(n)) for pair in sides]
            scale = (2 * n) ** 3
        else:
            plans = [
                self._library.call(f"mpi_plan_many_dft_{name}", *what, MEASURE | order)
                for name, order in (("r2c", _TRANSPOSED_OUT), ("c2r", _TRANSPOSED_IN))
            ]
            names = ("dft_r2c", "dft_c2r")
            whole = 2 * np.pi * np.fft.fftfreq(m, length / m)
            k = [whole, whole, np.abs(whole[:last])]
            scale = m**3
        self._plans = plans
        self._runs = [(self._library.function(f"mpi_execute_{name}"), pointer(one)) for name, one in zip(names, plans)]
        # Any numbers do for the time of the open box, whose table is the kernel's.
        square = k[1][s1 : s1 + l1, None, None] ** 2 + k[0][None, :, None] ** 2 + k[2][None, None, :] ** 2
        self._table = np.divide(-1 / scale, square, out=np.zeros_like(square), where=square > 0)
        count = l1 * m * last
        spectrum = self._memory[:count] if real else self._memory.view(complex)[:count]
        self._spectrum = spectrum.reshape(self._table.shape)
        rows = m if real else 2 * last
        self.field = self._memory[: l0 * m * rows].reshape(l0, m, rows)[: max(0, n - s0), :n, :n]
        self.rows = slice(min(s0, n), min(s0 + l0, n))

    def solve(self) -> None:
        at = pointer(self._memory.ctypes.data)
        self._runs[0][0](self._runs[0][1], at, at)
        np.multiply(self._spectrum, self._table, out=self._spectrum)
        self._runs[1][0](self._runs[1][1], at, at)

    def clear(self) -> None:
        """What lies beyond an open box is zero."""
        if self._opened:
            self._memory[:] = 0

    def close(self) -> None:
        for one in self._plans:
            self._library.call("destroy_plan", one)


def race(n: int, rounds: int, fftw: str | None) -> dict[str, Any]:
    """Median milliseconds of each box by each contestant, and how far their fields are apart."""
    works: dict[tuple[str, str], Callable[[], object]] = {}
    before: dict[tuple[str, str], Callable[[], object]] = {}
    closing: list[Callable[[], None]] = []
    result: dict[str, Any] = {"n": n, "ranks": COMM.size, "boxes": {}}
    for name, (sides, points) in BOXES.items():
        # Of nodes as many intervals, so that lengths are as good.
        shape = tuple(n + (points == "nodes" and pair[0] != "periodic") for pair in sides)
        widths = 1.5 + np.cos(np.linspace(0, 2 * np.pi, n))
        spacings = (widths / widths.sum(), None, None) if name.endswith("uneven") else None
        solver = weft.Poisson(shape, sides=sides, points=points, spacings=spacings, comm=COMM)
        f, u = solver.empty_input(), solver.empty_output()
        whole = np.random.default_rng(1).standard_normal(shape)
        f[...] = whole[solver.input_slice]
        works[name, "Weft"] = lambda s=solver, f=f, u=u: s(f, u)  # type: ignore[misc]

        def fill(f: NDArray[Any] = f, part: NDArray[Any] = whole[solver.input_slice]) -> None:
            f[...] = part

        before[name, "Weft"] = fill
        closing.append(solver.close)
        about = result["boxes"][name] = {"shape": shape}
        about["workspace_bytes"] = COMM.allreduce(solver.plan.workspace_bytes)
        if fftw is None or len(set(sides)) != 1:
            continue
        by_hand = ByFftw(fftw, sides, n)
        closing.append(by_hand.close)

        def fill_theirs(one: ByFftw = by_hand, whole: NDArray[Any] = whole) -> None:
            one.clear()
            one.field[...] = whole[one.rows]

        works[name, "FFTW-MPI"], before[name, "FFTW-MPI"] = by_hand.solve, fill_theirs
        if "open" not in sides[0]:
            fill_theirs()
            by_hand.solve()
            solver(f, u)
            found = np.zeros((2, *shape))
            found[0][solver.output_slice] = u
            found[1][by_hand.rows] = by_hand.field
            COMM.Allreduce(MPI.IN_PLACE, found)
            about["apart"] = float(np.abs(found[0] - found[1]).max() / np.abs(found[0]).max())
    ms = medians(works, rounds, before)
    for close in closing:
        close()
    for (name, who), taken in ms.items():
        result["boxes"][name].setdefault("ms", {})[who] = taken
    return result


def table(result: dict[str, Any]) -> str:
    """As Markdown."""
    periodic = result["boxes"]["periodic"]["ms"]["Weft"]
    lines = [
        "| sides | Weft, ms | of periodic | FFTW-MPI, ms | times as fast | workspace, bytes a point |",
        "|---|" + "---:|" * 5,
    ]
    for name, about in result["boxes"].items():
        ours, theirs = about["ms"]["Weft"], about["ms"].get("FFTW-MPI")
        rival = f"{theirs:.2f} | {theirs / ours:.1f}" if theirs else " | "
        room = about["workspace_bytes"] / np.prod(about["shape"])
        lines.append(f"| {name} | {ours:.2f} | {ours / periodic:.2f} | {rival} | {room:.0f} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="64,128", help="points of an axis, separated by commas")
    parser.add_argument("--rounds", type=int, default=15, help="measured rounds (default: 15)")
    parser.add_argument("--fftw-mpi", metavar="PATH", help="an FFTW-MPI of your own")
    parser.add_argument("--json", type=Path, help="file for the results")
    arguments = parser.parse_args()
    found = find_fftw_mpi(arguments.fftw_mpi)
    if COMM.rank == 0 and isinstance(found, Missing):
        print(found, file=sys.stderr)
    results = []
    for n in map(int, arguments.sizes.split(",")):
        results.append(race(n, arguments.rounds, found if isinstance(found, str) else None))
        if COMM.rank == 0:
            print(f"{n}^3 points, {COMM.size} ranks, {describe()['processor']}; median of {arguments.rounds}:\n")
            print(table(results[-1]), end="\n\n", flush=True)
    if COMM.rank == 0 and arguments.json:
        temporary = arguments.json.with_suffix(".part")
        temporary.write_text(json.dumps({"machine": describe(), "results": results}, indent=1) + "\n")
        temporary.replace(arguments.json)
    wrong = [name for one in results for name, about in one["boxes"].items() if about.get("apart", 0) > 1e-10]
    if COMM.rank == 0 and wrong:
        print(f"error: other fields than FFTW-MPI's: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
