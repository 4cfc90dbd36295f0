"""Runs beside predictions: weft-sort on this machine or a simulated one, weft-bench on a simulated one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import weft
from weft import place

from ..output import CommandError
from .inputs import run_sort

if TYPE_CHECKING:
    from weft.lab.simulate import Simulator

_TYPES = {1: "int8", 2: "int16", 4: "int32", 8: "int64"}


def sort_arguments(graph: place.Graph, placement: Sequence[int]) -> list[str]:
    """What weft-sort is given to do what the graph of a tree sort describes."""
    facts = graph.facts
    dtype = _TYPES.get(facts["itemsize"])
    if dtype is None:
        raise CommandError(f"--itemsize is {facts['itemsize']}; weft-sort has elements of 1, 2, 4 or 8 bytes to run")
    arguments = ["--n", str(facts["n"]), "--levels", str(facts["levels"]), "--arity", str(facts["arity"])]
    arguments += ["--dtype", dtype, "--placement", ",".join(map(str, placement))]
    if facts["chunks"] > 1:
        # Of the largest message; the others are not cut smaller than that.
        largest = -(-facts["n"] // facts["arity"])
        arguments += ["--chunk", str(facts["itemsize"] * -(-largest // facts["chunks"]))]
    return arguments


def ranks_of(placement: Sequence[int]) -> int:
    """A rank for each processor up to the last that is used: machines can have thousands of others."""
    return max(placement) + 1


def bench_arguments(plan: weft.Plan, problem: Mapping[str, Any], repeats: int = 1) -> list[Any]:
    """What weft-bench is given to execute the plan that `weft.plan(plan.shape, plan.ranks, **problem)` is."""
    words: list[Any] = ["--shape", *plan.shape, "--repeats", repeats, "--warmup", 0, "--no-limits", "--check", "false"]
    for name, value in problem.items():
        words += [f"--{name.replace('_', '-')}", value]
    # Weft chooses a grid by the nodes that it finds; the plan is one, whichever nodes its ranks are mapped to.
    pencil = re.search(r"pencil (\d+) x (\d+)", plan.input_layout.describe())
    if pencil is not None and "grid" not in problem:
        words += ["--grid", f"{pencil[1]}x{pencil[2]}"]
    return words


def run_here(graph: place.Graph, placement: Sequence[int]) -> float:
    """Seconds of weft-sort on this machine, a rank for each processor of the placement."""
    words = [*sort_arguments(graph, placement), "--repeats", "11"]
    return float(run_sort(words, ranks_of(placement))["seconds"]["median"])


class Simulation:
    """A machine of the lab, simulated. CommandError where the lab's programs are not built, or do not know the machine."""

    def __init__(self, name: str, rates: Mapping[str, float]) -> None:
        from weft.lab import machines
        from weft.lab.simulate import Simulator

        if name == "here":
            raise CommandError("--simulate needs a machine that a file describes; --machine is 'here'")
        self.machine = machines.load(name)
        if rates:
            self.machine["rates"] = {**self.machine.get("rates", {}), **rates}
        self.simulator: Simulator = Simulator()

    def sort(self, graph: place.Graph, placement: Sequence[int]) -> float:
        """Seconds of weft-sort; its result is verified."""
        words = (*sort_arguments(graph, placement), "--repeats", 1, "--warmup", 0)
        report = self.simulator.run(self.machine, ranks_of(placement), "weft-sort", *words)
        return float(report["seconds"]["median"])

    def transform(self, plan: weft.Plan, mapping: Sequence[int], problem: Mapping[str, Any]) -> float:
        """Seconds of one forward and one backward transform on ranks on these nodes; sizes only."""
        words = bench_arguments(plan, problem)
        report = self.simulator.run(self.machine, plan.ranks, "weft-bench", *words, mapping=mapping, data=False)
        return float(report["seconds"]["median"])
