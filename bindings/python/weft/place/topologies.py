"""Brown's topologies of the binary tree of three levels on two nodes: figures 9 to 13, and one or three leaves apart.

The figures are lost; what the text says of each decides which processes are where. It says two things of figure 13 that
cannot both be: "all leaves on a separate node from the root" makes as many bytes cross as in figure 12, "maximum amount of
data passing possible" and "twice that of figure 12" needs every edge to cross. Both are here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from weft import Error

from .graph import Graph
from .machine import Machine
from .search import Found, exact, heuristic


@dataclass(frozen=True)
class Topology:
    title: str
    away: tuple[int, ...]
    """Processes on the other node than the root."""


TOPOLOGIES: Mapping[str, Topology] = {
    "fig9": Topology("all on one node", ()),
    "one-leaf": Topology("one leaf away", (6,)),
    "fig10": Topology("balanced, cut between levels 1 and 2", (2, 5, 6)),
    "fig11": Topology("balanced, cut between levels 2 and 3", (5, 6)),
    "three-leaves": Topology("three leaves away", (2, 4, 5, 6)),
    "fig12": Topology("balanced, twice the data", (2, 4, 5)),
    "fig13-leaves": Topology("all leaves away from the root", (3, 4, 5, 6)),
    "fig13-edges": Topology("every edge crosses", (1, 2)),
}


def place_topology(name: str, graph: Graph, machine: Machine, policy: str = "run", time_slice: float = 0.01) -> Found:
    """The best placement that has each process on the node that the topology says: on the processors of a node, as the
    search finds."""
    if name not in TOPOLOGIES:
        raise Error(f"topology is '{name}'; allowed are {', '.join(TOPOLOGIES)}")
    away = TOPOLOGIES[name].away
    facts = graph.facts
    if away and (facts.get("program"), facts.get("levels"), facts.get("arity")) != ("sort", 3, 2):
        raise Error(f"topology is '{name}', which is one of a binary tree of 3 levels; the graph is '{graph.name}'")
    if away and machine.nodes < 2:
        raise Error(f"topology is '{name}', which takes two nodes; {machine.name} has one")
    nodes = [int(p in away) for p in range(len(graph))]
    search = exact if len(graph) <= 12 else heuristic
    return search(graph, machine, policy, time_slice, nodes)
