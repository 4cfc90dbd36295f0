"""``weft explain``: the plan, without running anything."""

from __future__ import annotations

from typing import Annotated, Any, Optional

import typer
from rich.text import Text

import weft
from weft import model

from . import why
from .model.where import where
from .options import (
    Batch,
    Json,
    Kind,
    LengthsFlag,
    Modes,
    OperatorFlag,
    Precision,
    Shape,
    ValuesFlag,
    function_of,
    lengths_of,
    library_options,
    modes_of,
    shape_of,
    whole,
)
from .output import people, require_writable, write_json
from .tuning.command import machine_path
from .tuning.files import File


@library_options
def explain(
    shape: Shape,
    ranks: Annotated[str, typer.Option("-n", "--ranks", metavar="N", help="Number of ranks to plan for.")] = "1",
    rank: Annotated[str, typer.Option("--rank", metavar="R", help="The rank whose part is shown.")] = "0",
    modes: Modes = None,
    operator: OperatorFlag = None,
    values: ValuesFlag = None,
    lengths: LengthsFlag = None,
    kind: Kind = "c2c",
    precision: Precision = "double",
    batch: Batch = "1",
    normalization: Annotated[
        str, typer.Option("--normalization", metavar="WHERE", help="none, forward, backward or ortho.")
    ] = "none",
    machine: Annotated[
        Optional[str],
        typer.Option("--machine", metavar="M", help="Whose figures times are predicted from: a file, or a name."),
    ] = None,
    file: File = None,
    json: Json = None,
    options: dict[str, Any] = {},  # noqa: B006  # filled by the decorator
) -> None:
    """Show the plan of a transform or an operator: stages, layouts, messages, memory; and why it is good or which one would be better, with
    predicted times and those that are known. Nothing is run or allocated."""
    require_writable(json)
    grid = shape_of(shape)
    function, box = function_of(operator, values), lengths_of(operator, lengths)
    fields, kept = whole(batch, "--batch"), modes_of(modes, grid)
    dealt: dict[str, Any] = {"ranks": whole(ranks, "-n"), "rank": whole(rank, "--rank")}
    about: dict[str, Any] = {"kind": kind, "precision": precision, "normalization": normalization, "modes": kept}

    def planned(options: dict[str, Any]) -> weft.Plan | weft.OperatorPlan:
        if function is None:
            return weft.plan(grid, **dealt, **about, batch=fields, **options)
        return weft.operator_plan(grid, function, **dealt, **about, batch=fields, lengths=box, **options)

    plan = planned(options)
    given = int(plan.option("node_size")) or None
    on = where(None if machine is None else machine_path(machine), file, plan.ranks, given, options)
    # What is chosen by itself depends on who shares a node: the plan that is shown is the one that is priced.
    plan = planned({**options, "node_size": on.ranks_on_node(plan.ranks)})
    problem = model.Problem(grid, kind, precision, fields, modes=kept, function=function, lengths=box)
    choice = why.weigh(plan, problem, options, on, file)
    if json != "-":
        out = people(json)
        out.print(_coloured(plan.explain()), soft_wrap=True)
        why.show(out, choice)
    write_json(json, {**plan.as_dict(), "choice": choice.as_dict()})


def _coloured(text: str) -> Text:
    """The first word of each line stands out, as do sizes."""
    out = Text(text.rstrip("\n"))
    out.highlight_regex(r"(?m)^ *[\w ]+?(?=  | \(|:)", "bold")
    out.highlight_regex(r"\b\d[\d.]* ([KMGTP]i)?B\b", "cyan")
    out.highlight_regex(r"\b\d+ messages?\b", "cyan")
    return out
