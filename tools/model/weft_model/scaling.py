"""Many plans and rank counts: the best plan at each, and where scaling stops."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import weft
from weft import Error
from weft._core import Machine

from .predict import TERMS, Prediction, Problem, predict


def candidates(problem: Problem, ranks: int, ranks_on_node: int) -> list[dict[str, Any]]:
    """Plans worth a look: strategies, process grids, tiles."""
    fixed = problem.options
    grids: list[dict[str, Any]] = []
    if problem.waves is not None:
        grids.append({"decomposition": "slab"})
    else:
        n0, n1, n2 = problem.shape
        spectrum = n2 if problem.kind == "c2c" else n2 // 2 + 1
        if ranks <= min(n0, n1):
            grids.append({"decomposition": "slab"})
        if ranks > 1:
            for rows, columns in _grids(ranks, ranks_on_node):
                if rows <= min(n0, n1) and columns <= min(n1, spectrum):
                    grids.append({"decomposition": "pencil", "grid": f"{rows}x{columns}"})
    grids = grids or [{"decomposition": "pencil" if ranks > 1 else "slab"}]
    usable = weft.strategies()
    names = [fixed["strategy"]] if "strategy" in fixed else [name for name in SHAPES if name in usable]
    found = []
    for grid in grids:
        if any(name in fixed and fixed[name] != value for name, value in grid.items()):
            continue
        for name in names:
            if ranks <= ranks_on_node and name in ("node-shm", "node-gather"):
                continue
            for shape in SHAPES.get(name, ({},)):
                if not any(option in fixed for option in shape):
                    found.append({"strategy": name, **grid, **shape})
    return found or [{"strategy": names[0], **grids[0]}]


#: What each strategy is tried with.
SHAPES: Mapping[str, Sequence[Mapping[str, int]]] = {
    "alltoallv": ({"tile": 1},),
    "ialltoallv": (
        {"tile": 2, "window": 2, "tests": 8},
        {"tile": 4, "window": 2, "tests": 8},
        {"tile": 8, "window": 3},
    ),
    "padded": ({"tile": 1},),
    "pairwise": ({"tile": 1}, {"tile": 4}),
    "shared": ({"tile": 1}, {"tile": 4}),
    "node-shm": ({"tile": 1}, {"tile": 4}, {"tile": 1, "leaders": 4}),
    "rma": ({"tile": 1},),
    "zerocopy": ({"tile": 1},),
}


def _grids(ranks: int, ranks_on_node: int) -> list[tuple[int, int]]:
    """The squarest process grids, and that whose rows are nodes."""
    squarest = [(ranks // d, d) for d in range(1, math.isqrt(ranks) + 1) if ranks % d == 0][-2:]
    found = {pair for a, b in squarest for pair in ((a, b), (b, a)) if b > 1}
    if ranks % ranks_on_node == 0 and 1 < ranks_on_node < ranks:
        found.add((ranks // ranks_on_node, ranks_on_node))
    return sorted(found)


@dataclass(frozen=True)
class Row:
    """One rank count: all plans, the fastest first."""

    ranks: int
    plans: Sequence[Prediction]
    efficiency: float  #: against the first rank count

    @property
    def best(self) -> Prediction:
        return self.plans[0]


@dataclass(frozen=True)
class Scaling:
    """Predictions by rank count, and where more ranks stop helping."""

    problem: Problem
    machine: Machine
    rows: Sequence[Row]
    #: The rank count after which no other is a tenth faster for each doubling, or None.
    stops_at: int | None
    #: The term that keeps it from falling.
    because: str | None


def scaling(problem: Problem, machine: Machine, ranks: Iterable[int], ranks_on_node: int | None = None) -> Scaling:
    """The best plan at each rank count. No MPI is used."""
    rows: list[Row] = []
    for count in ranks:
        on_node = min(count, ranks_on_node or machine.cores)
        plans: list[Prediction] = []
        refused: list[Error] = []
        for options in candidates(problem, count, on_node):
            try:
                plans.append(predict(problem, machine, count, options, on_node))
            except Error as error:  # not every candidate suits every problem
                refused.append(error)
        if not plans:
            raise refused[0]
        plans.sort(key=lambda one: one.seconds)
        base = rows[0].best if rows else plans[0]
        rows.append(Row(count, plans, base.seconds * base.ranks / (plans[0].seconds * count)))
    stops_at, because = _end(rows)
    return Scaling(problem, machine, rows, stops_at, because)


def _end(rows: Sequence[Row]) -> tuple[int | None, str | None]:
    """The first rank count after which none is worth its ranks: a tenth faster for each doubling."""
    for i, (one, more) in enumerate(itertools.pairwise(rows)):
        allowed = [one.best.seconds * 0.9 ** math.log2(later.ranks / one.ranks) for later in rows[i + 1 :]]
        if all(later.best.seconds > limit for later, limit in zip(rows[i + 1 :], allowed)):
            ideal = {term: seconds * one.ranks / more.ranks for term, seconds in one.best.terms.items()}
            return one.ranks, max(TERMS, key=lambda term: more.best.terms[term] - ideal[term])
    return None, None
