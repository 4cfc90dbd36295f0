"""Weft beside FFTW-MPI on 1024 simulated ranks."""

from __future__ import annotations

from typing import Any

from weft.cli.output import CommandError
from weft.lab.experiment import Lab, Result, Table
from weft.lab.experiments import rivals, scaling
from weft.lab.experiments.rivals import Case, Times
from weft.lab.machines import Machine
from weft.lab.simulate import padded_block

TITLE = "Weft beside FFTW-MPI on 1024 ranks"
PAPER = "Weft's own"
WHERE = rivals.WHERE
METHOD = (
    "As the experiment `rivals`, on 1024 ranks, sizes only. FFTW-MPI is in slabs, so that only 128 ranks have planes. By pairwise they "
    "alone send, and that is its best from where ranks have no planes on (288 ranks, experiment `rivals`); by alltoall each of 1024 "
    "ranks has a message for each, most of them empty, which is run once. Weft: its default, and the two plans that the model of `weft "
    "predict` takes for the best of other strategies, with their process grids and tiles."
)

NEEDS_PROGRAM = rivals.NEEDS_PROGRAM
RANKS = 1024
#: By machine. A simulation takes many minutes.
CASES = {"hector-2b": (Case(128), Case(128, "r2c")), "slingshot": (Case(128), Case(128, "r2c"))}
TRANSPOSITIONS = ("alltoall", "pairwise")
#: Where FFTW-MPI runs by alltoall, too.
BOTH = ("hector-2b", Case(128))


def run(lab: Lab) -> Result:
    if not lab.simulator.has(NEEDS_PROGRAM):
        raise CommandError("FFTW-MPI is not there for simulated machines; scripts/lab_rivals.sh builds it")
    chosen = {"tantale": (Case(16),)} if lab.quick else CASES
    if lab.given:
        chosen = {lab.given: next(iter(chosen.values()))}
    ranks = 16 if lab.quick else RANKS
    said = {name: [str(case) for case in cases] for name, cases in chosen.items()}
    result = Result({"machines": list(chosen), "ranks": ranks, "cases": said})
    for name, cases in chosen.items():
        machine = lab.machine(name)
        rows: list[list[Any]] = []
        for case in cases:
            ways = TRANSPOSITIONS if lab.quick or (name, case) == BOTH else ("pairwise",)
            times = Times(rivals.fftw(lab, machine, ranks, case, ways, data=lab.quick))
            weft(lab, machine, name, ranks, case, times)
            way, (strategy, best) = times.best(times.fftw), times.best_of_weft()
            rival, default = times.fftw[way], times.weft["auto"]
            theirs = [round(times.fftw[one], 4) if one in times.fftw else "-" for one in TRANSPOSITIONS]
            ours = [times.default, round(default, 4), strategy, round(best, 4)]
            rows.append([str(case), *theirs, *ours, round(rival / default, 2), round(rival / best, 2)])
            rivals.judge(f"{name}, {case} on {ranks} ranks", machine, ranks, case, rival, way, times, result)
        fftw = [f"FFTW-MPI, {one}" for one in TRANSPOSITIONS]
        ends = ["Weft's default", "its ms", "Weft's best", "its ms", "FFTW-MPI / default", "FFTW-MPI / best"]
        result.tables.append(Table(f"{name}, {ranks} ranks: simulated ms", ["fields", *fftw, *ends], rows))
    return result


def weft(lab: Lab, machine: Machine, name: str, ranks: int, case: Case, times: Times) -> None:
    """The default, and the best two by the model that are not of its strategy."""
    rivals.weft(lab, machine, ranks, case, {"auto": ("--strategy", "auto")}, times, data=lab.quick)
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
