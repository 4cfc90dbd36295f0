"""The machines of experiments: what their files must have beside what the model needs."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import weft

from .. import model
from ..cli.output import CommandError

__all__ = ["FIELDS", "Machine", "check", "load", "varied"]

#: Reports say these.
_NEEDED = ("title", "year", "assumed")

#: How switches are joined; without it there is one. For the simulation only: the model knows nothing of routes.
TOPOLOGIES: dict[str, dict[str, str]] = {
    "fat-tree": {
        "leaf_nodes": "nodes of a leaf switch",
        "leaves": "leaf switches",
        "spines": "switches that join them",
        "cables": "of each leaf to each spine",
    },
    "dragonfly": {
        "switch_nodes": "nodes of a switch",
        "group_switches": "switches of a group, each with each",
        "local_cables": "of a pair of switches",
        "groups": "groups, each with each",
        "global_cables": "of a pair of groups",
    },
}
#: Names of the fields by table; "" has those at the top.
FIELDS: dict[str, list[str]] = {
    **model.FIELDS,
    "topology": ["kind", "hop_latency", *(key for fields in TOPOLOGIES.values() for key in fields)],
}

Machine = dict[str, Any]


def load(name: str) -> Machine:
    """What the file of a machine says: of one of ours by name, or a file of the user's by its path."""
    try:
        machine = model.content_of(name)
    except weft.Error as error:
        raise CommandError(str(error)) from None
    check(machine, str(model.path_of(name)))
    return machine


def varied(machine: Machine, **changes: Any) -> Machine:
    """The machine with some fields changed: `network__bandwidth=1e9` is network.bandwidth; None takes a field away."""
    other = copy.deepcopy(machine)
    for field, value in changes.items():
        table, _, key = field.rpartition("__")
        place = other.setdefault(table, {}) if table else other
        if value is None:
            place.pop(key, None)
        else:
            place[key] = value
    check(other, machine["name"])
    return other


def check(machine: Machine, where: str) -> None:
    """CommandError that names the field unless this is a machine; where a figure comes from is told in `sources`."""
    try:
        model.machine_of(machine, where)
    except weft.Error as error:
        raise CommandError(str(error)) from None

    def wrong(text: str) -> CommandError:
        return CommandError(f"machine file '{where}': {text}")

    for key in _NEEDED:
        if key not in machine:
            raise wrong(f"{key} is missing")
    if "topology" in machine:
        _check_topology(machine, wrong)
    for name, text in machine.get("sources", {}).items():
        if not isinstance(text, str):
            raise wrong(f"sources.{name} is {text!r}; a text is needed")


def _check_topology(machine: Machine, wrong: Callable[[str], CommandError]) -> None:
    topology = machine["topology"]
    kind = topology.get("kind")
    if kind not in TOPOLOGIES:
        raise wrong(f"topology.kind is '{kind}'; allowed are {', '.join(TOPOLOGIES)}")
    for key, what in TOPOLOGIES[kind].items():
        if not isinstance(topology.get(key), int) or topology[key] < 1:
            raise wrong(
                f"topology.{key} is {topology.get(key, 'missing')}; a {kind} needs it ({what}), a whole number of at least 1"
            )
    for key in topology:
        if key not in ("kind", "hop_latency", *TOPOLOGIES[kind]):
            raise wrong(f"topology.{key} is nothing of a {kind}; allowed are {', '.join(TOPOLOGIES[kind])}")
    hop = topology.get("hop_latency")
    if not isinstance(hop, (int, float)) or hop <= 0:
        raise wrong(f"topology.hop_latency is {hop!r}; seconds are needed, a positive number")
    if machine["network"].get("shared"):
        raise wrong("network.shared is true; a topology has switches, no shared wire")
    sizes = ("leaf_nodes", "leaves") if kind == "fat-tree" else ("switch_nodes", "group_switches", "groups")
    there = math.prod(topology[key] for key in sizes)
    if there != machine["nodes"]:
        raise wrong(f"nodes is {machine['nodes']}; this {kind} has {' x '.join(sizes)} = {there}")
    if kind == "dragonfly" and topology["groups"] > topology["group_switches"]:
        # Each switch of a group has the cables to one other group.
        raise wrong(f"topology.groups is {topology['groups']}; at most {topology['group_switches']}, group_switches")
