"""What ``weft place fft`` shows: mappings of a plan's ranks to nodes, and how to get the best one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import weft
from weft import place as model

from ..output import write_json, write_text
from .runs import Simulation


@dataclass(frozen=True)
class RankFile:
    """Where the best mapping is written for mpiexec, and what nodes are called in it."""

    path: str | None = None
    hosts: Sequence[str] | None = None


def show_mappings(
    screen: Console,
    plan: weft.Plan,
    problem: Mapping[str, Any],
    machine: model.Machine,
    simulation: Simulation | None,
    json: str | None,
    rankfile: RankFile,
) -> None:
    found = model.map_ranks(plan, machine)
    simulated = {}
    if simulation is not None:  # mappings that are the same take the same time
        simulated = {nodes: simulation.transform(plan, nodes, problem) for nodes in {m.nodes for m in found.mappings}}
    usual, best = found.mappings[0], found.best
    gains = {"of the busiest link's time": found.gain}
    if simulated:
        gains["of the simulated time"] = 1 - simulated[best.nodes] / simulated[usual.nodes]
    # What was simulated says more than bytes do.
    worth = [*gains.values()][-1] >= model.WORTH
    advised = best if worth else usual

    screen.print(
        f"[bold]fft {' x '.join(map(str, plan.shape))}[/] on {plan.ranks} ranks, {machine.name}: {machine.nodes} nodes of "
        f"{machine.cores}; forward and backward\n"
    )
    _show_table(screen, found, simulated)
    screen.print(f"\nlower bound: {found.lower_bound / 1e6:.3f} MB must cross, wherever ranks are")
    if best.nodes != usual.nodes:
        for what, gain in gains.items():
            screen.print(f"best {'saves' if gain >= 0 else 'costs'} {abs(gain):.0%} {what} of consecutive ranks")
    if not worth:
        screen.print(f"no gain: no mapping was found that saves {model.WORTH:.0%} over consecutive ranks")
    for library, flags in advised.flags(machine.cores).items():
        screen.print(f"{library}: mpiexec {flags}")
    if not advised.flags(machine.cores):
        named = "" if rankfile.hosts else "; inside a batch job, or with the nodes named by --hosts"
        screen.print(f"Open MPI: mpiexec --rankfile FILE (--rankfile writes it{named})")
        screen.print(f"keys for MPI_Comm_split: {advised.order()}", soft_wrap=True)
    if rankfile.path is not None:
        write_text(Path(rankfile.path), advised.rankfile(rankfile.hosts))
    rows = [
        {
            "name": item.name,
            "nodes": list(item.nodes),
            "network_bytes": item.network_bytes,
            "node_bytes": item.node_bytes,
            "link_seconds": item.link_seconds,
            "seconds": item.seconds,
            **({"simulated": simulated[item.nodes]} if simulated else {}),
            "order": item.order(),
            "mpiexec": item.flags(machine.cores),
        }
        for item in found.mappings
    ]
    report = {"shape": list(plan.shape), "ranks": plan.ranks, "machine": machine.name, "mappings": rows}
    write_json(json, {**report, "lower_bound_bytes": found.lower_bound, "gain": found.gain, "worth_it": worth})


def _show_table(screen: Console, found: model.Mappings, simulated: Mapping[tuple[int, ...], float]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("mapping", "MB across", "busiest node", "its link ms", "predicted ms"):
        table.add_column(column, justify="left" if column == "mapping" else "right")
    if simulated:
        table.add_column("simulated ms", justify="right")
    for item in found.mappings:
        row = [item.name, f"{item.network_bytes / 1e6:.3f}", f"{item.node_bytes / 1e6:.3f}"]
        row += [f"{item.link_seconds * 1e3:.3f}", "" if item.seconds is None else f"{item.seconds * 1e3:.3f}"]
        row += [f"{simulated[item.nodes] * 1e3:.3f}"] if simulated else []
        table.add_row(*row)
    screen.print(table)
