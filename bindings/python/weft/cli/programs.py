"""``npb``, ``bench``, ``kernels`` and ``verify``: the C++ programs, launched."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from . import launch
from .options import Ranks, number_of_ranks
from .output import console

#: Everything that is not ours is the program's; its own --help is shown below ours.
PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}

Help = Annotated[bool, typer.Option("-h", "--help", help="Show the help of the command.")]


def npb(ctx: typer.Context, ranks: Ranks = None, help: Help = False) -> None:
    """Run the NPB FT kernel, verified, with a breakdown of its time (--class A -n 4)."""
    _run("npb", "--class A -n 4", ctx, ranks, help)


def bench(ctx: typer.Context, ranks: Ranks = None, help: Help = False) -> None:
    """Time one forward plus one backward transform (--shape 128 128 128 -n 4), or an operator (--operator gradient)."""
    _run("bench", "--shape 128 128 128 --kind r2c -n 4", ctx, ranks, help)


def kernels(ctx: typer.Context, ranks: Ranks = None, help: Help = False) -> None:
    """Time the kernels of passes on this processor, by kind and length of lines (--kinds columns)."""
    _run("kernels", "--kinds columns,real_rows --lengths 64 128", ctx, ranks, help)


def verify(ctx: typer.Context, ranks: Ranks = None, help: Help = False) -> None:
    """Check transforms against a serial reference on this machine (-n 3)."""
    _run("verify", "-n 3", ctx, ranks, help)


def _run(command: str, example: str, ctx: typer.Context, ranks: str | None, help: bool) -> None:
    name = f"weft-{command}"
    program = str(launch.program(name))
    if help:
        show_help(command, example, name, program)
        return
    launch.run([program, *ctx.args], number_of_ranks(ranks), launch.threads_of(_threads(ctx.args)))


def _threads(arguments: Sequence[str]) -> str | None:
    """What --threads says among the program's arguments."""
    found = None
    for word, following in zip(arguments, [*arguments[1:], ""]):
        if word == "--threads":
            found = following
        elif word.startswith("--threads="):
            found = word.partition("=")[2]
    return found


def show_help(command: str, example: str, name: str, program: str, more: Sequence[str] = ()) -> None:
    """Our options, then those of the program."""
    out = console()
    out.print(f"[bold]weft {command}[/] [-n N] OPTIONS", highlight=False)
    out.print(f"  e.g. [cyan]weft {command} {example}[/]\n", highlight=False)
    out.print("  -n, --ranks N    Launch mpiexec with N processes. Without it: one process, or all of the MPI job")
    out.print("                   that weft is started in. WEFT_MPIEXEC names another mpiexec. With --threads T")
    out.print("                   each process gets T cores, where there are so many.")
    for line in more:
        out.print(line)
    out.print(f"\nAll other options are those of the program {name}:\n")
    sys.stdout.flush()
    raise typer.Exit(subprocess.run([program, "--help"], check=False).returncode)
