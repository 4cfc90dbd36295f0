"""Machine files: clusters as small readable TOML files, checked."""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from ..cli.output import CommandError

FOLDER = Path(__file__).parent / "machines"

#: Tables and fields of a machine file: type, and whether it must be there. Rates are per second, sizes in bytes.
FIELDS: dict[str, dict[str, tuple[type, bool]]] = {
    "": {
        "name": (str, True),
        "title": (str, True),
        "year": (int, True),
        "nodes": (int, True),
        "cores": (int, True),
        "flops": (float, True),
        "memory_bandwidth": (float, True),
        "core_bandwidth": (float, False),
        "assumed": (list, True),
    },
    "network": {
        "shared": (bool, True),
        "nodes_per_segment": (int, False),
        "latency": (float, True),
        "bandwidth": (float, True),
        "efficiency": (float, False),
        "gap": (float, False),
        "overhead": (float, False),
        "copy_bandwidth": (float, False),
    },
    "node": {"latency": (float, True), "bandwidth": (float, True), "gap": (float, False)},
    "mpi": {"eager": (int, False), "alltoall_short": (int, False)},
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
                if needed and (not table or table in machine or table != "mpi"):
                    raise wrong(f"{prefix}{key} is missing")
                continue
            value = content[key]
            fits = isinstance(value, (int, float) if kind is float else kind)
            if not fits or (isinstance(value, bool) and kind is not bool):
                raise wrong(f"{prefix}{key} is {value!r}; a {kind.__name__} is needed")
            if kind in (int, float) and not isinstance(value, bool) and value < 0:
                raise wrong(f"{prefix}{key} is {value}; it must not be negative")
    for key in ("nodes", "cores", "flops", "memory_bandwidth"):
        if machine[key] <= 0:
            raise wrong(f"{key} is {machine[key]}; it must be positive")
    for name, text in machine.get("sources", {}).items():
        if not isinstance(text, str):
            raise wrong(f"sources.{name} is {text!r}; a text is needed")
