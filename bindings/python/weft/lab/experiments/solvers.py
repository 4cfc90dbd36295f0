"""Poisson's equation between walls and in open boxes: Weft's solver, or FFTW-MPI's transforms there and back?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from weft.lab.experiment import Lab, Result, Table
from weft.lab.machines import Machine
from weft.lab.simulate import ONCE

from .rivals import NEEDS_PROGRAM as NEEDS_PROGRAM
from .rivals import TRANSPOSITIONS, Case, fftw, require_fftw

TITLE = "Solvers between walls and in open boxes, beside FFTW-MPI's transforms"
PAPER = "Weft's own"
WHERE = "no paper: FFTW 3.3's MPI library, itself, on the same simulated machines (`scripts/lab_rivals.sh` builds it)"
METHOD = (
    "weft-bench --operator with the lines and points that weft.Poisson gives an operator, double, sizes only, by Weft's default; and a "
    "forward and a backward transform by FFTW-MPI, spectra left transposed, by the best of its three transpositions. It has one kind of "
    "lines for all axes, and transforms all of the doubled box where sides are open. The function in between takes no time in either; "
    "in steps it would read and write its arrays. Slabs, and by Weft process grids where ranks are more than planes."
)


@dataclass(frozen=True)
class Box:
    name: str
    kind: str  #: lines of the axes
    opened: tuple[bool, bool, bool] = (False, False, False)
    rival: str | None = None  #: FFTW-MPI's kind, if it has one

    def shape(self, n: int) -> tuple[int, ...]:
        return tuple(2 * n if axis else n for axis in self.opened)


BOXES = (
    Box("periodic", "r2c", rival="r2c"),
    Box("walls", "dst2-dst2-dst2", rival="dst2"),
    Box("axes 0 and 2 open", "dft-r2hc-r2c", (True, False, True)),
    Box("open", "dft-r2hc-r2c", (True, True, True), rival="r2c"),
)


def run(lab: Lab) -> Result:
    require_fftw(lab)
    names = [lab.given] if lab.given else ["cloud-25g"] if lab.quick else ["hector-2b", "cloud-25g"]
    sizes, counts = ([16], [8]) if lab.quick else ([96], [96, 288])
    result = Result({"machines": names, "grids": sizes, "ranks": counts})
    for name in names:
        machine = lab.machine(name)
        rows: list[list[Any]] = []
        times: list[tuple[str, float]] = []
        open_boxes: list[tuple[str, float]] = []
        for n in sizes:
            for ranks in counts:
                periodic = 0.0
                for box in BOXES:
                    report = ours(lab, machine, ranks, n, box)
                    ms = 1e3 * report["seconds"]["median"]
                    periodic = periodic or ms
                    row = [f"{n}^3", ranks, box.name, report["strategy"], round(ms, 3), round(ms / periodic, 2)]
                    if box.rival is not None:
                        case = Case(box.shape(n)[0], box.rival)
                        rival = min(fftw(lab, machine, ranks, case, TRANSPOSITIONS, data=False).values())
                        where = f"{box.name}, {n}^3 on {ranks} ranks"
                        (open_boxes if any(box.opened) else times).append((where, rival / ms))
                        row += [round(rival, 3), round(rival / ms, 2)]
                    rows.append(row + [""] * (8 - len(row)))
        header = ["points", "ranks", "box", "strategy", "Weft ms", "of periodic", "FFTW-MPI ms", "x"]
        result.tables.append(Table(machine["title"], header, rows))
        judge(machine["name"], "periodic boxes and walls take no longer than FFTW-MPI's transforms", 1, times, result)
        judge(machine["name"], "open boxes take less than half of FFTW-MPI's transforms", 2, open_boxes, result)
    return result


def ours(lab: Lab, machine: Machine, ranks: int, n: int, box: Box) -> dict[str, Any]:
    """weft-bench's report of one solution."""
    words: tuple[Any, ...] = ("--shape", *box.shape(n), "--kind", box.kind, "--operator", "inverse_laplacian", *ONCE)
    if any(box.opened):
        words = (*words, "--points", n, n, n)
    return lab.simulator.run(machine, ranks, "weft-bench", *words, data=False)


def judge(where: str, claim: str, limit: float, found: list[tuple[str, float]], result: Result) -> None:
    ends = (one(found, key=lambda case: case[1]) for one in (min, max))
    here = " to ".join(f"{ratio:.2f} times ({name})" for name, ratio in ends)
    result.finds(f"{where}: {claim}", all(ratio > limit for _, ratio in found), here)
