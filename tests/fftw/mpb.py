#!/usr/bin/env python3
"""Runs MPB, a program for photonic bands on FFTW-MPI, with FFTW and with Weft in its place, and compares the bands.

    sudo apt-get install mpb-mpi
    ./run exec python tests/fftw/mpb.py
    ./run exec python tests/fftw/mpb.py --ranks 4 --resolution 48 --times 5

The program is Debian's, and nothing in it is changed. Where it is not installed nothing is tested, which is said, and the exit status is 77.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

#: A diamond lattice of dielectric spheres: its bands, at three wave vectors.
BANDS = """
(set! num-bands 5)
(set! geometry-lattice (make lattice (basis-size (sqrt 0.5) (sqrt 0.5) (sqrt 0.5))
  (basis1 0 1 1) (basis2 1 0 1) (basis3 1 1 0)))
(set! k-points (list (vector3 0 0.5 0.5) (vector3 0 0.625 0.375) (vector3 0 0.5 0)))
(set! default-material (make dielectric (epsilon 1)))
(define glass (make dielectric (epsilon 11.56)))
(set! geometry (list
  (make sphere (center 0.125 0.125 0.125) (radius 0.25) (material glass))
  (make sphere (center -0.125 -0.125 -0.125) (radius 0.25) (material glass))))
(set! resolution {resolution})
(set! mesh-size 5)
(run)
"""
#: Its eigensolver begins with random fields: bands of two runs differ by so much.
TOLERANCE = 2e-3
SKIPPED = 77


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--ranks", type=int, default=2, help="(default: %(default)s)")
    parser.add_argument("--resolution", type=int, default=16, help="points of an axis (default: %(default)s)")
    parser.add_argument("--times", type=int, default=1, help="runs of each, in turns (default: %(default)s)")
    arguments = parser.parse_args()
    if shutil.which("mpb-mpi") is None:
        print("skipped: mpb-mpi is not installed (sudo apt-get install mpb-mpi)")
        return SKIPPED
    launcher = shutil.which("mpiexec.openmpi") or "mpiexec"
    commands = {
        "FFTW": [launcher, "-n", str(arguments.ranks)],
        "Weft": ["weft", "run", "--as-fftw", "-n", str(arguments.ranks)],
    }
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    bands: dict[str, list[list[float]]] = {}
    with TemporaryDirectory() as folder:
        Path(folder, "bands.ctl").write_text(BANDS.format(resolution=arguments.resolution), encoding="ascii")
        for _ in range(arguments.times):
            for name, command in commands.items():
                environment = {**os.environ, "WEFT_FFTW_VERBOSE": "1"}
                begin = time.monotonic()
                done = subprocess.run(
                    [*command, "mpb-mpi", "bands.ctl"], cwd=folder, env=environment, capture_output=True, text=True,
                    timeout=600, check=False,
                )  # fmt: skip
                seconds[name].append(time.monotonic() - begin)
                if done.returncode:
                    print(done.stdout, done.stderr, sep="\n")
                    return 1
                rows = re.findall(r"^freqs:, \d+, (.*)$", done.stdout, re.MULTILINE)
                bands[name] = [[float(number) for number in row.split(",")] for row in rows]
                plans = re.findall(r"^weft: (fftw_.*)$", done.stderr, re.MULTILINE)
    print(*sorted(set(plans)), sep="\n")
    for name, times in seconds.items():
        print(f"{name}: {statistics.median(times):.2f} s")
    worst = max(abs(a - b) for ours, theirs in zip(bands["Weft"], bands["FFTW"]) for a, b in zip(ours, theirs))
    print(f"the bands differ by {worst:.1e} at most")
    if not bands["Weft"] or not plans or worst > TOLERANCE or not all(plan.endswith(": Weft") for plan in plans):
        print("FAILED")
        return 1
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
