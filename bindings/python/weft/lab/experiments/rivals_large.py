"""Weft beside FFTW-MPI on simulated clusters: large grids, and 1024 ranks."""

from __future__ import annotations

from typing import Any

from weft.lab.experiment import Lab, Result, Table
from weft.lab.experiments import rivals
from weft.lab.experiments.rivals import Case, Times
from weft.lab.machines import Machine

TITLE = "Weft beside FFTW-MPI: large grids, and 1024 ranks"
PAPER = "Weft's own"
WHERE = rivals.WHERE
METHOD = (
    "As the experiment `rivals`, sizes only: grids whose bytes fill the links on 96 ranks, and 128^3 on 1024. There FFTW-MPI, which is in "
    "slabs, has planes for 128 ranks. By pairwise they alone send, and that is its best from where ranks have no planes on (288 ranks, "
    "experiment `rivals`); by alltoall each of 1024 ranks has a message for each, most of them empty, which is run once. Weft: its default; "
    "on 96 ranks alltoallv and node-shm, too."
)

NEEDS_PROGRAM = rivals.NEEDS_PROGRAM
MANY = 1024  #: ranks, of which a simulation takes many minutes
GRIDS = tuple((96, Case(n, kind)) for n in (192, 256) for kind in ("c2c", "r2c"))
#: By machine: ranks and fields.
CASES = {
    "hector-2b": (*GRIDS, (MANY, Case(128)), (MANY, Case(128, "r2c"))),
    "cloud-25g": (*GRIDS, (96, Case(512))),
    "slingshot": ((MANY, Case(128)), (MANY, Case(128, "r2c"))),
}
TRANSPOSITIONS = ("alltoall", "pairwise")
#: Of many ranks, where FFTW-MPI runs by alltoall, too.
BOTH = ("hector-2b", Case(128))


def run(lab: Lab) -> Result:
    rivals.require_fftw(lab)
    chosen: dict[str, tuple[tuple[int, Case], ...]] = {"tantale": ((16, Case(16)),)} if lab.quick else CASES
    if lab.given:
        chosen = {lab.given: next(iter(chosen.values()))}
    said = {name: [f"{case} on {ranks} ranks" for ranks, case in cases] for name, cases in chosen.items()}
    result = Result({"machines": list(chosen), "cases": said})
    for name, cases in chosen.items():
        machine = lab.machine(name)
        rows: list[list[Any]] = []
        for ranks, case in cases:
            few = ranks < MANY or (name, case) == BOTH
            times = Times(
                rivals.fftw(lab, machine, ranks, case, TRANSPOSITIONS if few else ("pairwise",), data=lab.quick)
            )
            weft(lab, machine, ranks, case, times)
            way, (strategy, best) = times.best(times.fftw), times.best_of_weft()
            rival, default = times.fftw[way], times.weft["auto"]
            theirs = [round(times.fftw[one], 4) if one in times.fftw else "-" for one in TRANSPOSITIONS]
            ours = [times.default, round(default, 4), strategy, round(best, 4)]
            rows.append([str(case), ranks, *theirs, *ours, round(rival / default, 2), round(rival / best, 2)])
            rivals.judge(f"{name}, {case} on {ranks} ranks", machine, ranks, case, rival, way, times, result)
        fftw = [f"FFTW-MPI, {one}" for one in TRANSPOSITIONS]
        ends = ["Weft's default", "its ms", "Weft's best", "its ms", "FFTW-MPI / default", "FFTW-MPI / best"]
        result.tables.append(Table(f"{name}: simulated ms", ["fields", "ranks", *fftw, *ends], rows))
    return result


def weft(lab: Lab, machine: Machine, ranks: int, case: Case, times: Times) -> None:
    ways = {strategy: ("--strategy", strategy) for strategy in (rivals.STRATEGIES if ranks < MANY else ("auto",))}
    rivals.weft(lab, machine, ranks, case, ways, times, data=lab.quick)
