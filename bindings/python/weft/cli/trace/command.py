"""``weft trace``: runs a problem with a trace, or takes one that is there, and shows it."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.console import Console
from rich.markup import escape

import weft

from .. import drawing, launch
from ..job import current_job
from ..options import (
    Batch,
    Json,
    Kind,
    OptionalShape,
    Precision,
    Ranks,
    at_least,
    library_options,
    number_of_ranks,
    shape_of,
    whole,
)
from ..output import CommandError, people, require_writable, write_json, write_text
from ..reading import reading
from . import figure
from .breakdown import breakdown, exchange_table, part_table
from .events import NO_TRACE, Trace, read
from .page import page
from .run import run


@library_options
def trace(
    file: Annotated[
        Optional[Path],
        typer.Argument(metavar="[FILE]", help="A trace that is there already; without it one is made."),
    ] = None,
    shape: OptionalShape = None,
    ranks: Ranks = None,
    kind: Kind = "c2c",
    precision: Precision = "double",
    batch: Batch = "1",
    repeats: Annotated[
        str, typer.Option("--repeats", metavar="N", help="Traced repetitions of forward and backward.")
    ] = "1",
    warmup: Annotated[str, typer.Option("--warmup", metavar="N", help="Repetitions before those.")] = "2",
    last: Annotated[
        Optional[str],
        typer.Option("--last", metavar="N", help="Show the last N executions; 0: all (of a FILE 2, else all)."),
    ] = None,
    tiles_of: Annotated[
        str, typer.Option("--tiles-of", metavar="RANK", help="The rank whose tiles the picture shows.")
    ] = "0",
    out: Annotated[
        Optional[str],
        typer.Option(
            "-o", "--out", metavar="DIR|STEM", help="Directory, or beginning of the names, of the files that are made."
        ),
    ] = None,
    plot: Annotated[bool, typer.Option("--plot/--no-plot", help="Draw the PNG picture.")] = True,
    json: Json = None,
    options: dict[str, Any] = {},  # noqa: B006  # filled by the decorator
) -> None:
    """Trace a transform (--shape 128 128 128 -n 4 --strategy ialltoallv --tile 8 -o out/): who does what when, and how much
    of the communication is hidden behind computation."""
    if (file is None) == (shape is None):
        raise CommandError("give either --shape, to trace a transform, or the FILE of a trace that is there")
    if "trace" in options:
        raise CommandError(f"--trace is '{options['trace']}'; the name of the trace is -o's to say")
    shown = at_least(last, "--last", 0) if last is not None else 2 if file else 0
    wanted = at_least(tiles_of, "--tiles-of", 0)
    files = _output_files(file, out, plot)
    if file is not None:
        if ranks is not None:
            raise CommandError("-n is given, but a FILE is shown, not made")
        _check(files, json, plot)
        _show(file, files, shown, wanted, json, {"trace": str(file)})
        return

    assert shape is not None
    repetitions, before = at_least(repeats, "--repeats", 1), at_least(warmup, "--warmup", 0)
    processes = number_of_ranks(ranks)
    problem: dict[str, Any] = {"kind": kind, "precision": precision, "batch": whole(batch, "--batch")}
    extents = shape_of(shape)
    stay = launch.stays_here(processes)
    job = current_job()
    if job is None or job.rank == 0:
        # Whatever is wrong is said before any process is launched.
        weft.plan(extents, processes or (job and job.size) or 1, **problem, **options)
        _check(files, json, plot)
    if not stay:
        launch.run_again(processes, options)
    if run(extents, problem, options, repetitions, before, files["trace"]):
        facts = {"shape": extents, **problem, "options": options, "trace": str(files["trace"])}
        _show(files["trace"], files, shown, wanted, json, facts)


def _check(files: dict[str, Path], json: str | None, plot: bool) -> None:
    for target in (*files.values(), json):
        require_writable(target)
    if plot:
        drawing.require_matplotlib()


def _output_files(file: Path | None, out: str | None, plot: bool) -> dict[str, Path]:
    """The pictures, and the trace itself if it is made: trace.json, trace.png, trace.html unless -o says otherwise."""
    name = "trace" if file is None else file.with_suffix("").name
    if out is None:
        stem = Path(name)
    elif Path(out).is_dir():
        stem = Path(out) / name
    elif out.endswith(os.sep):
        # A folder for the files of a run is asked for often enough.
        try:
            Path(out).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"-o is '{out}'; it cannot be made: {error.strerror}") from None
        stem = Path(out) / name
    else:
        stem = Path(out)
    suffixes = {"trace": ".json", "picture": ".png", "page": ".html"}
    if file is not None:
        del suffixes["trace"]
    if not plot:
        del suffixes["picture"]
    return {what: stem.with_name(stem.name + suffix) for what, suffix in suffixes.items()}


def _show(
    source: Path, files: dict[str, Path], last: int, tiles_of: int, json: str | None, facts: dict[str, Any]
) -> None:
    # All that is made of it depends on what is in it.
    with reading(source, NO_TRACE):
        whole_trace = read(source)
        shown = whole_trace.last(last) if last else whole_trace
        if tiles_of not in shown.ranks:
            raise CommandError(f"--tiles-of is {tiles_of}; the trace has ranks 0 to {shown.ranks[-1]}")
        found = breakdown(shown)
        title = _title(shown)
        timeline = page(shown, title, _as_text(shown, found))
        if "picture" in files:
            figure.draw(files["picture"], shown, tiles_of, title)
        write_text(files["page"], timeline)
        named = {what: str(path) for what, path in files.items()}
        write_json(json, {**facts, "ranks": len(shown.ranks), **_renamed(found), "notes": shown.notes, "files": named})
    screen = people(json)
    screen.print(f"\n[bold]{escape(title)}[/]\n")
    _tables(screen, shown, found)
    screen.print()
    for what, path in files.items():
        screen.print(f"{what:<8} {escape(str(path))}", soft_wrap=True)


def _renamed(found: dict[str, Any]) -> dict[str, Any]:
    """`ranks` is the number of ranks in every report."""
    return {"executions": found["executions"], "parts_seconds": found["ranks"], "exchanges": found["exchanges"]}


def _title(trace: Trace) -> str:
    what = trace.executions[-1].arguments.get("what", "")
    strategies = sorted({item.arguments["strategy"] for item in trace.flights})
    count = len(trace.ranks)
    return ", ".join(part for part in (what, *strategies, f"{count} rank{'' if count == 1 else 's'}") if part)


def _tables(screen: Console, trace: Trace, found: dict[str, Any]) -> None:
    screen.print("milliseconds of " + " + ".join(found["executions"]))
    screen.print(part_table(found))
    if found["exchanges"]:
        screen.print("\nmilliseconds of each exchange, mean over ranks")
        screen.print(exchange_table(found))
    for note in trace.notes:
        screen.print(f"note: {escape(note)}")


def _as_text(trace: Trace, found: dict[str, Any]) -> str:
    stream = io.StringIO()
    _tables(Console(file=stream, width=120, highlight=False), trace, found)
    return stream.getvalue()
