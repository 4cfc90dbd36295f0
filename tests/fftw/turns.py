"""Runs a program for FFTW-MPI with FFTW and with Weft in its place, in turns, and compares the numbers that it gives."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

#: The exit status where a program is not installed.
SKIPPED = 77
LAUNCHER = shutil.which("mpiexec.openmpi") or "mpiexec"


def parser_of(documentation: str) -> argparse.ArgumentParser:
    """With the arguments that all of these scripts have."""
    parser = argparse.ArgumentParser(description=documentation.splitlines()[0])
    parser.add_argument("--ranks", type=int, default=2, help="(default: %(default)s)")
    parser.add_argument("--times", type=int, default=1, help="runs of each, in turns (default: %(default)s)")
    return parser


def skipped(program: str, package: str) -> int:
    """Says what is missing; the exit status."""
    print(f"skipped: {program} is not installed (sudo apt-get install {package})")
    return SKIPPED


def with_both(ranks: int, *program: str) -> dict[str, list[str]]:
    """The commands of a program that is linked with a shared library of FFTW."""
    return {
        "FFTW": [LAUNCHER, "-n", str(ranks), *program],
        "Weft": ["weft", "run", "--as-fftw", "-n", str(ranks), *program],
    }


def compare(
    commands: dict[str, list[str]],
    folder: str,
    times: int,
    numbers: Callable[[str], list[float]],
    tolerance: float,
) -> int:
    """Exit status: 0 if both give the same, and all plans are Weft's. `numbers` takes them from what a run has said.

    They may differ by the tolerance times the largest.
    """
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    found: dict[str, list[float]] = {}
    plans: list[str] = []
    for _ in range(times):
        for name, command in commands.items():
            begin = time.monotonic()
            done = subprocess.run(
                command, cwd=Path(folder), env={**os.environ, "WEFT_FFTW_VERBOSE": "1"}, capture_output=True, text=True,
                timeout=600, check=False,
            )  # fmt: skip
            seconds[name].append(time.monotonic() - begin)
            if done.returncode:
                print(done.stdout, done.stderr, sep="\n")
                return 1
            found[name] = numbers(done.stdout)
            plans = re.findall(r"^weft: (fftw_.*)$", done.stderr, re.MULTILINE)
    print(*sorted(set(plans)), sep="\n")
    for name, each in seconds.items():
        print(f"{name}: {statistics.median(each):.2f} s")
    ours, theirs = found["Weft"], found["FFTW"]
    worst = max((abs(a - b) for a, b in zip(ours, theirs)), default=0.0)
    print(f"{len(ours)} numbers differ by {worst:.1e} at most")
    alike = len(ours) == len(theirs) > 0 and worst <= tolerance * max(map(abs, theirs))
    if not alike or not plans or not all(plan.endswith(": Weft") for plan in plans):
        print("FAILED")
        return 1
    print("passed")
    return 0
