"""What whole transforms take beyond the model's formulas, from the calibration's own transforms."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import weft
from weft import Error

from .cost import Site, work_of
from .machine import Machine
from .machine_file import read
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
    calls = []
    factors: dict[str, list[tuple[float, float]]] = {}
    for name, table in measured.transforms.items():
        kind, precision = name.split("_")
        site = Site(machine, measured.ranks, measured.ranks, precision)
        for n, seconds, *_ in table:
            modelled, footprint = _there_and_back(site, round(n), kind, 1, {})
            if n <= 4:
                # So small that it is nothing but calling.
                calls.append(max(0.0, seconds - modelled) / 2)
                continue
            call = 2 * (calls[-1] if calls else 0.0)
            factors.setdefault(name, []).append((footprint, max(0.2, (seconds - call) / modelled)))
    call = sorted(calls)[len(calls) // 2] if calls else 0.0
    known = replace(machine, call=call, pass_factors={name: tuple(sorted(rows)) for name, rows in factors.items()})
    # And all together.
    site = Site(known, measured.ranks, measured.ranks)
    together: dict[str, list[tuple[float, float]]] = {}
    for name, table in measured.strategies.items():
        for n, seconds, *_ in table:
            try:
                modelled, footprint = _there_and_back(site, round(n), "c2c", measured.ranks, {"strategy": name})
            except Error:  # measured with a build that has more strategies
                break
            calling = 2 * (call + measured.allreduce)
            together.setdefault(name, []).append((footprint, max(0.2, (seconds - calling) / modelled)))
    return replace(known, strategy_factors={name: tuple(sorted(rows)) for name, rows in together.items()})


def _there_and_back(site: Site, n: int, kind: str, ranks: int, options: dict[str, str]) -> tuple[float, float]:
    """Seconds by what is known so far, and the bytes that are gone through."""
    plan = weft.plan((n, n, n), ranks, kind=kind, precision=site.precision, **options)
    real = 8 if site.precision == "double" else 4
    footprint = (
        plan.input_size * real * (1 if kind == "r2c" else 2) + plan.output_size * real * 2 + plan.workspace_bytes
    )
    factor = site.machine.pass_factor(kind, site.precision, footprint)
    seconds = 0.0
    for direction in ("forward", "backward"):
        route = plan.route(direction)
        works = [work_of(one) for one in route["passes"]]
        seconds += walk(site, route, works, footprint, factor=factor).seconds
    return seconds, float(footprint)
