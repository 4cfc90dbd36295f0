"""Running programs, on one process or through mpiexec, with a time limit that ends all of a job's processes."""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, NoReturn
from unittest import mock

import typer

from weft import cli
from weft.cli import main
from weft.cli.launch import launch_environment, mpiexec

HERE = Path(__file__).parent
#: Seconds. Machines of CI are shared with others, and are now and then several times slower.
TIME_LIMIT = 300.0 if os.environ.get("CI") else 100.0
#: Scripts of ranks/, and on how many ranks they run. Those of one number share a job, but for those of ALONE.
SCRIPTS = {
    "errors": (1, 2, 4),
    "files": (1, 3),
    "functions": (1, 2, 3, 4),
    "ghosts": (1, 2, 3, 4),
    "parts": (1, 2, 3, 4),
    "hostile": (3,),
    "labels": (1, 3),
    "pfft": (1, 2, 3, 4),
    "pfft_python": (1, 2, 3, 4),
    "operators": (1, 2, 4),
    "poisson": (1, 2, 4),
    "redistributions": (2, 4),
    "spheres": (1, 2, 4),
    "traces": (1, 3),
    "transforms": (1, 2, 3, 5),
    "tuning": (1, 2, 4),
}
ALONE = ("tuning",)  # where the machine is busy, its contests take all the time that they are given
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


def start(command: list[str], cwd: Path | None, environment: dict[str, str]) -> subprocess.Popen[str]:
    """A process in a group of its own, so that all that it launches can be ended."""
    return subprocess.Popen(
        command,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run(
    command: list[str], cwd: Path | None = None, limit: float = TIME_LIMIT, environment: dict[str, str] | None = None
) -> Outcome:
    """Run a command; AssertionError with its output if it is not done in time."""
    process = start(command, cwd, clean_environment() if environment is None else environment)
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


def tried(
    title: str,
    ranks: int,
    command: list[str],
    path: list[Path],
    shown: Callable[[str], bool],
    limit: float,
    **where: Path,
) -> bool:
    """Run the tests of others on some ranks, with folders before Python's, and say how that went: lines that are `shown`, which there
    must be, or all where it failed."""
    begin = time.monotonic()
    environment = os.pathsep.join([*map(str, path), os.environ.get("PYTHONPATH", "")])
    try:
        outcome = run_on(ranks, ["env", f"PYTHONPATH={environment}", *command], limit=limit, **where)
        code, text = outcome.code, outcome.out + outcome.err
    except AssertionError as error:
        code, text = 1, str(error)
    good = code == 0 and any(map(shown, text.splitlines()))
    print(f"{'passed' if good else 'FAILED'}  {title} on {ranks} ranks, {time.monotonic() - begin:.0f} s")
    for line in text.splitlines():
        if not good or shown(line):
            print(f"        {line}")
    sys.stdout.flush()
    return good


#: Where pytest's workers leave for each other what jobs said (conftest.py); nothing if there is one worker.
SHARED: Path | None = None


@cache
def job(ranks: int, alone: str = "") -> Outcome:
    """The scripts that run on so many ranks, one after the other, or one of them that runs alone. The first worker that
    wants a job runs it, and the others wait."""
    if SHARED is None:
        return _job(ranks, alone)
    kept = SHARED / f"job-{ranks}{alone}.json"
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            kept.write_text(json.dumps(_job(ranks, alone)))
        return Outcome(*json.loads(kept.read_text()))


def _job(ranks: int, alone: str) -> Outcome:
    together = [name for name, numbers in SCRIPTS.items() if ranks in numbers and name not in ALONE]
    with TemporaryDirectory() as folder:
        return run_script("together.py", ranks, folder, *([alone] if alone else together))


def passed(name: str, ranks: int) -> int:
    """The checks of a script that its job on so many ranks has passed; AssertionError unless all of them."""
    outcome = job(ranks, name if name in ALONE else "")
    found = re.search(rf"^{name}: (\d+) checks passed on {ranks} ranks$", outcome.out, re.MULTILINE)
    assert found, outcome
    return int(found[1])


@cache
def _command() -> Any:
    """The command line, whose flags are put together but once."""
    return typer.main.get_command(cli.app.app)


class _Launch(BaseException):
    """What the command line is about to become, in the place of os.execvpe."""

    def __init__(self, _: str, command: list[str], environment: Mapping[str, str]) -> None:
        self.command = command
        self.environment = {name: value for name, value in environment.items() if not name.startswith(_JOB_PREFIXES)}


def weft_launch(*arguments: object, cwd: Path | None = None) -> Outcome:
    """Run the weft command: in this process, which saves the time of starting one, and then the program that it becomes,
    if it does, in one of its own. Not for what needs MPI and launches nothing."""
    out, err = io.StringIO(), io.StringIO()
    code: Any = 0
    argv = mock.patch.object(sys, "argv", ["weft", *map(str, arguments)])
    with (
        mock.patch("weft.cli.app.app", _command()),
        mock.patch("os.execvpe", _raise_launch),
        argv,
        _inside(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        except _Launch as launch:
            program = run(launch.command, environment=launch.environment)
            return Outcome(program.code, out.getvalue() + program.out, err.getvalue() + program.err)
    return Outcome(int(code), out.getvalue(), err.getvalue())


def _raise_launch(*arguments: Any) -> NoReturn:
    raise _Launch(*arguments)


def weft_here(*arguments: object, cwd: Path | None = None) -> Outcome:
    """weft_launch for what launches nothing."""
    with mock.patch(f"{__name__}._raise_launch", side_effect=AssertionError("this test should not launch anything")):
        return weft_launch(*arguments, cwd=cwd)


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
