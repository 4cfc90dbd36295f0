"""Weft beside FFTW-MPI on simulated clusters, up to hundreds of ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log2
from typing import Any

from weft.cli.output import CommandError
from weft.lab.experiment import Lab, Plot, Result, Table
from weft.lab.machines import Machine, varied
from weft.lab.simulate import ONCE

TITLE = "Weft beside FFTW-MPI, from one node to hundreds of ranks"
PAPER = "Weft's own"
WHERE = "no paper: FFTW 3.3's MPI library, itself, on the same simulated machines (`scripts/lab_rivals.sh` builds it)"
METHOD = (
    "Double, spectrum left transposed, forward and backward, ms of the slowest rank; data verified on 16 ranks, sizes only beyond. "
    "FFTW-MPI's own code runs, with plans by FFTW_ESTIMATE, in slabs, and each of its three transpositions alone: alltoall "
    "(MPI_Alltoall), pairwise (MPI_Sendrecv; what FFTW_ESTIMATE takes by itself) and recurse; its best one counts. Of a batch it "
    "transforms all fields by one plan. Its local transforms and copies are charged as Weft's passes are. "
    "`FFTW-MPI, fewer ranks` is its best on this or on a smaller number of ranks of the table, which a program would need a "
    "communicator for. Weft: its default, alltoallv and node-shm; of pencils also alltoallv on the grid nodes x cores (`rows in nodes`)."
)

#: `weft lab run all` leaves the experiment out without it.
NEEDS_PROGRAM = "weft-rival-fftw"
#: Machines on which everything is tried: a simulation of 288 ranks takes minutes.
IN_FULL = ("hector-2b", "cloud-25g")
#: Each in the way in which FFTW-MPI has a plan for it.
TRANSPOSITIONS = {"alltoall": "--destroy", "pairwise": "--in-place", "recurse": "--in-place"}
STRATEGIES = ("auto", "alltoallv", "node-shm")
#: Of the two exchanges of pencils, one stays inside the nodes.
IN_NODES = "alltoallv, rows in nodes"


@dataclass(frozen=True)
class Case:
    n: int
    kind: str = "c2c"
    fields: int = 1
    most: int = 288  #: ranks

    @property
    def row_bytes(self) -> int:
        """Of a row of the spectrum: complex numbers, or between walls real ones."""
        return {"c2c": 16 * self.n, "r2c": 16 * (self.n // 2 + 1), "dst2": 8 * self.n}[self.kind]

    @property
    def words(self) -> tuple[Any, ...]:
        """For either program."""
        shape = ("--shape", self.n, self.n, self.n)
        return (*shape, "--kind", self.kind, "--batch", self.fields, "--transposed")

    def __str__(self) -> str:
        return f"{self.fields} x {self.n}^3 {self.kind}" if self.fields > 1 else f"{self.n}^3 {self.kind}"


CASES = (Case(64, fields=8), Case(96), Case(96, "r2c", most=96))


@dataclass
class Times:
    """Milliseconds."""

    fftw: dict[str, float] = field(default_factory=dict)
    weft: dict[str, float] = field(default_factory=dict)
    default: str = ""  #: the strategy that Weft takes by itself

    def best(self, of: dict[str, float]) -> str:
        return min(of, key=lambda name: of[name])

    def best_of_weft(self) -> tuple[str, float]:
        best = self.best(self.weft)
        return self.default if best == "auto" else best, self.weft[best]


def run(lab: Lab) -> Result:
    require_fftw(lab)
    cases = (Case(16),) if lab.quick else CASES
    named = machines(lab)
    result = Result(
        {"machines": [machine["name"] for machine in named.values()], "cases": [str(case) for case in cases]}
    )
    for name, machine in named.items():
        in_full = lab.quick or lab.given or name in IN_FULL
        most = min(machine["nodes"] * machine["cores"], 288 if in_full else 96)
        counts = [8] if lab.quick else [ranks for ranks in (16, 96, 288) if ranks <= most]
        compare(lab, name, machine, counts, [case for case in cases if in_full or case.kind == "c2c"], result)
    return result


def require_fftw(lab: Lab) -> None:
    if not lab.simulator.has(NEEDS_PROGRAM):
        raise CommandError("FFTW-MPI is not there for simulated machines; scripts/lab_rivals.sh builds it")


def machines(lab: Lab) -> dict[str, Machine]:
    names = (
        [lab.given] if lab.given else ["tantale"] if lab.quick else ["hector-2b", "tantale", "cloud-25g", "slingshot"]
    )
    found = {machine["name"]: machine for machine in map(lab.machine, names)}
    if not lab.given and not lab.quick:
        found["cloud-25g at 1 Gbit/s"] = varied(found["cloud-25g"], network__bandwidth=0.125e9)
    return found


def measure(lab: Lab, machine: Machine, ranks: int, case: Case) -> Times:
    data = lab.quick or ranks <= 16
    times = Times(fftw(lab, machine, ranks, case, TRANSPOSITIONS, data=data))
    ways: dict[str, Sequence[Any]] = {strategy: ("--strategy", strategy) for strategy in STRATEGIES}
    cores = machine["cores"]
    if ranks > case.n and ranks % cores == 0:  # pencils, whose grid may be that of the nodes
        ways[IN_NODES] = ("--strategy", "alltoallv", "--decomposition", "pencil", "--grid", f"{ranks // cores}x{cores}")
    weft(lab, machine, ranks, case, ways, times, data=data)
    return times


def fftw(
    lab: Lab, machine: Machine, ranks: int, case: Case, transpositions: Iterable[str], data: bool
) -> dict[str, float]:
    """FFTW-MPI's milliseconds by each of these transpositions that can be."""
    n = case.n
    # Of a pair, where planes and lines divide evenly: FFTW-MPI calls MPI_Alltoall only there.
    block = case.fields * case.row_bytes * (-(-n // ranks)) ** 2
    times = {}
    for transposition in transpositions:
        if transposition == "recurse" and n % ranks != 0:
            continue  # FFTW-MPI has it for lines that all ranks have as many of
        report = lab.simulator.run(
            machine,
            ranks,
            NEEDS_PROGRAM,
            *(*case.words, "--transposition", transposition, TRANSPOSITIONS[transposition]),
            block_bytes=block,
            data=data,
            privatized=True,
        )
        times[transposition] = 1e3 * report["seconds"]["median"]
    return times


def weft(
    lab: Lab,
    machine: Machine,
    ranks: int,
    case: Case,
    ways: Mapping[str, Sequence[Any]],
    times: Times,
    data: bool,
) -> None:
    """Adds Weft's milliseconds by each of these ways; what its default is, is not run twice."""
    for strategy, way in ways.items():
        if strategy == times.default:
            continue
        words = (*case.words, *ONCE, *way)
        report = lab.simulator.run(machine, ranks, "weft-bench", *words, data=data)
        times.weft[strategy] = 1e3 * report["seconds"]["median"]
        if strategy == "auto":
            times.default = report["strategy"]


def compare(lab: Lab, name: str, machine: Machine, counts: list[int], cases: list[Case], result: Result) -> None:
    rows: list[list[Any]] = []
    for case in cases:
        fewer = float("inf")
        lines: dict[str, list[tuple[float, float]]] = {"FFTW-MPI": [], "Weft, default": [], "Weft, best": []}
        for ranks in [ranks for ranks in counts if ranks <= case.most]:
            times = measure(lab, machine, ranks, case)
            way, (strategy, best) = times.best(times.fftw), times.best_of_weft()
            rival, default = times.fftw[way], times.weft["auto"]
            fewer = min(fewer, rival)
            for line, ms in zip(lines.values(), (rival, default, best)):
                line.append((ranks, ms))
            theirs = [round(times.fftw[one], 4) if one in times.fftw else "-" for one in TRANSPOSITIONS]
            ours = [times.default, round(default, 4), strategy, round(best, 4)]
            ratios = [round(rival / default, 2), round(rival / best, 2), round(fewer / best, 2)]
            rows.append([str(case), ranks, *theirs, round(fewer, 4), *ours, *ratios])
            judge(f"{name}, {case} on {ranks} ranks", machine, ranks, case, rival, way, times, result)
        result.plots.append(Plot(f"{name}, {case}", "ranks", "ms", lines, log_x=True, log_y=True))
    fftw = [*(f"FFTW-MPI, {one}" for one in TRANSPOSITIONS), "FFTW-MPI, fewer ranks"]
    weft = ["Weft's default", "its ms", "Weft's best", "its ms"]
    header = ["fields", "ranks", *fftw, *weft, "FFTW-MPI / default", "FFTW-MPI / best", "fewer ranks / best"]
    result.tables.append(Table(f"{name}: simulated ms, and how many times as fast Weft is", header, rows))


def judge(
    where: str, machine: Machine, ranks: int, case: Case, rival: float, way: str, times: Times, result: Result
) -> None:
    """What Weft aims at: nowhere behind, 1.5 times on 96 ranks, 3 times on 288."""
    aim = 3.0 if ranks >= 288 else 1.5 if ranks >= 96 else 0.97
    name, best_ms = times.best_of_weft()
    default = times.weft["auto"]
    computing, sending = floor(machine, ranks, case)
    why = f"whatever sends the messages, computing takes {computing:.2f} ms of it and the bytes on a node's link {sending:.2f}"
    if rival >= aim * best_ms:
        why = f"{name} reaches it, and the default takes {times.default}"
    result.finds(
        f"{where}: Weft's default is at least {aim:g} times as fast as FFTW-MPI's best",
        rival >= aim * default,
        f"{rival / default:.2f} times ({times.default} {default:.3f} ms; FFTW-MPI {way} {rival:.3f} ms; Weft's best {name} "
        f"{best_ms:.3f} ms)",
        why,
    )


def floor(machine: Machine, ranks: int, case: Case) -> tuple[float, float]:
    """Milliseconds of the operations of a rank, and of the bytes of a node on its link, one exchange there and one back."""
    points = case.fields * case.n**3 * (0.5 if case.kind == "r2c" else 1)
    operations = 2 * 5 * points * log2(case.n**3)
    nodes = -(-ranks // machine["cores"])
    sent = 2 * 16 * points / nodes * (1 - 1 / nodes)
    network = machine["network"]
    rate = network["bandwidth"] * network.get("efficiency", 1)
    return 1e3 * operations / ranks / machine["flops"], 1e3 * sent / rate
