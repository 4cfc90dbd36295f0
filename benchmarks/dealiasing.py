#!/usr/bin/env python3
"""Times spectra that keep fewer modes than the grid has points beside the same grid with all of its modes.

    ./run exec mpiexec -n 2 python -m mpi4py benchmarks/dealiasing.py
    ./run exec mpiexec -n 2 python -m mpi4py benchmarks/dealiasing.py --modes 64,128 --kinds r2c,c2c --rounds 15

A round is backward and forward of a spectrum, by transforms of the padded grid (3/2 as many points) with all modes, which leave it
to the program to write zeroes and to throw modes away (not timed here), and by those with `modes`; and the same with a product of two
fields in space (a `weft.Operator` of two fields to one). Printed are the medians over the rounds, of the slowest rank, and the median of
the rounds' ratios with its quartiles: how many times as fast it is to leave out what is zero. The spectra are compared.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI

import weft

COMM = MPI.COMM_WORLD


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--modes", default="64", help="along each of three axes (default: %(default)s)")
    parser.add_argument("--kinds", default="r2c,c2c", help="of r2c, c2c (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=9, help="timed rounds of each case (default: %(default)s)")
    arguments = parser.parse_args()
    say(f"weft {weft.__version__}, {COMM.size} ranks, {arguments.rounds} rounds")
    say("| grid, modes | kind | what | all modes ms | those kept ms | times as fast (quartiles) |")
    say("|---|---|---|---|---|---|")
    for m in map(int, arguments.modes.split(",")):
        for kind in arguments.kinds.split(","):
            for what, make in (("transforms", transforms), ("product", product)):
                case(m, kind, what, make, arguments.rounds)
    return 0


def transforms(shape: tuple[int, ...], modes: tuple[int, ...], kind: str) -> tuple[Any, Callable[[], Any], Any]:
    """What is planned, one round of it, and the spectrum that goes in and comes back."""
    fft = weft.FFT(shape, kind=kind, modes=modes, normalization="forward")
    u, x, y = fft.empty_output(), fft.empty_input(), fft.empty_output()
    fill(u, fft.output_slice, fft.modes)

    def work() -> Any:
        fft.backward(u, x)
        return fft.forward(x, y)

    return fft, work, (u, y)


def product(shape: tuple[int, ...], modes: tuple[int, ...], kind: str) -> tuple[Any, Callable[[], Any], Any]:
    """Of a field and the one that is 1 everywhere."""
    operator = weft.Operator(
        shape, multiply, inputs=2, outputs=1, at="points", kind=kind, modes=modes, normalization="forward"
    )
    u, y = operator.empty_input(), operator.empty_output()
    fill(u[0], operator.input_slice, modes)
    u[1] = 0
    if all(part.start == 0 < part.stop for part in operator.input_slice):
        u[1, 0, 0, 0] = 1
    return operator, lambda: operator(u, y), (u[0], y)


def multiply(tile: Any) -> None:
    np.multiply(tile.inputs[0], tile.inputs[1], out=tile.outputs[0])


def fill(u: Any, slices: tuple[slice, ...], modes: tuple[int, ...]) -> None:
    """A smooth spectrum of a real field: the same numbers for the same wave numbers, whatever is kept."""
    total: Any = 0
    for axis, (part, m) in enumerate(zip(slices, modes)):
        k = np.arange(part.start, part.stop)
        k = np.minimum(k, m - k)
        total = total + np.expand_dims(k**2, tuple(other for other in range(3) if other != axis))
    u[...] = np.exp(-total / 8)


def case(m: int, kind: str, what: str, make: Any, rounds: int) -> None:
    modes = (m, m, m)
    shape = weft.three_halves(modes)
    makes = [make(shape, kept, kind) for kept in (shape, modes)]
    for _, work, (u, y) in makes:
        for _ in range(3):
            work()
        worst = COMM.allreduce(float(np.abs(y - u).max(initial=0)), MPI.MAX)
        if worst > 1e-12:
            raise SystemExit(f"the spectrum comes back with an error of {worst}")
    seconds: list[list[float]] = [[], []]
    for turn in range(rounds):
        for which in (0, 1) if turn % 2 else (1, 0):
            COMM.Barrier()
            begin = time.perf_counter()
            makes[which][1]()
            seconds[which].append(COMM.allreduce(time.perf_counter() - begin, MPI.MAX))
    low, middle, high = np.percentile(np.divide(*seconds), (25, 50, 75))
    times = " | ".join(f"{1e3 * np.median(values):.2f}" for values in seconds)
    say(f"| {shape[0]}^3, {m}^3 | {kind} | {what} | {times} | {middle:.2f} ({low:.2f} to {high:.2f}) |")
    for planned, _, _ in makes:
        planned.close()


def say(line: str) -> None:
    if COMM.rank == 0:
        print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
