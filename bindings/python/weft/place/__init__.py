"""Placement: process graphs on the processors of a machine.

>>> import weft.place as place
>>> graph = place.tree_sort(n=50_000, levels=3)
>>> machine = place.load_machine("brown-servernet")
>>> found = place.best(graph, machine)          # branch and bound: proven
>>> schedule = place.predict(graph, machine, found.placement)
>>> place.draw("activity.svg", schedule)
"""

from weft._toml import read_toml
from weft.model import machine_names

from .bounds import Bounds
from .figure import draw, moments
from .graph import Compute, Graph, Message, Process, Receive, Send, graph_of, load_graph
from .machine import Link, Machine, load_machine, machine_of
from .mapping import WORTH, Mapping, Mappings, map_ranks
from .programs import alltoall, tree_sort
from .schedule import POLICIES, Activity, Model, Schedule, predict
from .search import Found, best, brute_force, canonical, exact, heuristic
from .topologies import TOPOLOGIES, place_topology
from .total import min_cut, shortest_tree, total_seconds

__all__ = [
    "POLICIES",
    "TOPOLOGIES",
    "WORTH",
    "Activity",
    "Bounds",
    "Compute",
    "Found",
    "Graph",
    "Link",
    "Machine",
    "Mapping",
    "Mappings",
    "Message",
    "Model",
    "Process",
    "Receive",
    "Schedule",
    "Send",
    "alltoall",
    "best",
    "brute_force",
    "canonical",
    "draw",
    "exact",
    "graph_of",
    "heuristic",
    "load_graph",
    "load_machine",
    "machine_names",
    "machine_of",
    "map_ranks",
    "min_cut",
    "moments",
    "place_topology",
    "predict",
    "read_toml",
    "shortest_tree",
    "total_seconds",
    "tree_sort",
]
