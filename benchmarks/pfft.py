#!/usr/bin/env python3
"""Times weft.mpi4py_fft beside mpi4py-fft: the same calls in turn, so that what else the machine does meets both.

    ./run exec mpiexec -n 2 python -m mpi4py benchmarks/pfft.py
    ./run exec mpiexec -n 2 python -m mpi4py benchmarks/pfft.py --sizes 128,256 --rounds 15 --kinds c2c

A round is forward and backward of a field, by each of the two. Printed are the medians over the rounds, of the slowest rank, and the
median of the rounds' ratios with its quartiles: how many times as fast Weft is. Both get the same arrays, and the spectra are compared.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np
from mpi4py import MPI

import weft.mpi4py_fft as ours

COMM = MPI.COMM_WORLD


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", default="64,128", help="points along each of three axes (default: %(default)s)")
    parser.add_argument("--kinds", default="r2c", help="of r2c, c2c (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=9, help="timed rounds of each case (default: %(default)s)")
    parser.add_argument("--collapse", action="store_true", help="let both take axes together")
    arguments = parser.parse_args()
    try:
        import mpi4py_fft as theirs
    except ImportError as error:
        if COMM.rank == 0:
            print(f"mpi4py-fft is not installed, so there is nothing to compare with: {error}", file=sys.stderr)
            print(
                "python -m pip install mpi4py-fft compiles it; it needs FFTW's headers (libfftw3-dev)", file=sys.stderr
            )
        return 1
    say(f"weft.mpi4py_fft and mpi4py-fft {theirs.__version__}, {COMM.size} ranks, {arguments.rounds} rounds")
    say("| points | kind | padding | engine | mpi4py-fft ms | Weft ms | times as fast (quartiles) |")
    say("|---|---|---|---|---|---|---|")
    for n in map(int, arguments.sizes.split(",")):
        for kind in arguments.kinds.split(","):
            for padding in (False, [1.5] * 3):
                case(theirs, n, kind, padding, arguments)
    return 0


def case(theirs: Any, n: int, kind: str, padding: Any, arguments: argparse.Namespace) -> None:
    keywords = {"dtype": float if kind == "r2c" else complex, "collapse": arguments.collapse and not padding}
    plans = [module.PFFT(COMM, (n, n, n), padding=padding and list(padding), **keywords) for module in (theirs, ours)]
    shapes = [[plan.shape(end) for end in (False, True)] for plan in plans]
    if shapes[0] != shapes[1]:
        raise SystemExit(f"rank {COMM.rank}: the layouts differ: {shapes}")
    field = ours.newDistArray(plans[1], False, view=True)
    field[...] = np.random.default_rng(COMM.rank).standard_normal(field.shape)
    spectra = [ours.newDistArray(plan, view=True) for plan in (plans[1], plans[1])]
    back = np.empty_like(field)
    for plan, spectrum in zip(plans, spectra):
        plan.forward(field, spectrum)
        plan.backward(spectrum, back)
    difference = np.abs(spectra[0] - spectra[1])
    if padding:  # the two fold the highest wavenumber of a real field differently
        difference *= np.arange(n // 2 + 1)[plans[1].local_slice()[2]] < n // 2 if kind == "r2c" else 1
    worst = COMM.allreduce(float(difference.max(initial=0)), MPI.MAX)
    if worst > 1e-12:
        raise SystemExit(f"the spectra differ by {worst}")
    seconds: list[list[float]] = [[], []]
    for turn in range(arguments.rounds):
        for which in (0, 1) if turn % 2 else (1, 0):
            COMM.Barrier()
            begin = time.perf_counter()
            plans[which].forward(field, spectra[which])
            plans[which].backward(spectra[which], back)
            seconds[which].append(COMM.allreduce(time.perf_counter() - begin, MPI.MAX))
    low, middle, high = np.percentile(np.divide(*seconds), (25, 50, 75))
    times = " | ".join(f"{1e3 * np.median(values):.2f}" for values in seconds)
    say(
        f"| {n}^3 | {kind} | {'3/2' if padding else 'none'} | {plans[1].engine} | {times} | {middle:.2f} ({low:.2f} to {high:.2f}) |"
    )
    for plan in plans:
        plan.destroy()


def say(line: str) -> None:
    if COMM.rank == 0:
        print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
