#!/usr/bin/env python3
"""Runs mpi4py-fft's own test files on weft.mpi4py_fft.

    ./run exec python tests/mpi4py_fft/upstream.py
    ./run exec python tests/mpi4py_fft/upstream.py --ranks 2,4 test_pencil test_darray

pip fetches the sources of mpi4py-fft, and SciPy, netCDF4 and pyFFTW, which some of the tests use, into build/mpi4py-fft; nothing
of mpi4py-fft itself is installed or run. Without a network nothing is tested, which is said, and the exit status is 77.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import itertools
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VERSION = "2.0.6"
ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "mpi4py-fft"
#: Packages that some tests use.
HELPERS = ("scipy", "netCDF4", "cftime", "certifi", "pyfftw")
SKIPPED = 77

#: Test files, and on how many ranks they may run.
FILES = {
    "test_pencil": (1, 2, 4, 6),
    "test_darray": (1, 2, 4, 6),
    "test_mpifft": (1, 2, 4, 6),
    "test_io": (1, 2, 4, 6),
    "test_libfft": (1,),
    "test_fftw": (1,),
}
#: What is left out, and why.
LEFT_OUT = {
    "test_timelimit": "it times FFTW's planning, and FFTW is not called",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help=f"of {', '.join(FILES)}; default: all")
    parser.add_argument("--ranks", default="1,2,4,6", help="numbers of ranks (default: %(default)s)")
    parser.add_argument("--limit", type=float, default=900, help="seconds for one file (default: %(default)s)")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="of test_mpifft a twentieth: double precision, a third of the shapes, no pyFFTW",
    )
    parser.add_argument("--inside", metavar="FILE", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        inside(arguments.inside, arguments.quick)
        return 0
    unknown = set(arguments.files) - set(FILES)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: one of {', '.join(FILES)} is needed")
    problem = fetched()
    if problem:
        print(f"skipped: {problem}")
        return SKIPPED
    failed = []
    for name in arguments.files or FILES:
        for ranks in map(int, arguments.ranks.split(",")):
            if ranks in FILES[name]:
                failed += [] if passed(name, ranks, arguments.limit, arguments.quick) else [f"{name} on {ranks} ranks"]
    print(f"failed: {', '.join(failed)}" if failed else "all passed")
    return 1 if failed else 0


def fetched() -> str:
    """Get the test files and their helpers; why that failed, or nothing."""
    tests = FOLDER / "tests"
    if not tests.is_dir():
        FOLDER.mkdir(parents=True, exist_ok=True)
        wanted = ["--no-deps", "--no-binary", "mpi4py-fft", f"mpi4py-fft=={VERSION}", "-d", str(FOLDER)]
        if not pip("download", *wanted):
            return f"the sources of mpi4py-fft {VERSION} cannot be fetched"
        with tarfile.open(next(FOLDER.glob("mpi4py*fft-*.tar.gz"))) as archive:
            members = [member for member in archive.getmembers() if Path(member.name).parent.name == "tests"]
            for member in members:
                member.name = f"tests/{Path(member.name).name}"
            archive.extractall(FOLDER, members)
    for helper in HELPERS:
        # A missing one leaves out what needs it, as in mpi4py-fft itself.
        target = FOLDER / "packages"
        if not list(target.glob(f"{helper}*")) and not pip(
            "install", "--no-deps", "--only-binary", ":all:", "--target", str(target), helper
        ):
            print(f"{helper} cannot be fetched; tests that use it are left out")
    return ""


def pip(*arguments: str) -> bool:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]
    return subprocess.run(command, check=False).returncode == 0


def passed(name: str, ranks: int, limit: float, quick: bool) -> bool:
    """Run one file on some ranks, in an empty folder, and say how it went."""
    sys.path.insert(0, str(ROOT / "tests" / "bindings"))
    from launching import run_on

    scratch = tempfile.mkdtemp(dir=FOLDER)
    path = os.pathsep.join([str(FOLDER / "packages"), os.environ.get("PYTHONPATH", "")])
    begin = time.monotonic()
    command = [sys.executable, "-m", "mpi4py", str(Path(__file__).resolve()), "--inside", name, *["--quick"] * quick]
    try:
        outcome = run_on(ranks, ["env", f"PYTHONPATH={path}", *command], cwd=Path(scratch), limit=limit)
        code, text = outcome.code, outcome.out + outcome.err
    except AssertionError as error:
        code, text = 1, str(error)
    shutil.rmtree(scratch, ignore_errors=True)  # a job that was ended may still be writing
    print(f"{'passed' if code == 0 else 'FAILED'}  {name} on {ranks} ranks, {time.monotonic() - begin:.0f} s")
    for line in text.splitlines():
        if code or line.startswith(("ran ", "left out ")):
            print(f"        {line}")
    sys.stdout.flush()
    return code == 0


# ---- on each rank


def inside(name: str, quick: bool) -> None:
    """Run the tests of one file, with weft.mpi4py_fft under the name mpi4py_fft."""
    import weft.mpi4py_fft

    if quick:
        # The tests ask which precisions there are, and whether pyFFTW is; shapes are products of the sizes 12 and 13.
        for char in "FG":
            weft.mpi4py_fft.fftlib.pop(char, None)
        every = itertools.product
        itertools.product = (
            lambda *sets, **more: itertools.islice(  # type: ignore[assignment, misc]
                every(*sets, **more), 0, None, 3 if sets[:1] == ((12, 13),) else 1
            )
        )
        sys.modules["pyfftw"] = None  # type: ignore[assignment]
    weft.mpi4py_fft.install()
    from mpi4py import MPI

    sys.path.insert(0, str(FOLDER / "tests"))
    module = importlib.import_module(name)
    assert sys.modules["mpi4py_fft"] is weft.mpi4py_fft
    lines = []
    for title, arguments in calls(module):
        reason = LEFT_OUT.get(title) or missing(module, title, arguments, MPI.COMM_WORLD.size)
        if reason:
            lines.append(f"left out {title}{arguments or ''}: {reason}")
            continue
        getattr(module, title)(*arguments)
        lines.append(f"ran {title}{arguments or ''}")
    if MPI.COMM_WORLD.rank == 0:
        print("\n".join(lines))


def calls(module: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The test functions of a file, with the arguments that its own main part gives them."""
    for title in dir(module):
        if not title.startswith("test_"):
            continue
        if module.__name__ == "test_io":
            yield from (
                (title, (format, spectrum))
                for format, spectrum in (("hdf5", False), ("hdf5", True), ("netcdf4", False))
            )
        else:
            yield title, ()


def missing(module: Any, title: str, arguments: tuple[Any, ...], ranks: int) -> str:
    package = {"hdf5": "h5py", "netcdf4": "netCDF4"}.get(arguments[0]) if arguments else None
    if package and importlib.util.find_spec(package) is None:
        return f"{package} is not installed"
    if title == "test_r2r" and ranks > 5:
        return "it is for less than 6 ranks"
    return ""


if __name__ == "__main__":
    sys.exit(main())
