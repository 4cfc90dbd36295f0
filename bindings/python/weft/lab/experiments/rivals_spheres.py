"""Weft's spheres of plane waves beside SpFFT's on simulated clusters."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, pi
from typing import Any

from weft.cli.output import CommandError
from weft.lab.experiment import Lab, Plot, Result, Table
from weft.lab.machines import Machine

TITLE = "Weft's spheres of plane waves beside SpFFT's, from one node to hundreds of ranks"
PAPER = "Weft's own"
WHERE = "no paper: SpFFT 1.0, Debian's library itself, on the same simulated machines (`scripts/lab_rivals.sh` gets it)"
METHOD = (
    "Double, complex in space, from the sphere to space and back, ms of the slowest rank; the same columns (dealt as Quantum "
    "ESPRESSO does) and planes for both; all data verified. SpFFT's own code runs, with each of its exchanges: buffered "
    "(MPI_Alltoall of blocks of one size), compact (MPI_Alltoallv, its default) and, up to 96 ranks, unbuffered (MPI_Alltoallw of "
    "derived types, whose copies are MPI's and cost nothing here); several bands one by one or by its multi-transform, whose exchanges are "
    "non-blocking; its best one counts. Its lines and its loops are charged by the rule of the experiment `rivals`. Weft: its "
    "default, alltoallv and node-shm, several bands in one call."
)

#: `weft lab run all` leaves the experiment out without it.
NEEDS_PROGRAM = "weft-rival-spfft"
MACHINES = ("hector-2b", "cloud-25g")
EXCHANGES = ("buffered", "compact", "unbuffered")
#: Ranks. A simulation of SpFFT's derived types takes minutes beyond.
MOST_UNBUFFERED = 96
ALL_WAYS = (*EXCHANGES, *(f"{exchange}, multi" for exchange in EXCHANGES))
STRATEGIES = ("auto", "alltoallv", "node-shm")


@dataclass(frozen=True)
class Case:
    name: str
    n: int
    radius: float
    bands: int = 1
    most: int = 288  #: ranks

    @property
    def words(self) -> tuple[Any, ...]:
        """For either program."""
        return ("--shape", self.n, self.n, self.n, "--radius", self.radius, "--bands", self.bands)

    def __str__(self) -> str:
        return f"{self.bands} x {self.name}" if self.bands > 1 else self.name


#: CNT40 is Bethune's (experiment `bethune`); the other has a radius of a quarter of the box, as races of spheres have.
CASES = (
    Case("CNT40", 30, 14.35),
    Case("CNT40", 30, 14.35, 4, most=24),
    Case("96^3, radius 24", 96, 24),
    Case("96^3, radius 24", 96, 24, 4, most=24),
)


def run(lab: Lab) -> Result:
    if not lab.simulator.has(NEEDS_PROGRAM):
        raise CommandError("SpFFT is not there for simulated machines; scripts/lab_rivals.sh gets it")
    names = [lab.given] if lab.given else ["tantale"] if lab.quick else list(MACHINES)
    cases = [Case("a sphere", 16, 4, 2)] if lab.quick else list(CASES)
    result = Result({"machines": names, "cases": [str(case) for case in cases]})
    for name in names:
        machine = lab.machine(name)
        most = machine["nodes"] * machine["cores"]
        counts = [8] if lab.quick else [ranks for ranks in (24, 96, 288) if ranks <= most]
        rows: list[list[Any]] = []
        for case in cases:
            lines: dict[str, list[tuple[float, float]]] = {"SpFFT": [], "Weft, default": [], "Weft, best": []}
            for ranks in [ranks for ranks in counts if ranks <= case.most]:
                rival, ours = spfft(lab, machine, ranks, case), weft(lab, machine, ranks, case)
                way, best = (min(times, key=lambda one, times=times: times[one]) for times in (rival, ours))
                for line, ms in zip(lines.values(), (rival[way], ours["auto"], ours[best])):
                    line.append((ranks, ms))
                theirs = [round(rival[one], 4) if one in rival else "-" for one in ALL_WAYS]
                times = [rival[way] / ours["auto"], rival[way] / ours[best]]
                weft_ms = [round(ours["auto"], 4), best, round(ours[best], 4)]
                rows.append([str(case), ranks, *theirs, *weft_ms, *(round(one, 2) for one in times)])
                result.finds(
                    f"{name}, {case} on {ranks} ranks: Weft's default is at least as fast as SpFFT's best",
                    times[0] >= 0.97,
                    f"{times[0]:.2f} times (Weft {ours['auto']:.3f} ms; SpFFT {way} {rival[way]:.3f} ms; Weft's best {best} "
                    f"{ours[best]:.3f} ms)",
                    why(best, ours, rival),
                )
            if len(lines["SpFFT"]) > 1:
                result.plots.append(Plot(f"{name}, {case}", "ranks", "ms", lines, log_x=True, log_y=True))
        header = ["fields", "ranks", *(f"SpFFT, {one}" for one in ALL_WAYS)]
        header += ["Weft's default", "Weft's best", "its ms", "SpFFT / default", "SpFFT / best"]
        result.tables.append(Table(f"{name}: simulated ms, and how many times as fast Weft is", header, rows))
    return result


def why(best: str, ours: dict[str, float], rival: dict[str, float]) -> str:
    """Where the default is behind."""
    charged = min(ms for exchange, ms in rival.items() if not exchange.startswith("unbuffered"))
    return (
        f"Weft's best, {best}, is {min(rival.values()) / ours[best]:.2f} times as fast as SpFFT's best, and {charged / ours[best]:.2f} "
        "times as fast as the best of its exchanges whose copies are charged: derived types cost nothing here"
    )


def spfft(lab: Lab, machine: Machine, ranks: int, case: Case) -> dict[str, float]:
    """Milliseconds by exchange: of each band by itself, and of all by the multi-transform."""
    # Of a pair of ranks in MPI_Alltoall, where blocks are padded to the largest.
    block = 16 * ceil(pi * case.radius**2 / ranks) * ceil(case.n / ranks)
    exchanges = [one for one in EXCHANGES if one != "unbuffered" or ranks <= MOST_UNBUFFERED]
    ways: dict[str, tuple[str, ...]] = {one: ("--exchange", one, "--one-by-one") for one in exchanges}
    if case.bands > 1:
        ways |= {f"{one}, multi": ("--exchange", one) for one in exchanges}
    beside = ("--beside-weft",) if ranks <= 24 else ()
    return {
        name: both(lab.simulator.run(machine, ranks, NEEDS_PROGRAM, *case.words, *way, *beside, block_bytes=block))
        for name, way in ways.items()
    }


def weft(lab: Lab, machine: Machine, ranks: int, case: Case) -> dict[str, float]:
    """Milliseconds by strategy."""
    words = (*case.words, "--check", "false")
    return {
        strategy: both(lab.simulator.run(machine, ranks, "weft-waves", *words, "--strategy", strategy))
        for strategy in STRATEGIES
    }


def both(report: dict[str, Any]) -> float:
    return 1e3 * (report["backward"]["seconds"] + report["forward"]["seconds"])
