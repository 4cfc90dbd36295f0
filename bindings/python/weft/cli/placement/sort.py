"""``weft sort``: weft-sort, launched, with placements by name."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from weft import place

from .. import launch, programs
from ..job import current_job
from ..options import Ranks, number_of_ranks, whole
from .inputs import DEFAULT_MACHINE, machine_named, placement_named
from .runs import ranks_of


def sort(
    ctx: typer.Context,
    ranks: Ranks = None,
    topology: Annotated[Optional[str], typer.Option("--topology")] = None,
    machine: Annotated[Optional[str], typer.Option("--machine")] = None,
    n: Annotated[Optional[str], typer.Option("--n")] = None,
    levels: Annotated[Optional[str], typer.Option("--levels")] = None,
    arity: Annotated[str, typer.Option("--arity")] = "2",
    help: Annotated[bool, typer.Option("-h", "--help")] = False,
) -> None:
    """Sort on all ranks: tree merge sort on any placement, or sample sort (FILE.npy -o OUT.npy -n 4)."""
    name = str(launch.program("weft-sort"))
    if help:
        programs.show_help(
            "sort",
            "FILE.npy -o SORTED.npy -n 4",
            "weft-sort",
            name,
            [
                "  --topology T     Where the processes of a tree of 3 levels go: fig9 ... fig13-edges, best, a file or a",
                "                   list; see weft place. One rank a processor; --machine says which there are.",
            ],
        )
        return
    arguments = ["--arity", arity, *([] if n is None else ["--n", n]), *ctx.args]
    count = number_of_ranks(ranks)
    if topology is not None:
        where = machine_named(machine or DEFAULT_MACHINE)
        depth = whole(levels or "3", "--levels")
        graph = place.tree_sort(whole(n or "50000", "--n"), depth, whole(arity, "--arity"))
        found = placement_named(topology, graph, where)
        arguments += ["--levels", str(depth), "--placement", ",".join(map(str, found.placement))]
        if current_job() is None:
            count = count or ranks_of(found.placement)
    elif levels is not None:
        arguments += ["--levels", levels]
    launch.run([name, *arguments], count)
