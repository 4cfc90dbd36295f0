#!/usr/bin/env python3
"""Runs MPB, a program for photonic bands on FFTW-MPI, with FFTW and with Weft in its place, and compares the bands.

    sudo apt-get install mpb-mpi
    ./run exec python tests/fftw/mpb.py
    ./run exec python tests/fftw/mpb.py --ranks 4 --resolution 48 --times 5

The program is Debian's, and nothing in it is changed. Where it is not installed nothing is tested, which is said, and the exit status is 77.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import turns

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


def bands_of(text: str) -> list[float]:
    rows = re.findall(r"^freqs:, \d+, (.*)$", text, re.MULTILINE)
    return [float(number) for row in rows for number in row.split(",")]


def main() -> int:
    parser = turns.parser_of(__doc__ or "")
    parser.add_argument("--resolution", type=int, default=16, help="points of an axis (default: %(default)s)")
    arguments = parser.parse_args()
    if shutil.which("mpb-mpi") is None:
        return turns.skipped("mpb-mpi", "mpb-mpi")
    with TemporaryDirectory() as folder:
        Path(folder, "bands.ctl").write_text(BANDS.format(resolution=arguments.resolution), encoding="ascii")
        commands = turns.with_both(arguments.ranks, "mpb-mpi", "bands.ctl")
        return turns.compare(commands, folder, arguments.times, bands_of, TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
