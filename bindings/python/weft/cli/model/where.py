"""Where times are predicted for: a machine, and how many ranks a node of it has."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from weft import _core, model
from weft.model.predict import ranks_of_node, threads_of


@dataclass(frozen=True)
class Where:
    """A machine, and how ranks lie on it."""

    machine: model.Machine
    source: str
    """Where its figures come from."""
    given: int | None
    """Ranks of a node, if somebody has said it."""
    threads: int
    """Of a rank."""

    def ranks_on_node(self, ranks: int) -> int:
        """Of so many."""
        return min(ranks, self.given or ranks_of_node(self.machine, self.threads))

    def text(self, ranks: int) -> str:
        """On which nodes so many ranks are."""
        on_node, cores = self.ranks_on_node(ranks), self.machine.cores
        crowded = on_node * self.threads > cores
        return (
            f"{_counted(ranks, 'rank')} on {_counted(-(-ranks // on_node), 'node')}, {on_node} on a node of "
            f"{_counted(cores, 'core')}{', where they take turns' if crowded else ''}"
        )

    def assumed(self) -> str:
        """What nobody has measured or said; empty if that is nothing."""
        machine = self.machine
        if not machine.assumed:
            return ""
        if machine.name != "unmeasured":
            return f"assumed, not measured: {', '.join(machine.assumed)}"
        whence = "as --node-size has it" if self.given else "as this machine has; --node-size N: ranks of a node"
        return (
            f"assumed: nodes of {_counted(machine.cores, 'core')} ({whence}), {machine.flops / 1e9:g} Gflop/s and "
            f"{machine.core_bandwidth / 1e9:g} GB/s a core, {machine.memory_bandwidth / 1e9:g} GB/s a node, a network of "
            f"{machine.bandwidth / 1e9:g} GB/s and {machine.latency * 1e6:g} us; `weft calibrate` measures this machine, "
            "and --machine takes another"
        )

    def as_dict(self, ranks: int) -> dict[str, Any]:
        return {
            "machine": self.source,
            "cores_of_node": self.machine.cores,
            "ranks_on_node": self.ranks_on_node(ranks),
            "assumed": list(self.machine.assumed),
        }


def where(machine: str | None, file: str | None, ranks: int, given: int | None, options: Mapping[str, Any]) -> Where:
    """The machine that is named, or else what was calibrated, or else an ordinary one with nodes like this machine, but
    with a core for each thread of the ranks that a node is given."""
    threads = threads_of(options)
    cores = max(os.cpu_count() or 1, (given or 0) * threads)
    on_node = min(ranks, given or max(1, cores // threads))
    figures, source = _core.default_machine(machine or "", file or "", ranks, on_node, cores)
    return Where(figures, source, given, threads)


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
