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
            try:
                check_value(content[key], kind, f"{prefix}{key}")
            except weft.Error as error:
                raise wrong(str(error)) from None
    for key in ("nodes", "cores", "flops", "memory_bandwidth"):
        if machine[key] <= 0:
            raise wrong(f"{key} is {machine[key]}; it must be positive")
    for name, text in machine.get("sources", {}).items():
        if not isinstance(text, str):
            raise wrong(f"sources.{name} is {text!r}; a text is needed")
