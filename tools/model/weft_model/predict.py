"""Plan and machine give a predicted time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import weft
from weft import _core

from .cost import TERMS, Site, Work, work_of
from .machine import Machine
from .walk import Stage, Walk, walk


@dataclass(frozen=True)
class Problem:
    """What to transform: a grid, or a sphere's bands on one."""

    shape: tuple[int, int, int]
    kind: str = "c2c"
    precision: str = "double"
    batch: int = 1
    #: Plane waves of the whole sphere, as weft.cutoff_sphere gives them; then shape is the grid (x, y, z).
    waves: Any = None
    gamma: bool = False
    #: Library options that every plan has.
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Prediction:
    """Forward plus backward on the slowest rank."""

    ranks: int
    ranks_on_node: int
    options: Mapping[str, Any]
    seconds: float
    terms: Mapping[str, float]
    stages: Mapping[str, Sequence[Stage]]
    hidden: float
    memory_bytes: int

    @property
    def label(self) -> str:
        """The options in a few words."""
        words = [str(self.options["strategy"])]
        words += [f"{self.options['decomposition']} {self.options.get('grid', '')}".strip()]
        words += [
            f"{name} {self.options[name]}" for name in ("tile", "window", "tests", "leaders") if name in self.options
        ]
        return ", ".join(words)


def predict(
    problem: Problem, machine: Machine, ranks: int, options: Mapping[str, Any], ranks_on_node: int | None = None
) -> Prediction:
    """The time of one plan."""
    on_node = min(ranks, ranks_on_node or machine.cores)
    site = Site(machine, ranks, on_node, problem.precision)
    chosen = {**problem.options, **options, "node_size": on_node}
    if problem.waves is not None:
        plan, parts, footprint, memory = _sphere(problem, ranks, chosen)
    else:
        plan = weft.plan(
            problem.shape, ranks, kind=problem.kind, precision=problem.precision, batch=problem.batch, **chosen
        )
        parts = {}
        for direction in ("forward", "backward"):
            route = plan.route(direction)
            parts[direction] = (route, [work_of(one) for one in route["passes"]])
        memory = _array_bytes(plan, problem) + plan.workspace_bytes
        footprint = memory
    tests, thread = int(plan.option("tests")), plan.option("progress") == "thread"
    # Ranks that take turns on a core share its caches.
    footprint *= site.crowd
    factor = machine.pass_factor(problem.kind, problem.precision, footprint)
    inside = machine.strategy_factor(str(plan.option("strategy")), footprint) if on_node > 1 else 1.0
    walks: dict[str, Walk] = {
        direction: walk(site, route, works, footprint, tests, thread, factor, inside)
        for direction, (route, works) in parts.items()
    }
    terms = {term: sum(one.terms[term] for one in walks.values()) for term in TERMS}
    for term, seconds in _call(site, problem).items():
        terms[term] += len(walks) * seconds
    return Prediction(
        ranks=ranks,
        ranks_on_node=on_node,
        options=options,
        seconds=sum(terms.values()),
        terms=terms,
        stages={direction: one.stages for direction, one in walks.items()},
        hidden=sum(stage.hidden for one in walks.values() for stage in one.stages),
        memory_bytes=memory,
    )


def _call(site: Site, problem: Problem) -> dict[str, float]:
    """A call: what it takes by itself, and agreeing on its arguments."""
    own = site.machine.call * site.crowd
    if str(problem.options.get("check", True)).lower() == "false" or site.ranks == 1:
        return {"synchronisation": own}
    inside = site.machine.calibration.allreduce or site.machine.node_latency
    steps = 2 * math.log2(site.nodes)
    return {"synchronisation": own + inside * site.crowd, "latency": steps * site.machine.latency}


def _array_bytes(plan: weft.Plan, problem: Problem) -> int:
    real = 8 if problem.precision == "double" else 4
    inputs = plan.input_size * real * (1 if problem.kind == "r2c" else 2)
    if plan.option("in_place") == "true":
        return inputs
    return inputs + plan.output_size * real * (1 if problem.kind == "c2r" else 2)


def _sphere(problem: Problem, ranks: int, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any], float, int]:
    """A sphere's passes: only lines that are not all zero. Lines of all ranks are dealt evenly."""
    plan = weft.sphere_plan(
        problem.shape,
        _core.deal_columns(problem.waves, ranks),
        gamma=problem.gamma,
        precision=problem.precision,
        howmany=problem.batch,
        **{name: value for name, value in options.items() if name not in ("decomposition", "grid")},
    )
    number = 16 if problem.precision == "double" else 8
    extents = dict(zip("xyz", problem.shape))
    lo, hi = plan.space_box
    space = math.prod(b - a for a, b in zip(lo, hi)) * problem.batch * (number / 2 if problem.gamma else number)
    waves = plan.waves * problem.batch * number
    columns = plan.columns * extents["z"] * problem.batch * number
    arrived = sum(plan.lines["z"][:1]) * extents["z"] / ranks * problem.batch * number
    operations = {
        axis: 5 * lines * extents[axis] * math.log2(max(2, extents[axis])) / ranks * problem.batch
        for axis, (lines, _) in plan.lines.items()
    }
    parts = {}
    for direction in ("backward", "forward"):
        route = plan.route(direction)
        at_columns = (waves, columns, ("z",))
        at_planes = (arrived, space, tuple(axis for axis in plan.lines if axis != "z"))
        order = (at_columns, at_planes) if direction == "backward" else (at_planes, at_columns)
        works = []
        for one, (first, last, axes) in zip(route["passes"], order):
            ends = (first, last) if direction == "backward" else (last, first)
            into, out = (max(1, sum(unit[end] for unit in one["units"])) for end in (0, 1))
            lines = tuple((_sphere_lines(axis, problem), extents[axis], operations[axis] / out) for axis in axes)
            works.append(Work(ends[0] / into, ends[1] / out, lines))
        parts[direction] = (route, works)
    memory = int(waves + space) + plan.workspace_bytes
    return plan, parts, memory / max(1, problem.batch), memory


def _sphere_lines(axis: str, problem: Problem) -> str:
    return "real_rows" if problem.gamma and axis == "x" else "columns"
