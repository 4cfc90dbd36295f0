"""The command line: its commands, errors and exit codes."""

from __future__ import annotations

import io
import os
import signal
import sys
import time
from typing import Annotated

import typer
from rich.markup import escape

import weft
from weft.lab.command import lab

from .completion import ProgramCommand
from .explain import explain
from .info import info
from .job import current_job
from .model.calibrate import calibrate
from .model.predict import predict
from .options import Json, completed
from .output import CommandError, console, require_writable, write_json
from .placement.place import place
from .placement.sort import sort
from .planewave.command import planewave
from .programs import PASS_ON, bench, kernels, npb, verify
from .run import AS_THEY_ARE, run
from .spectrum.command import spectrum
from .together import end_job
from .trace.command import trace
from .tuning.command import tune

app = typer.Typer(
    name="weft",
    help="Distributed FFTs for MPI: benchmarks, checks, plans, traces, power spectra and plane waves.",
    epilog="-n N launches mpiexec; inside an MPI job the ranks that are there are used. `weft COMMAND --help` says more.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"weft {weft.__version__}")
        raise typer.Exit()


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


app.command(cls=ProgramCommand, context_settings=PASS_ON)(npb)
app.command(cls=ProgramCommand, context_settings=PASS_ON)(bench)
app.command(cls=ProgramCommand, context_settings=PASS_ON)(kernels)
app.command()(spectrum)
app.command()(planewave)
app.command()(explain)
app.add_typer(tune)
app.command()(predict)
app.command()(calibrate)
app.command()(trace)
app.command()(place)
app.command(cls=ProgramCommand, context_settings=PASS_ON)(sort)
app.command(cls=ProgramCommand, context_settings=PASS_ON)(verify)
app.command(context_settings=AS_THEY_ARE)(run)
app.command()(info)
app.add_typer(lab)


@app.command()
def version(json: Json = None) -> None:
    """Show the version."""
    require_writable(json)
    if json != "-":
        print(f"weft {weft.__version__}")
    write_json(json, {"version": weft.__version__})


def main() -> None:
    """The console script: runs a command and ends the process with its exit code."""
    if current_job() is not None:
        # As SIGTERM does: a rank that tidied up would wait in MPI_Finalize for one that waits for it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files need not be text
    try:
        arguments = sys.argv[1:]
        if arguments[:1] not in (["npb"], ["bench"], ["kernels"], ["sort"], ["verify"], ["run"]):
            arguments = completed(arguments)
        try:
            app(arguments, prog_name="weft")
        finally:
            sys.stdout.flush()
    except (CommandError, weft.Error, ImportError) as error:
        _complain(str(error))
        sys.exit(2)
    except OSError as error:
        # Standard output, unless a file is named: its reader (head, less) has gone, or its disk is full. Python would
        # complain once more when it flushes.
        if error.filename is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            sys.exit(1)
        where = "standard output" if error.filename is None else f"'{os.fsdecode(error.filename)}'"
        _complain(f"{where}: {error.strerror or error}")
        sys.exit(2)
    except Exception:
        end_job()
        raise


def _complain(message: str) -> None:
    job = current_job()
    if job is not None and job.rank > 0:
        # Rank 0 says the same, but may be slower to start, and mpiexec kills it when another rank fails first.
        time.sleep(3)
        return
    console(stderr=True).print(f"[bold red]weft:[/] {escape(message)}", soft_wrap=True)
