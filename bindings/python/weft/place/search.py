"""The best placement: exact for small graphs, a good one with a known gap for large ones.

`exact` is branch and bound (Land & Doig 1960) over the processor of each process, with the lower bounds of bounds.py.
Processors of a node are alike, and so are nodes, so of those that hold nothing yet only the first is tried. Of placements
that take equally long it finds one with the fewest messages between nodes, and of these one with the fewest between
processors.

`heuristic` is HEFT (Topcuoglu, Hariri & Wu 2002), with whole processes instead of tasks: in the order of their upward
ranks, each to where what is placed so far ends first. Then local search: single processes are moved and pairs swapped
as long as that helps.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft import Error

from .bounds import Bounds
from .graph import Graph
from .machine import Machine
from .schedule import Model

EXACT = "branch and bound (Land & Doig 1960), bounds by Jackson's preemptive schedule (Carlier 1982)"
HEFT = "HEFT (Topcuoglu, Hariri & Wu 2002), then local search (moves and swaps)"

#: Largest graph that `best` searches exactly, in placements that differ.
_SMALL = 12

#: Times that differ by less are equal: the sums are made in different orders.
_EQUAL = 1e-9


@dataclass(frozen=True)
class Found:
    """The result of a search."""

    placement: tuple[int, ...]
    seconds: float
    lower_bound: float
    """No placement whatever can be faster, whichever process is next where."""
    proven: bool
    """Whether no placement is faster under this policy."""
    algorithm: str
    schedules: int
    """Placements whose time was predicted."""

    @property
    def gap(self) -> float:
        """At most so much of the time can be saved: 0 if proven."""
        return 0.0 if self.proven or self.seconds == 0 else max(0.0, 1 - self.lower_bound / self.seconds)


class _Search:
    def __init__(
        self, graph: Graph, machine: Machine, policy: str, time_slice: float, nodes: Sequence[int] | None
    ) -> None:
        self.graph, self.machine, self.policy, self.time_slice = graph, machine, policy, time_slice
        self.model = Model(graph, machine)
        self.bounds = Bounds(self.model)
        self.nodes = None if nodes is None else list(nodes)
        self.schedules = 0
        if nodes is not None and (len(nodes) != len(graph) or not all(0 <= n < machine.nodes for n in nodes)):
            raise Error(f"nodes is {list(nodes)}; it must have a node of 0 to {machine.nodes - 1} for each process")
        self.order = sorted(range(len(graph)), key=lambda p: -self.model.urgency[p][0])

    def seconds(self, placement: Sequence[int], stop: float = float("inf")) -> float:
        self.schedules += 1
        return self.model.predict(placement, self.policy, self.time_slice, record=False, stop=stop).seconds

    def messages(self, placement: Sequence[int]) -> tuple[int, int]:
        """Messages between nodes, and between processors, of those processes that are placed."""
        nodes = processors = 0
        for a, b in self.model.ends:
            here, there = placement[a], placement[b]
            if here >= 0 and there >= 0 and here != there:
                processors += 1
                nodes += self.machine.node_of(here) != self.machine.node_of(there)
        return nodes, processors

    def choices(self, p: int, placement: Sequence[int]) -> Iterator[int]:
        """Processors for a process that differ, given where the others are."""
        cores, taken = self.machine.cores, {q for q in placement if q >= 0}
        new_node = False
        for node in range(self.machine.nodes) if self.nodes is None else [self.nodes[p]]:
            here = range(node * cores, (node + 1) * cores)
            if self.nodes is None and taken.isdisjoint(here):
                if new_node:
                    continue
                new_node = True
            new_core = False
            for processor in here:
                if processor not in taken:
                    if new_core:
                        continue
                    new_core = True
                yield processor

    def heft(self) -> tuple[int, ...]:
        placement = [-1] * len(self.graph)
        for p in self.order:
            options = []
            for processor in self.choices(p, placement):
                placement[p] = processor
                options.append((self.bounds.bound(placement), processor))
            placement[p] = min(options)[1]
        return tuple(placement)

    def improve(self, placement: tuple[int, ...], limit: int) -> tuple[tuple[int, ...], float]:
        """First improvements, round and round, until none is left or the limit of predictions is reached."""
        best = self.seconds(placement)
        last = self.schedules + limit
        better = True
        while better and self.schedules < last:
            better = False
            for trial in self._neighbours(placement):
                seconds = self.seconds(trial, best)
                if seconds < best * (1 - 1e-12):
                    placement, best, better = trial, seconds, True
                    break
                if self.schedules >= last:
                    break
        return placement, best

    def _neighbours(self, placement: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        for p in self.order:
            others = [*placement[:p], -1, *placement[p + 1 :]]
            for processor in self.choices(p, others):
                if processor != placement[p]:
                    yield (*placement[:p], processor, *placement[p + 1 :])
        for p, q in itertools.combinations(self.order, 2):
            free = self.nodes is None or self.nodes[p] == self.nodes[q]
            if placement[p] != placement[q] and free:
                swapped = list(placement)
                swapped[p], swapped[q] = placement[q], placement[p]
                yield tuple(swapped)

    def numbered(self, placement: Sequence[int]) -> tuple[int, ...]:
        """The same with processors, and nodes where these are free, in the order of the processes that are there first:
        process 0 is on processor 0, where programs have their data."""
        nodes: dict[int, int] = {}
        used: dict[int, dict[int, int]] = {}
        out = []
        for processor in placement:
            node = self.machine.node_of(processor)
            here = used.setdefault(node, {})
            number = node if self.nodes is not None else nodes.setdefault(node, len(nodes))
            out.append(number * self.machine.cores + here.setdefault(processor, len(here)))
        return tuple(out)

    def start(self, limit: int) -> tuple[tuple[int, ...], float]:
        """The better of HEFT and everything on one processor, improved."""
        starts = [self.heft()]
        if self.nodes is None:
            starts.append((0,) * len(self.graph))
        return min((self.improve(start, limit // len(starts)) for start in starts), key=lambda found: found[1])


def heuristic(
    graph: Graph,
    machine: Machine,
    policy: str = "run",
    time_slice: float = 0.01,
    nodes: Sequence[int] | None = None,
    limit: int = 2000,
) -> Found:
    """A good placement, and how far from the best it can be at most. `nodes` fixes the node of each process; `limit`
    is the number of placements that are predicted."""
    search = _Search(graph, machine, policy, time_slice, nodes)
    placement, seconds = search.start(limit)
    bound = min(seconds, search.bounds.bound([-1] * len(graph)))
    return Found(search.numbered(placement), seconds, bound, seconds <= bound * (1 + 1e-9), HEFT, search.schedules)


def exact(
    graph: Graph,
    machine: Machine,
    policy: str = "run",
    time_slice: float = 0.01,
    nodes: Sequence[int] | None = None,
) -> Found:
    """The best placement, proven: among all, or among those with each process on its node of `nodes`."""
    search = _Search(graph, machine, policy, time_slice, nodes)
    best, least = search.start(200)
    fewest = search.messages(best)
    placement = [-1] * len(graph)

    def hopeless(bound: float) -> bool:
        return bound > least * (1 + _EQUAL) or (bound > least * (1 - _EQUAL) and search.messages(placement) >= fewest)

    def branch(depth: int) -> None:
        nonlocal best, least, fewest
        if depth == len(search.order):
            seconds, messages = search.seconds(placement, least * (1 + _EQUAL)), search.messages(placement)
            if seconds < least * (1 - _EQUAL) or (seconds < least * (1 + _EQUAL) and messages < fewest):
                best, least, fewest = tuple(placement), min(seconds, least), messages
            return
        p = search.order[depth]
        options = []
        for processor in search.choices(p, placement):
            placement[p] = processor
            options.append((search.bounds.bound(placement), processor))
        for bound, processor in sorted(options):
            placement[p] = processor
            if not hopeless(bound):
                branch(depth + 1)
        placement[p] = -1

    branch(0)
    return Found(search.numbered(best), least, search.bounds.bound([-1] * len(graph)), True, EXACT, search.schedules)


def brute_force(graph: Graph, machine: Machine, policy: str = "run", time_slice: float = 0.01) -> Found:
    """All placements, also those that differ in names only. For checks."""
    model = Model(graph, machine)
    everywhere = itertools.product(range(machine.processors), repeat=len(graph))
    found = min(
        (model.predict(placement, policy, time_slice, record=False).seconds, placement) for placement in everywhere
    )
    return Found(found[1], found[0], found[0], True, "all placements", machine.processors ** len(graph))


def best(graph: Graph, machine: Machine, policy: str = "run", time_slice: float = 0.01) -> Found:
    """The best placement: exact up to 12 processes, else heuristic."""
    search = exact if len(graph) <= _SMALL else heuristic
    return search(graph, machine, policy, time_slice)


def canonical(placement: Sequence[int], machine: Machine) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """The same for placements that differ in the names of processors and nodes only: the processes of each processor,
    by node."""
    nodes = []
    for node in range(machine.nodes):
        here = range(node * machine.cores, (node + 1) * machine.cores)
        held = [tuple(p for p, processor in enumerate(placement) if processor == one) for one in here]
        nodes.append(tuple(sorted((processes for processes in held if processes), key=min)))
    return tuple(sorted((node for node in nodes if node), key=lambda node: min(map(min, node))))
