"""What whole transforms take beyond the model's formulas, from the calibration's own transforms."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import weft

from .cost import Site, work_of
from .machine import Machine, read
from .walk import walk


def load(name: str | Path) -> Machine:
    """The machine of a file, or one that is known by name."""
    return fitted(read(name))


def fitted(machine: Machine) -> Machine:
    """The machine with the seconds of a call and the factors of passes, if it is calibrated."""
    measured = machine.calibration
    if not measured.transforms:
        return machine
    # All of a node's ranks transformed at once, each by itself.
    factors: dict[str, list[tuple[float, float]]] = {}
    calls = []
    for name, table in measured.transforms.items():
        kind, precision = name.split("_")
        site = Site(machine, measured.ranks, measured.ranks, precision)
        for n, seconds, *_ in table:
            modelled, footprint = _there_and_back(site, round(n), kind)
            if n <= 4:
                # So small that it is nothing but calling.
                calls.append(max(0.0, seconds - modelled) / 2)
                continue
            call = 2 * (calls[-1] if calls else 0.0)
            factors.setdefault(name, []).append((footprint, max(0.2, (seconds - call) / modelled)))
    call = sorted(calls)[len(calls) // 2] if calls else 0.0
    return replace(machine, call=call, pass_factors={name: tuple(sorted(rows)) for name, rows in factors.items()})


def _there_and_back(site: Site, n: int, kind: str) -> tuple[float, float]:
    """Seconds by the formulas alone, and the bytes that are gone through."""
    plan = weft.plan((n, n, n), 1, kind=kind, precision=site.precision)
    number = 16 if site.precision == "double" else 8
    ends = number * math.prod(plan.spectrum_shape) + number * n**3 / (1 if kind == "c2c" else 2)
    footprint = ends + plan.workspace_bytes
    seconds = 0.0
    for direction in ("forward", "backward"):
        route = plan.route(direction)
        seconds += walk(site, route, [work_of(one) for one in route["passes"]], footprint).seconds
    return seconds, footprint
