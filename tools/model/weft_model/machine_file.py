"""Machine files: small readable TOML files, checked."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import weft
from weft import Error

from .machine import Calibration, Machine

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: Tables and fields of a machine file: type, and whether it must be there. Rates are per second, sizes in bytes.
FIELDS: dict[str, dict[str, tuple[type, bool]]] = {
    "": {
        "name": (str, True),
        "title": (str, False),
        "year": (int, False),
        "source": (str, False),
        "nodes": (int, True),
        "cores": (int, True),
        "flops": (float, True),
        "memory_bandwidth": (float, True),
        "core_bandwidth": (float, False),
        "assumed": (list, False),
    },
    "network": {
        "shared": (bool, False),
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
#: Tables that are for others (topology: the lab's switches), or that `Calibration` reads.
OTHERS = ("sources", "topology", "rates", "measured", "calibration")


def machine_names() -> list[str]:
    """Machines that are known by name: the lab's."""
    return sorted(path.stem for path in _folder().glob("*.toml"))


def _folder() -> Path:
    return Path(weft.__file__).parent / "lab" / "machines"


def read(name: str | Path) -> Machine:
    """The machine of a file, or one that is known by name."""
    path = Path(name)
    if path.suffix != ".toml":
        path = _folder() / f"{name}.toml"
        if not path.is_file():
            raise Error(f"machine is '{name}'; allowed are {', '.join([*machine_names(), 'paths of .toml files'])}")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Error(f"cannot read the machine '{path}': {error}") from None
    return machine_of(content, str(path))


def machine_of(content: Mapping[str, Any], where: str = "machine") -> Machine:
    """The machine that a file's content describes; Error naming the field."""
    check(content, where)
    network, node, mpi = content["network"], content.get("node", {}), content.get("mpi", {})
    optional = {
        "shared": network.get("shared"),
        "nodes_per_segment": network.get("nodes_per_segment"),
        "efficiency": network.get("efficiency"),
        "gap": network.get("gap"),
        "overhead": network.get("overhead"),
        "copy_bandwidth": network.get("copy_bandwidth"),
        "node_latency": node.get("latency"),
        "node_bandwidth": node.get("bandwidth"),
        "node_gap": node.get("gap"),
        "eager": mpi.get("eager"),
        "alltoall_short": mpi.get("alltoall_short"),
    }
    try:
        calibration = Calibration(**content.get("calibration", {}).get("tables", {}))
    except TypeError as error:
        raise Error(f"machine file '{where}': calibration: {error}") from None
    return Machine(
        name=content["name"],
        nodes=content["nodes"],
        cores=content["cores"],
        flops=float(content["flops"]),
        memory_bandwidth=float(content["memory_bandwidth"]),
        core_bandwidth=float(content.get("core_bandwidth", content["memory_bandwidth"])),
        latency=float(network["latency"]),
        bandwidth=float(network["bandwidth"]),
        assumed=tuple(content.get("assumed", ())),
        calibration=calibration,
        **{name: value for name, value in optional.items() if value is not None},
    )


def check(content: Mapping[str, Any], where: str) -> None:
    """Error that names the field unless this is a machine."""
    for table, fields in FIELDS.items():
        part = content.get(table) if table else content
        prefix = f"{table}." if table else ""
        if part is None:
            if table == "network":
                raise Error(f"machine file '{where}': the table network is missing")
            continue
        known = {*fields, *(() if table else (*FIELDS, *OTHERS))}
        for key in part:
            if key not in known:
                raise Error(
                    f"machine file '{where}': {prefix}{key} is unknown; allowed are {', '.join(sorted(fields))}"
                )
        for key, (kind, needed) in fields.items():
            if key not in part:
                if needed:
                    raise Error(f"machine file '{where}': {prefix}{key} is missing")
                continue
            check_value(part[key], kind, f"machine file '{where}': {prefix}{key}")
    for key in ("nodes", "cores", "flops", "memory_bandwidth"):
        if content[key] <= 0:
            raise Error(f"machine file '{where}': {key} is {content[key]}; it must be positive")


def check_value(value: Any, kind: type, what: str) -> None:
    """Error unless `what` is of that type, and not negative."""
    fits = isinstance(value, (int, float) if kind is float else kind)
    if not fits or (isinstance(value, bool) and kind is not bool):
        raise Error(f"{what} is {value!r}; a {kind.__name__} is needed")
    if kind in (int, float) and value < 0:
        raise Error(f"{what} is {value}; it must not be negative")
