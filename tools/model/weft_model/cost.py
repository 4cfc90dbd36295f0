"""What one unit of a pass costs, and what one tile of an exchange costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .machine import Machine

#: Where time goes. What overlaps is counted once, where it is longer.
TERMS = ("computation", "memory", "node", "overhead", "latency", "rate", "bandwidth", "synchronisation")

MEANING = {
    "computation": "transforming lines",
    "memory": "reading and writing memory",
    "node": "moving blocks inside a node",
    "overhead": "the processor's part of messages across nodes",
    "latency": "latency of messages across nodes",
    "rate": "number of messages through a node's link",
    "bandwidth": "bytes through a node's link",
    "synchronisation": "ranks waiting for each other, and calls",
}


@dataclass(frozen=True)
class Site:
    """Where a rank runs: the machine, and how its ranks lie."""

    machine: Machine
    ranks: int
    ranks_on_node: int
    precision: str = "double"

    @property
    def busy(self) -> int:
        """Ranks of a node."""
        return min(self.ranks, self.ranks_on_node)

    @property
    def nodes(self) -> int:
        return math.ceil(self.ranks / self.ranks_on_node)

    @property
    def crowd(self) -> float:
        """Ranks of a core, where there are more ranks than cores."""
        return max(1.0, self.busy / self.machine.cores)


@dataclass(frozen=True)
class Work:
    """What a pass does with its part of the field: bytes of a point before and after, and operations by lines."""

    in_bytes: float
    out_bytes: float
    #: (rows, real_rows or columns; length; 5 n log2 n of all lines, for each point that the pass writes)
    lines: tuple[tuple[str, int, float], ...] = ()


def work_of(one: Mapping[str, Any]) -> Work:
    """The work of a pass of `Plan.route`."""
    lines = []
    for axis, n, real in one["transforms"]:
        name = "columns" if axis < 2 else "real_rows" if real else "rows"
        # A real line of n points has n/2 + 1 complex ones.
        operations = 5 * math.log2(n) if n > 1 else 0.0
        lines.append((name, n, operations * (n / 2 / (n // 2 + 1) if real else 1.0)))
    return Work(one["in_bytes"], one["out_bytes"], tuple(lines))


def unit_seconds(
    site: Site, work: Work, points: Sequence[int], footprint: float, from_neighbours: float
) -> tuple[float, float]:
    """Seconds of computation, and of memory beside it, of a unit. `from_neighbours` is the part of what it
    reads that lies where other ranks have written it."""
    machine = site.machine
    read, written = points[0] * work.in_bytes, points[1] * work.out_bytes
    memory = (read + written) / machine.memory_rate(footprint, site.busy)
    if from_neighbours > 0:
        memory += machine.neighbour_seconds(from_neighbours * read)
    smaller = [min(points) if name == "real_rows" else points[1] for name, _, _ in work.lines]
    computation = sum(
        count * operations / machine.line_rate(name, site.precision, n)
        for count, (name, n, operations) in zip(smaller, work.lines)
    )
    memory -= machine.memory_hidden * min(memory, computation)
    return computation * site.crowd, memory * site.crowd


@dataclass
class TileCost:
    """One tile: seconds of this rank's processor, and seconds on the way, during which it may do something else."""

    processor: dict[str, float] = field(default_factory=dict)
    network: dict[str, float] = field(default_factory=dict)

    @property
    def on_the_way(self) -> float:
        return sum(self.network.values())


#: Strategies whose blocks MPI describes by datatypes.
_DATATYPES = ("zerocopy",)
#: Strategies where some ranks send for all of their node.
_BY_LEADERS = ("node-shm", "node-gather")
#: Strategies that return from a tile only when it has come.
BLOCKING = ("alltoallv",)


def blocks(link: Mapping[str, Any]) -> bool:
    """Whether starting a tile is waiting for it."""
    return link["strategy"] in BLOCKING or (link["strategy"] == "padded" and link["window"] == 1)


def tile_cost(site: Site, link: Mapping[str, Any], tile: Mapping[str, int]) -> TileCost:
    """What a tile of an exchange costs a rank."""
    strategy = link["strategy"]
    cost = TileCost()
    if link["peers"] == 1:
        return cost
    cost.processor["synchronisation"] = _synchronisation(site, link)
    if tile["node_messages"] > 0:
        cost.processor["node"] = _inside(site, link, tile)
    if strategy == "padded":
        # A collective moves a rank's own slot, too.
        slot = (tile["node_bytes"] + tile["network_bytes"]) / (link["peers"] - 1)
        copied = 2 * slot / site.machine.memory_rate(2 * slot, site.busy)
        cost.processor["node"] = cost.processor.get("node", 0.0) + copied * site.crowd
    if strategy == "node-gather" and link["node_peers"] > 1:
        # The leader sorts what it gathers and what it scatters: two more trips through memory.
        moved = 4.0 * (tile["node_bytes"] + tile["network_bytes"])
        copied = moved / site.machine.memory_rate(moved, 1)
        cost.processor["node"] = cost.processor.get("node", 0.0) + copied
    if tile["network_messages"] > 0:
        _across(site, link, tile, cost)
    return cost


def _synchronisation(site: Site, link: Mapping[str, Any]) -> float:
    """Peers do not come at the same time: waiting for them costs about what a barrier does."""
    measured = site.machine.calibration.barrier
    steps = math.log2(link["node_peers"]) if link["node_peers"] > 1 else 0.0
    known = math.log2(max(2, site.machine.calibration.ranks))
    if measured > 0:
        return measured * steps / known * site.crowd
    return site.machine.node_latency * steps * site.crowd


def _inside(site: Site, link: Mapping[str, Any], tile: Mapping[str, int]) -> float:
    """Messages inside a node are copies by the processors of their ranks."""
    machine, count = site.machine, tile["node_messages"]
    size = tile["node_bytes"] / count
    seconds = machine.node_exchange(max(1.0, size), link["strategy"] in _DATATYPES, site.busy >= machine.cores)
    # All ranks of a node copy at once: each byte is read and written, at best once.
    least = 2 * size * min(site.busy, machine.cores) / machine.memory_bandwidth
    seconds = max(seconds, least)
    if link["strategy"] == "rma":
        # Two empty ones for each: it may be written, it has been.
        seconds += 2 * machine.node_exchange(1.0, False, False)
    return count * seconds * site.crowd


def _across(site: Site, link: Mapping[str, Any], tile: Mapping[str, int], cost: TileCost) -> None:
    """Messages to other nodes: the ranks of a node share its link."""
    machine, strategy = site.machine, link["strategy"]
    count, sent = float(tile["network_messages"]), float(tile["network_bytes"])
    # What all ranks of a node put on its link.
    together, mine = site.busy * sent, 1.0
    messages = site.busy * count
    if strategy in _BY_LEADERS:
        # A message for each pair of nodes, of all ranks that exchange with each other; leaders share them out.
        groups = site.busy / link["node_peers"]
        messages = groups * count
        mine = 1.0 / min(link["leaders"], link["node_peers"])
        if strategy == "node-gather":
            together, mine = groups * sent, 1.0  # rank 0 leads, and has all of it
        else:
            sent *= link["node_peers"]
    size = sent / count
    rounds = 1.0
    if strategy == "padded" and size <= machine.alltoall_short:
        # Stored and forwarded (Bruck): log2 P messages of half of all blocks instead of P - 1 of one.
        steps = math.ceil(math.log2(link["peers"]))
        count, sent, rounds = float(steps), steps * size * link["peers"] / 2, float(steps)
        together, messages = site.busy * sent, site.busy * count
    elif blocks(link):
        # Pairwise: a round waits for the one before. Small ones are buffered, so that only some wait.
        rounds = float(count) if size > machine.eager else math.sqrt(count)
    if strategy == "rma":
        count, messages = 3 * count, 3 * messages
    trips = 3 if size > machine.eager else 1  # the receiver is asked first
    on_wire = together / (machine.bandwidth * machine.efficiency)
    if machine.shared:
        nodes = machine.nodes_per_segment or site.nodes
        segments = math.ceil(site.nodes / nodes)
        # A frame to another segment crosses the wires of both.
        crossings = 1 + (segments - 1) / segments if segments > 1 else 1
        on_wire *= min(nodes, site.nodes) * crossings
    cost.network["latency"] = machine.latency * rounds * trips
    cost.network["rate"] = messages * machine.gap
    cost.network["bandwidth"] = on_wire
    # What is received is handled after it has come; what is sent, while the message before is on its way.
    handled = (1 + 1 / count) * mine * (count * machine.overhead + sent / machine.copy_bandwidth)
    cost.processor["overhead"] = handled * site.crowd


def eager(site: Site, link: Mapping[str, Any], tile: Mapping[str, int]) -> bool:
    """Whether a tile's messages are on their way without their receivers' help."""
    count, sent = tile["network_messages"], tile["network_bytes"]
    if link["strategy"] == "node-shm":
        sent *= link["node_peers"]
    return count == 0 or sent / count <= site.machine.eager
