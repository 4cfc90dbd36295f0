"""``weft planewave``: its arguments, and which of its two jobs is meant."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

import weft

from .. import launch
from ..job import current_job
from ..options import Json, Precision, Ranks, at_least, library_options, number_of_ranks
from ..output import CommandError, people, require_writable, write_json
from ..progress import Stages
from ..together import run_together, together
from . import benchmark, report
from .cases import CASES, Case, chosen
from .density import compare
from .espresso import open_charge, open_wavefunctions, read_calculation

_TOLERANCES = {"double": 1e-10, "single": 1e-5}


@partial(library_options, operation="sphere")
def planewave(
    case: Annotated[Optional[str], typer.Argument(metavar="[CASE]", help=f"A benchmark: {', '.join(CASES)}.")] = None,
    wfc: Annotated[
        Optional[Path],
        typer.Option("--wfc", metavar="FOLDER", help="Check a density instead: a PREFIX.save of Quantum ESPRESSO."),
    ] = None,
    ranks: Ranks = None,
    lattice: Annotated[
        Optional[str],
        typer.Option("--lattice", metavar="A", help="Length of a cubic cell, or a1, a2, a3 as nine numbers, in bohr."),
    ] = None,
    ecut: Annotated[
        Optional[str], typer.Option("--ecut", metavar="E", help="Cutoff of the wave functions in hartree.")
    ] = None,
    bands: Annotated[Optional[str], typer.Option("--bands", metavar="N", help="Bands.")] = None,
    grid: Annotated[
        Optional[str],
        typer.Option("--grid", metavar="N", help="Points along a1, a2, a3: 30x30x30; else what the density needs."),
    ] = None,
    gamma: Annotated[bool, typer.Option("--gamma", help="Real wave functions: half a sphere.")] = False,
    precision: Precision = "double",
    batch: Annotated[
        Optional[str],
        typer.Option("--batch", metavar="N", help="Bands in one call; 16, or with --wfc 64 MiB of coefficients."),
    ] = None,
    repeats: Annotated[str, typer.Option("--repeats", metavar="N", help="Timed repetitions.")] = "10",
    warmup: Annotated[str, typer.Option("--warmup", metavar="N", help="Repetitions before those.")] = "2",
    tolerance: Annotated[
        Optional[str],
        typer.Option("--tolerance", metavar="X", help="With --wfc: the relative difference that is allowed."),
    ] = None,
    json: Json = None,
    options: dict[str, Any] = {},  # noqa: B006  # filled by the decorator
) -> None:
    """Transforms of plane waves, which skip the zeroes: a benchmark (si -n 2), or the charge density of a real calculation,
    compared with Quantum ESPRESSO's own (--wfc silicon.save -n 2)."""
    processes = number_of_ranks(ranks)
    stay = launch.stays_here(processes)
    job = current_job()
    # What is wrong with an option is said before any process is launched.
    of_transforms = {option.name for option in weft.options() if "transform" in option.applies_to.split(", ")}
    common = {name: value for name, value in options.items() if name in of_transforms}
    weft.plan((1, 1, 1), processes or (job and job.size) or 1, precision=precision, **common)
    some = None if batch is None else at_least(batch, "--batch", 1)
    require_writable(json)
    if wfc is not None:
        given = {"CASE": case, "--lattice": lattice, "--ecut": ecut, "--bands": bands, "--grid": grid}
        wrong = [name for name, value in given.items() if value is not None] + ["--gamma"] * gamma
        if wrong:
            raise CommandError(f"{wrong[0]} is given together with --wfc, whose files say what is transformed")
        allowed = _TOLERANCES[precision] if tolerance is None else _positive(tolerance, "--tolerance")
        if not stay:
            _look(wfc)
            launch.run_again(processes, options)
        _check(wfc, precision, some, allowed, json, options)
        return
    if tolerance is not None:
        raise CommandError("--tolerance is given; it is for --wfc")
    problem = chosen(case, lattice, ecut, bands, grid, gamma)
    repetitions, before = at_least(repeats, "--repeats", 1), at_least(warmup, "--warmup", 0)
    if not stay:
        launch.run_again(processes, options)
    _time(problem, precision, some, repetitions, before, json, options)


def _positive(text: str, argument: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 < number < float("inf"):
        raise CommandError(f"{argument} is '{text}'; a positive number is needed")
    return number


def _look(folder: Path) -> None:
    """Complain of files that are missing or damaged before any process is launched."""
    calculation = read_calculation(folder)
    open_charge(calculation)
    for point in calculation.k_points:
        for spin in range(calculation.spins):
            open_wavefunctions(calculation, point, spin).close()


def _check(
    folder: Path, precision: str, batch: int | None, tolerance: float, json: str | None, options: dict[str, Any]
) -> None:
    from weft._mpi import mpi

    comm = mpi().COMM_WORLD

    def work() -> bool:
        calculation = together(comm, lambda: read_calculation(folder))
        with Stages(comm.rank == 0) as stages:
            result = compare(comm, calculation, precision, batch, options, stages)
        agrees = all(item.relative <= tolerance for item in result.differences)
        facts = report.as_dict(calculation, result, comm.size, precision, tolerance, agrees)
        _tell(comm, json, facts, report.show)
        return agrees

    if not run_together(comm, work):
        raise typer.Exit(1)


def _time(
    problem: Case,
    precision: str,
    batch: int | None,
    repeats: int,
    warmup: int,
    json: str | None,
    options: dict[str, Any],
) -> None:
    from weft._mpi import mpi

    comm = mpi().COMM_WORLD

    def work() -> bool:
        facts = benchmark.run(comm, problem, precision, batch, repeats, warmup, options)
        _tell(comm, json, facts, benchmark.show)
        return bool(facts["verified"])

    if not run_together(comm, work):
        raise typer.Exit(1)


def _tell(comm: Any, json: str | None, facts: dict[str, Any], show: Any) -> None:
    """Write and print on rank 0."""

    def write() -> None:
        if comm.rank == 0:
            write_json(json, facts)

    together(comm, write)
    if comm.rank == 0:
        show(people(json), facts)
