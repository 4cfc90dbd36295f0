"""Machine files: clusters as small readable TOML files, checked."""

from __future__ import annotations

import copy
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

import weft

from ..cli.output import CommandError
from ..model.machine_file import FIELDS as MODEL_FIELDS
from ..model.machine_file import check_value

FOLDER = Path(__file__).parent / "machines"

#: The model's fields that machines of experiments must have, too: what reports say of them, and how the network is made.
_NEEDED = {("", "title"), ("", "year"), ("", "assumed"), ("network", "shared")}
#: Tables and fields of a machine file, as the model's; where a figure comes from is told for each in `sources`.
FIELDS: dict[str, dict[str, tuple[type, bool]]] = {
    table: {
        key: (kind, needed or (table, key) in _NEEDED)
        for key, (kind, needed) in fields.items()
        if (table, key) != ("", "source")
    }
    for table, fields in MODEL_FIELDS.items()
}

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
FIELDS["topology"] = {"kind": (str, True), "hop_latency": (float, True)} | {
    key: (int, False) for fields in TOPOLOGIES.values() for key in fields
}

Machine = dict[str, Any]


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name: str) -> Machine:
    """A machine of ours by name, or a file of the user's by its path."""
    path = Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"
    if not path.is_file():
        raise CommandError(f"machine is '{name}'; allowed are {', '.join(names())}, and paths of .toml files")
    try:
        machine = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CommandError(f"machine file '{path}': {error}") from None
    check(machine, str(path))
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
    """CommandError that names the field unless this is a machine."""

    def wrong(text: str) -> CommandError:
        return CommandError(f"machine file '{where}': {text}")

    for table, fields in FIELDS.items():
        content = machine.get(table, {}) if table else machine
        prefix = f"{table}." if table else ""
        known = set(fields) | ({"sources", "calibration", *FIELDS} if not table else set())  # calibration: the model's
        for key in content:
            if key not in known:
                raise wrong(f"{prefix}{key} is unknown; allowed are {', '.join(sorted(fields))}")
        for key, (kind, needed) in fields.items():
            if key not in content:
                if needed and (table in machine or table not in ("mpi", "topology")):
                    raise wrong(f"{prefix}{key} is missing")
                continue
            try:
                check_value(content[key], kind, f"{prefix}{key}")
            except weft.Error as error:
                raise wrong(str(error)) from None
    for key in ("nodes", "cores", "flops", "memory_bandwidth"):
        if machine[key] <= 0:
            raise wrong(f"{key} is {machine[key]}; it must be positive")
    if "topology" in machine:
        _check_topology(machine, wrong)
    for name, text in machine.get("sources", {}).items():
        if not isinstance(text, str):
            raise wrong(f"sources.{name} is {text!r}; a text is needed")


def _check_topology(machine: Machine, wrong: Callable[[str], CommandError]) -> None:
    topology = machine["topology"]
    kind = topology["kind"]
    if kind not in TOPOLOGIES:
        raise wrong(f"topology.kind is '{kind}'; allowed are {', '.join(TOPOLOGIES)}")
    for key, what in TOPOLOGIES[kind].items():
        if topology.get(key, 0) < 1:
            raise wrong(f"topology.{key} is {topology.get(key, 'missing')}; a {kind} needs it ({what}), at least 1")
    for key in topology:
        if key not in ("kind", "hop_latency", *TOPOLOGIES[kind]):
            raise wrong(f"topology.{key} is nothing of a {kind}; allowed are {', '.join(TOPOLOGIES[kind])}")
    if topology["hop_latency"] <= 0:
        raise wrong(f"topology.hop_latency is {topology['hop_latency']}; it must be positive")
    if machine["network"]["shared"]:
        raise wrong("network.shared is true; a topology has switches, no shared wire")
    sizes = ("leaf_nodes", "leaves") if kind == "fat-tree" else ("switch_nodes", "group_switches", "groups")
    there = math.prod(topology[key] for key in sizes)
    if there != machine["nodes"]:
        raise wrong(f"nodes is {machine['nodes']}; this {kind} has {' x '.join(sizes)} = {there}")
    if kind == "dragonfly" and topology["groups"] > topology["group_switches"]:
        # Each switch of a group has the cables to one other group.
        raise wrong(f"topology.groups is {topology['groups']}; at most {topology['group_switches']}, group_switches")
