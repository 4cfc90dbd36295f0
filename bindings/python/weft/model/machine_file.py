"""Machine files: by name, from a path, or from their content. The library reads and checks them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from weft import Error, _core

#: Names of the fields by table; "" has those at the top.
FIELDS: dict[str, list[str]] = {}
for _table, _name in _core.machine_fields():
    FIELDS.setdefault(_table, []).append(_name)


def machine_names() -> list[str]:
    """Machines that are known by name: the lab's."""
    return sorted(path.stem for path in _folder().glob("*.toml"))


def _folder() -> Path:
    return Path(__file__).parent / "machines"


def path_of(name: str | Path) -> Path:
    """The file of a machine that is given as a file, or known by name."""
    path = Path(name)
    if path.suffix != ".toml":
        path = _folder() / f"{name}.toml"
        if not path.is_file():
            raise Error(f"machine is '{name}'; allowed are {', '.join([*machine_names(), 'paths of .toml files'])}")
    return path


def load(name: str | Path) -> _core.Machine:
    """The machine of a file, or one that is known by name."""
    return _core.read_machine(str(path_of(name)))


def machine_of(content: Mapping[str, Any], where: str = "machine") -> _core.Machine:
    """The machine that a file's content describes; Error naming the field."""
    return _core.parse_machine(tomli_w.dumps(content), where)
