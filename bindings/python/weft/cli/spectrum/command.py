"""``weft spectrum``: its arguments, and the order of the work."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Optional

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape

import weft

from .. import drawing, launch
from ..options import Json, Precision, Ranks, library_options, number_of_ranks, numbers
from ..output import CommandError, people, require_writable, write_json, write_text
from ..progress import Stages
from ..together import run_together, together
from . import figure, report
from .analysis import Result, analyse
from .shells import Metric
from .volumes import Volume, open_volume


class Shells(str, Enum):
    """How |k| is measured."""

    auto = "auto"
    physical = "physical"
    integer = "integer"


@library_options
def spectrum(
    field: Annotated[Path, typer.Argument(metavar="FIELD", help="A real volume: .npy, HDF5, NIfTI or Gaussian cube.")],
    ranks: Ranks = None,
    dataset: Annotated[
        Optional[str], typer.Option("--dataset", metavar="NAME", help="Dataset of an HDF5 file.")
    ] = None,
    spacing: Annotated[
        Optional[str],
        typer.Option("--spacing", metavar="H", help="Distance of grid points, one number or three: 1,1,2."),
    ] = None,
    axis_lengths: Annotated[
        Optional[str],
        typer.Option("--axis-lengths", metavar="L", help="Lengths of the box instead, one number or three."),
    ] = None,
    shells: Annotated[
        Shells,
        typer.Option(
            "--shells", help="Measure k in 2 pi / length, or in periods of the box; auto: by length if known."
        ),
    ] = Shells.auto,
    remove_mean: Annotated[bool, typer.Option("--remove-mean", help="Subtract the mean before transforming.")] = False,
    precision: Precision = "double",
    out: Annotated[
        Optional[str],
        typer.Option(
            "--out", metavar="DIR|STEM", help="Directory, or beginning of the names, of the CSV and PNG files."
        ),
    ] = None,
    plot: Annotated[bool, typer.Option("--plot/--no-plot", help="Draw the picture.")] = True,
    json: Json = None,
    options: dict[str, Any] = {},  # noqa: B006  # filled by the decorator
) -> None:
    """Shell-averaged power spectrum of a real volume, read and transformed in parallel."""
    if spacing is not None and axis_lengths is not None:
        raise CommandError("--spacing and --axis-lengths are both given; one of them is allowed")
    given_spacing, given_lengths = numbers(spacing, "--spacing"), numbers(axis_lengths, "--axis-lengths")
    weft.plan((1, 1, 1), precision=precision, **{k: v for k, v in options.items() if k != "grid"})
    files = _output_files(field, out, plot)
    processes = number_of_ranks(ranks)

    def look() -> None:
        """What can be said without reading the values."""
        for target in (*files.values(), json):
            require_writable(target)
        with open_volume(field, dataset) as volume:
            _metric(volume, given_spacing, given_lengths, shells)
        if plot:
            drawing.require_matplotlib()

    if not launch.stays_here(processes):
        look()
        launch.run_again(processes, options)
    # Each direction runs once: to look for fast kernels would take longer than to use them.
    options = {"effort": "estimate", **options}
    _work(look, field, dataset, given_spacing, given_lengths, shells, remove_mean, precision, files, json, options)


def _work(
    look: Callable[[], None],
    field: Path,
    dataset: str | None,
    spacing: list[float] | None,
    lengths: list[float] | None,
    shells: Shells,
    remove_mean: bool,
    precision: str,
    files: dict[str, Path],
    json: str | None,
    options: dict[str, Any],
) -> None:
    from weft._mpi import mpi

    comm = mpi().COMM_WORLD

    def work() -> None:
        together(comm, lambda: look() if comm.rank == 0 else None)
        volume = together(comm, lambda: open_volume(field, dataset))
        steps, metric = _metric(volume, spacing, lengths, shells)
        with volume, Stages(comm.rank == 0) as stages:
            result = analyse(
                comm, volume, metric, _cell(volume, steps), precision, remove_mean, "plot" in files, options, stages
            )

            def write() -> None:
                if comm.rank != 0:
                    return
                write_text(files["csv"], report.csv(result.spectrum))
                if "plot" in files:
                    with stages.stage("drawing"):
                        figure.draw(files["plot"], volume, steps, result)
                write_json(json, report.as_dict(volume, steps, result, comm.size, precision, remove_mean, files))

            together(comm, write)
        if comm.rank == 0:
            _show(people(json), volume, result, comm.size, files)

    run_together(comm, work)


def _output_files(field: Path, out: str | None, plot: bool) -> dict[str, Path]:
    """The CSV and PNG files: beside the current directory's other files unless --out says otherwise."""
    name = field.name
    for suffix in (".gz", field.with_suffix("").suffix if field.suffix == ".gz" else field.suffix):
        name = name.removesuffix(suffix) or name
    name += "-spectrum"
    if out is None:
        stem = Path(name)
    elif Path(out).is_dir():
        stem = Path(out) / name
    elif out.endswith(os.sep):
        raise CommandError(f"--out is '{out}'; there is no such directory")
    else:
        stem = Path(out)
    files = {"csv": stem.with_name(stem.name + ".csv")}
    if plot:
        files["plot"] = stem.with_name(stem.name + ".png")
    return files


def _metric(
    volume: Volume, spacing: list[float] | None, lengths: list[float] | None, shells: Shells
) -> tuple[NDArray[np.float64] | None, Metric]:
    """The vectors between grid points, and how |k| is measured."""
    steps = volume.steps
    if spacing is not None or lengths is not None:
        volume.unit = None  # the file's unit is not that of given lengths
    if spacing is not None:
        steps = np.diag(spacing)
    elif lengths is not None:
        steps = np.diag(np.asarray(lengths) / np.asarray(volume.shape))
    if shells is Shells.physical and steps is None:
        raise CommandError(
            f"--shells is 'physical', but {volume.name} has no spacing; give --spacing or --axis-lengths"
        )
    if shells is Shells.integer or steps is None:
        return steps, Metric.integer()
    try:
        return steps, Metric.of_cell(volume.shape, steps)
    except (ArithmeticError, ValueError):
        raise CommandError(
            f"{volume.name}: the vectors between grid points, {steps.tolist()}, are too large, too small or too different "
            "for a spectrum by length; give --spacing, --axis-lengths or --shells integer"
        ) from None


def _cell(volume: Volume, steps: NDArray[np.float64] | None) -> float | None:
    """The volume of the cell, if it is known."""
    if steps is None:
        return None
    with np.errstate(over="ignore", under="ignore"):
        found = abs(float(np.linalg.det(steps))) * math.prod(volume.shape)
    return found if 0 < found < math.inf else None


def _show(screen: Console, volume: Volume, result: Result, ranks: int, files: dict[str, Path]) -> None:
    size = " x ".join(map(str, volume.shape))
    plural = "" if ranks == 1 else "s"
    screen.print(f"\n[bold]{escape(volume.name)}[/]  {volume.format}, {size}, {volume.dtype}, on {ranks} rank{plural}")
    screen.print(f"mean {result.mean:.6g}, mean square of what was transformed {result.mean_square:.6g}\n")
    screen.print(report.table(result.spectrum, volume.unit))
    screen.print()
    screen.print(report.sketch(result.spectrum))
    screen.print("\npower per wave vector against k, both logarithmic\n", style="dim")
    if not result.spectrum.whole.all():
        last = result.spectrum.k[result.spectrum.whole][-1]
        screen.print(f"cut         some directions of shells above {last:.4g} are missing; pictures leave them out")
    screen.print(f"Parseval    the power of all shells is the mean square within {result.parseval_error:.1e}")
    screen.print(f"round trip  backward(forward(x)) / N is x within {result.round_trip_error:.1e}")
    seconds = ", ".join(f"{name} {value:.3g} s" for name, value in result.seconds.items())
    screen.print(f"time        {seconds}")
    for name, path in files.items():
        screen.print(f"{'table' if name == 'csv' else 'picture':<11} {escape(str(path))}", soft_wrap=True)
