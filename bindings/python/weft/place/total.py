"""The sum of all costs, as if nothing happened at once: what Stone's and Bokhari's polynomial algorithms minimise.

They are no rivals of the search, which minimises the time of a schedule; they check it where both must agree, and say
which assignment moves the fewest bytes when some processes have to be where they are.

* Stone 1977, "Multiprocessor scheduling with the aid of network flow algorithms": two processors, any graph; the
  minimum cut of a network is the assignment.
* Bokhari 1981, "A shortest tree algorithm for optimal assignments across space and time in a distributed processor
  system": any number of processors, graphs that are trees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft import Error

from .graph import Graph
from .machine import Machine
from .schedule import Model

Costs = Sequence[Sequence[float]]


class _Totals:
    """What each process costs on each processor, and each pair of processes inside of a node and across."""

    def __init__(self, graph: Graph, machine: Machine, costs: Costs | None, pinned: Mapping[int, int]) -> None:
        model = Model(graph, machine)
        self.machine = machine
        work = [sum(seconds for _, seconds, _ in steps) for steps in model.steps]
        self.costs = [list(row) for row in costs] if costs else [[seconds] * machine.processors for seconds in work]
        if len(self.costs) != len(graph) or any(len(row) != machine.processors for row in self.costs):
            raise Error(f"costs must have {len(graph)} rows of {machine.processors} seconds")
        for p, processor in pinned.items():
            self.costs[p] = [row if q == processor else float("inf") for q, row in enumerate(self.costs[p])]
        self.inside: dict[tuple[int, int], float] = {}
        self.across: dict[tuple[int, int], float] = {}
        for m, (a, b) in enumerate(model.ends):
            pair = (min(a, b), max(a, b))
            self.inside[pair] = self.inside.get(pair, 0.0) + model.copy[m]
            self.across[pair] = self.across.get(pair, 0.0) + model.wire[m] + machine.network.latency

    def between(self, pair: tuple[int, int], a: int, b: int) -> float:
        together = self.machine.node_of(a) == self.machine.node_of(b)
        return (self.inside if together else self.across)[pair]

    def of(self, placement: Sequence[int]) -> float:
        return sum(self.costs[p][processor] for p, processor in enumerate(placement)) + sum(
            self.between(pair, placement[pair[0]], placement[pair[1]]) for pair in self.inside
        )


def total_seconds(graph: Graph, machine: Machine, placement: Sequence[int], costs: Costs | None = None) -> float:
    """The sum of what all processes and messages cost. `costs` has the seconds of each process on each processor, where
    those differ."""
    return _Totals(graph, machine, costs, {}).of(placement)


def shortest_tree(
    graph: Graph, machine: Machine, costs: Costs | None = None, pinned: Mapping[int, int] | None = None
) -> tuple[tuple[int, ...], float]:
    """The assignment with the least sum, by Bokhari's algorithm. `pinned` says which processes have to be where."""
    totals = _Totals(graph, machine, costs, pinned or {})
    neighbours: dict[int, list[int]] = {p: [] for p in range(len(graph))}
    for a, b in totals.inside:
        neighbours[a].append(b)
        neighbours[b].append(a)
    parent = {0: -1}
    order = [0]
    for p in order:
        for q in neighbours[p]:
            if q not in parent:
                parent[q] = p
                order.append(q)
    if len(order) != len(graph) or len(totals.inside) != len(graph) - 1:
        raise Error(f"the graph '{graph.name}' is not a tree")
    processors = range(machine.processors)
    least = [list(row) for row in totals.costs]
    choice: dict[tuple[int, int], int] = {}  # of a process, when its parent is there
    for q in reversed(order[1:]):
        pair = (min(q, parent[q]), max(q, parent[q]))
        for a in processors:
            seconds, b = min((least[q][b] + totals.between(pair, a, b), b) for b in processors)
            choice[q, a] = b
            least[parent[q]][a] += seconds
    seconds, at = min((least[0][a], a) for a in processors)
    placement = [at] * len(graph)
    for q in order[1:]:
        placement[q] = choice[q, placement[parent[q]]]
    return tuple(placement), seconds


def min_cut(
    graph: Graph, machine: Machine, costs: Costs | None = None, pinned: Mapping[int, int] | None = None
) -> tuple[tuple[int, ...], float]:
    """The assignment to two processors, of a node each, with the least sum, by Stone's algorithm."""
    if (machine.nodes, machine.cores) != (2, 1):
        raise Error(
            f"{machine.name} has {machine.nodes} nodes of {machine.cores}; a cut is between two of one processor"
        )
    try:
        import networkx
    except ImportError:
        raise Error("min_cut needs networkx: python -m pip install networkx") from None
    totals = _Totals(graph, machine, costs, pinned or {})
    network = networkx.DiGraph()
    network.add_nodes_from(["first", "second"])
    for p, (first, second) in enumerate(totals.costs):
        # The edge that is cut is the processor that the process is not on.
        for edge, seconds in ((("first", p), second), ((p, "second"), first)):
            if seconds < float("inf"):
                network.add_edge(*edge, capacity=seconds)
            else:
                network.add_edge(*edge)  # without a capacity: never cut
    for (a, b), seconds in totals.across.items():
        saved = seconds - totals.inside[a, b]
        if saved < 0:
            raise Error("a message costs more inside a node than between nodes; a cut cannot express that")
        network.add_edge(a, b, capacity=saved)
        network.add_edge(b, a, capacity=saved)
    cut, (first_side, _) = networkx.minimum_cut(network, "first", "second")
    placement = tuple(0 if p in first_side else 1 for p in range(len(graph)))
    return placement, cut + sum(totals.inside.values())
