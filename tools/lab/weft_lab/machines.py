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
from ..model import FIELDS, machine_of

__all__ = ["FIELDS", "FOLDER", "Machine", "check", "load", "names", "varied"]

FOLDER = Path(__file__).parent / "machines"

#: What machines of experiments must have beside what the model needs: reports say it, and networks are made of it.
_NEEDED = {
    "": ("title", "year", "assumed"),
    "network": ("shared",),
    "node": ("latency", "bandwidth"),
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
    """CommandError that names the field unless this is a machine; where a figure comes from is told in `sources`."""
    try:
        machine_of(machine, where)
    except weft.Error as error:
        raise CommandError(str(error)) from None

    def wrong(text: str) -> CommandError:
        return CommandError(f"machine file '{where}': {text}")

    for table, keys in _NEEDED.items():
        for key in keys:
            if key not in (machine.get(table, {}) if table else machine):
                raise wrong(f"{f'{table}.' if table else ''}{key} is missing")
    for name, text in machine.get("sources", {}).items():
        if not isinstance(text, str):
            raise wrong(f"sources.{name} is {text!r}; a text is needed")
