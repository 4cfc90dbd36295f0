#!/usr/bin/env python3
"""Runs the tests of packages that stand on mpi4py-fft, pylops-mpi and shenfun, on weft.mpi4py_fft.

    ./run exec python tests/mpi4py_fft/clients.py
    ./run exec python tests/mpi4py_fft/clients.py --ranks 2 pylops-mpi

pip fetches the packages and what they need into build/clients, and compiles shenfun there. Nothing of mpi4py-fft is installed or run. Where
that fails nothing is tested, which is said, and the exit status is 77.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "clients"
SKIPPED = 77


#: Of shenfun, for one process only: on more they fail with mpi4py-fft itself as well.
ALONE = (
    "test_assign",
    "test_dot",
    "test_eval_expression",
    "test_eval_tensor",
    "test_padding",
    "test_project_2dirichlet",
)


class Client(NamedTuple):
    version: str
    #: What it needs beside NumPy and mpi4py.
    helpers: tuple[str, ...]
    ranks: tuple[int, ...]
    tests: tuple[str, ...]
    #: Of these, what is for one rank only.
    alone: tuple[str, ...] = ()


CLIENTS = {
    "pylops-mpi": Client("0.8.0", ("pylops", "pyproximal", "scipy", "numba", "llvmlite"), (1, 2, 3, 4), ("test_ffts",)),
    "shenfun": Client(
        "4.3.0",
        ("scipy", "sympy", "mpmath", "numba", "llvmlite", "cython", "setuptools<80", "pyyaml"),
        (1, 2),
        ("test_tensorproductspace", "test_curl", "test_dot", "test_io", "test_backward"),
        ALONE,
    ),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=f"of {', '.join(CLIENTS)}; default: all")
    parser.add_argument("--ranks", help="numbers of ranks (default: those that the tests are made for)")
    parser.add_argument(
        "--limit", type=float, default=300, help="seconds for one number of ranks (default: %(default)s)"
    )
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        return inside(arguments.clients[0])
    unknown = set(arguments.clients) - set(CLIENTS)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: one of {', '.join(CLIENTS)} is needed")
    failed, skipped = [], False
    for name in arguments.clients or CLIENTS:
        problem = fetched(name)
        if problem:
            print(f"skipped {name}: {problem}")
            skipped = True
            continue
        for ranks in map(int, arguments.ranks.split(",")) if arguments.ranks else CLIENTS[name].ranks:
            failed += [] if passed(name, ranks, arguments.limit) else [f"{name} on {ranks} ranks"]
    print(f"failed: {', '.join(failed)}" if failed else "some were skipped" if skipped else "all passed")
    return 1 if failed else SKIPPED if skipped else 0


def source_of(name: str) -> Path:
    return FOLDER / name / f"{name.replace('-', '_')}-{CLIENTS[name].version}"


def packages_of(name: str) -> Path:
    return FOLDER / name / "packages"


def fetched(name: str) -> str:
    """Get a client and what it needs; why that failed, or nothing."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    version, helpers = CLIENTS[name][:2]
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    if not packages_of(name).is_dir():
        target = ["install", "--no-deps", "--only-binary", ":all:", "--target", str(packages_of(name))]
        if subprocess.run([*pip, *target, *helpers], check=False).returncode:
            return "what it needs cannot be fetched"
    if not source_of(name).is_dir():
        wanted = ["download", "--no-deps", "--no-binary", name, f"{name}=={version}", "-d", str(folder)]
        if subprocess.run([*pip, *wanted], check=False).returncode:
            return f"the sources of {name} {version} cannot be fetched"
        with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
            archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    if (source_of(name) / "setup.py").is_file() and not list(source_of(name).rglob(f"{name}/**/*.so")):
        command = [sys.executable, "setup.py", "build_ext", "--inplace", "-j", "2"]
        with open(folder / "build.log", "w", encoding="utf-8") as log:
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path(name)))}
            built = subprocess.run(
                command, cwd=source_of(name), env=environment, stdout=log, stderr=log, check=False, timeout=600
            )
        if built.returncode:
            return f"it cannot be compiled, see {log.name}"
    return ""


def path(name: str) -> list[Path]:
    return [packages_of(name), source_of(name)]


def passed(name: str, ranks: int, limit: float) -> bool:
    sys.path.insert(0, str(ROOT / "tests" / "bindings"))
    from launching import tried

    command = [sys.executable, "-m", "mpi4py", str(Path(__file__).resolve()), "--inside", name]
    shown = re.compile(" passed|by engine").search
    return tried(name, ranks, command, path(name), lambda line: bool(shown(line)), limit, cwd=FOLDER / name)


# ---- on each rank


def inside(name: str) -> int:
    """Run the tests, with weft.mpi4py_fft under the name mpi4py_fft."""
    import pytest
    from mpi4py import MPI

    import weft.mpi4py_fft
    from weft.mpi4py_fft import mpifft

    weft.mpi4py_fft.install()
    engines: dict[str, int] = {}
    made = mpifft.PFFT.__init__

    def count(self: mpifft.PFFT, *arguments: object, **keywords: object) -> None:
        made(self, *arguments, **keywords)  # type: ignore[arg-type]
        engines[self.engine] = engines.get(self.engine, 0) + 1

    mpifft.PFFT.__init__ = count  # type: ignore[method-assign]
    client = CLIENTS[name]
    options = ["-q", "--color=no", "--tb=short", "--noconftest", "-W", "ignore"]
    options += [option for plugin in ("cacheprovider", "xdist", "timeout") for option in ("-p", f"no:{plugin}")]
    if MPI.COMM_WORLD.size > 1 and client.alone:
        options += ["-k", " and ".join(f"not {test}" for test in client.alone)]
    code = int(pytest.main([*options, *[str(source_of(name) / "tests" / f"{test}.py") for test in client.tests]]))
    if MPI.COMM_WORLD.rank == 0 and engines:
        print(f"transforms by engine: {engines}")
    return code


if __name__ == "__main__":
    sys.exit(main())
