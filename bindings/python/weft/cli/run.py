"""``weft run``: any MPI program, with Weft in the place of FFTW-MPI."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Annotated

import typer

from . import launch
from .job import current_job
from .options import Ranks, number_of_ranks
from .output import CommandError

LIBRARY = "libweft_fftw3_mpi.so"
#: What comes after the program is its own, also what looks like an option of ours.
AS_THEY_ARE = {"allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False}


def run(
    ctx: typer.Context,
    ranks: Ranks = None,
    as_fftw: Annotated[
        bool, typer.Option("--as-fftw", help="What the program asks of FFTW-MPI is done by Weft, where it can.")
    ] = False,
) -> None:
    """Run a program of your own on N processes: weft run --as-fftw -n 4 PROGRAM ARGUMENTS...

    The program needs no change: it is one that was written for FFTW-MPI, and is linked with it as a shared library.
    WEFT_FFTW_VERBOSE=1 tells which of its plans are Weft's; variables WEFT_* are options (WEFT_STRATEGY=shared).
    """
    if not ctx.args:
        raise CommandError("which program? e.g. weft run --as-fftw -n 4 ./program its arguments")
    if ctx.args[0].startswith("-"):
        raise CommandError(
            f"'{ctx.args[0]}' is no option of weft run; it has -n N and --as-fftw, then comes the program"
        )
    path = shutil.which(ctx.args[0])
    if path is None:
        raise CommandError(f"there is no program '{ctx.args[0]}'")
    command = [path, *ctx.args[1:]]
    if as_fftw:
        library = drop_in()
        require_same_mpi(path)
        job = current_job()
        if is_static(path) and (job is None or job.rank == 0):
            typer.echo(
                f"weft: '{path}' is linked statically and loads no libraries, so that its transforms are FFTW's own; "
                "link it with -lweft_fftw3_mpi before -lfftw3_mpi and -lfftw3",
                err=True,
            )
        # Set for the program alone: the launcher has nothing to do with it.
        preload = ":".join(filter(None, [str(library), os.environ.get("LD_PRELOAD")]))
        command = ["env", f"LD_PRELOAD={preload}", *command]
    launch.run(command, number_of_ranks(ranks))


def drop_in() -> Path:
    """The library that has FFTW's names."""
    for folder in launch.folders("lib"):
        if (folder / LIBRARY).exists():
            return folder / LIBRARY
    first, second = launch.folders("lib")
    raise CommandError(
        f"{LIBRARY} was not found in '{first}' or '{second}'; weft was built without it "
        "(-DWEFT_BUILD_FFTW=ON builds it where FFTW's header fftw3-mpi.h is found)"
    )


def is_static(path: str) -> bool:
    """Whether a program has no loader that could put a library before its own. Scripts have one: their interpreter's."""
    with open(path, "rb") as file:
        if file.read(4) != b"\x7fELF":
            return False
    try:
        listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return re.search(r"not a dynamic executable|statically linked", listed.stdout + listed.stderr) is not None


def require_same_mpi(path: str) -> None:
    """Error if the program is linked with another MPI library than weft's. Scripts tell nothing; the library itself looks,
    too, when it is loaded."""
    mine = "Open MPI" if launch.is_open_mpi() else "MPICH"
    try:
        listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
    except OSError:
        return
    found = re.search(r"^\s*(libmpi(?:ch)?\.so\.(\d+))", listed, re.MULTILINE)
    if found is None:
        return
    # MPICH's interface has kept the number 12; Open MPI of that number is older than what Weft needs.
    theirs = "MPICH" if found[1].startswith("libmpich") or found[2] == "12" else "Open MPI"
    if theirs != mine:
        raise CommandError(
            f"'{path}' is a program of {theirs} ({found[1]}), and this weft was built with {mine}; "
            f"use a weft that was built with {theirs}"
        )
