"""From what weft-calibrate has measured to a machine file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from weft import _core

Report = Mapping[str, Any]


def machine_from(report: Report, name: str, when: str) -> dict[str, Any]:
    """The content of a machine file. Tables have rows of (size, median, spread), the spread as a part of the median."""
    probes = report["probes"]
    facts, mpi = report["machine"], report["mpi"]
    ranks = report["ranks_on_node"]
    copy_all, copy_one = _copies(probes, True), _copies(probes, False)
    backends = {
        backend: {
            f"{kind}_{precision}": _table(
                (p["n"], p["operations"] / p["seconds"], spread(p))
                for p in _of(probes, "lines", backend=backend, lines=kind, precision=precision)
            )
            for kind in ("rows", "real_rows", "columns")
            for precision in ("double", "single")
        }
        for backend in dict.fromkeys(p["backend"] for p in _of(probes, "lines"))
    }
    lines = backends.pop("auto", {})
    transforms = {
        f"{kind}_{precision}": _table(
            (p["n"], p["seconds"], spread(p)) for p in _of(probes, "transform", kind=kind, precision=precision)
        )
        for kind in ("c2c", "r2c")
        for precision in ("double", "single")
    }
    exchange = {where: _seconds(_of(probes, "exchange", where=where)) for where in ("node", "network")}
    tables: dict[str, Any] = {
        "ranks": ranks,
        "copy_all": copy_all,
        "copy_one": copy_one,
        "neighbour": _seconds(_of(probes, "neighbour")),
        "exchange_node": exchange["node"],
        "exchange_network": exchange["network"],
        "pieces_node": _seconds(_of(probes, "pieces", where="node")),
        "alltoall": [],
        "alltoall_network": [],
        "barrier": _one(probes, "barrier"),
        "allreduce": _one(probes, "allreduce"),
        "lines": lines,
        "backends": backends,
        "transforms": {name: table for name, table in transforms.items() if table},
        "strategies": {},
    }
    tables["alltoall" if len(facts["nodes"]) == 1 else "alltoall_network"] = _seconds(_of(probes, "alltoall"))
    for p in _of(probes, "strategy"):
        tables["strategies"].setdefault(p["strategy"], []).append([p["n"], float(f"{p['seconds']:.4g}"), spread(p)])
    complex_lines = (lines.get(f"{kind}_double", []) for kind in ("rows", "columns"))
    flops = sorted(rate for table in complex_lines for _, rate, _ in table)
    assumed = []
    ordinary = _core.unmeasured_machine(ranks, len(facts["nodes"]))  # stands in for what was not measured
    network: dict[str, Any] = {
        name: getattr(ordinary, name) for name in ("shared", "latency", "bandwidth", "gap", "overhead")
    }
    if exchange["network"]:
        (network["latency"], network["bandwidth"]) = _line(exchange["network"])
        network["gap"] = _burst(probes, "network")
        network["overhead"] = network["gap"] / 2
    else:
        assumed.append("network")
    latency, bandwidth = _line(exchange["node"]) if exchange["node"] else (0.5e-6, copy_one[-1][1] / 2)
    if not exchange["node"]:
        assumed.append("node")
    return {
        "name": name,
        "title": f"{facts['processor']}, {len(facts['nodes'])} node(s) of {ranks} ranks, measured",
        "year": int(when[:4]),
        "nodes": len(facts["nodes"]),
        "cores": ranks,
        "flops": float(flops[len(flops) // 2]) if flops else 1e9,
        "memory_bandwidth": copy_all[-1][1] * ranks if copy_all else 1e10,
        "core_bandwidth": copy_one[-1][1] if copy_one else 1e10,
        "assumed": [*assumed, "mpi"],
        "network": network,
        "node": {"latency": latency, "bandwidth": bandwidth, "gap": _burst(probes, "node")},
        "mpi": {name: getattr(ordinary, name) for name in ("eager", "alltoall_short", "alltoall_pairwise")},
        "calibration": {
            "when": when,
            "processor": facts["processor"],
            "mpi": mpi["library"],
            "weft": report["software"]["weft"],
            "rounds": report["rounds"],
            "widest_spread": max((spread(p) for p in probes), default=0.0),
            "median_spread": sorted(spread(p) for p in probes)[len(probes) // 2] if probes else 0.0,
            "tables": {key: value for key, value in tables.items() if value not in ([], {})},
        },
    }


def _of(probes: Iterable[Report], group: str, **what: Any) -> list[Report]:
    return [p for p in probes if p["group"] == group and all(p[key] == value for key, value in what.items())]


def spread(probe: Report) -> float:
    """Half of the samples lie within this part of the median."""
    return round((probe["high"] - probe["low"]) / probe["seconds"], 3) if probe["seconds"] > 0 else 0.0


def _table(rows: Iterable[tuple[float, float, float]]) -> list[list[float]]:
    return [[size, float(f"{value:.4g}"), spread] for size, value, spread in sorted(rows)]


def _seconds(probes: Iterable[Report]) -> list[list[float]]:
    return _table((p["bytes"], p["seconds"], spread(p)) for p in probes)


def _copies(probes: Iterable[Report], every: bool) -> list[list[float]]:
    found = _of(probes, "copy", all=every)
    return _table((p["bytes"], 2 * p["bytes"] / p["seconds"], spread(p)) for p in found)


def _one(probes: Iterable[Report], group: str) -> float:
    found = _of(probes, group)
    return float(found[0]["seconds"]) if found else 0.0


def _burst(probes: Iterable[Report], where: str) -> float:
    found = _of(probes, "burst", where=where)
    return float(found[0]["seconds"]) if found else 0.0


def _line(table: list[list[float]]) -> tuple[float, float]:
    """Latency and bandwidth of a table of exchanges: the shortest and the longest message."""
    (_, shortest, _), (size, longest, _) = table[0], table[-1]
    return shortest, size / max(1e-12, longest - shortest)
