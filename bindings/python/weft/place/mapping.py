"""Which rank of a plan goes to which node: consecutive, in turns, or so that the fewest bytes cross the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft import Error

from .machine import Machine
from .programs import alltoall
from .schedule import Model

#: The part of the time that a mapping must save to be worth any trouble.
WORTH = 0.05
#: Above, the time is not simulated: there are too many messages.
_MOST_RANKS = 32


@dataclass(frozen=True)
class Mapping:
    """One way to put ranks on nodes, and what it costs one forward and one backward transform."""

    name: str
    nodes: tuple[int, ...]
    """The node of each rank."""
    network_bytes: int
    node_bytes: int
    """What the busiest node sends or receives, summed over the exchanges."""
    link_seconds: float
    """What the busiest link needs, summed over the exchanges."""
    seconds: float | None
    """Of all of it, computation too, as simulated; None for too many ranks."""

    def order(self) -> list[int]:
        """Where ranks lie consecutively: the key that each should give to MPI_Comm_split (color 0), by its rank."""
        return sorted(range(len(self.nodes)), key=lambda rank: (self.nodes[rank], rank))

    def rankfile(self, hosts: Sequence[str] | None = None) -> str:
        """For `mpiexec --rankfile` of Open MPI. Without names of hosts, relative ones (+n0), which it takes only where a
        batch system has allocated nodes."""
        nodes = max(self.nodes) + 1
        if hosts is not None and len(hosts) < nodes:
            raise Error(f"hosts has {len(hosts)} names; ranks are on {nodes} nodes")
        slots: dict[int, int] = {}
        lines = []
        for rank, node in enumerate(self.nodes):
            slot = slots.get(node, 0)
            slots[node] = slot + 1
            lines.append(f"rank {rank}={hosts[node] if hosts else f'+n{node}'} slot={slot}")
        return "\n".join(lines) + "\n"

    def flags(self, cores: int) -> dict[str, str]:
        """What to give to mpiexec, by MPI library; nothing where only a rank file does it."""
        ranks = len(self.nodes)
        if self.nodes == tuple(rank // cores for rank in range(ranks)):
            return {"Open MPI": f"--map-by ppr:{cores}:node --rank-by slot", "MPICH": f"-ppn {cores}"}
        if self.nodes == tuple(rank % (max(self.nodes) + 1) for rank in range(ranks)):
            return {"Open MPI": "--map-by node", "MPICH": "-ppn 1"}
        return {}


@dataclass(frozen=True)
class Mappings:
    """All mappings of a plan, the best last, and what none can beat."""

    mappings: tuple[Mapping, ...]
    lower_bound: int
    """Bytes that must cross, wherever ranks are."""

    @property
    def best(self) -> Mapping:
        return self.mappings[-1]

    @property
    def gain(self) -> float:
        """The part of the consecutive mapping's time on the busiest link that the best one saves."""
        usual = self.mappings[0].link_seconds
        return 1 - self.best.link_seconds / usual if usual else 0.0


def map_ranks(plan: Any, machine: Machine) -> Mappings:
    """Mappings of a `weft.Plan` to a machine, one rank a processor."""
    ranks, cores = plan.ranks, machine.cores
    if ranks > machine.processors:
        raise Error(f"the plan has {ranks} ranks; {machine.name} has {machine.processors} processors")
    exchanges: dict[tuple[str, int], NDArray[np.int64]] = {}
    for direction in ("forward", "backward"):
        for number, a, b, size in plan.flows(direction):
            exchanges.setdefault((direction, number), np.zeros((ranks, ranks), np.int64))[a, b] += size
    weights = sum(exchanges.values(), np.zeros((ranks, ranks), np.int64))
    used = -(-ranks // cores)
    room = np.full(used, cores)
    consecutive = np.arange(ranks) // cores
    turns = np.arange(ranks) % used
    both = weights + weights.T
    starts = [consecutive, turns, _gathered(both, room)]
    steps = list(exchanges.values())

    def cost(nodes: NDArray[np.int64]) -> tuple[float, int]:
        there = _mapping("", nodes, steps, machine, None)
        return there.link_seconds, there.network_bytes

    # The first of those that are as good: nobody shall shuffle ranks for nothing.
    best = min((consecutive, turns, *(_swapped(both, start) for start in starts)), key=cost)
    models = None
    if ranks <= _MOST_RANKS:
        models = [Model(alltoall(plan, direction), machine) for direction in ("forward", "backward")]
    named = (("consecutive", consecutive), ("round-robin", turns), ("best", best))
    strongest = -np.sort(-both, axis=1)[:, : cores - 1]
    bound = max(0, int(weights.sum()) - int(strongest.sum()) // 2)
    return Mappings(tuple(_mapping(name, nodes, steps, machine, models) for name, nodes in named), bound)


def _mapping(
    name: str,
    nodes: NDArray[np.int64],
    exchanges: list[NDArray[np.int64]],
    machine: Machine,
    models: list[Model] | None,
) -> Mapping:
    network, busiest, link_seconds = 0, 0, 0.0
    for weights in exchanges:
        across = np.where(nodes[:, None] == nodes[None, :], 0, weights)
        out_of, into = (np.bincount(nodes, across.sum(axis)).max() for axis in (1, 0))
        load = int(across.sum() if machine.network.shared else max(out_of, into))
        network += int(across.sum())
        busiest += int(max(out_of, into))
        link_seconds += load / machine.network.bandwidth + (machine.network.latency if load else 0.0)
    seconds = None
    if models is not None:
        placement, taken = [], dict.fromkeys(range(machine.nodes), 0)
        for node in map(int, nodes):
            placement.append(node * machine.cores + taken[node])
            taken[node] += 1
        seconds = sum(model.predict(placement, record=False).seconds for model in models)
    return Mapping(name, tuple(map(int, nodes)), network, busiest, link_seconds, seconds)


def _gathered(both: NDArray[np.int64], room: NDArray[np.int64]) -> NDArray[np.int64]:
    """Nodes filled one after the other, each with the ranks that have most to do with those it holds."""
    ranks = len(both)
    nodes = np.full(ranks, -1)
    for node, size in enumerate(room):
        held = np.zeros(ranks, np.int64)
        for _ in range(size):
            left = np.flatnonzero(nodes < 0)
            if len(left) == 0:
                break
            rank = left[np.argmax(held[left])]
            nodes[rank] = node
            held += both[rank]
    return nodes


def _swapped(both: NDArray[np.int64], start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pairs of ranks swapped, the best one each time, until no swap saves bytes (Kernighan & Lin 1970)."""
    nodes, ranks = start.copy(), len(start)
    everyone = np.arange(ranks)
    for _ in range(10 * ranks):
        toward = both @ (nodes[:, None] == np.arange(nodes.max() + 1)[None, :])
        there = toward[:, nodes]  # of rank i with the node of rank j
        home = there[everyone, everyone]
        gain = there + there.T - home[:, None] - home[None, :] - 2 * both
        gain[nodes[:, None] == nodes[None, :]] = 0
        i, j = np.unravel_index(np.argmax(gain), gain.shape)
        if gain[i, j] <= 0:
            break
        nodes[[i, j]] = nodes[[j, i]]
    return nodes
