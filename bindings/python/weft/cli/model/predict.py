"""``weft predict``: how long transforms will take on a machine, by rank count, without running anything."""

from __future__ import annotations

import csv as csv_module
import io
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

import weft
from weft import model
from weft._arguments import small
from weft.operators import Function

from ..drawing import require_matplotlib
from ..options import (
    Batch,
    Json,
    Kind,
    LengthsFlag,
    Modes,
    OperatorFlag,
    OptionalShape,
    Precision,
    Tolerance,
    ValuesFlag,
    at_least,
    error_of,
    function_of,
    lengths_of,
    library_options,
    modes_of,
    shape_of,
    whole,
)
from ..output import CommandError, people, require_writable, write_json, write_text
from ..planewave.cases import BandsFlag, Case, EcutFlag, GammaFlag, LatticeFlag, SphereFlag, sphere_of_flags
from .show import draw, show
from .where import where


@library_options
def predict(
    shape: OptionalShape = None,
    machine: Annotated[
        Optional[str],
        typer.Option(
            "--machine", metavar="FILE", help="A machine file, or a name (else what weft calibrate has written)."
        ),
    ] = None,
    ranks: Annotated[
        str, typer.Option("-n", "--ranks", metavar="A:B", help="Rank counts: A:B (doubling), or a list 8,24,96.")
    ] = "1:64",
    ranks_per_node: Annotated[
        Optional[str], typer.Option("--ranks-per-node", metavar="N", help="Ranks of a node (default: one a core).")
    ] = None,
    hybrids: Annotated[
        bool,
        typer.Option(
            "--hybrids", help="Numbers of --ranks are cores: also fewer ranks on them, of 2, 4, 8, ... threads each."
        ),
    ] = False,
    sphere: SphereFlag = None,
    lattice: LatticeFlag = None,
    ecut: EcutFlag = None,
    gamma: GammaFlag = False,
    bands: BandsFlag = None,
    modes: Modes = None,
    operator: OperatorFlag = None,
    values: ValuesFlag = None,
    lengths: LengthsFlag = None,
    kind: Kind = "c2c",
    precision: Precision = "double",
    batch: Batch = "1",
    tolerance: Tolerance = "0",
    csv: Annotated[Optional[str], typer.Option("--csv", metavar="FILE", help="All plans as CSV.")] = None,
    plot: Annotated[Optional[str], typer.Option("--plot", metavar="FILE", help="Times and terms as PNG.")] = None,
    json: Json = None,
    options: dict[str, Any] = {},  # noqa: B006  # filled by the decorator
) -> None:
    """Predict times by rank count, the best plans, and where scaling stops (--shape 1024 1024 1024 -n 8:4096 --machine M).

    Nothing is run: plans are walked on the machine's figures. Options of the library that are given hold for all plans.
    """
    for target in (json, csv, plot):
        require_writable(target)
    if plot is not None:
        require_matplotlib()
    on_node = None if ranks_per_node is None else at_least(ranks_per_node, "--ranks-per-node", 1)
    case = sphere_of_flags(shape, sphere, lattice, ecut, gamma, bands)
    numbers = counts(ranks)
    function, box = function_of(operator, values), lengths_of(operator, lengths)
    if case:
        for flag, value in (("--modes", modes), ("--operator", operator)):
            if value is not None:
                raise CommandError(f"{flag} is of a box; a sphere has its plane waves")
        problem = _sphere(case, precision, options)
    else:
        problem = _box(shape or "", modes, numbers, kind, precision, batch, options, function, box)
    if hybrids and (on_node is not None or "threads" in options):
        other = "--ranks-per-node" if on_node is not None else "--threads"
        raise CommandError(f"--hybrids and {other} are both given; hybrids choose ranks of a node and their threads")
    on_node = _of_node(on_node, options)
    path = None if machine is None else str(model.path_of(machine))
    on = where(path, None, numbers[-1], on_node, options)
    found = model.scaling(problem, on.machine, numbers, on_node, error_of(tolerance), hybrids=hybrids)
    show(people(json), found, on)
    rows = [_facts(one, row.efficiency, one is row.best) for row in found.rows for one in row.plans]
    write_json(
        json,
        {
            "machine": on.machine.name,
            "cores_of_node": on.machine.cores,
            "assumed": list(on.machine.assumed),
            "shape": list(problem.shape),
            "modes": None if problem.modes is None else list(problem.modes),
            "kind": problem.kind if problem.waves is None else "sphere",
            "operator": operator,
            "lengths": None if operator is None else box,
            "precision": problem.precision,
            "batch": problem.batch,
            "numbers_are": "cores" if hybrids else "ranks",
            "stops_at": found.stops_at,
            "because": found.because,
            "setbacks": [asdict(step) for step in found.setbacks],
            "plans": rows,
        },
    )
    if csv is not None:
        write_text(Path(csv), _csv(rows))
    if plot is not None:
        draw(found, Path(plot))


def _of_node(per_node: int | None, options: dict[str, Any]) -> int | None:
    """What --ranks-per-node says, or --node-size, which is the library's word for it."""
    size = at_least(options.get("node_size") or os.environ.get("WEFT_NODE_SIZE", "0"), "--node-size", 0) or None
    if size is not None and per_node is not None and size != per_node:
        raise CommandError(f"--ranks-per-node is {per_node} and --node-size is {size}; one of them is enough")
    return per_node or size


def counts(text: str) -> list[int]:
    """Rank counts from "8", "8,24,96" or "8:4096", which doubles."""
    first, colon, last = text.partition(":")

    def number(word: str) -> int:
        return small(at_least(word, "--ranks", 1), "--ranks")

    if not colon:
        return [number(word) for word in text.split(",")]
    low, high = number(first), number(last)
    if high < low:
        raise CommandError(f"--ranks is '{text}'; the second number must not be below the first")
    found = [low]
    while found[-1] * 2 <= high:
        found.append(found[-1] * 2)
    return found


def _sphere(case: Case, precision: str, options: dict[str, Any]) -> model.Problem:
    waves = weft.cutoff_sphere(case.grid, case.lattice, case.cutoff, gamma=case.gamma)
    return model.Problem(case.grid, "c2c", precision, case.bands, waves, case.gamma, options)


def _box(
    shape: str,
    modes: str | None,
    numbers: Sequence[int],
    kind: str,
    precision: str,
    batch: str,
    options: dict[str, Any],
    function: Function | None,
    lengths: float | list[float],
) -> model.Problem:
    grid = shape_of(shape)
    kept = modes_of(modes, grid)
    # So that bad words are an error of their own, not that of the first candidate, and too many ranks one before the rest.
    fields = whole(batch, "--batch")
    problem = model.Problem(
        grid, kind, precision, fields, modes=kept, options=options, function=function, lengths=lengths
    )
    for ranks in dict.fromkeys((numbers[0], numbers[-1])):
        if function is None:
            weft.plan(grid, ranks, kind=kind, precision=precision, batch=fields, modes=kept, **options)
        else:
            problem.operator(ranks, options)
    return problem


def _facts(one: model.Prediction, efficiency: float, best: bool) -> dict[str, Any]:
    return {
        "ranks": one.ranks,
        "ranks_on_node": one.ranks_on_node,
        "threads": one.threads,
        "best": best,
        "efficiency": efficiency if best else None,
        **{
            name: one.options.get(name)
            for name in ("strategy", "decomposition", "grid", "tile", "window", "tests", "leaders", "wire")
        },
        "seconds": one.seconds,
        "hidden": one.hidden,
        "memory_bytes": one.memory_bytes,
        "terms": dict(one.terms),
        "stages": {
            direction: [{"stage": stage.name, "hidden": stage.hidden, **stage.terms} for stage in stages]
            for direction, stages in one.stages.items()
        },
    }


def _csv(rows: list[dict[str, Any]]) -> str:
    out = io.StringIO()
    plain = [name for name in rows[0] if name not in ("terms", "stages")]
    writer = csv_module.writer(out, lineterminator="\n")
    writer.writerow([*plain, *model.TERMS])
    for row in rows:
        writer.writerow([*(row[name] for name in plain), *(row["terms"][term] for term in model.TERMS)])
    return out.getvalue()
