"""``weft tune``: its arguments, and the job that tunes."""

from __future__ import annotations

import json as json_module
from functools import partial
from typing import Annotated, Any, Optional

import typer
from rich.markup import escape

import weft

from .. import launch
from ..options import (
    Batch,
    Json,
    Kind,
    LengthsFlag,
    OperatorFlag,
    OptionalShape,
    Precision,
    Ranks,
    Tolerance,
    ValuesFlag,
    error_of,
    function_of,
    lengths_of,
    library_options,
    number_of_ranks,
    shape_of,
    whole,
)
from ..output import CommandError, people, require_writable, write_json
from ..planewave.cases import BandsFlag, Case, EcutFlag, GammaFlag, LatticeFlag, SphereFlag, sphere_of_flags
from ..together import run_together, together
from .files import File, forget, list_entries, merge, show

tune = typer.Typer(name="tune", help="Find options by timing, and keep them.", rich_markup_mode="rich")
tune.command("list")(list_entries)
tune.command("show")(show)
tune.command("merge")(merge)
tune.command("forget")(forget)


def seconds(text: str) -> float:
    """Seconds from "5", "5s", "2m" or "500ms"."""
    for unit, factor in (("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("", 1.0)):
        if text.endswith(unit):
            try:
                number = float(text[: len(text) - len(unit)]) * factor
            except ValueError:
                break
            if 0 < number < float("inf"):
                return number
            break
    raise CommandError(f"--budget is '{text}'; a positive time is needed, like 5s, 2m or 500ms")


# The library's own `effort` (of FFT kernels) would be hidden by that of the tuner.
@tune.callback(invoke_without_command=True)
@partial(library_options, without=("effort",))
def tune_transform(
    context: typer.Context,
    shape: OptionalShape = None,
    ranks: Ranks = None,
    effort: Annotated[
        str,
        typer.Option(
            "--effort",
            metavar="E",
            help="estimate: by the file or the model; measure: the likely are timed; patient: a wide choice.",
        ),
    ] = "measure",
    budget: Annotated[
        Optional[str],
        typer.Option("--budget", metavar="TIME", help="Time for timing, like 5s or 2m (10s; patient: 1m)."),
    ] = None,
    file: File = None,
    machine: Annotated[
        Optional[str],
        typer.Option(
            "--machine", metavar="M", help="Machine file, as `weft calibrate` makes it, or a machine by name."
        ),
    ] = None,
    may_transpose: Annotated[
        bool, typer.Option("--may-transpose", help="The spectrum may stay transposed where that is faster.")
    ] = False,
    tolerance: Tolerance = "0",
    again: Annotated[bool, typer.Option("--again", help="Time once more what the file knows.")] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Keep also what was timed on a busy machine, too seldom, or with absurd ratios."),
    ] = False,
    kind: Kind = "c2c",
    precision: Precision = "double",
    batch: Batch = "1",
    operator: OperatorFlag = None,
    values: ValuesFlag = None,
    lengths: LengthsFlag = None,
    sphere: SphereFlag = None,
    lattice: LatticeFlag = None,
    ecut: EcutFlag = None,
    gamma: GammaFlag = False,
    bands: BandsFlag = None,
    json: Json = None,
    options: dict[str, Any] = {},  # noqa: B006  # filled by the decorator
) -> None:
    """Find the best options for a transform, or an operator, on this machine (--shape 128 128 128 -n 4 --budget 5s), and keep them for
    `weft.FFT(..., tune="estimate")` and its like. Library options that are given stay as they are.

    `weft tune list`, `show`, `merge` and `forget` look after the file.
    """
    if context.invoked_subcommand is not None:
        return
    require_writable(json)
    arguments: dict[str, Any] = {
        "effort": effort,
        "budget": 0.0 if budget is None else seconds(budget),
        "file": file,
        "machine": None if machine is None else machine_path(machine),
        "tolerance": error_of(tolerance),
        "again": again,
        "force": force,
    }
    case = sphere_of_flags(shape, sphere, lattice, ecut, gamma, bands)
    grid = () if shape is None or case is not None else shape_of(shape)
    function, box = function_of(operator, values), lengths_of(operator, lengths)
    about: dict[str, Any] = {"kind": kind, "precision": precision}
    # What is wrong with an option is said before any process is launched.
    if case is not None:
        if operator is not None:
            raise CommandError("--operator is of a box; a sphere has its plane waves")
    elif function is None:
        about["batch"] = whole(batch, "--batch")
        weft.plan(grid, 1, **about)
    else:
        about |= {"batch": whole(batch, "--batch"), "lengths": box}
        weft.operator_plan(grid, function, 1, **about)
    processes = number_of_ranks(ranks)
    if not launch.stays_here(processes):
        launch.run_again(processes, options)

    from weft._mpi import mpi

    comm = mpi().COMM_WORLD
    say = people(json)

    def progress(line: str) -> None:
        say.print(f"[dim]{escape(line)}[/]", soft_wrap=True)

    def work() -> Any:
        if case is not None:
            return _sphere(comm, case, precision, progress, arguments, options)
        how = {**about, **arguments, "may_transpose": may_transpose, "progress": progress, **options}
        return weft.tune(grid, comm, **how) if function is None else weft.tune_operator(grid, function, comm, **how)

    tuned = run_together(comm, work)
    together(comm, lambda: write_json(json, as_dict(tuned)) if comm.rank == 0 else None)
    if comm.rank == 0 and json != "-":
        say.print(escape(f"\n{tuned}"), soft_wrap=True, end="")


def machine_path(name: str) -> str:
    """The file of a machine that is given as a file, or known by name."""
    from weft import model

    return str(model.path_of(name))


def _sphere(
    comm: Any, case: Case, precision: str, progress: Any, arguments: dict[str, Any], options: dict[str, Any]
) -> weft.TunedSphere:
    mine = weft.cutoff_sphere(case.grid, case.lattice, case.cutoff, gamma=case.gamma, ranks=comm.size, rank=comm.rank)
    return weft.tune_sphere(
        case.grid,
        mine,
        comm,
        gamma=case.gamma,
        precision=precision,
        howmany=case.bands,
        progress=progress,
        **arguments,
        **options,
    )


def as_dict(tuned: weft.Tuned | weft.TunedSphere) -> dict[str, Any]:
    """What was chosen, as data."""
    if isinstance(tuned, weft.TunedSphere):
        return {"backward": as_dict(tuned.backward), "forward": as_dict(tuned.forward)}
    facts = {name: value for name, value in vars(tuned).items() if name not in ("text", "tried")}
    facts["tried"] = [vars(one) for one in tuned.tried]
    return json_module.loads(json_module.dumps(facts))  # type: ignore[no-any-return]
