"""What making a transform and agreeing on a call's arguments cost, as ranks grow."""

from __future__ import annotations

from typing import Any

from weft.lab.experiment import Lab, Result, Table

TITLE = "Overheads: collective calls, seconds and memory of one transform made, as ranks grow"
PAPER = "Weft's own"
WHERE = "no paper"
METHOD = (
    "weft-overheads, r2c, double, which counts calls of MPI and the C++ heap of a rank while one transform is made; the most of any "
    "rank; without workspaces. Seconds are of the collective calls, as SMPI has them. Slabs are of P x P x 2 points on P ranks, pencils "
    "of 64^3."
)

#: The exchanges that differ in set-up.
STRATEGIES = ["alltoallv", "pairwise", "node-shm"]

#: Collective calls, as weft-overheads names them.
KINDS = ["allreduce", "allgather", "alltoall", "bcast", "barrier", "split", "dup", "window"]


def run(lab: Lab) -> Result:
    machine = lab.machine("hector-2b")
    numbers = [16, 64] if lab.quick else [64, 256, 1024]
    result = Result({"machine": machine["name"], "ranks": numbers})
    rows: list[list[Any]] = []
    for strategy in STRATEGIES:
        for decomposition in ("pencil", "slab"):
            # Where all ranks share blocks with each other, simulations of a thousand take hours.
            counted = [n for n in numbers if n <= 256 or (strategy, decomposition) == ("alltoallv", "pencil")]
            made = [one_made(lab, machine, strategy, decomposition, ranks) for ranks in counted]
            for ranks, report in zip(counted, made, strict=True):
                calls = [report["made"]["calls"][kind]["calls"] for kind in KINDS]
                ms = [round(1e3 * report[phase]["seconds"], 2) for phase in ("made", "agreement")]
                rows.append([decomposition, strategy, ranks, *calls, ms[0], report["made"]["held"], ms[1]])
            first, last = collectives(made[0]), collectives(made[-1])
            result.finds(
                f"{decomposition}s, {strategy}: collective calls do not grow with the ranks by more than a half",
                last <= 1.5 * first,
                f"{first} on {counted[0]} ranks, {last} on {counted[-1]}",
            )
    header = ["layout", "strategy", "ranks", *KINDS, "ms", "heap of a rank", "ms of an agreement"]
    result.tables.append(Table(machine["title"], header, rows))
    return result


def one_made(lab: Lab, machine: dict[str, Any], strategy: str, decomposition: str, ranks: int) -> dict[str, Any]:
    shape = (64, 64, 64) if decomposition == "pencil" else (ranks, ranks, 2)
    words = ("--shape", *shape, "--decomposition", decomposition, "--strategy", strategy, "--calls", 0)
    return lab.simulator.run(machine, ranks, "weft-overheads", *words, data=False)


def collectives(report: dict[str, Any]) -> int:
    return sum(report["made"]["calls"][kind]["calls"] for kind in KINDS)
