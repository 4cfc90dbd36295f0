#!/usr/bin/env python3
"""Runs the tests of pmesh, and of pfft-python itself, on weft.pfft.

    ./run exec python tests/pfft/upstream.py
    ./run exec python tests/pfft/upstream.py --ranks 2,4

pip fetches the sources of both and what pmesh needs (mpsort; runtests; a NumPy, SciPy and Cython of its time) into build/pfft, and compiles
pmesh and mpsort there. The PFFT library is not needed. Where that fails nothing is tested, which is said, and the exit status is 77.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "pfft"
PACKAGES = FOLDER / "packages"
HELPERS = (
    "numpy<1.24",
    "scipy<1.12",
    "cython<3",
    "setuptools<70",
    "runtests",
    "coverage",
    "pytest<8",
    "iniconfig",
    "packaging",
    "pluggy",
)
SOURCES = {"pmesh": "0.1.56", "mpsort": "0.1.17", "pfft-python": "0.1.21"}
COMPILED = ("pmesh", "mpsort")
SKIPPED = 77

#: What is left out, and why.
LEFT_OUT = {
    "test_edges": "axes are dealt as evenly as they can be, where PFFT gives the last ranks nothing",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--ranks", default="1,2,4", help="numbers of ranks (default: %(default)s)")
    parser.add_argument(
        "--limit", type=float, default=200, help="seconds for one number of ranks (default: %(default)s)"
    )
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        return inside()
    problem = fetched()
    if problem:
        print(f"skipped: {problem}")
        return SKIPPED
    failed = [ranks for ranks in map(int, arguments.ranks.split(",")) if not passed(ranks, arguments.limit)]
    print(f"failed on {', '.join(map(str, failed))} ranks" if failed else "all passed")
    return 1 if failed else 0


def folder_of(package: str) -> Path:
    return FOLDER / f"{package}-{SOURCES[package]}"


def fetched() -> str:
    """Get and compile what is needed; why that failed, or nothing."""
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--quiet",
        "install",
        "--no-deps",
        "--target",
        str(PACKAGES),
    ]
    if (
        not PACKAGES.is_dir()
        and subprocess.run([*pip, "--only-binary", "numpy,scipy,cython", *HELPERS], check=False).returncode
    ):
        return "what pmesh needs cannot be fetched"
    for package, version in SOURCES.items():
        if folder_of(package).is_dir():
            continue
        # pip would compile a source to see what it needs.
        try:
            with urlopen(index := f"https://pypi.org/simple/{package}/", timeout=60) as answer:
                links = re.findall(r'href="([^"#]+)', answer.read().decode())
            address = urljoin(index, next(link for link in links if link.endswith(f"{package}-{version}.tar.gz")))
            with urlopen(address, timeout=60) as answer, tarfile.open(fileobj=answer, mode="r|gz") as archive:
                archive.extractall(FOLDER, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(
                    FOLDER
                )
        except (OSError, StopIteration) as error:
            return f"the sources of {package} {version} cannot be fetched: {error}"
    for package in COMPILED:
        if list(folder_of(package).glob(f"{package}/*.so")):
            continue
        command = [sys.executable, "setup.py", "build_ext", "--inplace"]
        with open(FOLDER / f"{package}.log", "w", encoding="utf-8") as log:
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path()))}
            built = subprocess.run(
                command, cwd=folder_of(package), env=environment, stdout=log, stderr=log, check=False, timeout=600
            )
        if built.returncode:
            return f"{package} cannot be compiled, see {log.name}"
    return ""


def path() -> list[Path]:
    return [PACKAGES, *[folder_of(package) for package in COMPILED]]


def passed(ranks: int, limit: float) -> bool:
    sys.path.insert(0, str(ROOT / "tests" / "bindings"))
    from launching import tried

    command = [sys.executable, "-m", "mpi4py", str(Path(__file__).resolve()), "--inside"]
    return tried("pmesh and pfft-python", ranks, command, path(), lambda line: " passed" in line, limit, cwd=FOLDER)


# ---- on each rank


def inside() -> int:
    """Run the tests, with weft.pfft under the name pfft."""
    import weft.pfft

    weft.pfft.install()
    import pytest

    left_out = " and ".join(f"not {name}[" for name in LEFT_OUT)
    folders = [
        str(folder_of("pmesh") / "pmesh" / "tests"),
        str(folder_of("pfft-python") / "pfft" / "tests" / "test_pfft.py"),
    ]
    options = ["-q", "--color=no", "--tb=short", "-p", "no:cacheprovider", "--import-mode=importlib", "-W", "ignore"]
    return int(pytest.main([*options, "-k", left_out, *folders]))


if __name__ == "__main__":
    sys.exit(main())
