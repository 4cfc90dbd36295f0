"""Running programs, on one process or through mpiexec, with a time limit that ends all of a job's processes."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from weft.cli import main
from weft.cli.launch import launch_environment, mpiexec

HERE = Path(__file__).parent
TIME_LIMIT = 100.0
_JOB_PREFIXES = ("OMPI_COMM", "OMPI_UNIVERSE", "PMI_", "PMIX_", "HYDI_")


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Standard output, all of which must be one JSON document."""
        assert self.code == 0, self
        return json.loads(self.out)


def clean_environment(**changes: str) -> dict[str, str]:
    """This process's environment as its parent gave it, without traces of an MPI job around it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_JOB_PREFIXES)}
    environment.update(changes)
    return environment


def run(
    command: list[str], cwd: Path | None = None, limit: float = TIME_LIMIT, environment: dict[str, str] | None = None
) -> Outcome:
    """Run a command; AssertionError with its output if it is not done in time."""
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=clean_environment() if environment is None else environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        raise AssertionError(f"not done in {limit} s: {' '.join(command)}\n{out}\n{err}") from None
    return Outcome(process.returncode, out, err)


def run_on(ranks: int, command: list[str], cwd: Path | None = None, limit: float = TIME_LIMIT) -> Outcome:
    """Run a command on some ranks."""
    environment = {**launch_environment(ranks), **clean_environment()}
    return run([*mpiexec(), "-n", str(ranks), *command], cwd, limit, environment)


def run_script(name: str, ranks: int, *arguments: str) -> Outcome:
    """Run one of the scripts in ranks/; an exception on any rank ends the job."""
    return run_on(ranks, [sys.executable, "-m", "mpi4py", str(HERE / "ranks" / name), *arguments])


def weft_here(*arguments: object, cwd: Path | None = None) -> Outcome:
    """Run the weft command in this process, which saves the time of starting one; for what launches nothing."""
    out, err = io.StringIO(), io.StringIO()
    code: Any = 0
    refused = mock.patch("os.execvpe", side_effect=AssertionError("this test should not launch anything"))
    argv = mock.patch.object(sys, "argv", ["weft", *map(str, arguments)])
    with refused, argv, _inside(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
    return Outcome(int(code), out.getvalue(), err.getvalue())


@contextlib.contextmanager
def _inside(folder: Path | None) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder or before)
    try:
        yield
    finally:
        os.chdir(before)


def weft_command(*arguments: object, cwd: Path | None = None, **environment: str) -> Outcome:
    """Run the weft command in a process of its own."""
    command = [sys.executable, "-m", "weft", *map(str, arguments)]
    return run(command, cwd, environment=clean_environment(**environment))
