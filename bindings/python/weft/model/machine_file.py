"""Machine files: by name, from a path, or from their content. Whoever reads one does it here; the library checks them, and its
`Machine` has the defaults of what they do not say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from weft import Error, _core
from weft._toml import read_toml

_FOLDER = Path(__file__).parent / "machines"

#: Names of the fields by table; "" has those at the top.
FIELDS = {table: list(fields) for table, fields in _core.unmeasured_machine(1, 1).figures.items()}


def machine_names() -> list[str]:
    """Machines that are known by name: the lab's."""
    return sorted(path.stem for path in _FOLDER.glob("*.toml"))


def path_of(name: str | Path) -> Path:
    """The file of a machine that is given as a file, or known by name."""
    path = Path(name)
    if path.suffix != ".toml":
        path = _FOLDER / f"{name}.toml"
        if not path.is_file():
            raise Error(f"machine is '{name}'; allowed are {', '.join([*machine_names(), 'paths of .toml files'])}")
    return path


def load(name: str | Path) -> _core.Machine:
    """The machine of a file, or one that is known by name."""
    return _core.read_machine(str(path_of(name)))


def machine_of(content: Mapping[str, Any], where: str = "machine") -> _core.Machine:
    """The machine that a file's content describes; Error naming the field."""
    return _core.parse_machine(tomli_w.dumps(content), where)


def content_of(name: str | Path) -> dict[str, Any]:
    """What a machine's file says, also what is not for the model. `machine_of` checks it."""
    return read_toml(path_of(name), "machine")
