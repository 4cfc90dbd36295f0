#!/usr/bin/env python3
"""Runs a program of PETSc's Fourier transforms (MATFFTW) with FFTW and with Weft in its place, and compares the numbers.

    sudo apt-get install libpetsc-complex-dev
    ./run exec python tests/fftw/petsc.py
    ./run exec python tests/fftw/petsc.py --ranks 4 --points 128 --times 5

PETSc is Debian's, and nothing in it is changed. Where it is not installed nothing is tested, which is said, and the exit status is 77.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import turns

SOURCE = Path(__file__).with_name("petsc.c")


def main() -> int:
    parser = turns.parser_of(__doc__ or "")
    parser.add_argument("--points", type=int, default=40, help="of the first axis (default: %(default)s)")
    arguments = parser.parse_args()
    found = sorted(Path("/usr/lib/petscdir").glob("petsc*/*-complex/lib/pkgconfig/PETSc.pc"))
    if not found:
        return turns.skipped("PETSc of complex numbers", "libpetsc-complex-dev")
    with TemporaryDirectory() as folder:
        flags = subprocess.run(
            ["pkg-config", "--cflags", "--libs", str(found[-1])], capture_output=True, text=True, check=True
        ).stdout.split()
        compiler = shutil.which("mpicc.openmpi") or "mpicc"
        subprocess.run([compiler, str(SOURCE), "-o", f"{folder}/program", *flags], check=True)
        commands = turns.with_both(arguments.ranks, f"{folder}/program", "-n", str(arguments.points))
        # The last number is the error of the way there and back: rounding alone.
        return turns.compare(commands, folder, arguments.times, lambda said: [float(n) for n in said.split()], 1e-12)


if __name__ == "__main__":
    sys.exit(main())
