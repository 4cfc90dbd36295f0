"""What several subjects draw, and how they check it."""

from __future__ import annotations

from typing import Any

import numpy as np
from checking import random_bricks
from numpy.typing import NDArray
from reference import tolerance

import weft
from differential.cases import Case, Chance
from differential.findings import Senseless

#: What a number that is rounded for the wire is off by, relative to its magnitude.
WIRES = {"same": 0.0, "single": 2.0**-24, "block24": 2.0**-22, "block16": 2.0**-14}
_OPTIONS = tuple(option.name for option in weft.options())


def options_of(case: Case) -> dict[str, Any]:
    """Those settings that are options of the library; kernels are not looked for."""
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in case.items() if name in _OPTIONS
    }


def draw_options(chance: Chance, ranks: int, applies_to: str) -> Case:
    """Options of exchanges and passes, of those that apply to a 'transform', 'redistribution' or 'sphere'."""
    found = chance.some(
        strategy=(0.7, lambda: chance.one(*weft.strategies())),
        tile=(0.4, lambda: chance.one(1, 2, 3, 5, 64)),
        fields=(0.2, lambda: chance.one(1, 2, 3)),
        window=(0.3, lambda: chance.one(1, 2, 4, 9)),
        tests=(0.2, lambda: chance.one(1, 3)),
        progress=(0.05, "thread"),
        consume=(0.2, lambda: chance.one("early", "late")),
        wire=(0.15, lambda: chance.one("single", "block24", "block16")),
        backend=(0.3, lambda: chance.one(*weft.backends())),
        cache=(0.2, lambda: chance.one(1, 1000, 20000)),
        threads=(0.1, lambda: chance.one(2, 3)),
        node_size=(0.25, lambda: chance.one(1, 2, 3)),
        leaders=(0.15, lambda: chance.one(1, 2, 3)),
        check=(0.1, False),
    )
    if found.get("strategy") == "zerocopy":
        found.pop("wire", None)  # it sends arrays as they are
    if "wire" in found:
        found.update(chance.some(wire_inside=(0.4, "same"), measure_wire=(0.2, True)))
    applies = {option.name: option.applies_to for option in weft.options()}
    return {name: value for name, value in found.items() if applies_to in applies[name]}


def draw_layout(chance: Chance, ranks: int, axes: int = 3) -> str:
    """The name of a layout, which `layout` makes."""
    kind = chance.one("slab", "pencil", "grid", "bricks", "bricks", "one")
    if kind == "bricks":
        return f"bricks:{chance.random.randint(0, 99)}"
    if kind == "one":
        return f"one:{chance.random.randrange(ranks)}"
    if kind == "slab":
        return f"slab:{chance.one(0, 2) if axes == 2 else chance.one(0, 1, 2)}"
    rows = chance.one(*(n for n in range(1, ranks + 1) if ranks % n == 0))
    return f"{kind}:{rows}" if kind == "grid" or axes == 2 else f"{kind}:{rows}:{chance.one(0, 1, 2)}"


def layout(name: str, shape: tuple[int, ...], ranks: int) -> weft.Layout:
    """A layout of the first three axes; of a plane the one in the middle has one point."""
    shape = (shape[0], 1, shape[1]) if len(shape) == 2 else shape[:3]
    kind, *numbers = name.split(":")
    values = [int(number) for number in numbers]
    if kind == "slab":
        return weft.Layout.slab(shape, ranks, *values)
    if kind == "bricks":
        return weft.Layout.bricks(shape, random_bricks(shape, ranks, *values))
    if kind == "one":
        nothing = ((0, 0, 0), (0, 0, 0))
        return weft.Layout.bricks(
            shape, [((0, 0, 0), shape) if rank == values[0] else nothing for rank in range(ranks)]
        )
    rows = values[0]
    if ranks % rows or values[0] > ranks:
        raise Senseless
    if kind == "grid":
        return weft.Layout.grid(shape, (rows, 1, ranks // rows))
    return weft.Layout.pencil(shape, rows, ranks // rows, *values[1:])


def box(of: weft.Layout, rank: int, shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """All of the axes after the third."""
    lo, hi = of.box(rank)
    if not all(a < b for a, b in zip(lo, hi)):
        axes = min(3, len(shape))
        return (0,) * len(shape), (0,) * axes + shape[3:]
    if len(shape) == 2:
        return (lo[0], lo[2]), (hi[0], hi[2])
    return (*lo, *(0 for _ in shape[3:])), (*hi, *shape[3:])


def ends(case: Case, shapes: dict[str, tuple[int, ...]], comm: Any) -> dict[str, Any]:
    """The settings `input`, `output` (layouts by name) as arguments: a layout, or with `boxes` each rank's own box."""
    found: dict[str, Any] = {}
    for end, shape in shapes.items():
        if end in case:
            whole = layout(case[end], shape, comm.size)
            if case.get("boxes"):
                found[f"{end}_box"] = box(whole, comm.rank, shape)
            else:
                found[f"{end}_layout"] = whole
    return found


def allowed(case: Case, precision: str, shape: tuple[int, ...]) -> float:
    """For the largest difference, relative to the largest value: rounding, of numbers on the wire as well."""
    return tolerance(precision, shape) + 64 * WIRES[case.get("wire", "same")]


def random_field(rng: np.random.Generator, shape: tuple[int, ...], is_complex: bool) -> NDArray[Any]:
    real = rng.standard_normal(shape)
    return real + 1j * rng.standard_normal(shape) if is_complex else real


def largest(x: NDArray[Any]) -> float:
    return float(np.abs(x).max(initial=0))


def check_cover(findings: Any, comm: Any, part: tuple[slice, ...], shape: tuple[int, ...], what: str) -> None:
    """All ranks' parts together are the grid, and each point is one rank's."""
    times = np.zeros(shape, int)
    for other in comm.allgather(part):
        times[other] += 1
    findings.true(bool((times == 1).all()), f"{what}: some points of {shape} are no rank's, or several ranks'")
