"""Weft beside FFTW-MPI on simulated clusters: large grids, and 1024 ranks."""

from __future__ import annotations

from typing import Any

from weft.cli.output import CommandError
from weft.lab.experiment import Lab, Result, Table
from weft.lab.experiments import rivals, scaling
from weft.lab.experiments.rivals import Case, Times
from weft.lab.machines import Machine
from weft.lab.simulate import padded_block

TITLE = "Weft beside FFTW-MPI: large grids, and 1024 ranks"
PAPER = "Weft's own"
WHERE = rivals.WHERE
METHOD = (
    "As the experiment `rivals`, sizes only: grids whose bytes fill the links on 96 ranks, and 128^3 on 1024. There FFTW-MPI, which is in "
    "slabs, has planes for 128 ranks. By pairwise they alone send, and that is its best from where ranks have no planes on (288 ranks, "
    "experiment `rivals`); by alltoall each of 1024 ranks has a message for each, most of them empty, which is run once. Weft: its default; "
    "on 96 ranks alltoallv and node-shm; on 1024 of slingshot the two plans that the model of `weft predict` takes for the best of other "
    "strategies, with their process grids and tiles."
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
#: Of many ranks, where FFTW-MPI runs by alltoall, too, and where Weft runs by more than its default: on HECToR, of 43 nodes, that
#: takes a quarter of an hour each.
BOTH = ("hector-2b", Case(128))
OTHERS = ("slingshot",)


def run(lab: Lab) -> Result:
    if not lab.simulator.has(NEEDS_PROGRAM):
        raise CommandError("FFTW-MPI is not there for simulated machines; scripts/lab_rivals.sh builds it")
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
            weft(lab, machine, name, ranks, case, times)
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


def weft(lab: Lab, machine: Machine, name: str, ranks: int, case: Case, times: Times) -> None:
    """The default and others: of many ranks the best two by the model that are not of its strategy."""
    if ranks < MANY and not lab.quick:
        ways = {strategy: ("--strategy", strategy) for strategy in rivals.STRATEGIES}
        rivals.weft(lab, machine, ranks, case, ways, times, data=False)
        return
    rivals.weft(lab, machine, ranks, case, {"auto": ("--strategy", "auto")}, times, data=lab.quick)
    if ranks == MANY and name not in OTHERS:
        return
    shape = (case.n, case.n, case.n)
    plans = scaling.best(lab.modelled(name), shape, ranks, case.kind)
    others = [plan for strategy, plan in plans.items() if strategy != times.default][:2]
    for plan in others:
        options = {option: value for option, value in plan.options.items() if option not in scaling.FIXED}
        words = [word for option, value in options.items() for word in (f"--{option}", value)]
        block = None
        if options["strategy"] == "padded":
            rest = {option: value for option, value in options.items() if option != "strategy"}
            block = padded_block(shape, ranks, kind=case.kind, transposed=True, node_size=machine["cores"], **rest)
        rivals.weft(lab, machine, ranks, case, {plan.label: words}, times, data=lab.quick, block_bytes=block)
