"""How jobs of the racing package are started."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import weft
from weft.cli.launch import job_command, launch_environment

HERE = Path(__file__).resolve().parents[1]


def command(module: str, ranks: int, threads: int, *words: str) -> list[str]:
    """Runs racing.MODULE on all ranks; an exception on one of them ends the job."""
    return [*job_command(ranks, threads), sys.executable, "-m", "mpi4py", "-m", f"racing.{module}", *words]


def environment(ranks: int, threads: int) -> dict[str, str]:
    """For mpiexec. Options of Weft that lie in the environment would make all its contestants the same."""
    found = launch_environment(ranks)
    for option in weft.options():
        if found.pop(name := f"WEFT_{option.name.upper()}", None) is not None:
            print(f"note: {name} is not handed to the race; use --weft {option.name}=VALUE", file=sys.stderr)
    paths = [str(HERE), *filter(None, [found.get("PYTHONPATH")])]
    # As many threads for each rank as are asked for, whatever libraries would like.
    return {**found, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": str(threads)}
