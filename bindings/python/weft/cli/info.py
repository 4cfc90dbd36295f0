"""``weft info``: what this installation consists of."""

from __future__ import annotations

import platform
from collections.abc import Callable
from importlib import metadata
from typing import Any

from rich.table import Table

import weft
from weft import _core

from . import launch
from .options import Json
from .output import CommandError, people, require_writable, write_json

_PROGRAMS = ("weft-npb", "weft-bench", "weft-kernels", "weft-verify", "weft-sort", "weft-calibrate")
_PACKAGES = ("numpy", "mpi4py", "typer", "rich", "matplotlib", "h5py", "nibabel")


def info(json: Json = None) -> None:
    """Show versions, the MPI library, backends, strategies, options and where the programs are."""
    require_writable(json)
    facts = collect()
    if json != "-":
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        for name, value in facts.items():
            table.add_row(f"[bold]{name.replace('_', ' ')}[/]", _in_words(value))
        people(json).print(table)
    write_json(json, facts)


def collect() -> dict[str, Any]:
    """The facts, with words in place of what is missing."""
    return {
        "version": weft.__version__,
        "mpi_library": _core.mpi_library().replace("\0", "").strip().splitlines()[0],
        "mpiexec": _or_missing(_mpiexec),
        "cores": launch.cores(),
        "backends": weft.backends(),
        "strategies": ["auto", *weft.strategies()],
        "strategies_not_usable": {name: why for name, _, why in _core.describe_strategies() if why},
        "options_apply_to": {item.name: item.applies_to for item in weft.options()},
        "programs": {name: _or_missing(launch.program, name) for name in _PROGRAMS},
        "python": platform.python_version(),
        "packages": {name: _installed(name) for name in _PACKAGES},
    }


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{name} [dim]{item}[/]" for name, item in value.items())
    return ", ".join(value) if isinstance(value, list) else str(value)


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"


def _mpiexec() -> str:
    return " ".join(launch.mpiexec())


def _or_missing(find: Callable[..., Any], *arguments: str) -> str:
    try:
        return str(find(*arguments))
    except CommandError:
        return "missing"
