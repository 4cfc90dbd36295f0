"""Ranks that fail together: what goes wrong on one is said by all, and nobody waits for a rank that has given up."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable
from typing import Any, TypeVar

import typer
from rich.markup import escape

import weft

from .output import CommandError, console

T = TypeVar("T")


def together(comm: Any, work: Callable[[], T]) -> T:
    """Run `work`, which does not communicate, on every rank; if it fails on any, all raise the same CommandError."""
    result, message = None, None
    try:
        result = work()
    except (CommandError, weft.Error) as error:
        message = str(error)
    except MemoryError:
        message = f"rank {comm.rank} has not enough memory"
    except OSError as error:
        message = str(error)
    except Exception:
        message = f"rank {comm.rank} failed:\n{traceback.format_exc()}"
    failures = [item for item in comm.allgather(message) if item is not None]
    if failures:
        raise CommandError(failures[0])
    return result  # type: ignore[return-value]  # there was no failure


def run_together(comm: Any, work: Callable[[], T]) -> T:
    """Run `work`, the collective part of a command; its errors, the same on all ranks, are printed once and end the job."""
    try:
        return work()
    except (CommandError, weft.Error) as error:
        message = str(error)
    except Exception:
        end_job()
        raise
    if comm.rank == 0:
        console(stderr=True).print(f"[bold red]weft:[/] {escape(message)}", soft_wrap=True)
        sys.stderr.flush()
    # mpiexec may kill the others as soon as one has ended: not before the message is out.
    comm.Barrier()
    raise typer.Exit(2)


def end_job() -> None:
    """End the job, if there is one, after an exception that nobody foresaw, as ``python -m mpi4py`` does: it is of this
    rank alone, as far as anyone knows, and the others may be waiting for it."""
    mpi: Any = sys.modules.get("mpi4py.MPI")
    if mpi is None or not mpi.Is_initialized() or mpi.Is_finalized() or mpi.COMM_WORLD.size == 1:
        return
    sys.stderr.write(traceback.format_exc())
    sys.stderr.flush()
    # MPICH's launcher ends a job at once, with what it has not yet read of the ranks' output.
    time.sleep(0.5)
    mpi.COMM_WORLD.Abort(1)
